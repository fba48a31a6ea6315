"""What all commands have in common: their canonical text, and the arguments and options that several of them take."""

from dataclasses import dataclass, fields
from datetime import timedelta
from typing import ClassVar

from bot.domain.command.spec import Argument, Option, Spec, duration_reader, text_reader
from bot.domain.wording import say

SHORTEST = timedelta(minutes=1)
LONGEST = timedelta(days=30)

JOB = Argument("job", "ID", text_reader("ID"))
POD = Argument("pod", "POD", text_reader("POD"))
SOME_POD = Argument("pod", "POD", text_reader("POD"), required=False)
CLOUD = Option("cloud", say("only this cloud"), text_reader("NAME"))
POOL = Option("pool", say("only in this pool"), text_reader("NAME"))
SPAN = duration_reader("6h", SHORTEST, LONGEST)


@dataclass(frozen=True, slots=True)
class Typed:
    """What all commands have: a spec, and a canonical text that is read back as the same command."""

    spec: ClassVar[Spec]

    def text(self) -> str:
        return self.spec.write({one.name: getattr(self, one.name) for one in fields(self)})
