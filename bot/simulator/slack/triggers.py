"""Trigger ids: the short-lived, single-use proofs that a person did something, which opening a modal needs (Slack
reference §1)."""

from collections.abc import Callable

from .errors import SlackError


class Triggers:
    """`now` gives real seconds: a trigger lives three of them, whatever the workspace's clock does."""

    def __init__(self, now: Callable[[], float], lifetime: float, new_id: Callable[[str], str]) -> None:
        self._now = now
        self._lifetime = lifetime
        self._new_id = new_id
        self._issued: dict[str, tuple[str, float, str | None]] = {}
        self._spent: set[str] = set()

    def issue(self, user: str, view_id: str | None = None) -> str:
        """`view_id`: the modal in which the person acted, onto which views.push pushes."""
        trigger = f"{len(self._issued) + 1}.{self._new_id('')}"
        self._issued[trigger] = (user, self._now(), view_id)
        return trigger

    def spend(self, trigger: str) -> tuple[str, str | None]:
        """The person behind the trigger and the modal they were in. Raises invalid_, exchanged_ or
        expired_trigger_id."""
        if trigger not in self._issued:
            raise SlackError("invalid_trigger_id")
        if trigger in self._spent:
            raise SlackError("exchanged_trigger_id")
        user, at, view_id = self._issued[trigger]
        if self._now() - at > self._lifetime:
            raise SlackError("expired_trigger_id")
        self._spent.add(trigger)
        return user, view_id
