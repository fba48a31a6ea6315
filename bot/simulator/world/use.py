"""How busy a GPU is at a time, as a ratio 0..1: a pure function of the job, so that a history of weeks
needs no storage. None means that the platform has no sample for that moment."""

import math
from collections.abc import Callable
from datetime import datetime, timedelta

from bot.simulator.world import chance
from bot.simulator.world.job import Job, Load, Pod, Regime

_NOISE_SLOT = 15
_WARM_UP = 240.0
_LOADING = 40 * 60.0
_BEIJING = timedelta(hours=8)
_PEAK_HOUR = 20.0
_MISSING_ONE_IN = 97


def gpu_use(job: Job, pod: Pod, gpu: int, at: datetime) -> float | None:
    regime = _sampled(job, pod, at)
    if regime is None:
        return None
    moment = _Moment(job, pod, gpu, at, (at - regime.since).total_seconds())
    return _clamp(_USE[regime.load](moment))


def gpu_memory(job: Job, pod: Pod, gpu: int, at: datetime) -> float | None:
    regime = _sampled(job, pod, at)
    if regime is None:
        return None
    if job.trace is not None:
        recorded = job.trace.memory_at(at.timestamp())
        return None if recorded is None else _clamp(recorded)
    moment = _Moment(job, pod, gpu, at, (at - regime.since).total_seconds())
    return _clamp(_memory_level(regime.load, moment) + 0.01 * moment.noise(7))


class _Moment:
    """One GPU at one time: what the profiles below are functions of."""

    __slots__ = ("at", "elapsed", "gpu", "job", "pod", "seconds")

    def __init__(self, job: Job, pod: Pod, gpu: int, at: datetime, elapsed: float) -> None:
        self.job, self.pod, self.gpu, self.at, self.elapsed = job, pod, gpu, at, elapsed
        self.seconds = at.timestamp()

    def noise(self, salt: int = 0, slot: int = _NOISE_SLOT) -> float:
        grain = self.job.grain ^ (self.pod.index << 20) ^ (self.gpu << 12) ^ salt
        return chance.wobble(grain, int(self.seconds) // slot)

    def shared(self, slot: int, salt: int = 0) -> float:
        """Noise that all GPUs of the job share: they wait for the same thing."""
        return chance.wobble(self.job.grain ^ (salt << 40), int(self.seconds) // slot)


def _sampled(job: Job, pod: Pod, at: datetime) -> Regime | None:
    regime = job.regime(at)
    if regime is None or regime.load in (Load.OFF, Load.DARK):
        return None
    lost = (job.grain ^ pod.index * 0x9E37) + int(at.timestamp()) // 60
    return None if lost % _MISSING_ONE_IN == 0 else regime


def _training(moment: _Moment) -> float:
    if moment.elapsed < _WARM_UP:
        return 0.9 * (moment.elapsed / _WARM_UP) ** 3
    period = 1200 + moment.job.grain % 1200
    if moment.elapsed % period > period - 90:
        return 0.12 + 0.06 * moment.noise(3)
    return 0.93 + 0.04 * moment.noise() + 0.02 * moment.shared(300)


def _loading(moment: _Moment) -> float:
    return 0.0 if moment.elapsed < _LOADING else _training(moment)


def _evaluation(moment: _Moment) -> float:
    burst = moment.shared(240) > -0.25
    return 0.86 + 0.1 * moment.noise() if burst else 0.03 + 0.03 * moment.noise()


def _inference(moment: _Moment) -> float:
    local = moment.at + _BEIJING
    hour = local.hour + local.minute / 60
    wave = 0.5 + 0.5 * math.cos((hour - _PEAK_HOUR) / 24 * 2 * math.pi)
    return 0.22 + 0.5 * wave + 0.08 * moment.noise() + 0.05 * moment.shared(600)


def _debug(moment: _Moment) -> float:
    return 0.34 + 0.25 * moment.noise(slot=60) if moment.gpu == 0 else 0.0


def _notebook(moment: _Moment) -> float:
    return 0.02 if moment.noise(slot=600) > 0.97 else 0.0


def _low(moment: _Moment) -> float:
    return 0.06 + 0.03 * moment.noise()


def _recorded(moment: _Moment) -> float:
    return moment.job.trace.use_at(moment.seconds) if moment.job.trace else 0.0


_USE: dict[Load, Callable[[_Moment], float]] = {
    Load.TRAINING: _training,
    Load.LOADING: _loading,
    Load.EVALUATION: _evaluation,
    Load.INFERENCE: _inference,
    Load.DEBUG: _debug,
    Load.NOTEBOOK: _notebook,
    Load.IDLE: lambda moment: 0.0,
    Load.LOW: _low,
    Load.HANG: lambda moment: 1.0,
    Load.TRACE: _recorded,
}

_MEMORY = {
    Load.TRAINING: 0.88,
    Load.EVALUATION: 0.71,
    Load.INFERENCE: 0.9,
    Load.NOTEBOOK: 0.62,
    Load.IDLE: 0.11,
    Load.LOW: 0.35,
    Load.HANG: 0.88,
}


def _memory_level(load: Load, moment: _Moment) -> float:
    if load is Load.DEBUG:
        return 0.4 if moment.gpu == 0 else 0.02
    if load is Load.LOADING:
        return 0.06 if moment.elapsed < _LOADING else 0.88
    return _MEMORY[load]


def _clamp(value: float) -> float:
    return min(1.0, max(0.0, value))
