"""Alibaba SysOM as an `AlarmCloud`, `TopologyCloud` and `NodeHealthCloud`. It writes nothing."""

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bot.clouds.http import Http, Limits, Wire
from bot.clouds.scalars import read_list, read_record, read_text, read_whole
from bot.clouds.signing import Draft, Keys, Query, acs3, acs3_headers
from bot.clouds.sysom import wire
from bot.clouds.sysom.embedded import unpacked
from bot.clouds.sysom.envelope import judge_for
from bot.clouds.sysom.mapping import to_alarm, to_event, to_node
from bot.clouds.sysom.operations import ACTIONS, ALARMS, CLUSTERS, EVENTS, HEALTH, TOPOLOGY, VERSION, Operation
from bot.clouds.sysom.paging import PAGE_SIZE, Haul, Page, read_window
from bot.clouds.sysom.topology import to_topology
from bot.clouds.zone import write_local
from bot.domain.alarm import AlarmBatch
from bot.domain.capacity import Node
from bot.domain.errors import Unreadable
from bot.domain.journal import Event
from bot.domain.ports import Can
from bot.domain.series import Window
from bot.domain.topology import Topology

_TASKS_PER_CALL = 50
_MOST_PAGES_OF_ROWS = 100
_ABILITIES = frozenset({Can.ALARMS, Can.TOPOLOGY, Can.NODE_HEALTH})


class Sysom:
    """One account at SysOM.

    `clusters` empty means all that the account has; `jobs_in` names the clouds that run its tasks. Its times carry no
    zone: `timezone` says which they are in. `gpu_numbers_from` is the number it gives to device 0. A poll that would
    need more than `page_cap` pages of 100 records returns the oldest part.
    """

    kind = "sysom"
    abilities = _ABILITIES

    def __init__(
        self,
        name: str,
        endpoint: str,
        access_key: str,
        secret_key: str,
        security_token: str | None = None,
        *,
        http: Http,
        clock: Callable[[], datetime],
        clusters: Sequence[str] = (),
        jobs_in: Sequence[str] = (),
        timezone: str = "Asia/Shanghai",
        gpu_numbers_from: int = 0,
        page_cap: int = 100,
        limits: Limits | None = None,
    ) -> None:
        self.name = name
        self.jobs_in: Sequence[str] = tuple(jobs_in)
        self._clusters = tuple(clusters)
        self._clock = clock
        self._keys = Keys(access_key, secret_key, security_token)
        self._zone = ZoneInfo(timezone)
        self._gpu_numbers_from = gpu_numbers_from
        self._page_cap = page_cap
        self.wire = Wire(
            name,
            endpoint,
            http,
            sign=self._sign,
            judge=judge_for(name, clock, (secret_key, security_token)),
            clock=clock,
            limits=limits,
        )

    @property
    def next_try(self) -> datetime | None:
        return self.wire.next_try

    async def ping(self) -> str:
        """Ask for one record of the last hour, in the very way in which alarms are polled."""
        page = await self._alarm_page(Window.last(timedelta(hours=1), self._clock()), 1, (), size=1)
        count = page.total if page.total is not None else len(page.records)
        return f"{count} alarm records in the last hour"

    async def alarms(self, window: Window, tasks: Sequence[str] = ()) -> AlarmBatch:
        """Oldest first, each record once. At the page cap the batch is the oldest part of the window, whole as far as
        it goes, so that a cursor set to its newest alarm has skipped nothing."""
        hauls = [await self._haul(window, some) for some in _batches(tasks)]
        ends = [haul.until for haul in hauls if not haul.complete and haul.until is not None]
        records = {record_id: record for haul in hauls for record_id, record in haul.records.items()}
        found = [to_alarm(self.name, record, self._zone, self._gpu_numbers_from) for record in records.values()]
        kept = [
            alarm for alarm in found if alarm is not None and (not ends or alarm.at is None or alarm.at <= min(ends))
        ]
        kept.sort(key=lambda alarm: (alarm.at is None, alarm.at or window.end, alarm.id))
        return AlarmBatch(tuple(kept), skipped=sum(haul.skipped for haul in hauls), complete=not ends)

    async def clusters(self) -> Sequence[str]:
        """The configured clusters, else all that the console manages."""
        if self._clusters:
            return self._clusters
        data = unpacked((await self._ask(CLUSTERS, {})).get("data"))
        if data is not None and not isinstance(data, list):
            raise Unreadable(self.name, "a list of clusters was expected")
        names = (_cluster_name(item) for item in read_list(data))
        return tuple(dict.fromkeys(name for name in names if name))

    async def topology(self, cluster: str, task: str | None = None, at: datetime | None = None) -> Topology:
        """The communication graph of a cluster or of one of its tasks, now or at a moment."""
        query: Query = {
            "clusterId": cluster,
            "taskIdList": None if task is None else json.dumps([task], ensure_ascii=False),
            "startTime": None if at is None else int(at.timestamp()),
        }
        data = read_record(unpacked((await self._ask(TOPOLOGY, query)).get("data")))
        graph = to_topology(data.get("data", data), self._gpu_numbers_from)
        if graph is None:
            raise Unreadable(self.name, "a graph of nodes and edges was expected")
        return graph

    async def node_health(self, window: Window, cluster: str | None = None) -> Sequence[Node]:
        """The machines with their health score 0..100 over the window."""
        rows = await self._rows(HEALTH, {**_milliseconds(window), "cluster": cluster})
        nodes = (to_node(self.name, wire.InstanceHealth.model_validate(row)) for row in rows)
        return [node for node in nodes if node is not None]

    async def abnormal_events(
        self, window: Window, cluster: str | None = None, node: str | None = None, pod: str | None = None
    ) -> Sequence[Event]:
        """What the console finds abnormal about machines and pods, newest first."""
        query: Query = {**_milliseconds(window), "cluster": cluster, "instance": node, "pod": pod}
        rows = await self._rows(EVENTS, query)
        events = (to_event(wire.AbnormalEvent.model_validate(row)) for row in rows)
        known = [event for event in events if event is not None]
        return sorted(known, key=lambda event: event.last_at.timestamp() if event.last_at else 0.0, reverse=True)

    async def _haul(self, window: Window, tasks: Sequence[str]) -> Haul:
        async def turn(part: Window, number: int) -> Page:
            return await self._alarm_page(part, number, tasks)

        return await read_window(self.name, turn, window, self._page_cap)

    async def _alarm_page(self, window: Window, number: int, tasks: Sequence[str], size: int = PAGE_SIZE) -> Page:
        query: Query = {
            "alarmTime": f"{write_local(window.start, self._zone)},{write_local(window.end, self._zone)}",
            "alarmCluster": ",".join(self._clusters) or None,
            "alarmTask": ",".join(tasks) or None,
            "current": number,
            "pageSize": size,
        }
        return self._page(await self._ask(ALARMS, query))

    async def _rows(self, operation: Operation, query: Query) -> list[Mapping[object, object]]:
        """All rows of an operation that pages by `current` and `pageSize`."""
        rows: list[object] = []
        for number in range(1, _MOST_PAGES_OF_ROWS + 1):
            page = self._page(await self._ask(operation, {**query, "current": number, "pageSize": PAGE_SIZE}))
            rows += page.records
            if len(page.records) < PAGE_SIZE or (page.total is not None and len(rows) >= page.total):
                return [row for row in rows if isinstance(row, Mapping)]
        raise Unreadable(self.name, f"{operation.action} does not end after {_MOST_PAGES_OF_ROWS} pages")

    def _page(self, body: Mapping[str, object]) -> Page:
        data = unpacked(body.get("data"))
        if data and not isinstance(data, list):
            raise Unreadable(self.name, "a list of records was expected")
        total = read_whole(body.get("total"))
        return Page(tuple(read_list(data)), total if total is not None and total >= 0 else None)

    async def _ask(self, operation: Operation, query: Query) -> Mapping[str, object]:
        return await self.wire.read(operation.path, query)

    def _sign(self, draft: Draft) -> Mapping[str, str]:
        """Every request has its own nonce and time, a repeated one too (SysOM reference §7.1)."""
        path = next(path for path in ACTIONS if draft.path.endswith(path))
        headers = acs3_headers(draft, self._keys, ACTIONS[path], VERSION, self._clock(), secrets.token_hex(16))
        signed = Draft(draft.method, draft.host, draft.path, draft.query, {**draft.headers, **headers}, draft.body)
        return {**headers, "authorization": acs3(signed, self._keys)}


def _batches(tasks: Sequence[str]) -> list[Sequence[str]]:
    """Tasks in portions that fit into an address; one empty portion asks for all tasks."""
    return [tasks[start : start + _TASKS_PER_CALL] for start in range(0, len(tasks), _TASKS_PER_CALL)] or [()]


def _cluster_name(item: object) -> str | None:
    return wire.ClusterName.model_validate(item).name if isinstance(item, Mapping) else read_text(item)


def _milliseconds(window: Window) -> dict[str, int]:
    """The unit is not documented; milliseconds are assumed, whole so that no fraction is sent."""
    return {"start": int(window.start.timestamp() * 1000), "end": int(window.end.timestamp() * 1000)}
