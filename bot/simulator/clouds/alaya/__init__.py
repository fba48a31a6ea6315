"""The simulated Alaya NeW: distributed training, documented calls and proposed ones."""

from bot.simulator.clouds.alaya.server import serve_alaya

__all__ = ["serve_alaya"]
