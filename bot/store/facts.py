"""Small things to remember: facts by key, the ids of channels, and how the watched sources fare."""

from collections.abc import Sequence

from bot.domain.answers import SourceHealth
from bot.store.codec import maybe_moment, maybe_stamp
from bot.store.database import Database


class Facts:
    """Strings by key, for instance what a baseline counted."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, key: str) -> str | None:
        row = await self._database.run(
            lambda session: session.execute("SELECT value FROM facts WHERE key = ?", (key,)).fetchone()
        )
        return row[0] if row else None

    async def put(self, key: str, value: str) -> None:
        await self._database.run(
            lambda session: session.execute(
                "INSERT INTO facts (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (key, value),
            )
        )


class ChannelBook:
    """Channel names and the ids they stood for when first used: a renamed channel stays the same channel."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def channel_id(self, name: str) -> str | None:
        row = await self._database.run(
            lambda session: session.execute("SELECT id FROM channels WHERE name = ?", (name,)).fetchone()
        )
        return row[0] if row else None

    async def keep(self, name: str, channel_id: str) -> None:
        await self._database.run(
            lambda session: session.execute(
                "INSERT INTO channels (name, id) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET id = excluded.id",
                (name, channel_id),
            )
        )

    async def forget(self, name: str) -> None:
        await self._database.run(lambda session: session.execute("DELETE FROM channels WHERE name = ?", (name,)))


class Sources:
    """How each watched source fares, kept over restarts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, health: SourceHealth) -> None:
        values = (
            health.name,
            maybe_stamp(health.last_success),
            health.last_error,
            maybe_stamp(health.failing_since),
        )
        await self._database.run(
            lambda session: session.execute(
                """INSERT INTO sources (name, last_success, last_error, failing_since) VALUES (?, ?, ?, ?)
                   ON CONFLICT (name) DO UPDATE SET last_success = excluded.last_success,
                   last_error = excluded.last_error, failing_since = excluded.failing_since""",
                values,
            )
        )

    async def all(self) -> Sequence[SourceHealth]:
        rows = await self._database.run(
            lambda session: session.execute(
                "SELECT name, last_success, last_error, failing_since FROM sources ORDER BY name"
            ).fetchall()
        )
        return [SourceHealth(name, maybe_moment(ok), error, maybe_moment(since)) for name, ok, error, since in rows]


class CardBook:
    """Where an incident's card stands in Slack: channel as routed, and ts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def card_of(self, incident_id: int) -> tuple[str, str] | None:
        row = await self._database.run(
            lambda session: session.execute(
                "SELECT channel, ts FROM cards WHERE incident_id = ? AND ts IS NOT NULL", (incident_id,)
            ).fetchone()
        )
        return (row[0], row[1]) if row else None

    async def incident_at(self, channel: str, ts: str) -> int | None:
        """Which incident's card (or thread parent) this is; `channel` is an id or a name."""
        row = await self._database.run(
            lambda session: session.execute(
                """SELECT incident_id FROM cards WHERE ts = ? AND (channel = ?
                   OR channel IN (SELECT name FROM channels WHERE id = ?))""",
                (ts, channel, channel),
            ).fetchone()
        )
        return row[0] if row else None
