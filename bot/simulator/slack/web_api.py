"""The Web API's front desk: reads arguments, checks the token and the scope, lets faults happen, calls the method, and
writes every call into the journal."""

from collections.abc import Mapping

from aiohttp import web

from .arguments import Arguments, read_arguments
from .errors import SlackError
from .faults import Faults, suffer
from .journal import Call, Journal
from .methods import Method
from .pace import Pace
from .records import Json
from .state import Desk, State


class WebApi:
    """Answers /api/{method}."""

    def __init__(
        self, state: State, methods: Mapping[str, Method], faults: Faults, journal: Journal, pace: Pace
    ) -> None:
        self._state = state
        self._methods = methods
        self._faults = faults
        self._journal = journal
        self._pace = pace

    async def handle(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["method"]
        try:
            args = await read_arguments(request)
        except SlackError as error:
            return web.json_response(error.to_json())
        token = bearer(request) or str(args.values.pop("token", ""))
        fault = self._faults.take(name, args.text("channel") or args.text("channel_id"))
        if fault is None:
            return self._commit(name, args, token)
        if not fault.commits:
            self._note(name, args, fault.error, committed=False, fault=fault.kind)
        return await suffer(fault, request, lambda: self._commit(name, args, token, fault.kind))

    def _commit(self, name: str, args: Arguments, token: str, fault: str | None = None) -> web.Response:
        try:
            answer = self._answer(name, args, token)
        except SlackError as error:
            self._note(name, args, error.error, committed=False, fault=fault)
            return refusal(error)
        self._note(name, args, "ok", committed=True, fault=fault)
        return web.json_response(answer, headers=self._scopes_of(token))

    def _answer(self, name: str, args: Arguments, token: str) -> Json:
        method = self._methods.get(name)
        if method is None:
            raise SlackError("unknown_method", req_method=name)
        self._admit(method, token)
        if name == "chat.postMessage":
            self._keep_pace(args.text("channel"))
        return method.call(Desk(self._state, self._state.app.scopes), args)

    def _scopes_of(self, token: str) -> dict[str, str]:
        """Slack says with every answer what the token may do."""
        app = self._state.app
        return {"X-OAuth-Scopes": ",".join(sorted(app.scopes))} if token == app.bot_token else {}

    def _admit(self, method: Method, token: str) -> None:
        """Raises not_authed, invalid_auth, not_allowed_token_type or missing_scope."""
        app = self._state.app
        if method.token == "none":
            return
        if not token:
            raise SlackError("not_authed")
        if token not in (app.bot_token, app.app_token):
            raise SlackError("invalid_auth")
        if (token == app.app_token) != (method.token == "app"):
            raise SlackError("not_allowed_token_type")
        if method.scope and method.token == "bot" and method.scope not in app.scopes:
            raise SlackError("missing_scope", needed=method.scope, provided=",".join(sorted(app.scopes)))

    def _keep_pace(self, channel_name: str) -> None:
        channel = self._state.find_channel(channel_name)
        wait = self._pace.spend(channel.id) if channel else 0.0
        if wait and self._pace.enforced:
            raise SlackError("rate_limited", retry_after=max(1, round(wait)))

    def _note(self, name: str, args: Arguments, outcome: str, *, committed: bool, fault: str | None) -> None:
        self._journal.note(Call(name, args.values, self._state.clock(), outcome, committed, fault))


def refusal(error: SlackError) -> web.Response:
    """Refusals are HTTP 200, but for the pace rule's 429."""
    if error.error != "rate_limited":
        return web.json_response(error.to_json())
    headers = {"Retry-After": str(error.details["retry_after"])}
    return web.json_response({"ok": False, "error": error.error}, status=429, headers=headers)


def bearer(request: web.Request) -> str:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""
