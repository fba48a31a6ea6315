"""Things that go wrong between an app and Slack, on demand: throttling, server errors, lost connections before or after
the work was done, slow or cut answers, refusals. A rule says which calls, how often; a fault says what happens."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from aiohttp import web

from .records import Json

Kind = Literal["rate_limited", "server_error", "html_error", "dropped", "slow", "refused", "truncated"]
KINDS: tuple[Kind, ...] = ("rate_limited", "server_error", "html_error", "dropped", "slow", "refused", "truncated")
HTML = "<!DOCTYPE html><html><head><title>Server Error | Slack</title></head><body>Oops.</body></html>"


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens to a call. `after_commit`: the work is done, only the answer suffers."""

    kind: Kind
    after_commit: bool = False
    retry_after: int = 1
    status: int = 500
    seconds: float = 0.0
    error: str = "internal_error"

    @property
    def commits(self) -> bool:
        """Whether the work is done at all."""
        return self.after_commit or self.kind == "slow"

    @staticmethod
    def rate_limited(retry_after: int = 1) -> "Fault":
        """HTTP 429 with Retry-After in whole seconds."""
        return Fault("rate_limited", retry_after=retry_after, status=429, error="ratelimited")

    @staticmethod
    def server_error(status: int = 500, *, after_commit: bool = False) -> "Fault":
        """HTTP 5xx with Slack's JSON body."""
        return Fault("server_error", after_commit, status=status)

    @staticmethod
    def html_error(status: int = 503, *, after_commit: bool = False) -> "Fault":
        """HTTP 5xx with a web page as body, as a load balancer sends it."""
        return Fault("html_error", after_commit, status=status)

    @staticmethod
    def dropped(*, after_commit: bool = False) -> "Fault":
        """The connection ends without an answer."""
        return Fault("dropped", after_commit)

    @staticmethod
    def slow(seconds: float, *, after_commit: bool = False) -> "Fault":
        """The answer comes late; with `after_commit` the work was done before the wait."""
        return Fault("slow", after_commit, seconds=seconds)

    @staticmethod
    def refused(error: str, *, after_commit: bool = False) -> "Fault":
        """HTTP 200 with ok=false and this error; `after_commit` for internal_error and fatal_error that did work."""
        return Fault("refused", after_commit, status=200, error=error)

    @staticmethod
    def truncated(*, after_commit: bool = True) -> "Fault":
        """HTTP 200 with JSON that breaks off."""
        return Fault("truncated", after_commit, status=200)


@dataclass(frozen=True, slots=True)
class Rule:
    """Which calls suffer: a method ("*" for all; "upload" and "response_url" count as methods), perhaps only in one
    channel (its id, as the call names it), after `skip` calls, `times` times (None: until cleared)."""

    method: str
    fault: Fault
    times: int | None = 1
    channel: str | None = None
    skip: int = 0

    def covers(self, method: str, channel: str) -> bool:
        return self.method in ("*", method) and self.channel in (None, channel)


class Faults:
    """The rules in force, oldest first; the first that covers a call decides."""

    def __init__(self, channel_id: Callable[[str], str]) -> None:
        self.rules: list[Rule] = []
        self._channel_id = channel_id

    def add(
        self, method: str, fault: Fault, *, times: int | None = 1, channel: str | None = None, skip: int = 0
    ) -> None:
        """`channel` by id or name."""
        wanted = None if channel is None else self._channel_id(channel)
        self.rules.append(Rule(method, fault, times, wanted, skip))

    def clear(self) -> None:
        self.rules.clear()

    def take(self, method: str, channel: str) -> Fault | None:
        """The fault of this call, if any; counts it."""
        known = self._channel_id(channel) if channel else ""
        for place, rule in enumerate(self.rules):
            if rule.covers(method, known):
                return self._count(place, rule)
        return None

    def _count(self, place: int, rule: Rule) -> Fault | None:
        if rule.skip > 0:
            self.rules[place] = replace(rule, skip=rule.skip - 1)
            return None
        if rule.times is not None:
            self.rules[place] = replace(rule, times=rule.times - 1)
            if rule.times <= 1:
                del self.rules[place]
        return rule.fault


async def suffer(fault: Fault, request: web.Request, commit: Callable[[], web.Response]) -> web.StreamResponse:
    """Answer one call under a fault; `commit` does the work and gives the healthy answer."""
    if fault.kind == "slow":
        return await _late(fault, commit)
    healthy = commit() if fault.after_commit else None
    if fault.kind == "dropped":
        if request.transport is not None:
            request.transport.abort()
        return web.Response()
    if fault.kind == "truncated":
        body = healthy.body if healthy is not None and isinstance(healthy.body, bytes) else b'{"ok":true,"channel":"C'
        return web.Response(body=body[: max(1, len(body) // 2)], content_type="application/json")
    return _failure(fault)


async def _late(fault: Fault, commit: Callable[[], web.Response]) -> web.Response:
    if fault.after_commit:
        answer = commit()
        await asyncio.sleep(fault.seconds)
        return answer
    await asyncio.sleep(fault.seconds)
    return commit()


def _failure(fault: Fault) -> web.Response:
    if fault.kind == "html_error":
        return web.Response(text=HTML, content_type="text/html", status=fault.status)
    headers = {"Retry-After": str(fault.retry_after)} if fault.kind == "rate_limited" else {}
    body: Json = {"ok": False, "error": fault.error}
    return web.json_response(body, status=fault.status, headers=headers)


def fault_from(order: dict[str, Any]) -> Fault:
    """A fault from the JSON of a call to /sim/faults. Raises ValueError with a sentence."""
    kind = order.get("kind")
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}")
    makers: dict[Kind, Callable[[], Fault]] = {
        "rate_limited": lambda: Fault.rate_limited(int(order.get("retry_after", 1))),
        "server_error": lambda: Fault.server_error(int(order.get("status", 500))),
        "html_error": lambda: Fault.html_error(int(order.get("status", 503))),
        "dropped": Fault.dropped,
        "slow": lambda: Fault.slow(float(order.get("seconds", 1))),
        "refused": lambda: Fault.refused(str(order.get("error", "internal_error"))),
        "truncated": Fault.truncated,
    }
    fault = makers[kind]()
    return replace(fault, after_commit=bool(order.get("after_commit", fault.after_commit)))


def describe(rule: Rule) -> Json:
    """A rule in force, for whoever asks /sim/faults."""
    fault = rule.fault
    about: Json = {"kind": fault.kind, "after_commit": fault.after_commit, "error": fault.error}
    return about | {"method": rule.method, "times": rule.times, "channel": rule.channel, "skip": rule.skip}
