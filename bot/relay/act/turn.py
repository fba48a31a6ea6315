"""One writer at a time: whoever writes to a queue, a job or an order holds it, and the next hears who does."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

from bot.domain.wording import Sentence, mention, say
from bot.relay.act.desk import Desk
from bot.relay.act.outcome import Declined

LOST_AFTER = timedelta(minutes=10)  # no write takes so long: whoever began it is gone
MOST_ATTEMPTS = 50


@asynccontextmanager
async def turn(desk: Desk, thing: str, person: str) -> AsyncIterator[Declined | None]:
    """Hold the thing for the block; inside, a `Declined` says that somebody else holds it."""
    claim = await take(desk, thing, person)
    if isinstance(claim, Declined):
        yield claim
        return
    try:
        yield None
    finally:
        await desk.kept(desk.claims.release(claim))


async def take(desk: Desk, thing: str, person: str) -> str | Declined:
    """Claim the thing: the claim to release, or who holds it. A claim that was lost is passed over by the next one."""
    now = desk.clock()
    for attempt in range(1, MOST_ATTEMPTS):
        claim = f"{thing}#{attempt}"
        holder = await desk.claims.claim(claim, f"{person} {int(now.timestamp())}", now)
        if holder is None:
            return claim
        by, _, at = holder.rpartition(" ")
        since = datetime.fromtimestamp(int(at), UTC)
        if now - since < LOST_AFTER:
            return Declined(_held(by, since))
    return Declined(say("This was tried too often through the bot. Do it on the platform."))


def _held(by: str, since: datetime) -> Sentence:
    return say("{person} is doing this already, since {at}. Look again in a moment.", person=mention(by), at=since)
