"""Answers to what people ask, over all clouds at once. Each topic has a module; `Ask` knows which answers what."""

from bot.relay.ask.ask import Ask
from bot.relay.ask.sources import HealthSource, Links, NoLinks, Sources

__all__ = ["Ask", "HealthSource", "Links", "NoLinks", "Sources"]
