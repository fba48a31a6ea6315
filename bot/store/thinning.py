"""Forgetting: rows older than they are useful. What belongs to an open incident or was never sent stays."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from bot.store.alarms import set_apart
from bot.store.codec import stamp
from bot.store.database import Database, Session

_ENDED = "SELECT id FROM incidents WHERE is_open = 0 AND last_at < :before AND ended_at < :before"
_STEPS = (
    """DELETE FROM alarms WHERE is_old IN (0, 1) AND seen_at < :before AND (incident_id IS NULL OR incident_id NOT IN
       (SELECT id FROM incidents WHERE is_open = 1))""",
    "DELETE FROM outbox WHERE state = 'sent' AND sent_at < :before",
    f"""DELETE FROM cards WHERE incident_id IN ({_ENDED})
        AND incident_id NOT IN (SELECT incident_id FROM outbox WHERE state <> 'sent' AND incident_id IS NOT NULL)""",
    f"""DELETE FROM incidents WHERE id IN ({_ENDED})
        AND id NOT IN (SELECT incident_id FROM outbox WHERE state <> 'sent' AND incident_id IS NOT NULL)""",
    """DELETE FROM storms WHERE last_at < :before
       AND id NOT IN (SELECT storm_id FROM incidents WHERE storm_id IS NOT NULL)
       AND id NOT IN (SELECT storm_id FROM outbox WHERE state <> 'sent' AND storm_id IS NOT NULL)""",
    "DELETE FROM claims WHERE at < :before",
    "DELETE FROM actions WHERE at < :actions_before",
)


@dataclass(frozen=True, slots=True)
class Retention:
    """How long things are kept. `days` must be longer than any poll looks back, or old alarms would be new again."""

    days: int = 90
    audit_days: int = 400


async def thin(database: Database, retention: Retention, now: datetime) -> int:
    """Set old alarms apart and delete what is older still, each in transactions so short that a poll never waits long.

    Returns the number of deleted rows.
    """
    while await database.transact(lambda session: set_apart(session, now)):
        pass
    values = {
        "before": stamp(now - timedelta(days=retention.days)),
        "actions_before": stamp(now - timedelta(days=retention.audit_days)),
    }
    return sum([await database.transact(partial(_delete, step, values)) for step in _STEPS])


def _delete(step: str, values: dict[str, int], session: Session) -> int:
    return int(session.execute(step, values).rowcount)
