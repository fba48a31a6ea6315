"""The grammar of commands: `parse` makes one of the commands from what a person typed, `text()` writes it again."""

from bot.domain.command.capacity import Nodes, Pools, Queues, ShowPool, ShowQueue
from bot.domain.command.kinds import (
    COMMANDS,
    Alarms,
    Command,
    Events,
    Health,
    Help,
    Jobs,
    Logs,
    OpenTerminal,
    Pods,
    ShowIncident,
    ShowJob,
    ShowPod,
    StopJob,
    SubmitJob,
    Top,
    Usage,
)
from bot.domain.command.monitoring import ShowNode, ShowTopology
from bot.domain.command.parser import parse
from bot.domain.command.spec import Argument, Option, Spec

__all__ = [
    "COMMANDS",
    "Alarms",
    "Argument",
    "Command",
    "Events",
    "Health",
    "Help",
    "Jobs",
    "Logs",
    "Nodes",
    "OpenTerminal",
    "Option",
    "Pods",
    "Pools",
    "Queues",
    "ShowIncident",
    "ShowJob",
    "ShowNode",
    "ShowPod",
    "ShowPool",
    "ShowQueue",
    "ShowTopology",
    "Spec",
    "StopJob",
    "SubmitJob",
    "Top",
    "Usage",
    "parse",
]
