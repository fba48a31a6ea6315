"""How the bot is seen from outside: JSON log lines without secrets, and Prometheus metrics on a registry of its own."""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from bot.domain.redact import redact

NOISY = ("httpx", "httpcore", "apscheduler", "slack_bolt", "slack_sdk", "aiohttp.access")


def set_up_logging(level: str, *, json: bool) -> None:
    """One renderer for our lines and the libraries'; `json` False writes lines for a terminal.

    The libraries' loggers start at WARNING: below that they log whole URLs, bodies and payloads.
    """
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        hide_secrets,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    renderer = structlog.processors.JSONRenderer(ensure_ascii=False) if json else structlog.dev.ConsoleRenderer()
    formatter = structlog.stdlib.ProcessorFormatter(
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer], foreign_pre_chain=shared
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in NOISY:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))
    logging.getLogger("apscheduler").setLevel(logging.ERROR)  # it warns of each skipped run; we count those


def hide_secrets(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Whatever text goes into a log line passes the same filter as text that goes into Slack."""
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = redact(value).text
    return event


class Metrics:
    """The bot's numbers. Labels are names from the settings and outcome words, never ids."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.ticks = Counter(
            "gpubot_ticks_total", "Scheduled runs by outcome", ["routine", "outcome"], registry=self.registry
        )
        self.tick_seconds = Histogram(
            "gpubot_tick_seconds", "Duration of scheduled runs", ["routine"], registry=self.registry
        )
        self.source_age = Gauge(
            "gpubot_source_age_seconds", "Seconds since a source last answered", ["source"], registry=self.registry
        )
        self.skipped = Gauge(
            "gpubot_skipped_records", "Unusable records of the latest reading", ["source"], registry=self.registry
        )
        self.outbox_due = Gauge("gpubot_outbox_due", "Messages waiting to be sent", registry=self.registry)
        self.outbox_age = Gauge(
            "gpubot_outbox_oldest_seconds", "Age of the oldest waiting message", registry=self.registry
        )
        self.outbox_parked = Gauge(
            "gpubot_outbox_parked", "Messages that cannot be sent", ["reason"], registry=self.registry
        )
        self.incidents = Gauge("gpubot_open_incidents", "Incidents that are not resolved", registry=self.registry)
        self.socket_up = Gauge("gpubot_slack_connected", "1 while the Slack connection works", registry=self.registry)
        self.answers = Counter(
            "gpubot_answers_total", "Commands and clicks by outcome", ["what", "outcome"], registry=self.registry
        )

    def tick(self, routine: str, outcome: str, seconds: float) -> None:
        self.ticks.labels(routine, outcome).inc()
        if outcome in ("ok", "error", "deadline"):
            self.tick_seconds.labels(routine).observe(seconds)

    def answer(self, what: str, outcome: str) -> None:
        self.answers.labels(what, outcome).inc()

    def page(self) -> bytes:
        """The metrics in Prometheus' text form."""
        return generate_latest(self.registry)
