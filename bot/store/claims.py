"""Who may do a thing that must be done once: the first insert wins, whichever process makes it."""

from datetime import datetime

from bot.store.codec import stamp
from bot.store.database import Database, Session


class ClaimStore:
    """Implements `bot.domain.ports.Claims`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, key: str, by: str, now: datetime) -> str | None:
        """None when the claim is ours; otherwise who holds it."""

        def work(session: Session) -> str | None:
            row = session.execute(
                "INSERT INTO claims (key, by, at) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING RETURNING key",
                (key, by, stamp(now)),
            ).fetchone()
            if row is not None:
                return None
            return str(session.execute("SELECT by FROM claims WHERE key = ?", (key,)).fetchone()[0])

        return await self._database.transact(work)

    async def release(self, key: str) -> None:
        await self._database.run(lambda session: session.execute("DELETE FROM claims WHERE key = ?", (key,)))
