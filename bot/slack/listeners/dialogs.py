"""What all dialogs share: they open at once, are filled when something is known, and show their errors themselves."""

import asyncio
from collections.abc import Awaitable, Callable

from bot.domain.errors import CloudError, CommandError
from bot.domain.excuse import excuse
from bot.domain.wording import Sentence
from bot.relay.act import Done, Failed, Outcome, Underway
from bot.slack.payloads import Clicked, Submitted
from bot.slack.reception import Reception
from bot.slack.views import View, Views

Handler = Callable[[Reception, Clicked], Awaitable[None]]
ACK_LANDS = 0.3  # seconds; the acknowledgement leaves after its listener, and undoes a view that was sent before it
Look = Callable[[Views], Awaitable[View]]


async def open_at_once(
    reception: Reception, user: str, trigger_id: str | None, title: Sentence, looking: Sentence, look: Look
) -> None:
    """Open the dialog within the trigger's three seconds, then fill it with what the look gives."""
    waiting = (await reception.views_soon(user)).waiting(title, looking)
    view_id = await reception.replies.open_dialog(trigger_id or "", waiting)
    await fill(reception, user, view_id, title, look)


async def fill(reception: Reception, user: str, view_id: str, title: Sentence, look: Look) -> None:
    """Put into an open dialog what the look gives, or why it gives nothing."""
    views = await reception.views_for(user)
    try:
        view = await look(views)
    except CommandError as error:
        view = views.refused(title, error.sentence)
    except CloudError as error:
        view = views.refused(title, excuse(error))
    await reception.replies.fill_dialog(view_id, view)


def begin(reception: Reception, what: str, submitted: Submitted, work: Callable[[], Awaitable[None]]) -> None:
    """Start the work of a dialog that was sent in; what goes wrong stands in the dialog."""

    async def tell(sentence: Sentence) -> None:
        views = await reception.views_for(submitted.user)
        await reception.replies.fill_dialog(submitted.view_id, views.notice_dialog(sentence))

    async def after_ack() -> None:
        await asyncio.sleep(ACK_LANDS)
        await work()

    reception.answering.start(f"submit {what}", submitted.key, after_ack, tell)


async def conclude(reception: Reception, submitted: Submitted, outcome: Outcome) -> None:
    """Say in the dialog what came of it. Where no thread holds the receipt, the person who acted gets it."""
    views = await reception.views_for(submitted.user)
    ok = None if isinstance(outcome, Underway) else isinstance(outcome, Done)
    note = outcome.receipt if isinstance(outcome, Done | Failed) else None
    receipt = views.receipt(note) if note else None
    await reception.replies.fill_dialog(submitted.view_id, views.concluded(outcome.sentence, ok, receipt))
    if receipt is not None:
        await reception.replies.directly(submitted.user, receipt)
