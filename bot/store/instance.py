"""Which of several processes on one store is the active one; the others stand by and take over when it falls silent."""

from datetime import datetime, timedelta

from bot.store.codec import stamp
from bot.store.database import Database

HELD_FOR = timedelta(seconds=25)  # with a heartbeat every few seconds a standby takes over within 30 s


class Instance:
    """`holder` must be different in each process, also on one machine. Use real time, not a simulated clock."""

    def __init__(self, database: Database, holder: str) -> None:
        self._database = database
        self.holder = holder

    async def hold(self, now: datetime) -> bool:
        """Become or stay the active process; call it every few seconds. False: another one is alive, or took over."""
        values = (self.holder, stamp(now + HELD_FOR), stamp(now))
        row = await self._database.run(
            lambda session: session.execute(
                """INSERT INTO instance (id, holder, until) VALUES (1, ?, ?) ON CONFLICT (id)
                   DO UPDATE SET holder = excluded.holder, until = excluded.until
                   WHERE instance.holder = excluded.holder OR instance.until <= ? RETURNING holder""",
                values,
            ).fetchone()
        )
        return row is not None

    async def rival(self) -> str | None:
        """Who else holds the place, if anybody does."""
        query = "SELECT holder FROM instance WHERE holder <> ?"
        row = await self._database.run(lambda session: session.execute(query, (self.holder,)).fetchone())
        return row[0] if row else None

    async def evict(self, holder: str) -> None:
        """Free the place of a process that is known to be gone, before its silence says so."""
        await self._database.run(lambda session: session.execute("DELETE FROM instance WHERE holder = ?", (holder,)))

    async def let_go(self) -> None:
        """At a clean end: a standby need not wait for the silence."""
        await self.evict(self.holder)
