"""What a Web API method is to the simulated Slack: a function of desk and arguments, the scope it needs, and the kind
of token that may call it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from .arguments import Arguments
from .records import Json
from .state import Desk


@dataclass(frozen=True, slots=True)
class Method:
    """`call` raises SlackError; `scope` None: any token of the right kind may call it."""

    call: Callable[[Desk, Arguments], Json]
    scope: str | None = None
    token: Literal["bot", "app", "none"] = "bot"
