"""The store's parts over one open database."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bot.app.process import own_name
from bot.domain.alarm import Alarm
from bot.store.audit import Audit
from bot.store.claims import ClaimStore
from bot.store.database import Database
from bot.store.incidents import IncidentStore
from bot.store.instance import Instance
from bot.store.outbox import OutboxStore
from bot.store.places import CardBook, ChannelBook


@dataclass(frozen=True, slots=True)
class Store:
    database: Database
    incidents: IncidentStore
    outbox: OutboxStore
    claims: ClaimStore
    audit: Audit
    channels: ChannelBook
    cards: CardBook
    instance: Instance


@asynccontextmanager
async def open_store(
    path: str, route: Callable[[Alarm], str], queued: Callable[[], None], now: datetime
) -> AsyncIterator[Store]:
    """Open the database for the length of the block. Raises `StoreError` with a sentence."""
    database = Database(Path(path))
    await database.open(now)
    owner = own_name()
    try:
        yield Store(
            database,
            IncidentStore(database, route, queued),
            OutboxStore(database, owner),
            ClaimStore(database),
            Audit(database),
            ChannelBook(database),
            CardBook(database),
            Instance(database, owner),
        )
    finally:
        await database.close()
