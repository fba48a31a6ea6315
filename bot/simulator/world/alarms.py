"""What the monitor noticed: one record per faulty machine of a job, with the picture at that moment. The
status of a record follows the job (SysOM reference §4)."""

from dataclasses import dataclass
from datetime import datetime

from bot.simulator.world.topology import Snapshot

ACCOUNT = "1234123412352311"


@dataclass(frozen=True, slots=True)
class Alarm:
    """`task` is the platform's id of the job, empty for an alarm of a machine alone."""

    id: str
    number: int
    at: datetime
    cluster: str
    task: str
    kind: str
    log: str
    status: str
    instance: str
    gpus: tuple[int, ...]
    pod: str
    pods: tuple[str, ...]
    error_type: str
    kernel: str
    topology: Snapshot | None = None
    ended_at: datetime | None = None
    uid: str = ACCOUNT

    @property
    def open(self) -> bool:
        return self.ended_at is None
