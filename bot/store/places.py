"""Where things are in Slack: the ids of channels, and the messages of incidents."""

from bot.store.database import Database


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
