"""How SysOM and its gateway answer: two styles of error keys, request ids under four names (SysOM
reference §4, §10, §11)."""

import json
import uuid
from collections.abc import Mapping
from typing import Any, Literal

from aiohttp import web

from bot.simulator.clouds.serving import target
from bot.simulator.clouds.sysom.signature import Gate
from bot.simulator.world import World

_TYPE = "application/json;charset=utf-8"
_CODES = {400: "Sysom.ServerError", 403: "Forbidden.RAM", 404: "InvalidApi.NotFound", 503: "ServiceUnavailable"}
ErrorStyle = Literal["gateway", "service"]


class SysomDialect:
    def __init__(self, world: World, gate: Gate, actions: Mapping[tuple[str, str], str], style: ErrorStyle) -> None:
        self._world, self._gate, self._actions, self._style = world, gate, actions, style

    def failure(self, status: int, code: str, message: str) -> web.Response:
        code = code or _CODES.get(status, "InternalError")
        request_id = str(uuid.uuid4()).upper()
        if self._style == "service":
            return json_of(_service_error(code, message, request_id), request_id, status=status)
        body: dict[str, Any] = {
            "RequestId": request_id,
            "HostId": "sysom.cn-hangzhou.aliyuncs.com",
            "Code": code,
            "Message": message or "The request processing has failed.",
            "Recommend": f"https://api.aliyun.com/troubleshoot?q={code}&product=SysOM",
        }
        if code == "Forbidden.RAM":
            body["AccessDeniedDetail"] = {
                "AuthAction": "sysom:GetGpuClusterListAlarmRecord",
                "PolicyType": "AccountLevelIdentityBasedPolicy",
            }
        return json_of(body, request_id, status=status)

    def business(self, code: str, message: str) -> web.Response:
        request_id = str(uuid.uuid4()).upper()
        return json_of(_service_error(code or "Sysom.ServerError", message, request_id), request_id)

    def throttled(self, status: int | None, retry_after: float | None) -> web.Response:
        response = self.failure(status or 400, "Throttling.User", "Request was denied due to user flow control.")
        if retry_after is not None:
            response.headers["x-acs-retry-after"] = str(round(retry_after * 1000))
        return response

    def no_route(self, path: str) -> web.Response:
        return self.failure(404, "InvalidApi.NotFound", "Specified api is not found, please check your url and method.")

    async def verify(self, request: web.Request) -> None:
        path, query = target(request)
        action = self._actions.get((request.method, request.path))
        if action is None or request.headers.get("x-acs-action") != action:
            raise web.HTTPNotFound
        body = await request.read()
        self._gate.check(self._world.now(), request.method, path, query, request.headers, body)


def reply(data: Any, *, key: str | None = "requestId", total: Any = None, **more: Any) -> web.Response:
    """A success; `key` is how the operation spells the request id, None: not at all."""
    request_id = str(uuid.uuid4()).upper()
    body: dict[str, Any] = {"code": "Success", "message": "", "data": data, **more}
    if total is not None:
        body["total"] = total
    if key is not None:
        body[key] = request_id
    return json_of(body, request_id)


def json_of(body: Mapping[str, Any], request_id: str, *, status: int = 200) -> web.Response:
    text = json.dumps(body, ensure_ascii=False).encode()
    headers = {"Content-Type": _TYPE, "x-acs-request-id": request_id, "x-acs-trace-id": uuid.uuid4().hex}
    return web.Response(status=status, body=text, headers=headers)


def _service_error(code: str, message: str, request_id: str) -> dict[str, Any]:
    lead_in = "Server error, please correct the code according to the error message."
    return {"code": code, "message": f"{lead_in} {message}".strip(), "requestId": request_id, "data": [], "total": "0"}
