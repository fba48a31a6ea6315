"""Debian's Chromium, started once for the session, and a fresh page per test. Skips where no Chromium is installed.

Playwright's async API only: its sync API keeps an event loop of its own alive between tests, and every async test
that follows fails.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, ConsoleMessage, Page, async_playwright

from bot.simulator.slack import SlackServer, Timing, Workspace
from tests.browser.scene import NOON

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",  # needed as root, as in a container
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
async def chromium() -> AsyncIterator[Browser]:
    if not CHROMIUM.exists():
        pytest.skip(f"no Chromium at {CHROMIUM}")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        await browser.close()


@pytest.fixture
async def page(chromium: Browser) -> AsyncIterator[Page]:
    """An empty page in a context of its own. An uncaught error in the page's script fails the test."""
    errors: list[str] = []
    context = await chromium.new_context(viewport={"width": 1280, "height": 900})
    page = await context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    await context.close()
    assert [] == errors


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    """Redwood AI at noon on a clock that stands still, with no app connected."""
    server = SlackServer(Workspace.redwood(), clock=lambda: NOON, timing=Timing.quick(), speed=lambda: 0.0)
    async with server.serve():
        yield server


@pytest.fixture
def complaints(page: Page) -> list[str]:
    """What the browser's console said was wrong."""
    said: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            said.append(message.text)

    page.on("console", listen)
    return said
