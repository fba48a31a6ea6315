"""What could not be posted is posted as soon as people let the bot in again, without waiting for the next try."""

from bot.app.bot import Bot
from tests.paths.scene import NCCL, Scene, shown

JOB = "llm-pretrain-70b"


async def test_a_card_for_an_archived_channel_comes_as_soon_as_it_is_opened_again(scene: Scene, bot: Bot) -> None:
    scene.slack.change_channel(NCCL, is_archived=True)
    scene.world.hang(scene.world.job_named(JOB).id, {0: (0,)})
    await scene.until(lambda: any("is_archived" in call.outcome for call in scene.slack.requests))
    assert [] == scene.parents(NCCL)
    scene.slack.change_channel(NCCL, is_archived=False)
    card = await scene.card_in(NCCL)
    assert JOB in shown(card)
    scene.slack.journal.calls.clear()  # the refusal was meant
