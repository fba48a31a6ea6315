"""Help, made from the very table by which commands are read."""

from datetime import datetime

from bot.domain.answers import HelpView
from bot.domain.command import COMMANDS, Spec
from bot.slack.ids import Action
from bot.slack.views.draft import Draft
from bot.slack.views.parts import button, context, header, section
from bot.slack.views.voice import Voice

_SPECS = tuple(command.spec for command in COMMANDS)


def help_view(voice: Voice, answer: HelpView, now: datetime) -> Draft:
    """All commands in a line each, or one with its options and examples."""
    found = next((spec for spec in _SPECS if spec.name == answer.topic), None)
    return _topic(voice, found) if found else _overview(voice)


def _overview(voice: Voice) -> Draft:
    t = voice.t
    lines = [f"`{voice.command} {spec.name}` – {t.sentence(spec.about)}" for spec in _SPECS]
    how = t("`{command} help jobs` tells all about one. In a thread, mention the bot instead.", command=voice.command)
    return Draft(
        head=[header(t("What can be asked"))],
        rows=[section("\n".join(lines))],
        foot=[context(how)],
        buttons=[button(t("My jobs"), Action.ASK, "jobs --mine")],
    )


def _topic(voice: Voice, spec: Spec) -> Draft:
    t = voice.t
    usage = f"`{voice.command} {spec.usage}`"
    options = [f"• `--{option.name}` – {t.sentence(option.about)}" for option in spec.options]
    examples = [f"`{voice.command} {example}`" for example in spec.examples]
    instance = t("For instance")
    parts = ["\n".join(options), f"*{instance}*\n" + "\n".join(examples)]
    return Draft(
        head=[header(f"{voice.command} {spec.name}"), section(f"{t.sentence(spec.about)}\n{usage}")],
        rows=[section(part) for part in parts if part],
    )
