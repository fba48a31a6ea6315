"""Writing down which incidents explain each other, so that the card of a job names the one of its machine and back."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from bot.domain.incident import Incident
from bot.domain.kinship import TOGETHER, are_kin, is_about_machine
from bot.store.codec import stamp
from bot.store.database import Session
from bot.store.ledger import chunks, marks, read_incident, rewrite

_OPEN = "SELECT id, body FROM incidents WHERE is_open = 1"


def link(session: Session, fresh: Sequence[Incident], now: datetime) -> list[Incident]:
    """Let each of these and the open incidents around them know each other; returns those that learned something."""
    machines = [one for one in fresh if is_about_machine(one)]
    jobs = [one for one in fresh if not is_about_machine(one) and one.subject.nodes]
    if not machines and not jobs:
        return []
    around = _machines_of(session, jobs) + (_jobs_since(session, now) if machines else [])
    known = {one.id: one for one in [*around, *machines, *jobs]}
    kin = _kin(known.values())
    learned = [_knowing(known[incident_id], ids) for incident_id, ids in kin.items()]
    changed = [one for one in learned if one != known[one.id]]
    for incident in changed:
        rewrite(session, incident)
    return changed


def _kin(incidents: Iterable[Incident]) -> dict[int, set[int]]:
    everybody = list(incidents)
    on_node: defaultdict[str, list[Incident]] = defaultdict(list)
    for incident in everybody:
        for node in incident.subject.nodes:
            on_node[node].append(incident)
    kin: defaultdict[int, set[int]] = defaultdict(set)
    for machine in filter(is_about_machine, everybody):
        for other in on_node[machine.subject.nodes[0]]:  # its key: an incident of a machine is about one
            if are_kin(machine, other):
                kin[machine.id].add(other.id)
                kin[other.id].add(machine.id)
    return kin


def _knowing(incident: Incident, ids: set[int]) -> Incident:
    return replace(incident, kin=tuple(sorted({*incident.kin, *ids})))


def _machines_of(session: Session, jobs: Sequence[Incident]) -> list[Incident]:
    keys = {f"node:{one.subject.cloud}/{node}" for one in jobs for node in one.subject.nodes}
    return [one for chunk in chunks(sorted(keys)) for one in _read(session, f"key IN ({marks(len(chunk))})", *chunk)]


def _jobs_since(session: Session, now: datetime) -> list[Incident]:
    return _read(session, "last_at >= ?", stamp(now - 2 * TOGETHER))


def _read(session: Session, where: str, *values: str | int) -> list[Incident]:
    return [read_incident(*row) for row in session.execute(f"{_OPEN} AND {where}", values).fetchall()]
