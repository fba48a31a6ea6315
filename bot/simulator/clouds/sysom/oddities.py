"""Which of the documented oddities a record shows: forms of its ext info and topology, stray newlines,
records without an id (SysOM reference §6). The same record is odd in the same way each time."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bot.simulator.world import Alarm

Form = Literal["object", "json", "text"]
Manner = Literal["clean", "mixed", "json", "text"]
_MIXED: tuple[Form, ...] = ("object", "json", "object", "text", "object")


@dataclass(frozen=True, slots=True)
class Oddities:
    """`clean`: objects only; `json` / `text`: that form always; `mixed`: each now and then. `total_as`:
    text as documented, or a number. `duplicates`: a page begins with the last record of the one before."""

    manner: Manner = "mixed"
    total_as: Literal["text", "number"] = "text"
    duplicates: bool = False

    @property
    def newlines(self) -> bool:
        return self.manner != "clean"

    def total(self, count: int) -> str | int:
        return str(count) if self.total_as == "text" else count

    def ext_info(self, alarm: Alarm, value: dict[str, Any]) -> Any:
        return _written(value, self._form(alarm.number), "alarmExtInfo")

    def topology(self, alarm: Alarm, value: dict[str, Any]) -> Any:
        return _written(value, self._form(alarm.number + 2), "alarmTopology")

    def page(self, alarms: Sequence[Alarm], current: int, size: int) -> list[Alarm]:
        start = (current - 1) * size
        overlap = 1 if self.duplicates and 0 < start < len(alarms) else 0
        return list(alarms[start - overlap : start - overlap + size])

    def strays(self, page: int, count: int) -> list[Any]:
        """Records of no use among a page of at least three."""
        if self.manner != "mixed" or page != 1 or count < 3:
            return []
        return [{"alarmType": "cuda error", "alarmLog": "", "alarmTask": "", "status": ""}, {}]

    def _form(self, number: int) -> Form:
        if self.manner == "clean":
            return "object"
        if self.manner == "mixed":
            return _MIXED[number % len(_MIXED)]
        return self.manner


def _written(value: dict[str, Any], form: Form, name: str) -> Any:
    if form == "object":
        return value
    if form == "json":
        return json.dumps(value, ensure_ascii=False)
    if name == "alarmTopology":
        return f'topology data，e.g.\n "{name}": {json.dumps(value, ensure_ascii=False, indent=1)},'
    lines = "".join(f"{key}: {_plain(part)}, \n" for key, part in value.items())
    return f"{{\n{lines}}}"


def _plain(part: Any) -> str:
    return part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)
