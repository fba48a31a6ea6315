"""The words and signs for states, endings and kinds of trouble. A sign is never alone: its word stands beside it."""

from bot.domain.alarm import JOB_FAILED, LOW_USE, SOURCE_BLIND, Severity, TaskState
from bot.domain.incident import Incident, IncidentState, Resolution
from bot.domain.job import JobState, PodState
from bot.domain.series import Metric
from bot.domain.wording import Sentence, say

JOB = {
    JobState.QUEUED: say("queued"),
    JobState.STARTING: say("starting"),
    JobState.RUNNING: say("running"),
    JobState.STOPPING: say("stopping"),
    JobState.STOPPED: say("stopped"),
    JobState.SUCCEEDED: say("succeeded"),
    JobState.FAILED: say("failed"),
    JobState.UNKNOWN: say("state unknown"),
}
JOB_SIGN = {
    JobState.QUEUED: "🕒",
    JobState.STARTING: "🔵",
    JobState.RUNNING: "🟢",
    JobState.STOPPING: "🟠",
    JobState.STOPPED: "⚫",
    JobState.SUCCEEDED: "✅",
    JobState.FAILED: "❌",
    JobState.UNKNOWN: "❔",
}
POD = {
    PodState.PENDING: say("pending"),
    PodState.RUNNING: say("running"),
    PodState.SUCCEEDED: say("succeeded"),
    PodState.FAILED: say("failed"),
    PodState.UNKNOWN: say("state unknown"),
}
POD_SIGN = {
    PodState.PENDING: "🕒",
    PodState.RUNNING: "🟢",
    PodState.SUCCEEDED: "✅",
    PodState.FAILED: "❌",
    PodState.UNKNOWN: "❔",
}
SEVERITY_SIGN = {Severity.INFO: "🔵", Severity.WARNING: "🟠", Severity.CRITICAL: "🔴"}
SEVERITY = {Severity.INFO: say("for information"), Severity.WARNING: say("warning"), Severity.CRITICAL: say("critical")}
TASK = {
    TaskState.RUNNING: say("running"),
    TaskState.BLOCKING: say("blocking"),
    TaskState.RESTART: say("restarting"),
    TaskState.EXITED: say("exited"),
    TaskState.FAILED: say("failed"),
    TaskState.UNKNOWN: say("state unknown"),
}
WHY = {
    Resolution.JOB_SUCCEEDED: say("the job succeeded"),
    Resolution.JOB_FAILED: say("the job failed"),
    Resolution.JOB_STOPPED: say("the job was stopped"),
    Resolution.JOB_GONE: say("the job no longer exists"),
    Resolution.TASK_RECOVERED: say("the monitor calls the task healthy again"),
    Resolution.USE_RECOVERED: say("the GPUs are busy again"),
    Resolution.SOURCE_ANSWERS: say("the source answers again"),
    Resolution.BY_HAND: say("closed by hand"),
}
JOB_IS_OVER = (Resolution.JOB_FAILED, Resolution.JOB_GONE)  # there is an end, and nothing was put right
KIND = {LOW_USE: say("LOW USE"), JOB_FAILED: say("JOB FAILED"), SOURCE_BLIND: say("SOURCE BLIND")}
METRIC = {
    Metric.GPU: say("GPU use"),
    Metric.VRAM: say("GPU memory"),
    Metric.CPU: say("CPU use"),
    Metric.MEMORY: say("Memory use"),
}


def job_state(text: str | float | None) -> Sentence | None:
    """The words for a state that is written as text; None where it is no state."""
    return next((sentence for state, sentence in JOB.items() if state.value == text), None)


def sign(incident: Incident, state: IncidentState) -> str:
    """The colour of a card: how bad while it fires, then who or what has calmed it."""
    if state is IncidentState.RESOLVED:
        return "⚫" if incident.ending is not None and incident.ending.why in JOB_IS_OVER else "🟢"
    if state is IncidentState.MUTED:
        return "🔕"
    return "🟡" if state is IncidentState.ACKNOWLEDGED else SEVERITY_SIGN[incident.severity]
