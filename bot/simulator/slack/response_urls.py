"""response_url: the address that comes with a command or a click, good for five posts within thirty minutes, without a
token (Slack reference §1)."""

from dataclasses import dataclass, replace
from typing import Any

from .errors import SlackError
from .posting import accepted_blocks
from .records import Ephemeral, Json, Message
from .state import State

USES = 5
LIFETIME_SECONDS = 30 * 60


@dataclass(frozen=True, slots=True)
class Origin:
    """What the person acted on: a channel, and for a click the message (`is_ephemeral` or not) in it."""

    user: str
    channel: str
    message_ts: str | None = None
    is_ephemeral: bool = False
    thread_ts: str | None = None


@dataclass(frozen=True, slots=True)
class Ticket:
    origin: Origin
    issued: float
    uses: int = 0


class ResponseUrls:
    """Issues addresses and carries out what is posted to them. Age counts on the workspace's clock."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._tickets: dict[str, Ticket] = {}

    def issue(self, origin: Origin) -> str:
        token = self._state.new_id("", 24)
        self._tickets[token] = Ticket(origin, self._state.seconds())
        return f"{self._state.base_url}/response/{token}"

    def channel_of(self, token: str) -> str:
        ticket = self._tickets.get(token)
        return ticket.origin.channel if ticket else ""

    def answer(self, token: str, body: Json) -> None:
        """Raises SlackError: no_service, used_url, expired_url, or what is wrong with the content."""
        ticket = self._tickets.get(token)
        if ticket is None:
            raise SlackError("no_service")
        if ticket.uses >= USES:
            raise SlackError("used_url")
        if self._state.seconds() - ticket.issued > LIFETIME_SECONDS:
            raise SlackError("expired_url")
        self.say(ticket.origin, body)
        self._tickets[token] = replace(ticket, uses=ticket.uses + 1)

    def say(self, origin: Origin, body: Json) -> None:
        """Carry out one response, whether it came to an address or as the ack of a command."""
        if body.get("delete_original") in (True, "true"):
            self._delete(origin)
            return
        blocks = accepted_blocks(self._state, body.get("blocks"), total=None)
        text = str(body.get("text") or "")
        if not text.strip() and not blocks:
            raise SlackError("no_text")
        if body.get("replace_original") in (True, "true") and origin.message_ts:
            self._replace(origin, text, blocks, body.get("metadata"))
        elif body.get("response_type") == "in_channel":
            self._post(origin, text, blocks, body)
        else:
            self._whisper(origin, text, blocks, body)

    def _delete(self, origin: Origin) -> None:
        if origin.message_ts is None:
            raise SlackError("message_not_found")
        if origin.is_ephemeral:
            self._state.whisper(replace(self._original_whisper(origin), is_deleted=True))
        else:
            self._state.keep(replace(self._state.message(origin.channel, origin.message_ts), is_deleted=True))

    def _replace(self, origin: Origin, text: str, blocks: tuple[Json, ...], metadata: Any) -> None:
        if origin.is_ephemeral:
            self._state.whisper(replace(self._original_whisper(origin), text=text, blocks=blocks))
            return
        message = self._state.message(origin.channel, origin.message_ts or "")
        kept = metadata if isinstance(metadata, dict) else message.metadata
        edited = self._state.new_ts()
        self._state.keep(replace(message, text=text, blocks=blocks, edited_ts=edited, metadata=kept))

    def _original_whisper(self, origin: Origin) -> Ephemeral:
        found = self._state.ephemerals[origin.user].get(origin.message_ts or "")
        if found is None or found.is_deleted:
            raise SlackError("message_not_found")
        return found

    def _post(self, origin: Origin, text: str, blocks: tuple[Json, ...], body: Json) -> None:
        state = self._state
        message = Message(
            channel=origin.channel,
            ts=state.new_ts(),
            user=state.app.user_id,
            text=text,
            blocks=blocks,
            thread_ts=str(body.get("thread_ts") or "") or None,
            metadata=body.get("metadata"),
        )
        state.keep(message)

    def _whisper(self, origin: Origin, text: str, blocks: tuple[Json, ...], body: Json) -> None:
        thread_ts = str(body.get("thread_ts") or "") or origin.thread_ts
        me, ts = self._state.app.user_id, self._state.new_ts()
        self._state.whisper(Ephemeral(origin.user, origin.channel, ts, me, text, blocks, thread_ts))
