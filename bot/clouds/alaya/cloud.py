"""Alaya NeW as a `JobCloud`: reads one deployment and, where the settings allow it, writes to it."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from bot.clouds.alaya import wire
from bot.clouds.alaya.calls import Calls
from bot.clouds.alaya.credentials import sign_with
from bot.clouds.alaya.envelope import judge_for
from bot.clouds.alaya.listing import PAGE_SIZE, read_all
from bot.clouds.alaya.mapping import job_from_pods, to_event, to_job, to_pod, to_pod_detail, to_series
from bot.clouds.alaya.operations import abilities_of, configured
from bot.clouds.http import Http, Limits, Wire
from bot.clouds.scalars import read_list, read_record
from bot.clouds.signing import Keys
from bot.clouds.zone import write_local
from bot.domain.errors import CloudError, NotAvailable, NotFound, Unreadable
from bot.domain.job import Job, JobDefinition, JobKey, Pod, PodDetail, TerminalLink
from bot.domain.journal import Event, LogLines
from bot.domain.series import Metric, Series, Window

_PERIODS = {
    timedelta(minutes=15): "15m",
    timedelta(hours=1): "1h",
    timedelta(hours=6): "6h",
    timedelta(hours=24): "24h",
    timedelta(days=3): "3d",
    timedelta(days=7): "7d",
    timedelta(days=30): "30d",
}
_ENDS_NOW = timedelta(seconds=90)

_log = logging.getLogger(__name__)


class Alaya:
    """One deployment of Alaya NeW.

    `path_prefix` is "" as documented or "/api/osm" as seen in use; `auth` is bearer (with `api_key`), hmac or plain
    (with `access_key` and `secret_key`). `jobs` are ids to watch where the list call is not available. `operations`
    changes the table of operations: name -> method, path, enabled. Raises ValueError for settings that cannot work.
    """

    kind = "alaya"
    definition_keys = frozenset[str]()

    def __init__(
        self,
        name: str,
        endpoint: str,
        *,
        http: Http,
        clock: Callable[[], datetime],
        path_prefix: str = "",
        auth: str = "bearer",
        api_key: str = "",
        access_key: str = "",
        secret_key: str = "",
        timezone: str = "Asia/Shanghai",
        jobs: Sequence[str] = (),
        operations: Mapping[str, Mapping[str, object]] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.name = name
        self._clock = clock
        self._zone = ZoneInfo(timezone)
        self._watched = tuple(dict.fromkeys(jobs))
        self.skipped = 0
        prefix = f"/{path_prefix.strip('/')}".rstrip("/")
        table = configured(operations or {})
        self.abilities = abilities_of(table, bool(self._watched))
        self.wire = Wire(
            name,
            endpoint,
            http,
            sign=sign_with(auth, api_key, Keys(access_key, secret_key), clock),
            judge=judge_for(name, prefix, (api_key, secret_key)),
            clock=clock,
            limits=limits,
        )
        self._calls = Calls(self.wire, prefix, table)

    @property
    def next_try(self) -> datetime | None:
        return self.wire.next_try

    async def ping(self) -> str:
        """Ask whether training is enabled: it proves address, credentials and clock (Alaya reference §5.4)."""
        enabled = await self._calls.ask("check")
        if not isinstance(enabled, bool):
            raise Unreadable(self.name, "check: true or false was expected")
        return "training is enabled" if enabled else "answered, but training is not enabled for this account"

    async def jobs(self) -> Sequence[Job]:
        """The whole list; where the list call is not available, the watched jobs as far as their pods tell."""
        if not self._calls.offers("jobs") and self._watched:
            return await self._watched_jobs()
        try:
            return await self._listed()
        except NotAvailable as missing:
            if self._watched:
                return await self._watched_jobs()
            await self._require_api()
            advice = f"{missing.detail}; the setting jobs can name jobs to watch instead"
            raise NotAvailable(self.name, advice) from None

    async def job(self, job_id: str) -> Job:
        """By the detail call, else from the list, else from the job's pods: the first way this deployment has."""
        try:
            record = wire.Job.model_validate(read_record(await self._calls.ask("job", id=job_id)))
            if record.id == job_id and (job := to_job(self.name, record, self._zone)):
                return job
        except NotAvailable:
            pass
        try:
            listed = await self._listed()
        except NotAvailable:
            return job_from_pods(JobKey(self.name, job_id), await self._pods_or_gone(job_id))
        if found := next((job for job in listed if job.id == job_id), None):
            return found
        raise NotFound(self.name, f"there is no job {job_id}")

    async def pods(self, job_id: str) -> Sequence[Pod]:
        return [pod for pod, _ in await self._pods(job_id)]

    async def pod(self, job_id: str, pod: str) -> PodDetail:
        listed, basics = await asyncio.gather(self._pod(job_id, pod), self._calls.ask("pod", id=job_id, podName=pod))
        return to_pod_detail(listed[0], wire.PodBasics.model_validate(read_record(basics)))

    async def series(self, job: Job, metric: Metric, window: Window, pod: str | None = None) -> Sequence[Series]:
        """One curve for each card (GPU, VRAM) or pod (CPU, memory).

        A pod that cannot be read gives an empty series, so that nobody takes the rest for the whole; only where no
        pod can be read is its error raised (oddity 15).
        """
        names = [pod] if pod is not None else [each.name for each in await self.pods(job.id)]
        readings = await asyncio.gather(*(self._readable(job.id, name, metric, window) for name in names))
        errors = [reading for reading in readings if isinstance(reading, CloudError)]
        if errors and len(errors) == len(readings):
            raise errors[0]
        return [
            one
            for name, reading in zip(names, readings, strict=True)
            for one in (_blank(name, metric) if isinstance(reading, CloudError) else reading)
        ]

    async def logs(self, job_id: str, pod: str, lines: int) -> LogLines:
        """One line more than wanted is asked for, to learn whether there are more."""
        data = await self._calls.ask("logs", {"tail": lines + 1}, id=job_id, podName=pod)
        found = _lines_of(data)
        return LogLines(pod, tuple(found[-lines:]) if lines > 0 else (), cut=len(found) > lines)

    async def events(self, job: Job, pod: str | None = None) -> Sequence[Event]:
        if pod is None:
            data = await self._calls.ask_list("events", id=job.id)
        else:
            data = await self._calls.ask_list("pod_events", id=job.id, podName=pod)
        records = [wire.Event.model_validate(record) for record in data if isinstance(record, Mapping)]
        events = [to_event(record, self._zone, pod) for record in records if record.reason or record.message]
        return sorted(events, key=lambda event: event.last_at.timestamp() if event.last_at else 0.0, reverse=True)

    async def stop(self, job_id: str) -> None:
        await self._calls.ask("stop", id=job_id)

    async def delete_job(self, job_id: str) -> None:
        await self._calls.ask("delete", id=job_id)

    async def restart_job(self, job_id: str) -> None:
        await self._calls.ask("restart", id=job_id)

    async def definition(self, job_id: str) -> JobDefinition:
        raise self._lacks("a job's definition")

    async def create_job(self, pool: str, definition: JobDefinition, token: str | None = None) -> JobKey:
        raise self._lacks("submitting jobs")

    async def set_priority(self, job_id: str, priority: str) -> None:
        raise self._lacks("changing priorities")

    async def terminal(self, job_id: str, pod: str) -> TerminalLink:
        """The address as it is at this moment; it is kept nowhere."""
        _, address = await self._pod(job_id, pod)
        if address is None:
            raise NotAvailable(self.name, f"pod {pod} offers no terminal now: none is enabled, or it does not run")
        if urlsplit(address).scheme not in ("http", "https"):
            raise Unreadable(self.name, f"the terminal of pod {pod} has no web address")
        return TerminalLink(address)

    def _lacks(self, what: str) -> NotAvailable:
        return NotAvailable(self.name, f"the platform has no call for {what}")

    async def _listed(self) -> list[Job]:
        async def turn(number: int) -> wire.JobPage:
            data = await self._calls.ask("jobs", {"pageNo": number, "pageSize": PAGE_SIZE})
            if not isinstance(data, Mapping):
                raise Unreadable(self.name, "jobs: an object with records was expected")
            return wire.JobPage.model_validate(data)

        records, self.skipped = await read_all(self.name, turn)
        return [job for record in records if (job := to_job(self.name, record, self._zone))]

    async def _watched_jobs(self) -> list[Job]:
        """A watched job that is gone is left out; any other failure is raised, a part is not the whole."""
        found = await asyncio.gather(*(self._watched_job(job_id) for job_id in self._watched))
        return [job for job in found if job is not None]

    async def _watched_job(self, job_id: str) -> Job | None:
        try:
            return job_from_pods(JobKey(self.name, job_id), await self._pods_or_gone(job_id))
        except NotFound:
            _log.warning("%s: the watched job %s does not exist", self.name, job_id)
            return None

    async def _pods_or_gone(self, job_id: str) -> Sequence[Pod]:
        """The pods; "not found" is believed only while the API itself is there, a retired path says the same."""
        try:
            return await self.pods(job_id)
        except NotFound:
            await self._require_api()
            raise

    async def _require_api(self) -> None:
        """Raises `Unreadable` where the API itself is not at this address and prefix."""
        if not self._calls.offers("check"):
            return
        try:
            await self._calls.ask("check")
        except (NotFound, NotAvailable) as error:
            raise Unreadable(self.name, f"the API is not there any more: {error.detail}; check path_prefix") from None

    async def _pods(self, job_id: str) -> list[tuple[Pod, str | None]]:
        """Each pod with the address of its terminal, a credential that goes no further than the caller."""
        data = await self._calls.ask_list("pods", id=job_id)
        records = [wire.Pod.model_validate(read_record(record)) for record in data]
        key = JobKey(self.name, job_id)
        pods = [(pod, record.web_ssh) for record in records if (pod := to_pod(key, record, self._zone))]
        if len(pods) < len(data):
            _log.warning("%s: %d pod records without a name skipped", self.name, len(data) - len(pods))
        return pods

    async def _pod(self, job_id: str, name: str) -> tuple[Pod, str | None]:
        for pod, address in await self._pods(job_id):
            if pod.name == name:
                return pod, address
        raise NotFound(self.name, f"job {job_id} has no pod {name}")

    async def _readable(self, job_id: str, pod: str, metric: Metric, window: Window) -> Sequence[Series] | CloudError:
        try:
            return await self._curves(job_id, pod, metric, window)
        except CloudError as error:
            _log.warning("%s: no %s of pod %s: %s", self.name, metric, pod, error.detail)
            return error

    async def _curves(self, job_id: str, pod: str, metric: Metric, window: Window) -> Sequence[Series]:
        query = {"type": metric.value, **self._span(window)}
        data = await self._calls.ask("metrics", query, id=job_id, podName=pod)
        if data and not isinstance(data, Mapping):
            raise Unreadable(self.name, "metrics: an object was expected")
        reading = to_series(pod, metric, wire.Metrics.model_validate(read_record(data)), window)
        if reading.above_one:
            _log.warning(
                "%s: %d values of %s of pod %s are above 1 and dropped", self.name, reading.above_one, metric, pod
            )
        return reading.series

    def _span(self, window: Window) -> dict[str, str]:
        """A preset period where it is the window, since it needs no zone; else both ends on the zone's clock."""
        period = _PERIODS.get(window.length)
        if period is not None and abs(self._clock() - window.end) <= _ENDS_NOW:
            return {"period": period}
        return {
            "startTime": write_local(window.start, self._zone),
            "endTime": write_local(window.end, self._zone),
        }


def _blank(pod: str, metric: Metric) -> tuple[Series, ...]:
    return (Series(pod, metric, (), timedelta(seconds=60)),)


def _lines_of(data: object) -> list[str]:
    lines = data.get("lines", data.get("content")) if isinstance(data, Mapping) else data
    if isinstance(lines, str):
        return lines.splitlines()
    return [line for line in read_list(lines) if isinstance(line, str)]
