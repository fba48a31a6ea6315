"""From SysOM's words to ours. Pure: what the platform did not say stays unknown, one odd field spoils no record."""

from zoneinfo import ZoneInfo

from bot.clouds.scalars import read_text
from bot.clouds.sysom import wire
from bot.clouds.sysom.ext_info import ExtInfo, read_ext_info
from bot.clouds.sysom.kinds import severity_of
from bot.clouds.sysom.topology import faulty_parts, to_topology
from bot.clouds.zone import read_epoch, read_local
from bot.domain.alarm import Alarm, Subject, TaskState
from bot.domain.capacity import Node
from bot.domain.journal import Event
from bot.domain.topology import Topology

_TASK_STATES = {state.value: state for state in TaskState}
_CALM_LEVELS = ("info", "normal", "notice", "healthy")


def to_alarm(source: str, record: wire.AlarmRecord, zone: ZoneInfo, gpu_numbers_from: int = 0) -> Alarm | None:
    """A record as an alarm; None without an id, since it could never be told from a repeat (oddity 14)."""
    if record.id is None:
        return None
    ext = read_ext_info(record.ext_info)
    topology = to_topology(record.topology, gpu_numbers_from)
    kind, log = record.type or ext.error_type or "unknown", record.log or ""
    return Alarm(
        source=source,
        id=record.id,
        kind=kind,
        severity=severity_of(kind, log),
        subject=_subject(source, record, ext, topology, gpu_numbers_from),
        at=read_local(record.time, zone),
        task_state=task_state(record.status),
        platform_state=record.status or "",
        log=log,
        topology=topology,
        details=_details(record, ext, topology),
    )


def task_state(word: str | None) -> TaskState:
    """Never strict: several words in one text, or a new word, are unknown (oddity 7)."""
    return _TASK_STATES.get((word or "").casefold(), TaskState.UNKNOWN)


def to_node(cloud: str, row: wire.InstanceHealth) -> Node | None:
    if row.instance is None:
        return None
    score = row.score if row.score is not None and 0 <= row.score <= 100 else None
    return Node(cloud=cloud, name=row.instance, platform_state=row.status or "", zone=row.region_id, health=score)


def to_event(row: wire.AbnormalEvent) -> Event | None:
    """An abnormal event; one that says nothing is none. While it goes on, it was last seen when it began."""
    if row.item is None and row.description is None:
        return None
    began = read_epoch(row.created_at)
    return Event(
        reason=row.item or row.type or "",
        message=row.description or "",
        warning=(row.level or "").casefold() not in _CALM_LEVELS,
        first_at=began,
        last_at=read_epoch(row.end_at) or began,
        pod=row.pod,
        node=row.instance,
    )


def _subject(
    source: str, record: wire.AlarmRecord, ext: ExtInfo, topology: Topology | None, gpu_numbers_from: int
) -> Subject:
    """What the record names comes first, what its picture shows as faulty comes after."""
    named = [(node, number - gpu_numbers_from) for node, number in ext.gpus if number >= gpu_numbers_from]
    drawn_nodes, drawn_gpus = faulty_parts(topology)
    return Subject(
        cloud=source,
        cluster=record.cluster,
        task=record.task,
        pods=ext.pods,
        nodes=tuple(dict.fromkeys([*ext.nodes, *drawn_nodes])),
        gpus=tuple(dict.fromkeys([*named, *drawn_gpus])),
    )


def _details(record: wire.AlarmRecord, ext: ExtInfo, topology: Topology | None) -> dict[str, str]:
    unread = read_text(record.topology) if topology is None else None
    details = {
        "error_type": ext.error_type,
        "kernel": ext.kernel,
        "task_pod_list": ", ".join(ext.task_pods),
        "ext_info": ext.raw,
        "topology": unread,
        "uid": record.uid,
    }
    return {name: value for name, value in details.items() if value}
