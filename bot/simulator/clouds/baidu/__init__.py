"""The simulated Baidu AIHC, API v1, all 20 calls."""

from bot.simulator.clouds.baidu.server import serve_baidu

__all__ = ["serve_baidu"]
