"""The simulated SysOM console: alarm records, topology, instances and their health."""

from bot.simulator.clouds.sysom.server import serve_sysom

__all__ = ["serve_sysom"]
