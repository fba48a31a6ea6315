"""Debian's prometheus-alertmanager with a Slack receiver, and the incoming webhook that it posts to.

The webhook keeps the pace that Slack keeps: a message a second and channel with a short burst, else 429 with
Retry-After; and it cuts a text as Slack does.
"""

import asyncio
import shutil
import socket
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import ClientError, ClientSession, web

from bot.simulator.slack.limits import MESSAGE_TEXT
from bot.simulator.slack.pace import Pace
from bot.simulator.world import Alarm, Job
from tests.bench.program import Running, started
from tests.bench.storm import Reader

BINARY = shutil.which("prometheus-alertmanager")
GROUP_WAIT, GROUP_INTERVAL = "10s", "1m"  # quicker than its defaults of 30s and 5m
_READY_WITHIN = 20.0
_PORTION = 1_000

ROUTE = f"""
global:
  slack_api_url: '%(url)s'
route:
  receiver: slack
  group_by: [%(group_by)s]
  group_wait: {GROUP_WAIT}
  group_interval: {GROUP_INTERVAL}
  repeat_interval: 4h
receivers:
  - name: slack
    slack_configs:
      - channel: '#gpu-alerts'
        send_resolved: true
        title: '{{{{ .Status | toUpper }}}} {{{{ .CommonLabels.alertname }}}} ({{{{ .Alerts.Firing | len }}}})'
        text: |-
          {{{{ range .Alerts }}}}• *{{{{ .Labels.job }}}}* {{{{ .Labels.pod }}}} GPU{{{{ .Labels.gpu }}}}
          {{{{ end }}}}
"""


@dataclass
class Webhook:
    """An incoming webhook of one channel, and what came of the posts."""

    reader: Reader
    pace: Pace
    url: str = ""
    refused: int = 0

    @asynccontextmanager
    async def serve(self) -> AsyncIterator["Webhook"]:
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/services/T0REDWOOD/B0WEBHOOK/token", self._take)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/services/T0REDWOOD/B0WEBHOOK/token"
            yield self
        finally:
            await runner.cleanup()

    async def _take(self, request: web.Request) -> web.Response:
        told = await request.json()
        wait = self.pace.spend("C01ALERTS")
        if wait:
            self.refused += 1
            return web.Response(status=429, text="rate_limited", headers={"Retry-After": str(max(1, round(wait)))})
        shown = [
            told.get("text", ""),
            *(f"{one.get('title')} {one.get('text')}" for one in told.get("attachments", ())),
        ]
        self.reader.read("\n".join(shown)[:MESSAGE_TEXT], is_edit=False)
        return web.Response(text="ok")


@dataclass(frozen=True, slots=True)
class Alertmanager:
    """A running one."""

    running: Running
    webhook: Webhook
    url: str

    async def fire(self, alarms: Sequence[Alarm], names: dict[str, str]) -> None:
        """Hand it the alarms as a rule's evaluation would; `names` of jobs by their id."""
        alerts = [{"labels": _labels(alarm, names[alarm.task])} for alarm in alarms]
        async with ClientSession() as session:
            for place in range(0, len(alerts), _PORTION):
                body = alerts[place : place + _PORTION]
                async with session.post(f"{self.url}/api/v2/alerts", json=body) as answer:
                    assert answer.status == 200, await answer.text()


@asynccontextmanager
async def alertmanager(folder: Path, group_by: Sequence[str]) -> AsyncIterator[Alertmanager]:
    """One that groups by these labels."""
    folder.mkdir()
    assert BINARY is not None
    async with Webhook(Reader(), Pace(time.monotonic)).serve() as webhook:
        config, port = folder / "alertmanager.yml", _free_port()
        config.write_text(ROUTE % {"url": webhook.url, "group_by": ", ".join(group_by)})
        command = [BINARY, f"--config.file={config}", f"--storage.path={folder / 'data'}", "--log.level=error"]
        command += [f"--web.listen-address=127.0.0.1:{port}", "--cluster.listen-address="]
        async with started(*command, log=folder / "log") as running:
            await _ready(f"http://127.0.0.1:{port}/-/ready", folder / "log")
            yield Alertmanager(running, webhook, f"http://127.0.0.1:{port}")


def names_of(jobs: Sequence[Job]) -> dict[str, str]:
    return {job.id: job.name for job in jobs}


def _labels(alarm: Alarm, job: str) -> dict[str, Any]:
    gpu = ",".join(str(one) for one in alarm.gpus)
    return {"alertname": alarm.kind, "cluster": alarm.cluster, "job": job, "pod": alarm.pod, "gpu": gpu}


async def _ready(url: str, log: Path) -> None:
    deadline = time.monotonic() + _READY_WITHIN
    async with ClientSession() as session:
        while time.monotonic() < deadline:
            try:
                async with session.get(url) as answer:
                    if answer.status == 200:
                        return
            except ClientError:
                pass
            await asyncio.sleep(0.1)
    raise AssertionError(log.read_text())


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
