"""Which incidents explain each other: the trouble of a machine, and that of the jobs that run on it."""

from datetime import timedelta

from bot.domain.incident import Incident

TOGETHER = timedelta(minutes=15)  # what began further apart has another cause


def is_about_machine(incident: Incident) -> bool:
    subject = incident.subject
    return subject.job is None and not subject.task and bool(subject.nodes)


def are_kin(machine: Incident, other: Incident) -> bool:
    """Whether `other` is about a job on the machine of `machine`, and both happened together."""
    if not is_about_machine(machine) or is_about_machine(other) or machine.subject.cloud != other.subject.cloud:
        return False
    apart = max(machine.opened_at, other.opened_at) - min(machine.last_at, other.last_at)
    return apart <= TOGETHER and not set(machine.subject.nodes).isdisjoint(other.subject.nodes)
