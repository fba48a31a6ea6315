"""Commands about what monitors know: the graph of machines, GPUs and links, and the health of one machine."""

from dataclasses import dataclass
from typing import ClassVar

from bot.domain.command.spec import Argument, Spec, text_reader
from bot.domain.command.typed import CLOUD, Typed
from bot.domain.wording import say


@dataclass(frozen=True, slots=True)
class ShowTopology(Typed):
    """`of` is a job as in `job`, or a monitor's cluster; nothing where there is only one cluster."""

    spec: ClassVar[Spec] = Spec(
        "topology",
        say("Machines, GPUs and links of a job or a cluster, the faulty marked"),
        arguments=(Argument("of", "ID|CLUSTER", text_reader("ID"), required=False),),
        examples=("topology llama-70b", "topology cluster-bj1"),
    )
    of: str | None = None


@dataclass(frozen=True, slots=True)
class ShowNode(Typed):
    spec: ClassVar[Spec] = Spec(
        "node",
        say("One machine: its health and what was abnormal about it"),
        arguments=(Argument("node", "NAME", text_reader("NAME")),),
        options=(CLOUD,),
        examples=("node i-2zeab12cd34",),
    )
    node: str
    cloud: str | None = None
