"""What the log shows, and what it must never show."""

import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from bot.observe import NOISY, set_up_logging
from bot.slack.connect import Identity, build_app, build_client


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    """Leave logging as it was found."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    for name in NOISY:
        logging.getLogger(name).setLevel(logging.NOTSET)
    structlog.reset_defaults()


def test_a_secret_is_hidden_wherever_it_stands_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging("info", json=True)
    try:
        raise RuntimeError("refused: Authorization: bce-auth-v1/ak/2026-12-01T00:00:00Z/1800/host/0123456789abcdef")
    except RuntimeError:
        structlog.get_logger().exception("call failed", reason="token=xoxb-1234567890-abcdef")
    logging.getLogger("elsewhere").warning("signing with %s", "secret_key=Zm9vYmFyYmF6cXV4")
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert ["call failed", "signing with secret_key=‹hidden›"] == [line["event"] for line in lines]
    text = json.dumps(lines)
    assert "RuntimeError: refused" in text
    assert not [secret for secret in ("0123456789abcdef", "xoxb-1234567890", "Zm9vYmFyYmF6cXV4") if secret in text]


async def test_at_debug_no_library_writes_what_goes_between_slack_and_the_bot() -> None:
    set_up_logging("debug", json=True)
    client = build_client("xoxb-1", "http://127.0.0.1:9/api/", None, patient=False)
    app = build_app(client, Identity("T1", "Redwood AI", "B1", "U1", frozenset()), None)
    logs = [logging.getLogger(name) for name in logging.root.manager.loggerDict if name.startswith(NOISY)]
    assert app.logger in logs  # the socket's client writes to it as well
    assert [] == [log.name for log in logs if log.isEnabledFor(logging.INFO)]
    assert logging.getLogger("bot").isEnabledFor(logging.DEBUG)
