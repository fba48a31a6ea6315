"""The seams between what happens (`relay`) and the outside worlds: clouds, the store, Slack.

Protocols are structural: adapters do not inherit. Clouds raise only `CloudError`, chats only `DeliveryError`.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Protocol, runtime_checkable

from bot.domain.alarm import Alarm, AlarmBatch
from bot.domain.capacity import Node, Pool, Queue
from bot.domain.errors import DeliveryError
from bot.domain.incident import Incident
from bot.domain.job import Job, JobKey, Pod, PodDetail, TerminalLink
from bot.domain.journal import Event, LogLines
from bot.domain.life import Change
from bot.domain.note import Note
from bot.domain.outbox import Parcel, Storm
from bot.domain.series import Metric, Series, Window


class Can(StrEnum):
    """What a configured cloud offers; asked before a call, so that nobody is surprised late."""

    LIST_JOBS = "list jobs"
    STOP = "stop jobs"
    TERMINAL = "open terminals"
    LOGS = "read logs"
    EVENTS = "read events"
    METRICS = "read metrics"
    POD_DETAIL = "read pod details"
    CAPACITY = "list pools, queues and nodes"
    ALARMS = "report alarms"
    TOPOLOGY = "draw topologies"
    NODE_HEALTH = "tell the health of nodes"
    QUEUES = "change queues"
    SUBMIT = "submit jobs"
    PRIORITY = "change priorities"
    DELETE = "delete jobs"
    RESTART = "restart jobs"


@runtime_checkable
class Cloud(Protocol):
    """One configured account of a platform. `watched` are job ids to look at where jobs cannot be listed."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def abilities(self) -> frozenset[Can]: ...
    @property
    def next_try(self) -> datetime | None:
        """When it will be asked again after it gave no answer; None while it answers. Until then calls fail at once."""
        ...

    async def ping(self) -> str:
        """Make one cheap call that proves address, credentials and clock; says in a few words what answered."""
        ...


@runtime_checkable
class JobCloud(Cloud, Protocol):
    """A platform that runs jobs. A job id it does not know raises `NotFound`.

    `skipped` counts the records of the latest listing of jobs that could not be used.
    """

    @property
    def skipped(self) -> int: ...

    async def jobs(self) -> Sequence[Job]:
        """Every job the credentials can see, all pages; raises rather than returning a part."""
        ...

    async def job(self, job_id: str) -> Job: ...
    async def pods(self, job_id: str) -> Sequence[Pod]: ...
    async def pod(self, job_id: str, pod: str) -> PodDetail: ...
    async def series(self, job: Job, metric: Metric, window: Window, pod: str | None = None) -> Sequence[Series]:
        """Use over the window for the whole job or one pod; an empty sequence is "no data"."""
        ...

    async def logs(self, job_id: str, pod: str, lines: int) -> LogLines:
        """The newest `lines` lines of the pod's log."""
        ...

    async def events(self, job: Job, pod: str | None = None) -> Sequence[Event]:
        """Newest first."""
        ...

    async def stop(self, job_id: str) -> None:
        """Ask for the stop; that it happened must be read from the job's state. May raise `Uncertain`."""
        ...

    async def terminal(self, job_id: str, pod: str) -> TerminalLink: ...


@runtime_checkable
class CapacityCloud(Cloud, Protocol):
    """A platform that tells what there is to run on."""

    async def pools(self) -> Sequence[Pool]: ...
    async def queues(self) -> Sequence[Queue]: ...
    async def nodes(self) -> Sequence[Node]: ...


@runtime_checkable
class AlarmCloud(Cloud, Protocol):
    """A monitor. `jobs_in` names the clouds where its tasks can be found, in the order to look."""

    @property
    def jobs_in(self) -> Sequence[str]: ...

    async def alarms(self, window: Window, tasks: Sequence[str] = ()) -> AlarmBatch:
        """The records of all configured clusters in the window, oldest first, each once."""
        ...

    async def clusters(self) -> Sequence[str]: ...


class Observation(Protocol):
    """What one transaction of `Incidents.observe` did."""

    @property
    def new(self) -> int: ...
    @property
    def repeated(self) -> int: ...
    @property
    def known(self) -> int: ...


class Incidents(Protocol):
    """The store of alarms and incidents. Each call is one transaction together with the outbox rows it causes."""

    async def observe(
        self,
        source: str,
        alarms: Sequence[Alarm],
        now: datetime,
        cursor: datetime | None = None,
        post: bool = True,
    ) -> Observation:
        """Record alarms not seen before, fold them into incidents, queue what must be said, move the cursor.

        With `post` False (the baseline of a first start) alarms are remembered and counted, and nothing is said.
        """
        ...

    async def cursor(self, source: str) -> datetime | None:
        """Until when the source's alarms were completely read; None before the first success."""
        ...

    async def get(self, incident_id: int) -> Incident | None: ...
    async def open(self) -> Sequence[Incident]: ...
    async def recent(self, since: datetime) -> Sequence[Incident]: ...
    async def about_job(self, job: JobKey) -> Incident | None:
        """The open incident about this job, if there is one."""
        ...

    async def change(self, incident_id: int, change: Change, now: datetime, *, at_once: bool) -> Incident:
        """Apply a change and queue its card and notes; `at_once` for what a person did, which is never debounced."""
        ...


class Claims(Protocol):
    """Who may do a thing that must be done once: clicks, commands, stops."""

    async def claim(self, key: str, by: str, now: datetime) -> str | None:
        """None when the claim is ours; otherwise who holds it."""
        ...

    async def release(self, key: str) -> None: ...


class Audit(Protocol):
    """What people did through the bot, kept for the question who did it."""

    async def note(
        self,
        person: str,
        action: str,
        outcome: str,
        now: datetime,
        *,
        incident_id: int | None = None,
        job: JobKey | None = None,
    ) -> None:
        """`person` is a Slack user id, `action` a word such as "stop", `outcome` what came of it in a few words."""
        ...


class Chat(Protocol):
    """Slack as the delivery sees it. No blocks cross this line: the Slack side renders."""

    async def announce(self, incident: Incident, channel: str, mark: str, now: datetime) -> str:
        """Post the card; returns its ts. `mark` goes into the message's metadata."""
        ...

    async def amend(self, incident: Incident, channel: str, ts: str, now: datetime) -> None:
        """Edit the card in place."""
        ...

    async def reply(self, incident: Incident, note: Note, channel: str, thread_ts: str, mark: str) -> str:
        """Post a note into the thread; returns its ts. Raises `MessageGone` if it did not land in the thread."""
        ...

    async def notify(self, text: str, channel: str, mark: str) -> str:
        """Post a sentence of the bot about itself; returns its ts."""
        ...

    async def find(self, channel: str, mark: str, since: datetime, thread_ts: str | None = None) -> str | None:
        """The ts of the message that carries the mark, or None if it certainly is not there."""
        ...

    def fingerprint(self, incident: Incident, now: datetime) -> str:
        """Equal for two states of an incident that render to the same card."""
        ...

    async def announce_storm(self, storm: Storm, channel: str, mark: str, now: datetime) -> str: ...
    async def amend_storm(self, storm: Storm, channel: str, ts: str, now: datetime) -> None: ...
    def fingerprint_storm(self, storm: Storm, now: datetime) -> str: ...


class Outbox(Protocol):
    """What waits to be sent. A claim is exclusive; whatever happens to it is settled by exactly one other call."""

    async def take_over(self) -> int:
        """At start: claims of processes that are gone become doubtful."""
        ...

    async def channels_due(self, now: datetime) -> Sequence[str]: ...
    async def claim(self, channel: str, now: datetime) -> Parcel | None: ...
    async def posted(self, parcel: Parcel, ts: str, fingerprint: str, now: datetime) -> None: ...
    async def edited(self, parcel: Parcel, fingerprint: str, now: datetime) -> None: ...
    async def sent(self, parcel: Parcel, now: datetime) -> None: ...
    async def release(self, parcel: Parcel, *, doubtful: bool, reason: str) -> None: ...
    async def park(self, parcel: Parcel, error: DeliveryError) -> None: ...
    async def park_channel(self, channel: str, error: DeliveryError) -> int: ...
    async def unpark(self, channel: str, troubles: Sequence[str]) -> int: ...
    async def parked_channels(self, troubles: Sequence[str]) -> Sequence[str]: ...
    async def names_of(self, channel: str) -> Sequence[str]: ...
    async def replace_card(self, parcel: Parcel, now: datetime) -> bool:
        """The card is gone from Slack: post it anew, once; False if that was done too often."""
        ...

    async def notice(self, text: str, channel: str, now: datetime, once: str | None = None) -> bool: ...
    async def may_say_again(self, once: str) -> None:
        """Forget every `once` that begins so."""
        ...


class ChannelIds(Protocol):
    """The ids that channel names stood for when they were first used."""

    async def channel_id(self, name: str) -> str | None: ...
    async def keep(self, name: str, channel_id: str) -> None: ...
    async def forget(self, name: str) -> None: ...


class People(Protocol):
    """Who a cloud's user is in Slack, and who belongs to its user groups."""

    async def slack_id(self, owner: str) -> str | None: ...
    def owners_of(self, user: str) -> frozenset[str]:
        """The cloud users that are known to be this person; asks nobody."""
        ...

    async def is_in_any(self, user: str, groups: frozenset[str]) -> bool:
        """Whether the person belongs to one of the groups; a group that cannot be read contains nobody."""
        ...


Clouds = Mapping[str, Cloud]
