"""What monitoring sees."""

from collections.abc import Sequence

import aiohttp
import pytest

from bot import web


def saying(*wrong: str) -> web.Complaints:
    async def complaints() -> Sequence[str]:
        return wrong

    return complaints


@pytest.mark.parametrize(
    ("path", "status", "body"),
    [
        ("/healthz", 200, {"ok": True, "wrong": []}),
        ("/readyz", 503, {"ok": False, "wrong": ["Slack is not connected"]}),
    ],
)
async def test_a_probe_names_what_is_wrong(path: str, status: int, body: object) -> None:
    app = web.build(saying(), saying("Slack is not connected"), lambda: b"", None)

    async with (
        web.serve(app, "127.0.0.1", 0) as port,
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{port}{path}") as answer,
    ):
        assert (status, body) == (answer.status, await answer.json())


async def test_metrics_are_served_in_prometheus_form() -> None:
    app = web.build(saying(), saying(), lambda: b"gpubot_open_incidents 3.0\n", None)

    async with (
        web.serve(app, "127.0.0.1", 0) as port,
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{port}/metrics") as answer,
    ):
        assert "text/plain; version=0.0.4; charset=utf-8" == answer.headers["Content-Type"]
        assert "gpubot_open_incidents 3.0\n" == await answer.text()


async def test_slack_is_not_served_in_socket_mode() -> None:
    app = web.build(saying(), saying(), lambda: b"", None)

    async with (
        web.serve(app, "127.0.0.1", 0) as port,
        aiohttp.ClientSession() as session,
        session.post(f"http://127.0.0.1:{port}/slack/events") as answer,
    ):
        assert 404 == answer.status
