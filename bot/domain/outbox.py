"""What waits to be said in Slack: parcels, the cards already posted, and the storm that gathers too many new ones."""

from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum

from bot.domain.incident import Incident
from bot.domain.note import Note


class What(StrEnum):
    """The kinds of messages that leave through the outbox."""

    CARD = "card"
    NOTE = "note"
    NOTICE = "notice"  # the bot about itself
    STORM = "storm"


class Urgency(IntEnum):
    """Who goes first within a channel; a lower number leaves earlier."""

    PERSON = 0
    NEW_CARD = 1
    NOTE = 2
    EDIT = 3


@dataclass(frozen=True, slots=True)
class Card:
    """A message that is edited in place. `fingerprint` is that of what it shows; `generation` counts replacements."""

    channel: str
    ts: str
    fingerprint: str
    generation: int = 0


@dataclass(frozen=True, slots=True)
class Storm:
    """More new incidents in one channel than it can take: one message lists and counts them.

    `incidents` are its first members (more than one message can hold), oldest first, in their present state; `posted`
    holds the ids of those that have got their own card meanwhile. `total` and `ended` count all members.
    """

    id: int
    channel: str
    opened_at: datetime
    incidents: tuple[Incident, ...]
    total: int
    ended: int = 0
    posted: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Parcel:
    """One claimed row of the outbox with everything that is needed to send it.

    `doubtful` says that an earlier try may have reached Slack, so the mark must be looked for first. `card` is the
    message to edit or to reply to, None where it has still to be posted.
    """

    id: int
    what: What
    channel: str
    mark: str
    queued_at: datetime
    claimed_at: datetime  # the first claim: nothing of it can be in Slack before
    tries: int
    doubtful: bool = False
    incident: Incident | None = None
    note: Note | None = None
    text: str | None = None
    storm: Storm | None = None
    card: Card | None = None
