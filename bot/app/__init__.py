"""The composition root: settings in, running bot out. Every part is built here and handed what it needs."""

from bot.app.bot import Bot, run_until_stopped, running

__all__ = ["Bot", "run_until_stopped", "running"]
