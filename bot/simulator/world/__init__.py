"""The scripted world behind the simulated clouds: one fleet, one clock, one story. It speaks no
platform's language; the servers in `bot.simulator.clouds` do."""

from bot.simulator.world.alarms import Alarm
from bot.simulator.world.job import Job, JobState, Load, Pod
from bot.simulator.world.life import Refused
from bot.simulator.world.state import Outage, Service, State, Unknown
from bot.simulator.world.world import START, World

__all__ = [
    "START",
    "Alarm",
    "Job",
    "JobState",
    "Load",
    "Outage",
    "Pod",
    "Refused",
    "Service",
    "State",
    "Unknown",
    "World",
]
