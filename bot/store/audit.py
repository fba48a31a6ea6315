"""What people did through the bot: an append-only list that answers "who stopped my job"."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.domain.job import JobKey
from bot.store.codec import moment, stamp
from bot.store.database import Database


@dataclass(frozen=True, slots=True)
class Action:
    """`person` is a Slack user id, `action` a word such as "stop", `outcome` what came of it in a few words."""

    at: datetime
    person: str
    action: str
    outcome: str
    incident_id: int | None = None
    job: str | None = None


class Audit:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def note(
        self,
        person: str,
        action: str,
        outcome: str,
        now: datetime,
        *,
        incident_id: int | None = None,
        job: JobKey | None = None,
    ) -> None:
        values = (stamp(now), person, action, incident_id, str(job) if job else None, outcome)
        await self._database.run(
            lambda session: session.execute(
                "INSERT INTO actions (at, person, action, incident_id, job, outcome) VALUES (?, ?, ?, ?, ?, ?)", values
            )
        )

    async def actions(self, limit: int = 100, incident_id: int | None = None) -> Sequence[Action]:
        """Newest first; of one incident where it is named."""
        rows = await self._database.run(
            lambda session: session.execute(
                """SELECT at, person, action, outcome, incident_id, job FROM actions
                   WHERE ? IS NULL OR incident_id = ? ORDER BY at DESC, id DESC LIMIT ?""",
                (incident_id, incident_id, limit),
            ).fetchall()
        )
        return [Action(moment(at), *rest) for at, *rest in rows]
