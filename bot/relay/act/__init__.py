"""Acts on behalf of people: only for those who may, after a fresh look, once, with a note of who did what."""

from bot.relay.act.act import Act
from bot.relay.act.desk import Desk
from bot.relay.act.orders import JobOrder
from bot.relay.act.outcome import Declined, Done, Failed, Outcome, StopQuestion, Underway
from bot.relay.act.queue_looks import QueueQuestion
from bot.relay.act.queues import QueueReceipt
from bot.relay.act.upkeep import JobQuestion

__all__ = [
    "Act",
    "Declined",
    "Desk",
    "Done",
    "Failed",
    "JobOrder",
    "JobQuestion",
    "Outcome",
    "QueueQuestion",
    "QueueReceipt",
    "StopQuestion",
    "Underway",
]
