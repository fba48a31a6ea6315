"""How the bot itself is doing: every source's last word, what waits to be said, and the line to Slack."""

from datetime import datetime

from bot.domain.answers import HealthView, OutboxHealth, SourceHealth
from bot.slack.views.draft import Draft
from bot.slack.views.mrkdwn import line, literal
from bot.slack.views.parts import context, header, section
from bot.slack.views.voice import Voice, date, joined

_PER_BLOCK = 8


def health_view(voice: Voice, answer: HealthView, now: datetime) -> Draft:
    t = voice.t
    lines = [source_line(voice, source, now) for source in answer.sources]
    sources = [section("\n".join(lines[place : place + _PER_BLOCK])) for place in range(0, len(lines), _PER_BLOCK)]
    up = t("version {version}, up for {age}", version=answer.version, age=voice.age(now - answer.started_at))
    opened = t.n("{n} open incident", "{n} open incidents", answer.open_incidents)
    sign, title = "🟢" if is_well(answer) else "🟠", t("Health")
    return Draft(
        head=[header(f"{sign} {title}"), context(joined(up, opened))],
        rows=[
            section("\n".join([*_socket(voice, answer), *outbox_lines(voice, answer.outbox, now)])),
            *(sources or [section(t("No source has been read yet."))]),
        ],
        more=lambda n: t("and {n} more", n=len(lines) - (len(sources) - n) * _PER_BLOCK),
    )


def is_well(health: HealthView) -> bool:
    failing = any(source.failing_since for source in health.sources)
    return health.socket_ok and not failing and not health.outbox.parked


def source_line(voice: Voice, source: SourceHealth, now: datetime) -> str:
    """Still here, or since when not and why."""
    t, name = voice.t, voice.source(source.name)
    note = _remarks(voice, source)
    if source.failing_since is not None:
        last = (
            t("last success {when}", when=date(source.last_success))
            if source.last_success
            else t("no success since the bot began")
        )
        failing = t("failing since {when}", when=date(source.failing_since))
        tried = t("next try in {age}", age=voice.age(source.next_try - now)) if source.next_try else None
        error = line(source.last_error, 200) if source.last_error else None
        return joined(f"⚠️ {name}", failing, error, last, tried, note)
    if source.last_success is None:
        return joined(f"▫️ {name}", t("not read yet"), note)
    return joined(f"✅ {name}", voice.ago(source.last_success, now), note)


def _remarks(voice: Voice, source: SourceHealth) -> str | None:
    """What is worth knowing of a source, whether it answers or not."""
    t = voice.t
    skipped = t.n("{n} unusable record left out", "{n} unusable records left out", source.skipped)
    remarks = joined(
        line(source.note, 200) if source.note else None,
        t("catching up: more is there than one poll may read") if source.catching_up else None,
        skipped if source.skipped else None,
        t("asked us to wait {age}", age=voice.age(source.wait)) if source.wait else None,
    )
    return remarks or None


def outbox_lines(voice: Voice, outbox: OutboxHealth, now: datetime) -> list[str]:
    t = voice.t
    waiting = t("✅ Nothing waits to be sent")
    if outbox.due:
        oldest = t("the oldest for {age}", age=voice.age(now - outbox.oldest_due)) if outbox.oldest_due else None
        waiting = joined(t.n("⏳ {n} message waits to be sent", "⏳ {n} messages wait to be sent", outbox.due), oldest)
    parked = [
        t.n(
            "⚠️ {n} message for {channel} cannot be sent: {reason}",
            "⚠️ {n} messages for {channel} cannot be sent: {reason}",
            rows,
            channel=_channel(channel),
            reason=line(reason, 200),
        )
        for channel, reason, rows in outbox.parked[:10]
    ]
    return [waiting, *parked]


def _channel(channel: str) -> str:
    return f"<#{channel}>" if channel[:1] in "CG" and channel.isalnum() and channel.isupper() else literal(channel)


def _socket(voice: Voice, answer: HealthView) -> list[str]:
    if answer.socket is None:
        return []
    return [f"{'✅' if answer.socket_ok else '⚠️'} {voice.sentence(answer.socket)}"]
