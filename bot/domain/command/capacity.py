"""The commands about what there is to run on: queues, nodes, pools."""

from dataclasses import dataclass
from typing import ClassVar

from bot.domain.command.spec import Argument, Spec, text_reader
from bot.domain.command.typed import CLOUD, POOL, Typed
from bot.domain.wording import say


@dataclass(frozen=True, slots=True)
class Queues(Typed):
    spec: ClassVar[Spec] = Spec("queues", say("Queues and how full they are"), options=(CLOUD,), examples=("queues",))
    cloud: str | None = None


@dataclass(frozen=True, slots=True)
class ShowQueue(Typed):
    spec: ClassVar[Spec] = Spec(
        "queue",
        say("One queue: its quota, what is used, who waits"),
        arguments=(Argument("queue", "NAME", text_reader("NAME")),),
        options=(POOL, CLOUD),
        examples=("queue default", "queue team-a --pool cce-ab12cd34"),
    )
    queue: str
    pool: str | None = None
    cloud: str | None = None


@dataclass(frozen=True, slots=True)
class Nodes(Typed):
    spec: ClassVar[Spec] = Spec(
        "nodes",
        say("Machines and their free GPUs"),
        options=(CLOUD, POOL),
        examples=("nodes", "nodes --pool cce-ab12cd34"),
    )
    cloud: str | None = None
    pool: str | None = None


@dataclass(frozen=True, slots=True)
class Pools(Typed):
    spec: ClassVar[Spec] = Spec("pools", say("Resource pools and what is free in them"), examples=("pools",))


@dataclass(frozen=True, slots=True)
class ShowPool(Typed):
    spec: ClassVar[Spec] = Spec(
        "pool",
        say("One resource pool with its nodes and queues"),
        arguments=(Argument("pool", "ID", text_reader("ID")),),
        options=(CLOUD,),
        examples=("pool cce-ab12cd34",),
    )
    pool: str
    cloud: str | None = None
