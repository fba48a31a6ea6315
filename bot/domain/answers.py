"""Answers to a person's question: what was found, from where, how old it is, and what is missing.

An answer is a value; the Slack side and the terminal each show it in their own way.
"""

from dataclasses import dataclass, field
from datetime import datetime

from bot.domain.capacity import Node, Pool, Queue, Spot
from bot.domain.health import HealthView as HealthView
from bot.domain.health import OutboxHealth as OutboxHealth
from bot.domain.health import SourceHealth as SourceHealth
from bot.domain.incident import Incident
from bot.domain.job import Job, JobDefinition, Pod, PodDetail, TerminalLink
from bot.domain.journal import Event, LogLines
from bot.domain.ports import Can
from bot.domain.series import Metric, Series, Window
from bot.domain.topology import Topology
from bot.domain.waste import Waste
from bot.domain.wording import Sentence


@dataclass(frozen=True, slots=True)
class Gap:
    """A cloud whose part is missing or old. `kind` is the error's class name, `detail` safe to show.

    `as_of` is the age of what is shown instead (None: nothing of this cloud is shown), `since` when it began to fail,
    `next_try` when it will be asked again.
    """

    cloud: str
    kind: str
    detail: str
    since: datetime | None = None
    as_of: datetime | None = None
    next_try: datetime | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an answer's facts come from: cloud and moment of reading; and the clouds that are missing."""

    read: tuple[tuple[str, datetime], ...] = ()
    gaps: tuple[Gap, ...] = ()


@dataclass(frozen=True, slots=True)
class JobList:
    """One page of jobs, sorted; `use` holds the last known mean GPU use by job key."""

    jobs: tuple[Job, ...]
    total: int
    page: int
    pages: int
    gpus_total: int
    command: str  # the command that gives this list without its page, for the page buttons
    filters: tuple[str, ...] = ()
    use: dict[str, float] = field(default_factory=dict)
    origin: Origin = Origin()


@dataclass(frozen=True, slots=True)
class JobView:
    job: Job
    pods: tuple[Pod, ...]
    use: tuple[Series, ...] = ()
    window: Window | None = None
    incident: Incident | None = None
    origin: Origin = Origin()
    offered: frozenset[Can] = frozenset()  # what its cloud can do with it


@dataclass(frozen=True, slots=True)
class PodList:
    job: Job
    pods: tuple[Pod, ...]
    origin: Origin = Origin()


@dataclass(frozen=True, slots=True)
class PodView:
    job: Job
    detail: PodDetail
    use: tuple[Series, ...] = ()
    window: Window | None = None
    origin: Origin = Origin()


@dataclass(frozen=True, slots=True)
class UseView:
    """Series of one metric over a window; empty series mean no data, which is not 0."""

    job: Job
    metric: Metric
    window: Window
    series: tuple[Series, ...]
    pod: str | None = None
    origin: Origin = Origin()


@dataclass(frozen=True, slots=True)
class LogView:
    """`hidden` secrets were taken out. `chosen_from` is set where no pod was named: this many pods there are."""

    job: Job
    log: LogLines
    asked: int
    origin: Origin = Origin()
    hidden: int = 0
    chosen_from: int | None = None


@dataclass(frozen=True, slots=True)
class EventList:
    job: Job
    events: tuple[Event, ...]
    pod: str | None = None
    origin: Origin = Origin()


@dataclass(frozen=True, slots=True)
class QueueList:
    queues: tuple[Queue, ...]
    origin: Origin = Origin()
    can_change: bool = False  # some of these clouds lets queues be made


@dataclass(frozen=True, slots=True)
class QueueView:
    """A queue read anew, with the queues below it and the jobs in it that are not over."""

    queue: Queue
    children: tuple[Queue, ...] = ()
    jobs: tuple[Job, ...] = ()
    can_change: bool = False
    origin: Origin = Origin()


@dataclass(frozen=True, slots=True)
class NodeList:
    nodes: tuple[Node, ...]
    origin: Origin = Origin()


@dataclass(frozen=True, slots=True)
class NodeView:
    """A machine as its platform and its monitor know it, and what was abnormal over the window, newest first."""

    node: Node
    window: Window
    events: tuple[Event, ...] = ()
    origin: Origin = Origin()


@dataclass(frozen=True, slots=True)
class TopologyView:
    """What talks to what now: in a cluster as `monitor` sees it, or only for the job."""

    topology: Topology
    monitor: str
    cluster: str
    job: Job | None = None
    origin: Origin = Origin()


@dataclass(frozen=True, slots=True)
class PoolList:
    pools: tuple[Pool, ...]
    origin: Origin = Origin()


@dataclass(frozen=True, slots=True)
class PoolView:
    pool: Pool
    nodes: tuple[Node, ...] = ()
    queues: tuple[Queue, ...] = ()
    origin: Origin = Origin()


@dataclass(frozen=True, slots=True)
class AlarmList:
    """Incidents, newest first; `since` is set where a span was asked for, None means the open ones."""

    incidents: tuple[Incident, ...]
    since: datetime | None = None
    links: dict[int, str] = field(default_factory=dict)  # incident id -> permalink of its card
    origin: Origin = Origin()


@dataclass(frozen=True, slots=True)
class IncidentView:
    incident: Incident
    link: str | None = None


@dataclass(frozen=True, slots=True)
class TopList:
    """Least used jobs and those that wasted most; `unmeasured` running jobs gave no data, which is not idleness."""

    window: Window
    least_used: tuple[Waste, ...]
    most_wasted: tuple[Waste, ...]
    unmeasured: int
    origin: Origin = Origin()


@dataclass(frozen=True, slots=True)
class Candidates:
    """What was asked for fits several things, or nearly fits some: the person chooses."""

    wanted: str
    what: str  # job | pod | incident | queue | pool
    choices: tuple[tuple[str, str], ...]  # what to type, what it is
    command: str  # the command with {choice} where the choice goes
    exact: bool = True  # False: nothing fits, these are merely similar
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class HelpView:
    topic: str | None = None


@dataclass(frozen=True, slots=True)
class StopOffer:
    """A stop may be asked for: the job as read just now. Shown with a button that opens the confirmation."""

    job: Job
    incident: Incident | None = None
    refusal: Sentence | None = None  # why this person may not


@dataclass(frozen=True, slots=True)
class SubmitOffer:
    """A job may be submitted: to one of the spots, from nothing or from `definition`, that of the job `of`.

    Its secrets are hidden and its name is free. `recent` are jobs to begin with instead, the person's own first.
    """

    spots: tuple[Spot, ...] = ()
    of: Job | None = None
    definition: JobDefinition | None = None
    recent: tuple[Job, ...] = ()
    refusal: Sentence | None = None  # why this person may not


@dataclass(frozen=True, slots=True)
class TerminalOffer:
    """The pods a terminal can be opened in; one pod asked for means `pods` holds just that one."""

    job: Job
    pods: tuple[Pod, ...]
    refusal: Sentence | None = None


@dataclass(frozen=True, slots=True)
class TerminalHandout:
    """The link itself: a credential for one person's eyes."""

    job: Job
    pod: str
    link: TerminalLink


@dataclass(frozen=True, slots=True)
class Said:
    """A plain sentence as the whole answer: a refusal, a fact, an error."""

    sentence: Sentence
    ok: bool = True


Answer = (
    JobList
    | JobView
    | PodList
    | PodView
    | UseView
    | LogView
    | EventList
    | QueueList
    | QueueView
    | NodeList
    | NodeView
    | TopologyView
    | PoolList
    | PoolView
    | AlarmList
    | IncidentView
    | TopList
    | HealthView
    | Candidates
    | HelpView
    | StopOffer
    | SubmitOffer
    | TerminalOffer
    | TerminalHandout
    | Said
)
