"""Everything that can go wrong outside, split by what the caller may do about it.

CloudError                 a platform did not give what was asked
├── Unreachable            no answer, time-out, 5xx: try again later
├── Throttled              asked too often: wait `retry_after` seconds
├── Refused                credentials or permission: a person must act
│   └── ClockSkew          our clock and the platform's differ: set the clock
├── Unreadable             an answer that the platform does not document: look at settings or version
├── NotFound               the thing does not exist (any more)
├── NotAvailable           this deployment does not offer the operation
├── Rejected               the platform understood and said no
└── Uncertain              a write whose outcome is unknown: look before doing anything again
CommandError               a person typed something that cannot be answered; carries what to do instead
DeliveryError              Slack did not take a message
├── RateLimited            wait `retry_after` seconds
├── OutcomeUnknown         it may have been posted: look for its mark before sending again
├── Unavailable            it was certainly not posted: send again later
├── ChannelClosed          this channel takes nothing until somebody changes it
├── MessageGone            the message to edit or to reply to cannot be used any more
├── PayloadRefused         our message is wrong: it will never be taken as it is
└── CredentialsRefused     the token is no longer good: nothing can be sent
StoreError                 the bot's own memory did not take or give something
├── StoreLocked            another program holds the file: try again
├── StoreFull              the disk is full: free some space
├── StoreReadOnly          the file or its folder cannot be opened or written: look at its rights
├── StoreDamaged           the file is not a database any more: start again, the damaged file is kept aside
└── StoreSwapped           the file was replaced under us: start again
"""

from bot.domain.wording import Sentence


class CloudError(Exception):
    """A platform did not give what was asked. `detail` is safe to show: no secret, no signed URL."""

    def __init__(self, cloud: str, detail: str) -> None:
        super().__init__(f"{cloud}: {detail}")
        self.cloud = cloud
        self.detail = detail


class Unreachable(CloudError):
    """No answer, a time-out, a broken connection or a 5xx: worth another try later.

    `retry_after` (seconds) is set where the cloud was not asked at all, because it has been silent.
    """

    def __init__(self, cloud: str, detail: str, retry_after: float | None = None) -> None:
        super().__init__(cloud, detail)
        self.retry_after = retry_after


class Throttled(CloudError):
    """The platform asks us to slow down; `retry_after` is in seconds, None where it did not say."""

    def __init__(self, cloud: str, detail: str, retry_after: float | None = None) -> None:
        super().__init__(cloud, detail)
        self.retry_after = retry_after


class Refused(CloudError):
    """Credentials or permissions are not good enough: retrying changes nothing, a person must act."""


class ClockSkew(Refused):
    """The platform refuses our signature because the two clocks differ."""


class Unreadable(CloudError):
    """The answer is not what the platform documents (HTML, empty, truncated, wrong prefix or version)."""


class NotFound(CloudError):
    """The job, pod, queue or pool does not exist."""


class NotAvailable(CloudError):
    """This deployment of the platform does not offer the operation, or it is switched off in the settings."""


class Rejected(CloudError):
    """The platform understood the request and said no, for instance to stopping a finished job."""


class Uncertain(CloudError):
    """A write was sent and its answer lost: whether it happened must be read, never assumed."""


class CommandError(Exception):
    """What a person typed cannot be answered; `sentence` says why and what to type instead."""

    def __init__(self, sentence: Sentence) -> None:
        super().__init__(str(sentence))
        self.sentence = sentence


class DeliveryError(Exception):
    """Slack did not take a message; `reason` is Slack's own error word or a short description."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class RateLimited(DeliveryError):
    """Slack asks to wait `retry_after` seconds before the next message to this channel."""

    def __init__(self, reason: str, retry_after: float) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class OutcomeUnknown(DeliveryError):
    """The request went out and no usable answer came back: the message may be there."""


class Unavailable(DeliveryError):
    """Slack certainly did not take it (no connection, 503): send again later."""


class ChannelClosed(DeliveryError):
    """The channel is archived, missing, read-only, or the bot is not in it."""


class MessageGone(DeliveryError):
    """The message to edit or to reply to was deleted or may not be changed any more."""


class PayloadRefused(DeliveryError):
    """Slack calls our message invalid: the same bytes will never be accepted."""


class CredentialsRefused(DeliveryError):
    """The bot token is revoked, expired or lacks a scope."""


class StoreError(Exception):
    """The store failed; the message is a sentence for the operator."""


class StoreLocked(StoreError):
    """Another program holds the database for longer than we wait: worth another try."""


class StoreFull(StoreError):
    """No space is left where the database lies."""


class StoreReadOnly(StoreError):
    """The database cannot be opened or written with our rights."""


class StoreDamaged(StoreError):
    """The file is not a database, or its pages contradict each other."""


class StoreSwapped(StoreError):
    """The database file was moved, deleted or replaced while the bot was running."""
