"""The list of alarm records with all its filters (SysOM reference §3 and §4)."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from aiohttp import web

from bot.simulator.clouds.dialect import Complaint
from bot.simulator.clouds.spelling import beijing, from_beijing
from bot.simulator.clouds.sysom.dialect import reply
from bot.simulator.clouds.sysom.graph import Graph
from bot.simulator.clouds.sysom.oddities import Oddities
from bot.simulator.world import Alarm, World

_MOST = 100


class AlarmRecords:
    def __init__(self, world: World, oddities: Oddities) -> None:
        self._world, self._oddities = world, oddities
        self._graph = Graph(newlines=oddities.newlines)

    async def listing(self, request: web.Request) -> web.Response:
        current, size = _required(request.query, "current"), min(_MOST, _required(request.query, "pageSize"))
        wanted = {name: _unquoted(value) for name, value in request.query.items()}
        times = _times(wanted.get("alarmTime", ""))
        found = [alarm for alarm in self._world.alarms() if _in_time(alarm.at, times) and _matches(alarm, wanted)]
        page = self._oddities.page(found, current, size)
        records: list[Any] = [self._record(alarm) for alarm in page]
        records[1:1] = self._oddities.strays(current, len(page))
        return reply(records, total=self._oddities.total(len(found)))

    def _record(self, alarm: Alarm) -> dict[str, Any]:
        record = {
            "alarmId": alarm.id,
            "alarmTime": beijing(alarm.at),
            "alarmCluster": alarm.cluster,
            "alarmTask": alarm.task,
            "alarmType": alarm.kind,
            "alarmLog": alarm.log,
            "status": alarm.status,
            "uid": alarm.uid,
            "alarmExtInfo": self._oddities.ext_info(alarm, ext_info(alarm)),
        }
        if alarm.topology is not None:
            record["alarmTopology"] = self._oddities.topology(alarm, self._graph.shape(alarm.topology))
        return record


def ext_info(alarm: Alarm) -> dict[str, Any]:
    return {
        "error_node_gpu": {alarm.instance: list(alarm.gpus)},
        "error_pod": alarm.pod,
        "task_pod_list": list(alarm.pods),
        "error_type": alarm.error_type,
        "kernel": alarm.kernel,
    }


def _required(query: Mapping[str, str], name: str) -> int:
    text = query.get(name, "")
    if not text:
        raise Complaint(400, "MissingParameter", f"The parameter {name} is mandatory.")
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise Complaint(400, "Sysom.InvalidParameter", f"The parameter {name} must be a positive integer.")
    return int(text)


def _matches(alarm: Alarm, given: Mapping[str, str]) -> bool:
    return (
        _one_of(alarm.cluster, given.get("alarmCluster", ""))
        and _one_of(alarm.task, given.get("alarmTask", ""))
        and _one_of(alarm.status, given.get("status", "").lower())
        and given.get("alarmType", "").lower() in alarm.kind.lower()
        and _mentions(alarm, given.get("alarmExtInfo", ""))
    )


def _unquoted(text: str) -> str:
    """Without one pair of double quotes, as the documented examples have them."""
    return text[1:-1] if len(text) >= 2 and text[0] == text[-1] == '"' else text


def _times(text: str) -> list[datetime]:
    """One instant, or both ends of a range."""
    try:
        return [from_beijing(part) for part in text.split(",")] if text else []
    except ValueError:
        raise Complaint(400, "Sysom.InvalidParameter", "alarmTime must be a time or start,end") from None


def _in_time(at: datetime, times: list[datetime]) -> bool:
    return not times or times[0] <= at.replace(microsecond=0) <= times[-1]


def _one_of(value: str, wanted: str) -> bool:
    return not wanted or value in [part.strip() for part in re.split("[,，、]", wanted)]


def _mentions(alarm: Alarm, word: str) -> bool:
    return word in alarm.instance or word in alarm.pod or any(word in pod for pod in alarm.pods)
