"""A simulated Slack: Web API, Socket Mode, persons who type and click, faults on demand, and the stream that the page
shows. It shares no code with the bot, so that it can judge it."""

from .faults import Fault
from .outcome import Outcome
from .server import SlackServer
from .timing import Timing
from .workspace import App, Channel, Person, SlashCommand, SubCommand, UserGroup, Workspace

__all__ = [
    "App",
    "Channel",
    "Fault",
    "Outcome",
    "Person",
    "SlackServer",
    "SlashCommand",
    "SubCommand",
    "Timing",
    "UserGroup",
    "Workspace",
]
