"""One tick of the low-use rules over one cloud: read each running job's GPU series, judge it, record what is idle.

A cloud that does not answer judges nobody. A verdict other than idle or busy changes nothing.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol

from bot.domain.alarm import LOW_USE
from bot.domain.errors import CloudError, NotFound, Unreadable
from bot.domain.incident import Condition, Incident, Resolution
from bot.domain.job import Job, JobKey
from bot.domain.life import end_condition
from bot.domain.low_use import RECOVERY_SPAN, Finding, Rule, Use, alarm_of, is_judged, judge, rule_for
from bot.domain.ports import Can, Incidents, JobCloud
from bot.domain.series import Metric, Series, UseLine, Window
from bot.relay.watch import Watch

QUIET_AFTER_HAND = timedelta(hours=4)  # a person's Resolve silences the same run for as long as a reminder takes


class Snapshot(Protocol):
    """The last complete listing of a cloud's jobs, and the place to leave what was measured."""

    def listed(self, cloud: str) -> Sequence[Job] | None: ...
    def note_use(self, job: JobKey, use: UseLine) -> None: ...
    def use(self, job: JobKey) -> UseLine | None: ...


@dataclass(frozen=True, slots=True)
class Tally:
    """What one tick found."""

    judged: int = 0
    idle: int = 0
    no_data: int = 0


class Judge:
    """The low-use judge of one cloud."""

    def __init__(
        self, cloud: JobCloud, rules: Sequence[Rule], snapshot: Snapshot, incidents: Incidents, watch: Watch
    ) -> None:
        self._cloud = cloud
        self._rules = tuple(rules)
        self._snapshot = snapshot
        self._incidents = incidents
        self._watch = watch
        self.tally = Tally()

    @property
    def source(self) -> str:
        return f"use:{self._cloud.name}"

    async def tick(self, now: datetime) -> None:
        """Judge every running job of the cloud once."""
        jobs = [job for job in self._snapshot.listed(self._cloud.name) or () if is_judged(job)]
        if Can.METRICS not in self._cloud.abilities or not jobs:
            return
        readings = await asyncio.gather(*(self._measure(job, now) for job in jobs))
        findings = [finding for finding in readings if isinstance(finding, Finding)]
        await self._act_on(findings, now)
        await self._tell_watch(readings, now)
        self.tally = _count(findings)

    async def _measure(self, job: Job, now: datetime) -> Finding | CloudError | None:
        rule = rule_for(self._rules, job)
        window = rule.window if rule else RECOVERY_SPAN
        try:
            series = await self._cloud.series(job, Metric.GPU, Window.last(window, now))
        except NotFound:
            return None  # the job ended between the listing and this call
        except CloudError as error:
            return error
        self._snapshot.note_use(job.key, use_line(series, now))
        return judge(rule, job, series, now) if rule else None

    async def _tell_watch(self, readings: Sequence[Finding | CloudError | None], now: datetime) -> None:
        """One job's failure or silence is its own affair; if all fail or none gives a sample the source is blind."""
        errors = [reading for reading in readings if isinstance(reading, CloudError)]
        findings = [reading for reading in readings if isinstance(reading, Finding)]
        if errors and len(errors) == len(readings):
            await self._watch.failed(self.source, errors[0], now)
        elif findings and all(finding.use is Use.NO_DATA for finding in findings):
            detail = f"no GPU samples of any of {len(findings)} running jobs: 0 jobs judged"
            await self._watch.failed(self.source, Unreadable(self._cloud.name, detail), now)
        else:
            await self._watch.succeeded(self.source, now)

    async def _act_on(self, findings: Sequence[Finding], now: datetime) -> None:
        known = _by_job([*await self._incidents.recent(now - QUIET_AFTER_HAND), *await self._incidents.open()])
        idle = [finding for finding in findings if finding.use is Use.IDLE]
        alarms = [
            replace(alarm_of(finding, since, now), use=self._snapshot.use(finding.job.key))
            for finding in idle
            if (since := mention_for(finding, known.get(finding.job.key, ()), now)) is not None
        ]
        if alarms:
            await self._incidents.observe(self.source, alarms, now)
        for finding in findings:
            if finding.use is Use.BUSY:
                await self._end(finding, known.get(finding.job.key, ()), now)

    async def _end(self, finding: Finding, incidents: Iterable[Incident], now: datetime) -> None:
        for incident in incidents:
            if incident.is_open and _condition(incident, finding.rule) is not None:
                await self._incidents.change(
                    incident.id,
                    lambda one: end_condition(one, finding.rule.source, LOW_USE, Resolution.USE_RECOVERED, now),
                    now,
                    at_once=False,
                )


def mention_for(finding: Finding, incidents: Iterable[Incident], now: datetime) -> datetime | None:
    """The moment that names this mention of an idle job, or None when it was mentioned already.

    The first mention is now; the second comes `warn_again` later; further ones are the incident's reminders.
    """
    for incident in incidents:
        if not incident.is_open and _was_closed_by_hand(incident, finding, now):
            return None
        condition = _condition(incident, finding.rule) if incident.is_open else None
        if condition is not None:
            again = finding.rule.warn_again
            second = condition.first_at + again if again else None
            return second if second and condition.count == 1 and now >= second else None
    return now


def use_line(series: Sequence[Series], now: datetime) -> UseLine:
    """Each GPU's mean over the last minutes, in the order of the series."""
    return UseLine.of(series, now, RECOVERY_SPAN)


def _was_closed_by_hand(incident: Incident, finding: Finding, now: datetime) -> bool:
    ending = incident.ending
    return (
        ending is not None
        and ending.why is Resolution.BY_HAND
        and now - ending.at < QUIET_AFTER_HAND
        and incident.job is not None
        and incident.job.is_same_run(finding.job)
        and any(c.source == finding.rule.source for c in incident.conditions)
    )


def _condition(incident: Incident, rule: Rule) -> Condition | None:
    return next((c for c in incident.conditions if c.source == rule.source and c.is_open), None)


def _by_job(incidents: Iterable[Incident]) -> dict[JobKey, list[Incident]]:
    known: dict[JobKey, list[Incident]] = {}
    for incident in {one.id: one for one in incidents}.values():
        if incident.subject.job is not None:
            known.setdefault(incident.subject.job, []).append(incident)
    return {job: sorted(found, key=lambda one: not one.is_open) for job, found in known.items()}


def _count(findings: Sequence[Finding]) -> Tally:
    return Tally(
        judged=sum(f.use in (Use.IDLE, Use.BUSY, Use.BETWEEN) for f in findings),
        idle=sum(f.use is Use.IDLE for f in findings),
        no_data=sum(f.use in (Use.NO_DATA, Use.TOO_FEW) for f in findings),
    )
