"""The terminals that the simulated clouds hand out."""

import aiohttp

from bot.simulator.clouds import Serving, serve_baidu
from bot.simulator.world import World
from tests.simulator.clouds.callers import baidu, send


async def test_a_web_socket_terminal_greets_and_echoes(world: World) -> None:
    job = world.job_named("vit-eval")
    path = f"/api/v1/aijobs/{job.id}/pods/{job.pods[0].name}/webterminal"
    async with serve_baidu(world, terminal_scheme="ws") as cloud, aiohttp.ClientSession() as session:
        url = (await baidu(cloud, "GET", path)).json()["result"]["WebTerminalUrl"]
        async with session.ws_connect(url) as socket:
            assert "simulated terminal of pod vit-eval-master-0" in await socket.receive_str()
            await socket.send_str("nvidia-smi")
            assert (await socket.receive_str()).startswith("nvidia-smi")


async def test_a_pod_name_from_outside_cannot_break_the_page(baidu_cloud: Serving) -> None:
    page = await send(baidu_cloud, "GET", "/terminal/t/%3Cscript%3E", {})
    assert "<script>" not in page.text


async def test_a_job_that_is_over_has_no_terminal(world: World, baidu_cloud: Serving) -> None:
    job = world.job_named("mamba-3b")
    answer = await baidu(baidu_cloud, "GET", f"/api/v1/aijobs/{job.id}/pods/{job.pods[0].name}/webterminal")
    assert (400, "cce.warning.GetPodWebTerminalFailed") == (answer.status_code, answer.json()["code"])
