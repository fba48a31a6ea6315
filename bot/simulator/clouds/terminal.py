"""The web terminals that the simulated clouds hand out: a page for people, an echo for web sockets. A
token stands for one pod; it is made from the pod alone, so nothing needs to be remembered."""

import html
import urllib.parse

from aiohttp import WSMsgType, web

from bot.simulator.world import chance

_PAGE = """<!doctype html><meta charset="utf-8"><title>{pod}</title>
<body style="background:#111;color:#9f9;font:14px monospace;padding:2em">
<p>simulated terminal of pod {pod}</p><p>root@{pod}:/work# <span style="background:#9f9">&nbsp;</span></p>"""


def terminal_path(pod: str, job_grain: int) -> str:
    """The path of a pod's terminal; the pod's name rides behind a token of 128 characters."""
    return f"/terminal/{chance.token(128, 'terminal', job_grain, pod)}/{urllib.parse.quote(pod, safe='')}"


def terminal_routes() -> list[web.RouteDef]:
    return [web.get("/terminal/{token}/{pod}", _open)]


async def _open(request: web.Request) -> web.StreamResponse:
    pod = request.match_info["pod"]
    if request.headers.get("Upgrade", "").lower() != "websocket":
        return web.Response(text=_PAGE.format(pod=html.escape(pod)), content_type="text/html")
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    await socket.send_str(f"simulated terminal of pod {pod}\r\nroot@{pod}:/work# ")
    async for message in socket:
        if message.type is WSMsgType.TEXT:
            await socket.send_str(f"{message.data}\r\nroot@{pod}:/work# ")
    return socket
