"""Each cloud by one cheap call that proves address, credentials and clock."""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

from bot.app.check.line import Line, fail, ok
from bot.app.check.part import DEADLINE, Part, clock_lines
from bot.app.clouds import Clock, HttpClients, build_cloud
from bot.config import CloudSettings
from bot.domain.errors import CloudError
from bot.domain.excuse import excuse


@asynccontextmanager
async def cloud_parts(sections: Sequence[CloudSettings], clock: Clock) -> AsyncIterator[list[Part]]:
    clients = HttpClients()
    try:
        yield [
            Part(_named(section), partial(_look, section, clients, clock), max(DEADLINE, 2 * _deadline(section)))
            for section in sections
        ]
    finally:
        await clients.aclose()


async def _look(section: CloudSettings, clients: HttpClients, clock: Clock) -> list[Line]:
    try:
        cloud = build_cloud(section, clients.through(section.proxy), clock)
    except ValueError as error:
        return [fail(f"{_named(section)}: {error}")]
    begun = time.monotonic()
    try:
        answered = await cloud.ping()
    except CloudError as error:
        return [fail(f"{_named(section)}: {excuse(error)}"), *clock_lines(section.name, cloud.wire.ahead)]
    spent = (time.monotonic() - begun) * 1000
    return [ok(f"{_named(section)}: {answered}; {spent:.0f} ms"), *clock_lines(section.name, cloud.wire.ahead)]


def _named(section: CloudSettings) -> str:
    return f"cloud {section.name} ({section.kind})"


def _deadline(section: CloudSettings) -> float:
    return section.deadline.total_seconds()
