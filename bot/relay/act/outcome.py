"""What came of an act. Each says in one sentence what is true now; nothing here is an exception."""

from dataclasses import dataclass

from bot.domain.incident import Incident
from bot.domain.job import Job
from bot.domain.note import Note
from bot.domain.series import UseLine
from bot.domain.wording import Sentence


@dataclass(frozen=True, slots=True)
class Done:
    """It happened. `receipt` is set where no incident's thread holds it."""

    sentence: Sentence
    incident: Incident | None = None
    job: Job | None = None
    receipt: Note | None = None


@dataclass(frozen=True, slots=True)
class Declined:
    """Nothing was done: the person may not, or what is true by now makes it pointless."""

    sentence: Sentence
    job: Job | None = None


@dataclass(frozen=True, slots=True)
class Underway:
    """The platform was asked, and what came of it is not seen yet; the incident's card will tell."""

    sentence: Sentence
    incident: Incident | None = None
    job: Job | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """The platform was asked and it did not happen. `receipt` is set where no incident's thread holds it."""

    sentence: Sentence
    incident: Incident | None = None
    job: Job | None = None
    receipt: Note | None = None


Outcome = Done | Declined | Underway | Failed


@dataclass(frozen=True, slots=True)
class StopQuestion:
    """A stop that may be confirmed: the job as read just now, its open incident, and its use as last measured."""

    job: Job
    incident: Incident | None = None
    use: UseLine | None = None
