"""One Baidu AIHC account as the rest of the bot sees it: jobs over all its pools, and what there is to run them on.

It satisfies `JobCloud`, `CapacityCloud`, `QueueCloud` and `JobWriter`. It raises only `CloudError`.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar
from urllib.parse import parse_qs, urlsplit

from bot.clouds.baidu import wire
from bot.clouds.baidu.capacity import from_queue_definition, platform_name, to_node, to_pool, to_queue
from bot.clouds.baidu.client import Client, Place
from bot.clouds.baidu.definitions import SPEC_KEYS, TOP_KEYS, from_definition, to_definition
from bot.clouds.baidu.jobs import framework_word, gpus_per_pod, to_job, to_pod, to_pod_detail
from bot.clouds.baidu.journal import METRIC_WORDS, step_for, to_events, to_series
from bot.clouds.baidu.judgement import Judgement
from bot.clouds.baidu.logs import newest_lines
from bot.clouds.baidu.paging import all_rows, identified_by
from bot.clouds.http import Http, Limits, Wire
from bot.clouds.scalars import read_number
from bot.clouds.signing import Draft, Keys, bce_v1, timestamp
from bot.domain.capacity import Node, Pool, Queue, QueueDefinition
from bot.domain.errors import CloudError, NotAvailable, NotFound, Uncertain, Unreadable
from bot.domain.job import Job, JobDefinition, JobKey, Pod, PodDetail, TerminalLink
from bot.domain.journal import Event, LogLines
from bot.domain.ports import Can
from bot.domain.series import Metric, Series, Window

T = TypeVar("T")

_POOLS_FRESH = timedelta(minutes=10)
_HANDSHAKE = 60  # seconds between the click that fetches a terminal's link and the click that opens it

_log = logging.getLogger(__name__)


class Baidu:
    """The adapter. `resource_pools` empty means all that the key can see, looked up again every ten minutes.

    A managed pool is written `aihc-serverless/queue-id`, because the platform wants the queue's id with every call.
    """

    kind = "baidu"
    abilities = frozenset(
        {Can.LIST_JOBS, Can.STOP, Can.TERMINAL, Can.LOGS, Can.EVENTS, Can.METRICS, Can.POD_DETAIL, Can.CAPACITY}
        | {Can.QUEUES, Can.SUBMIT, Can.PRIORITY, Can.DELETE}
    )
    definition_keys = SPEC_KEYS | TOP_KEYS

    def __init__(
        self,
        name: str,
        endpoint: str,
        access_key: str,
        secret_key: str,
        session_token: str | None = None,
        resource_pools: Sequence[str] = (),
        *,
        http: Http,
        clock: Callable[[], datetime],
        limits: Limits | None = None,
    ) -> None:
        self.name = name
        self._clock = clock
        self._keys = Keys(access_key, secret_key, session_token)
        judge = Judgement(name, clock, (access_key, secret_key, session_token))
        self.wire = Wire(name, endpoint, http, sign=self._sign, judge=judge, clock=clock, limits=limits)
        self._client = Client(self.wire)
        self._configured = tuple(Place.read(pool) for pool in resource_pools)
        self._seen: tuple[Place, ...] = ()
        self._seen_at: datetime | None = None
        self._place_of: dict[str, Place] = {}
        self._skipped: dict[str, int] = {}

    @property
    def skipped(self) -> int:
        """How many records of the latest listings had no id and were left out."""
        return sum(self._skipped.values())

    @property
    def next_try(self) -> datetime | None:
        return self.wire.next_try

    async def ping(self) -> str:
        """Ask for the configured pools, or for the first page of all."""
        if not self._configured:
            page = await self._client.list_pools(1, 1)
            return f"{page.total if page.total is not None else len(page.rows)} resource pools visible"
        pools = [await self._client.get_pool(place.pool) for place in self._configured]
        return "pools " + ", ".join(pool.meta.name or pool.meta.id or "?" for pool in pools)

    async def jobs(self) -> list[Job]:
        """Every job of every pool, finished ones too: v1 filters nothing (AIHC v1 reference §7.3)."""
        found: dict[str, Job] = {}
        place_of: dict[str, Place] = {}
        skipped = 0
        for place in await self._places():
            rows = await all_rows(self.name, partial(self._client.list_jobs, place), identified_by("jobId", "jobID"))
            for job in (to_job(self.name, place.pool, wire.Job.model_validate(row)) for row in rows):
                if job is None:
                    skipped += 1
                else:
                    found[job.id], place_of[job.id] = job, place
        self._note_skipped("jobs", skipped)
        self._place_of = place_of
        return list(found.values())

    async def job(self, job_id: str) -> Job:
        return (await self._detail(job_id))[0]

    async def pods(self, job_id: str) -> list[Pod]:
        job, raw = await self._detail(job_id)
        count = gpus_per_pod(raw)
        return self._kept("pods", (to_pod(job.key, pod, count) for pod in raw.pod_list.pods))

    async def pod(self, job_id: str, pod: str) -> PodDetail:
        """AIHC has no call for one pod: its job's detail tells what there is."""
        job, raw = await self._detail(job_id)
        for raw_pod in raw.pod_list.pods:
            found = to_pod(job.key, raw_pod, gpus_per_pod(raw))
            if found is not None and found.name == pod:
                return to_pod_detail(found, raw_pod, job.owner)
        raise NotFound(self.name, "the job has no such pod")

    async def series(self, job: Job, metric: Metric, window: Window, pod: str | None = None) -> list[Series]:
        """One series for each pod, averaged by the platform over the pod's GPUs (AIHC v1 reference §11)."""
        step = step_for(window)
        start, end = int(window.start.timestamp()), int(window.end.timestamp())
        place = await self._place(job.id, job.pool)
        seconds = int(step.total_seconds())
        raw = await self._client.read_metrics(place, job.id, METRIC_WORDS[metric], start, end, seconds)
        series = self._kept("series", (to_series(one, metric, window, step, job.gpu_model) for one in raw.pods))
        return [one for one in series if pod is None or one.pod == pod]

    async def logs(self, job_id: str, pod: str, lines: int) -> LogLines:
        place = await self._place(job_id)

        async def end() -> datetime:
            return (await self.job(job_id)).finished_at or self._clock()

        return await newest_lines(partial(self._client.read_logs, place, job_id, pod), pod, lines, end)

    async def events(self, job: Job, pod: str | None = None) -> tuple[Event, ...]:
        place, framework = await self._place(job.id, job.pool), framework_word(job.framework)
        if pod is None:
            raw = await self._client.list_job_events(place, job.id, framework)
        else:
            raw = await self._client.list_pod_events(place, job.id, pod, framework)
        return to_events(raw.events, pod)

    async def stop(self, job_id: str) -> None:
        await self._client.stop_job(await self._place(job_id), job_id)

    async def terminal(self, job_id: str, pod: str) -> TerminalLink:
        """A link that must be opened within a minute; asked for at the click, it is a credential."""
        raw = await self._client.open_terminal(await self._place(job_id), job_id, pod, _HANDSHAKE)
        scheme = raw.url.partition("://")[0] if raw.url else ""
        if raw.url is None or scheme not in ("wss", "ws", "https", "http"):
            raise Unreadable(self.name, "the answer holds no terminal address")
        return TerminalLink(raw.url, _handshake_of(raw.url))

    async def job_nodes(self, job_id: str) -> tuple[str, ...]:
        """Names of the machines the job's pods are on (AIHC v1 reference §12)."""
        return (await self._client.list_job_nodes(await self._place(job_id), job_id)).names

    async def pools(self) -> list[Pool]:
        if self._configured:
            raw = [await self._client.get_pool(place.pool) for place in self._configured]
            return self._kept("pools", (to_pool(self.name, one) for one in raw))
        rows = await all_rows(self.name, self._client.list_pools, identified_by("metadata.id", "metadata.uid"))
        pools = self._kept("pools", (to_pool(self.name, wire.Pool.model_validate(row)) for row in rows))
        self._seen, self._seen_at = tuple(Place(pool.id) for pool in pools), self._clock()
        return pools

    async def queues(self) -> list[Queue]:
        queues: list[Queue | None] = []
        for pool in await self._pool_ids():
            rows = await all_rows(self.name, partial(self._client.list_queues, pool), identified_by("name"))
            queues += [to_queue(self.name, pool, wire.Queue.model_validate(row)) for row in rows]
        return self._kept("queues", queues)

    async def queue(self, pool: str, queue: str) -> Queue:
        found = to_queue(self.name, pool, await self._client.get_queue(pool, platform_name(queue)))
        if found is None:
            raise Unreadable(self.name, "the answer holds a queue without a name")
        return found

    async def nodes(self) -> list[Node]:
        nodes: list[Node | None] = []
        identify = identified_by("instanceId", "instanceID", "instanceName", "nodeName")
        for pool in await self._pool_ids():
            rows = await all_rows(self.name, partial(self._client.list_nodes, pool), identify)
            nodes += [to_node(self.name, pool, wire.Node.model_validate(row)) for row in rows]
        return self._kept("nodes", nodes)

    async def create_queue(self, pool: str, definition: QueueDefinition) -> None:
        await self._client.create_queue(pool, from_queue_definition(definition))

    async def update_queue(self, pool: str, definition: QueueDefinition) -> None:
        """Change what the definition names. A given map replaces the whole map."""
        body = {key: value for key, value in from_queue_definition(definition).items() if key != "name"}
        await self._client.update_queue(pool, platform_name(definition.name), body)

    async def delete_queue(self, pool: str, queue: str) -> None:
        await self._client.delete_queue(pool, queue)

    async def definition(self, job_id: str) -> JobDefinition:
        return to_definition((await self._detail(job_id))[1])

    async def create_job(self, pool: str, definition: JobDefinition, token: str | None = None) -> JobKey:
        """Submit a job; `token` (ASCII, at most 64 characters) marks a repetition of the same order."""
        place = next((place for place in self._configured if place.pool == pool), Place(pool))
        receipt = await self._client.create_job(place, from_definition(definition), token)
        if receipt.job_id is None:
            raise Uncertain(self.name, "the job was accepted, but the answer holds no id")
        self._place_of[receipt.job_id] = place
        return JobKey(self.name, receipt.job_id)

    async def set_priority(self, job_id: str, priority: str) -> None:
        """`high`, `normal` or `low`; the platform heeds it only while the job waits (AIHC v1 reference §7.4)."""
        await self._client.update_job(await self._place(job_id), job_id, priority)

    async def delete_job(self, job_id: str) -> None:
        await self._client.delete_job(await self._place(job_id), job_id)
        self._place_of.pop(job_id, None)

    async def restart_job(self, job_id: str) -> None:
        raise NotAvailable(self.name, "jobs are not restarted there; run one again as a new job")

    async def _detail(self, job_id: str) -> tuple[Job, wire.Job]:
        """Look where the job was last seen, else in every pool; not found only if every pool says so."""
        known = self._place_of.get(job_id)
        failure: CloudError | None = None
        for place in (known,) if known else await self._places():
            try:
                raw = await self._client.get_job(place, job_id)
            except NotFound:
                continue
            except CloudError as error:
                failure = failure or error
                continue
            if raw.id not in (None, job_id):
                raise Unreadable(self.name, "the answer is about another job")
            self._place_of[job_id] = place
            job = to_job(self.name, place.pool, raw.model_copy(update={"id": job_id}))
            if job is not None:
                return job, raw
        self._place_of.pop(job_id, None)
        raise failure or NotFound(self.name, "no pool knows this job")

    async def _place(self, job_id: str, pool: str | None = None) -> Place:
        """Where the job is: as last seen, else by the pool it names, else by looking in every pool."""
        if job_id in self._place_of:
            return self._place_of[job_id]
        named = next((place for place in (*self._configured, *self._seen) if place.pool == pool), None)
        if named is None:
            await self._detail(job_id)
        return named or self._place_of[job_id]

    async def _places(self) -> tuple[Place, ...]:
        if self._configured:
            return self._configured
        if self._seen_at is None or not timedelta() <= self._clock() - self._seen_at < _POOLS_FRESH:
            await self.pools()
        return self._seen

    async def _pool_ids(self) -> list[str]:
        return list(dict.fromkeys(place.pool for place in await self._places()))

    def _kept(self, what: str, values: Iterable[T | None]) -> list[T]:
        """What could be read; the rest costs only itself, but it is counted."""
        everything = list(values)
        kept = [value for value in everything if value is not None]
        self._note_skipped(what, len(everything) - len(kept))
        return kept

    def _note_skipped(self, what: str, count: int) -> None:
        self._skipped[what] = count
        if count:
            _log.warning("%s: %d %s without a name left out", self.name, count, what)

    def _sign(self, draft: Draft) -> Mapping[str, str]:
        """Cover type, host, time and session token (AIHC v1 reference §2.3)."""
        at = self._clock()
        headers = {"content-type": "application/json", "x-bce-date": timestamp(at)}
        if self._keys.session_token:
            headers["x-bce-security-token"] = self._keys.session_token
        signed = Draft(draft.method, draft.host, draft.path, draft.query, headers)
        return {**headers, "authorization": bce_v1(signed, self._keys, at, ("host", *headers))}


def _handshake_of(url: str) -> float | None:
    """How many seconds the link may wait, which the platform repeats in its query."""
    values = parse_qs(urlsplit(url).query).get("handshakeTimeoutSecond")
    return read_number(values[0]) if values else None
