"""The program `gpubot`. Each command imports what it needs when it runs, so that `--version` waits for nothing."""

import asyncio
import sys
from pathlib import Path

import click

from bot import __version__
from bot.config import ConfigError, Settings, load

LEVELS = ("debug", "info", "warning", "error")
_config = click.option(
    "--config",
    "config",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="The settings file (TOML).",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="gpubot", message="%(prog)s %(version)s")
def main() -> None:
    """Slack chat-ops bot and alert relay for rented GPU clusters."""


@main.command()
@_config
@click.option("--log-level", type=click.Choice(LEVELS), default="info", show_default=True)
def run(config: Path, log_level: str) -> None:
    """Run the bot until it is told to stop (SIGTERM or Ctrl-C)."""
    settings = _settings(config)
    from bot.app.bot import run_until_stopped
    from bot.observe import set_up_logging

    set_up_logging(log_level, json=not sys.stderr.isatty())
    sys.exit(asyncio.run(run_until_stopped(settings)))


@main.command()
@click.option("--port", type=click.IntRange(0, 65535), default=8800, show_default=True, help="0 picks a free one.")
@click.option(
    "--trace",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Real data instead of the script.",
)
@click.option("--seed", type=int, default=7, show_default=True)
@click.option("--log-level", type=click.Choice(LEVELS), default="error", show_default=True)
def demo(port: int, trace: Path | None, seed: int, log_level: str) -> None:
    """The whole product on simulated clouds and a simulated Slack, in your browser."""
    from bot.demo import play
    from bot.observe import set_up_logging

    set_up_logging(log_level, json=False)
    sys.exit(asyncio.run(play(port=port, trace=trace, seed=seed, say=click.echo)))


@main.command()
@_config
def check(config: Path) -> None:
    """Try every part of a configuration, one line each; exit 1 if any fails.

    Slack's tokens and scopes, channels, people, each cloud by one call, clocks, database, port. Nothing is posted or
    changed, and it may be run beside the bot. "warn" is for what works and may surprise.
    """
    settings = _settings(config)
    from bot.app.check import check_all
    from bot.observe import set_up_logging

    set_up_logging("error", json=False)
    click.echo(f"ok    settings: {config}")
    sys.exit(0 if asyncio.run(check_all(settings, click.echo)) else 1)


@main.command()
@_config
@click.argument("question", nargs=-1)
def ask(config: Path, question: tuple[str, ...]) -> None:
    """Answer a /gpu command here instead of in Slack, e.g. gpubot ask --config FILE "jobs --state running".

    Exit 1 where what was asked for is not there, 2 where the command is not understood.
    """
    settings = _settings(config)
    from bot.app.ask import answer_in_terminal
    from bot.observe import set_up_logging

    set_up_logging("error", json=False)
    sys.exit(asyncio.run(answer_in_terminal(settings, " ".join(question), click.echo)))


@main.command()
@_config
@click.argument("target", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE")
def backup(config: Path, target: Path) -> None:
    """Copy the database into FILE, consistently, also while the bot is running.

    FILE must not be there yet; it appears once it is whole, so a nightly job may take its presence as success:

    \b
        gpubot backup --config gpubot.toml /backups/gpubot-$(date +%F).db

    To restore: stop the bot, put FILE where store.path says, with no -wal or -shm file beside it, start the bot.
    """
    settings = _settings(config)
    from bot.app.backup import back_up

    sys.exit(asyncio.run(back_up(settings.store.path, target, click.echo)))


def _settings(path: Path) -> Settings:
    try:
        return load(path)
    except ConfigError as error:
        for problem in error.problems:
            click.echo(f"FAIL  settings: {problem}", err=True)
        sys.exit(1)
