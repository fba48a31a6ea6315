"""What a simulated workspace is before anything happens in it: the team, its people, channels, user groups and the one
installed app. Frozen descriptions only; what changes afterwards lives in the state."""

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["channel", "im"]
Posting = Literal["open", "read_only", "thread_only", "no_threads"]

SCOPES = frozenset(
    {
        "app_mentions:read",
        "bookmarks:read",
        "bookmarks:write",
        "channels:history",
        "channels:join",
        "channels:read",
        "chat:write",
        "chat:write.customize",
        "commands",
        "files:read",
        "files:write",
        "groups:history",
        "groups:read",
        "im:history",
        "im:read",
        "im:write",
        "reactions:write",
        "team:read",
        "usergroups:read",
        "users:read",
        "users:read.email",
    }
)
EVENTS = frozenset({"app_home_opened", "app_mention", "channel_unarchive", "member_joined_channel", "message.im"})


@dataclass(frozen=True, slots=True)
class Person:
    """A member of the workspace; `is_restricted` is a guest, `is_deleted` a deactivated account."""

    id: str
    name: str
    real_name: str
    email: str
    tz: str = "Europe/London"
    locale: str = "en-GB"
    title: str = ""
    is_restricted: bool = False
    is_deleted: bool = False


@dataclass(frozen=True, slots=True)
class Channel:
    """A public channel, or (`kind` im) the app's direct messages with `user`."""

    id: str
    name: str
    topic: str = ""
    purpose: str = ""
    kind: Kind = "channel"
    members: frozenset[str] = frozenset()
    is_archived: bool = False
    posting: Posting = "open"
    locked_threads: frozenset[str] = frozenset()
    user: str = ""


@dataclass(frozen=True, slots=True)
class UserGroup:
    id: str
    handle: str
    name: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SubCommand:
    """A first word that a command takes. Slack knows nothing of them: the page completes them, as a courtesy."""

    name: str
    hint: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class SlashCommand:
    command: str
    description: str
    usage_hint: str = ""
    subcommands: tuple[SubCommand, ...] = ()


@dataclass(frozen=True, slots=True)
class App:
    """The installed app. With a `request_url` it is served over signed HTTP posts, otherwise over Socket Mode."""

    id: str = "A0GPUBOT"
    bot_id: str = "BGPUBOT"
    user_id: str = "UGPUBOT"
    name: str = "gpubot"
    bot_token: str = field(default="xoxb-sim-bot", repr=False)
    app_token: str = field(default="xapp-sim-app", repr=False)
    signing_secret: str = field(default="sim-signing-secret", repr=False)
    scopes: frozenset[str] = SCOPES
    events: frozenset[str] = EVENTS
    commands: tuple[SlashCommand, ...] = (
        SlashCommand("/gpu", "Jobs, pods, GPU use and alarms of all clusters", "help | jobs | pods | top | alarms"),
    )
    request_url: str | None = None
    home_enabled: bool = True


@dataclass(frozen=True, slots=True)
class Workspace:
    """The whole description; `people` do not include the app's own bot user."""

    team_id: str
    team_name: str
    domain: str
    people: tuple[Person, ...]
    channels: tuple[Channel, ...]
    user_groups: tuple[UserGroup, ...] = ()
    app: App = App()

    @staticmethod
    def redwood() -> "Workspace":
        """Redwood AI: two operators, three job owners, a guest, five channels (the app is not in #random)."""
        return Workspace(
            team_id="T0REDWOOD",
            team_name="Redwood AI",
            domain="redwood-ai",
            people=REDWOOD_PEOPLE,
            channels=_redwood_channels(App().user_id),
            user_groups=(UserGroup("S01ONCALL", "gpu-oncall", "GPU on call", ("U01CHEN",)),),
        )


REDWOOD_PEOPLE = (
    Person(
        "U01CHEN", "chen.jing", "Chen Jing 陈静", "chen.jing@example.com", "Asia/Shanghai", "zh-CN", "GPU operations"
    ),
    Person("U02LIWEI", "li.wei", "Li Wei 李伟", "li.wei@example.com", "Asia/Shanghai", "zh-CN", "Research"),
    Person("U03ANNA", "anna.schmidt", "Anna Schmidt", "anna.schmidt@example.com", "Europe/Berlin", "de-DE", "Research"),
    Person("U04ZHANG", "zhang.min", "Zhang Min 张敏", "zhang.min@example.com", "Asia/Shanghai", "zh-CN", "Inference"),
    Person("U05OMAR", "omar.haddad", "Omar Haddad", "omar.haddad@example.com", "Europe/London", "en-GB", "Operations"),
    Person(
        "U06GUEST",
        "sam.guest",
        "Sam Carter",
        "sam.carter@partner.example",
        "America/New_York",
        "en-US",
        "Partner",
        is_restricted=True,
    ),
)


def _redwood_channels(bot: str) -> tuple[Channel, ...]:
    everyone = frozenset(person.id for person in REDWOOD_PEOPLE)
    staff = frozenset(person.id for person in REDWOOD_PEOPLE if not person.is_restricted)
    return (
        Channel("C01ALERTS", "gpu-alerts", "Alarms of the GPU clusters", members=everyone | {bot}),
        Channel("C02OPS", "gpu-ops", "The people who run the clusters", members=everyone | {bot}),
        Channel("C03NCCL", "nccl", "Hangs, links and collectives", members=staff | {bot}),
        Channel("C04TRAIN", "training", "Training runs", members=everyone | {bot}),
        Channel("C05RANDOM", "random", "Everything else", members=everyone),
    )
