"""GPU use in one look: a cell for each GPU, and the same in words. No data is a dot, never an empty bar."""

from collections.abc import Sequence
from statistics import fmean

from bot.domain.series import UseLine
from bot.slack.views.voice import Voice, date, joined, percent

IDLE_BELOW = 0.10  # stated in the words, because a rule's own threshold may differ
MOST = 1_024
_BARS = "▁▂▃▄▅▆▇█"
_NO_DATA = "·"


def strip(voice: Voice, use: UseLine, replicas: int | None = None) -> str:
    """The cells with a gap after each pod, and what they mean, as of when."""
    drawn = cells(use.gpus, None if use.of_pods else replicas)
    return f"{drawn}\n{joined(idle_words(voice, use), _as_of(voice, use))}"


def cells(gpus: Sequence[float | None], replicas: int | None = None) -> str:
    """One bar per GPU; beyond a thousand the rest is counted."""
    drawn = "".join(_cell(value) for value in gpus[:MOST])
    size = _per_pod(len(gpus), replicas)
    groups = (drawn[place : place + size] for place in range(0, len(drawn), size))
    rest = f" +{len(gpus) - MOST}" if len(gpus) > MOST else ""
    return f"`{' '.join(groups) or _NO_DATA}`{rest}"


def idle_words(voice: Voice, use: UseLine) -> str:
    gpus = use.gpus
    known = [value for value in gpus if value is not None]
    idle = sum(value < IDLE_BELOW for value in known)
    if not known:
        return voice.t("no data from its GPUs")
    missing = len(gpus) - len(known)
    silent = voice.t("{n} without data", n=missing) if missing else None
    mean = voice.t("GPU use {percent}", percent=percent(fmean(known)))
    return joined(mean, _idle(voice, idle, len(gpus), use.of_pods) if len(gpus) > 1 else None, silent)


def _idle(voice: Voice, idle: int, total: int, of_pods: bool) -> str:
    if of_pods:
        return voice.t("{idle} of {total} pods idle (below 10 %)", idle=idle, total=total)
    return voice.t("{idle} of {total} GPUs idle (below 10 %)", idle=idle, total=total)


def _as_of(voice: Voice, use: UseLine) -> str:
    return voice.t("as of {when}", when=date(use.at))


def _per_pod(gpus: int, replicas: int | None) -> int:
    """How many cells stand together: a pod's GPUs where they divide evenly, else a machine's usual eight."""
    return gpus // replicas if replicas and gpus >= replicas and gpus % replicas == 0 else 8


def _cell(value: float | None) -> str:
    if value is None:
        return _NO_DATA
    return _BARS[min(int(max(value, 0.0) * len(_BARS)), len(_BARS) - 1)]
