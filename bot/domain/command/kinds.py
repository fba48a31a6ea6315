"""The commands: one value per thing that can be asked, and the table from which help and hints are made."""

from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar, get_args

from bot.domain.command.capacity import Nodes, Pools, Queues, ShowPool, ShowQueue
from bot.domain.command.monitoring import ShowNode, ShowTopology
from bot.domain.command.spec import (
    Argument,
    Option,
    Spec,
    choice_reader,
    incident_reader,
    number_reader,
    person_reader,
    text_reader,
)
from bot.domain.command.typed import CLOUD, JOB, POD, SOME_POD, SPAN, Typed
from bot.domain.job import JobState
from bot.domain.series import Metric
from bot.domain.wording import say

SORTS = ("gpu", "age", "use")
MOST_LINES = 2000
MOST_PAGES = 100_000


@dataclass(frozen=True, slots=True)
class Help(Typed):
    spec: ClassVar[Spec] = Spec(
        "help",
        say("What can be asked, and how"),
        arguments=(Argument("topic", "COMMAND", text_reader("COMMAND"), required=False),),
        examples=("help", "help jobs"),
    )
    topic: str | None = None


@dataclass(frozen=True, slots=True)
class Jobs(Typed):
    """`owner` is a cloud's user, or a Slack person written `@U…`."""

    spec: ClassVar[Spec] = Spec(
        "jobs",
        say("Jobs of all clouds"),
        options=(
            Option("mine", say("only your own")),
            Option("owner", say("only this person's"), person_reader()),
            Option("state", say("only in this state"), choice_reader("STATE", tuple(JobState), JobState)),
            Option("queue", say("only in this queue"), text_reader("NAME")),
            CLOUD,
            Option("name", say("only with this in the name"), text_reader("PART")),
            Option(
                "sort", say("most GPUs, longest running or least used first"), choice_reader("|".join(SORTS), SORTS)
            ),
            Option("page", say("the page of a long list"), number_reader("N", 1, MOST_PAGES)),
        ),
        examples=("jobs --mine", "jobs --state running --sort use", "jobs --name llama"),
        apart=(("mine", "owner"),),
    )
    mine: bool = False
    owner: str | None = None
    state: JobState | None = None
    queue: str | None = None
    cloud: str | None = None
    name: str | None = None
    sort: str | None = None
    page: int | None = None


@dataclass(frozen=True, slots=True)
class ShowJob(Typed):
    spec: ClassVar[Spec] = Spec(
        "job",
        say("One job with its pods and GPU use"),
        arguments=(JOB,),
        examples=("job pytorchjob-a1b2", "job llama-70b"),
    )
    job: str


@dataclass(frozen=True, slots=True)
class Pods(Typed):
    spec: ClassVar[Spec] = Spec("pods", say("The pods of a job"), arguments=(JOB,), examples=("pods llama-70b",))
    job: str


@dataclass(frozen=True, slots=True)
class ShowPod(Typed):
    spec: ClassVar[Spec] = Spec(
        "pod", say("One pod of a job"), arguments=(JOB, POD), examples=("pod llama-70b worker-0",)
    )
    job: str
    pod: str


@dataclass(frozen=True, slots=True)
class Usage(Typed):
    spec: ClassVar[Spec] = Spec(
        "usage",
        say("GPU, VRAM, CPU or memory use of a job over time"),
        arguments=(JOB, SOME_POD),
        options=(
            Option("metric", say("what to measure"), choice_reader("|".join(Metric), tuple(Metric), Metric)),
            Option("last", say("how far back"), SPAN),
        ),
        examples=("usage llama-70b", "usage llama-70b worker-0 --metric vram --last 6h"),
    )
    job: str
    pod: str | None = None
    metric: Metric | None = None
    last: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Logs(Typed):
    spec: ClassVar[Spec] = Spec(
        "logs",
        say("The newest log lines of a pod"),
        arguments=(JOB, SOME_POD),
        options=(Option("lines", say("how many"), number_reader("N", 1, MOST_LINES)),),
        examples=("logs llama-70b", "logs llama-70b worker-1 --lines 200"),
    )
    job: str
    pod: str | None = None
    lines: int | None = None


@dataclass(frozen=True, slots=True)
class Events(Typed):
    spec: ClassVar[Spec] = Spec(
        "events",
        say("What the platform noted about a job or a pod"),
        arguments=(JOB, SOME_POD),
        examples=("events llama-70b",),
    )
    job: str
    pod: str | None = None


@dataclass(frozen=True, slots=True)
class Alarms(Typed):
    """The open incidents; with `last` all that began within the span."""

    spec: ClassVar[Spec] = Spec(
        "alarms",
        say("Open incidents, or all of a span of time"),
        options=(
            Option("open", say("only the open ones")),
            Option("last", say("also those that ended, over this time"), SPAN),
        ),
        examples=("alarms", "alarms --last 24h"),
        apart=(("open", "last"),),
    )
    open: bool = False
    last: timedelta | None = None


@dataclass(frozen=True, slots=True)
class ShowIncident(Typed):
    spec: ClassVar[Spec] = Spec(
        "incident",
        say("One incident"),
        arguments=(Argument("incident", "NUMBER", incident_reader()),),
        examples=("incident 12",),
    )
    incident: int


@dataclass(frozen=True, slots=True)
class Top(Typed):
    spec: ClassVar[Spec] = Spec(
        "top",
        say("Least used jobs and most wasted GPU-hours"),
        options=(Option("last", say("over which time"), SPAN),),
        examples=("top", "top --last 24h"),
    )
    last: timedelta | None = None


@dataclass(frozen=True, slots=True)
class StopJob(Typed):
    spec: ClassVar[Spec] = Spec(
        "stop", say("Stop a job, after a look and a question"), arguments=(JOB,), examples=("stop llama-70b",)
    )
    job: str


@dataclass(frozen=True, slots=True)
class SubmitJob(Typed):
    spec: ClassVar[Spec] = Spec(
        "submit",
        say("Submit a job: a new one, or an earlier one again"),
        arguments=(Argument("job", "ID", text_reader("ID"), required=False),),
        options=(
            Option("cloud", say("the cloud to run it on"), text_reader("NAME")),
            Option("pool", say("the pool to run it in"), text_reader("NAME")),
        ),
        examples=("submit", "submit llama-70b", "submit --pool cce-ab12cd34"),
    )
    job: str | None = None
    cloud: str | None = None
    pool: str | None = None


@dataclass(frozen=True, slots=True)
class OpenTerminal(Typed):
    spec: ClassVar[Spec] = Spec(
        "terminal",
        say("A web terminal in a pod, for you alone"),
        arguments=(JOB, SOME_POD),
        examples=("terminal llama-70b worker-0",),
    )
    job: str
    pod: str | None = None


@dataclass(frozen=True, slots=True)
class Health(Typed):
    spec: ClassVar[Spec] = Spec("health", say("How the bot itself is doing"), examples=("health",))


Command = (
    Help
    | Jobs
    | ShowJob
    | Pods
    | ShowPod
    | Usage
    | Logs
    | Events
    | Queues
    | ShowQueue
    | Nodes
    | ShowNode
    | Pools
    | ShowPool
    | ShowTopology
    | Alarms
    | ShowIncident
    | Top
    | StopJob
    | SubmitJob
    | OpenTerminal
    | Health
)

COMMANDS: tuple[type[Command], ...] = get_args(Command)
