"""What to tell a person when a cloud did not do what was asked: one true sentence per kind of error."""

from dataclasses import replace
from math import ceil

from bot.domain.errors import (
    ClockSkew,
    CloudError,
    NotAvailable,
    NotFound,
    Refused,
    Rejected,
    Throttled,
    Uncertain,
    Unreachable,
    Unreadable,
)
from bot.domain.wording import Sentence, say

_SENTENCES: dict[type[CloudError], Sentence] = {
    NotFound: say("{cloud} does not know this: {detail}."),
    NotAvailable: say("{cloud} does not offer this: {detail}."),
    ClockSkew: say("{cloud} refuses our signature because our clock is wrong: {detail}. An operator must set it."),
    Refused: say("{cloud} refuses our credentials: {detail}. An operator must look at its settings."),
    Throttled: say("{cloud} is asked too often at the moment. Try again in a minute."),
    Unreachable: say("{cloud} did not answer: {detail}. Try again in a moment."),
    Unreadable: say(
        "{cloud} answered with something that cannot be read: {detail}. An operator must look at its settings."
    ),
    Rejected: say("{cloud} said no: {detail}."),
    Uncertain: say("It is not known whether {cloud} did it: {detail}."),
    CloudError: say("{cloud} did not do it: {detail}."),
}


def excuse(error: CloudError) -> Sentence:
    """Names the cloud, what is wrong, and what can be done where somebody can do something."""
    kind = next(one for one in type(error).__mro__ if one in _SENTENCES)
    return _timed(error) or replace(_SENTENCES[kind], values={"cloud": error.cloud, "detail": error.detail})


def _timed(error: CloudError) -> Sentence | None:
    """The sentence of an error that says when to ask again."""
    match error:
        case Throttled(retry_after=float() | int() as wait):
            return say(
                "{cloud} is asked too often at the moment. Try again in {seconds} s.",
                cloud=error.cloud,
                seconds=round(wait),
            )
        case Unreachable(retry_after=float() | int() as wait):
            return say(
                "{cloud} does not answer: {detail}. It is asked again in {seconds} s.",
                cloud=error.cloud,
                detail=error.detail,
                seconds=ceil(wait),
            )
        case _:
            return None
