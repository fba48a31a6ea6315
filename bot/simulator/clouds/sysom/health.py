"""Health of machines and the events behind it, drawn from the world's alarms (SysOM reference §11);
`start` and `end` are milliseconds, seconds are understood too."""

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from bot.simulator.clouds.dialect import Complaint
from bot.simulator.clouds.spelling import page_of, whole
from bot.simulator.clouds.sysom.dialect import reply
from bot.simulator.world import Alarm, World
from bot.simulator.world.place import Node

_LEVELS = ("healthy", "warning", "critical")
_SICK, _ILL, _WELL = 42.0, 71.0, 100.0


class Health:
    def __init__(self, world: World) -> None:
        self._world = world

    async def instances(self, request: web.Request) -> web.Response:
        _span(request.query, self._world.now(), required=True)
        rows = [self._instance(node) for node in self._nodes(request.query)]
        return _page(request, rows, key="request_id")

    async def percentage(self, request: web.Request) -> web.Response:
        _span(request.query, self._world.now(), required=True)
        counts = Counter(_level(self._score(node)) for node in self._nodes(request.query))
        return reply([{"type": level, "value": counts[level]} for level in _LEVELS], key=None)

    async def events(self, request: web.Request) -> web.Response:
        return _page(request, [_event(alarm) for alarm in self._alarms(request.query)], key=None)

    async def count(self, request: web.Request) -> web.Response:
        kinds = Counter(alarm.kind for alarm in self._alarms(request.query))
        data = [{"type": kind, "value": count, "eventList": [kind]} for kind, count in kinds.items()]
        return reply(data, key=None)

    def _alarms(self, query: Mapping[str, str]) -> list[Alarm]:
        start, end = _span(query, self._world.now(), required=False)
        return [
            alarm
            for alarm in self._world.alarms()
            if start <= alarm.at <= end
            and query.get("cluster", "") in ("", alarm.cluster)
            and query.get("instance", "") in ("", alarm.instance)
            and query.get("pod", "") in ("", alarm.pod)
            and query.get("event", "") in ("", alarm.kind)
            and query.get("level", "") in ("", _alarm_level(alarm))
        ]

    def _nodes(self, query: Mapping[str, str]) -> list[Node]:
        wanted = query.get("instance", "")
        cluster = query.get("cluster", "")
        pools = {pool.id for pool in self._world.pools() if cluster in ("", pool.cluster)}
        return [node for node in self._world.nodes() if node.pool in pools and wanted in ("", node.instance)]

    def _score(self, node: Node) -> float:
        open_kinds = [alarm for alarm in self._world.alarms() if alarm.open and alarm.instance == node.instance]
        if any(not alarm.task for alarm in open_kinds):
            return _SICK
        return _ILL if open_kinds else _WELL

    def _instance(self, node: Node) -> dict[str, Any]:
        score = self._score(node)
        return {
            "instance": node.instance,
            "region_id": "cn-beijing",
            "score": score,
            "status": _level(score),
            "pod": "",
            "namespace": "",
            "images": [],
        }


def _level(score: float) -> str:
    return "critical" if score <= _SICK else "warning" if score < _WELL else "healthy"


def _alarm_level(alarm: Alarm) -> str:
    return "warning" if alarm.task else "critical"


def _event(alarm: Alarm) -> dict[str, Any]:
    return {
        "uuid": alarm.id,
        "item": alarm.kind,
        "type": "gpu",
        "level": _alarm_level(alarm),
        "description": alarm.log,
        "instance": alarm.instance,
        "region_id": "cn-beijing",
        "pod": alarm.pod,
        "namespace": "default" if alarm.pod else "",
        "created_at": int(alarm.at.timestamp()),
        "end_at": int(alarm.ended_at.timestamp()) if alarm.ended_at else 0,
        "diag_status": 1,
        "opts": [{"label": "诊断", "type": "diagnose", "result": {"status": "", "url": ""}}],
        "raw_metrics": {"start_time": 0, "end_time": 0, "metrics": []},
    }


def _span(query: Mapping[str, str], now: datetime, *, required: bool) -> tuple[datetime, datetime]:
    start, end = query.get("start", ""), query.get("end", "")
    if required and not (start and end):
        raise Complaint(400, "MissingParameter", "start and end are mandatory")
    return _time(start, datetime.fromtimestamp(0, UTC)), _time(end, now)


def _time(text: str, default: datetime) -> datetime:
    if not text:
        return default
    try:
        value = float(text)
        return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
    except (ValueError, OverflowError, OSError):
        raise Complaint(400, "Sysom.InvalidParameter", "start and end must be numbers") from None


def _page(request: web.Request, rows: list[dict[str, Any]], *, key: str | None) -> web.Response:
    current, size = whole(request.query, "current", 1), min(100, whole(request.query, "pageSize", 5))
    return reply(page_of(rows, current, size), key=key, total=len(rows))
