"""What to tell a person when a cloud did not do what was asked: one true sentence per kind of error."""

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


def excuse(error: CloudError) -> Sentence:
    """Names the cloud, what is wrong, and what can be done where somebody can do something."""
    cloud, detail = error.cloud, error.detail
    match error:
        case NotFound():
            return say("{cloud} does not know this: {detail}.", cloud=cloud, detail=detail)
        case NotAvailable():
            return say("{cloud} does not offer this: {detail}.", cloud=cloud, detail=detail)
        case ClockSkew():
            return say(
                "{cloud} refuses our signature because our clock is wrong: {detail}. An operator must set it.",
                cloud=cloud,
                detail=detail,
            )
        case Refused():
            return say(
                "{cloud} refuses our credentials: {detail}. An operator must look at its settings.",
                cloud=cloud,
                detail=detail,
            )
        case Throttled():
            return _wait(error)
        case Unreachable(retry_after=None):
            return say("{cloud} did not answer: {detail}. Try again in a moment.", cloud=cloud, detail=detail)
        case Unreachable(retry_after=wait):
            return say(
                "{cloud} does not answer: {detail}. It is asked again in {seconds} s.",
                cloud=cloud,
                detail=detail,
                seconds=ceil(wait or 0),
            )
        case Unreadable():
            return say(
                "{cloud} answered with something that cannot be read: {detail}. An operator must look at its settings.",
                cloud=cloud,
                detail=detail,
            )
        case Rejected():
            return say("{cloud} said no: {detail}.", cloud=cloud, detail=detail)
        case Uncertain():
            return say("It is not known whether {cloud} did it: {detail}.", cloud=cloud, detail=detail)
        case _:
            return say("{cloud} did not do it: {detail}.", cloud=cloud, detail=detail)


def _wait(error: Throttled) -> Sentence:
    if error.retry_after is None:
        return say("{cloud} is asked too often at the moment. Try again in a minute.", cloud=error.cloud)
    return say(
        "{cloud} is asked too often at the moment. Try again in {seconds} s.",
        cloud=error.cloud,
        seconds=round(error.retry_after),
    )
