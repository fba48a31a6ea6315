"""How values lie in the tables: times as microseconds since 1970 UTC, frozen dataclasses as JSON."""

from datetime import UTC, datetime, timedelta

from pydantic import TypeAdapter

from bot.domain.incident import Incident
from bot.domain.note import Note

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)
_INCIDENT = TypeAdapter(Incident)
_NOTE = TypeAdapter(Note)


def stamp(at: datetime) -> int:
    return (at - _EPOCH) // _TICK


def moment(stamped: int) -> datetime:
    return _EPOCH + stamped * _TICK


def maybe_stamp(at: datetime | None) -> int | None:
    return None if at is None else stamp(at)


def maybe_moment(stamped: int | None) -> datetime | None:
    return None if stamped is None else moment(stamped)


def pack_incident(incident: Incident) -> str:
    return _INCIDENT.dump_json(incident).decode()


def unpack_incident(body: str) -> Incident:
    return _INCIDENT.validate_json(body)


def pack_note(note: Note) -> str:
    return _NOTE.dump_json(note).decode()


def unpack_note(body: str) -> Note:
    return _NOTE.validate_json(body)
