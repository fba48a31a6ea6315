"""The table of Alaya NeW's operations: method, path, and whether this deployment uses it.

Some paths are documented, some only proposed (Alaya reference §6). All of them can be changed and switched by the
settings; proposed writes stay off until somebody switches them on.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import quote

from bot.domain.ports import Can

_ROOT = "/v1/training/instance"
_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE"})
_PLACES = re.compile(r"{(\w+)}")


@dataclass(frozen=True, slots=True)
class Operation:
    """One call. `assumed`: no page of the platform confirms it, so a deployment may not know it. A call that `writes`
    is never sent twice."""

    method: str
    path: str
    enabled: bool = True
    assumed: bool = False
    writes: bool = False

    def fill(self, **places: str) -> str:
        """The path with its places filled in, each value percent-encoded once."""
        return _PLACES.sub(lambda place: quote(places[place.group(1)], safe=""), self.path)


OPERATIONS: Mapping[str, Operation] = {
    "check": Operation("GET", f"{_ROOT}/checkIsEnabled"),
    "jobs": Operation("GET", f"{_ROOT}/list", assumed=True),
    "job": Operation("GET", f"{_ROOT}/{{id}}", assumed=True),
    "pods": Operation("GET", f"{_ROOT}/{{id}}/pods"),
    "pod": Operation("GET", f"{_ROOT}/{{id}}/{{podName}}/basic"),
    "metrics": Operation("GET", f"{_ROOT}/{{id}}/{{podName}}/gpu-metrics"),
    "logs": Operation("GET", f"{_ROOT}/{{id}}/{{podName}}/logs", assumed=True),
    "events": Operation("GET", f"{_ROOT}/{{id}}/events", assumed=True),
    "pod_events": Operation("GET", f"{_ROOT}/{{id}}/{{podName}}/events", assumed=True),
    "stop": Operation("POST", f"{_ROOT}/{{id}}/stop", enabled=False, assumed=True, writes=True),
    "delete": Operation("DELETE", f"{_ROOT}/{{id}}/delete", enabled=False, assumed=True, writes=True),
    "restart": Operation("POST", f"{_ROOT}/{{id}}/restart", enabled=False, assumed=True, writes=True),
}

_NEEDED_FOR: Mapping[Can, tuple[str, ...]] = {
    Can.STOP: ("stop",),
    Can.TERMINAL: ("pods",),
    Can.LOGS: ("logs",),
    Can.EVENTS: ("events",),
    Can.METRICS: ("pods", "metrics"),
    Can.POD_DETAIL: ("pods", "pod"),
    Can.DELETE: ("delete",),
    Can.RESTART: ("restart",),
}


def configured(overrides: Mapping[str, Mapping[str, object]]) -> dict[str, Operation]:
    """The table with the settings' changes; raises ValueError that names what is wrong with them."""
    unknown = sorted(overrides.keys() - OPERATIONS.keys())
    if unknown:
        raise ValueError(f"unknown operation {unknown[0]!r}; known are {', '.join(sorted(OPERATIONS))}")
    return {name: _changed(name, one, overrides.get(name, {})) for name, one in OPERATIONS.items()}


def abilities_of(operations: Mapping[str, Operation], watches: bool) -> frozenset[Can]:
    """What the table allows; jobs can be listed by the list call or, where it is off, through watched ids."""
    offered = {can for can, needed in _NEEDED_FOR.items() if all(operations[name].enabled for name in needed)}
    if operations["jobs"].enabled or (watches and operations["pods"].enabled):
        offered.add(Can.LIST_JOBS)
    return frozenset(offered)


def _changed(name: str, operation: Operation, change: Mapping[str, object]) -> Operation:
    wrong = sorted(change.keys() - {"method", "path", "enabled"})
    if wrong:
        raise ValueError(f"operation {name!r} has method, path and enabled, not {wrong[0]!r}")
    method, path, enabled = change.get("method"), change.get("path"), change.get("enabled")
    return replace(
        operation,
        method=operation.method if method is None else _checked_method(name, method),
        path=operation.path if path is None else _checked_path(name, path, operation),
        enabled=operation.enabled if enabled is None else _checked_switch(name, enabled),
    )


def _checked_method(name: str, method: object) -> str:
    if not isinstance(method, str) or method.upper() not in _METHODS:
        raise ValueError(f"operation {name!r}: the method must be one of {', '.join(sorted(_METHODS))}")
    return method.upper()


def _checked_path(name: str, path: object, operation: Operation) -> str:
    places = set(_PLACES.findall(operation.path))
    if not isinstance(path, str) or not path.startswith("/") or set(_PLACES.findall(path)) != places:
        wanted = ", ".join(f"{{{place}}}" for place in sorted(places)) or "no places"
        raise ValueError(f"operation {name!r}: the path must begin with / and hold {wanted}")
    return path


def _checked_switch(name: str, enabled: object) -> bool:
    if not isinstance(enabled, bool):
        raise ValueError(f"operation {name!r}: enabled must be true or false")
    return enabled
