"""What a person may do about a job, before it is done: the stop and the terminal, or why they may not."""

import asyncio

from bot.domain.answers import Candidates, Said, StopOffer, TerminalOffer
from bot.domain.command import OpenTerminal, StopJob
from bot.domain.job import Pod
from bot.domain.ports import Can
from bot.domain.wording import say
from bot.relay.ask.look import pods_of
from bot.relay.ask.sources import Sources
from bot.relay.ask.target import Target, job_meant, pod_meant


async def offer_stop(sources: Sources, command: StopJob, person: str | None) -> StopOffer | Candidates | Said:
    target = await job_meant(sources, command)
    if not isinstance(target, Target):
        return target
    job = target.job
    if job.state.is_over:
        return Said(say("{job} is over already: it is {state}.", job=job.name, state=job.state.value), ok=False)
    sources.offering(job, Can.STOP)
    incident, refusal = await asyncio.gather(sources.incidents.about_job(job.key), sources.rights.refusal(person, job))
    return StopOffer(job, incident, refusal)


async def offer_terminal(
    sources: Sources, command: OpenTerminal, person: str | None
) -> TerminalOffer | Candidates | Said:
    """The pods that offer a terminal; with a pod named just that one."""
    target = await job_meant(sources, command)
    if not isinstance(target, Target):
        return target
    job = target.job
    sources.offering(job, Can.TERMINAL)
    pods = await pods_of(sources, job)
    if command.pod is not None:
        pod = pod_meant(command, pods)
        if not isinstance(pod, Pod):
            return pod
        pods = [pod]
    offering = tuple(pod for pod in pods if pod.has_terminal)
    if not offering:
        return Said(say("No pod of {job} offers a terminal at the moment.", job=job.name), ok=False)
    return TerminalOffer(job, offering, await sources.rights.refusal(person, job))
