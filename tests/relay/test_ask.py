"""Answers to what people ask, over all clouds at once."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from bot.domain.alarm import Severity
from bot.domain.answers import (
    AlarmList,
    Answer,
    Candidates,
    EventList,
    HealthView,
    HelpView,
    IncidentView,
    JobList,
    JobView,
    LogView,
    NodeList,
    OutboxHealth,
    PodList,
    PodView,
    PoolList,
    QueueList,
    Said,
    StopOffer,
    TerminalOffer,
    TopList,
    UseView,
)
from bot.domain.capacity import Node, Pool, Queue
from bot.domain.command import parse
from bot.domain.errors import Refused, Unreachable
from bot.domain.incident import Resolution
from bot.domain.job import JobState
from bot.domain.journal import Event
from bot.domain.life import resolve
from bot.domain.ports import Can
from bot.domain.redact import HIDDEN
from bot.domain.series import Metric, UseLine, Window
from bot.relay.ask import Ask, Sources
from bot.relay.ask.listing import PAGE
from bot.relay.ask.look import use_window
from bot.relay.fleet import Fleet
from bot.relay.rights import Rights
from bot.store.incidents import IncidentStore
from tests import make
from tests.relay.job_cloud import JOB_ABILITIES, PlainCloud
from tests.relay.people import ANNA, CHEN, GUEST, LIWEI, POLICY, Directory

NOW = make.NOW
LLAMA = make.job("pytorchjob-a1b2", name="llama-70b", owner="li.wei")
QWEN = make.job("pytorchjob-c3d4", name="qwen-base", owner="anna.schmidt", gpus=64, queue="urgent")
OVER = make.job(
    "pytorchjob-0001",
    name="old-run",
    state=JobState.FAILED,
    started_at=NOW - timedelta(days=2),
    finished_at=NOW - timedelta(days=1),
)
BERT = make.job("ca78d6b9", cloud="alaya", name="bert", owner="zhang.min", gpus=4, started_at=NOW - timedelta(hours=9))


@dataclass
class Steady:
    async def health(self) -> HealthView:
        return HealthView("1", NOW, (), OutboxHealth(0, None))


@dataclass
class Cards:
    async def links(self, incident_ids: Sequence[int]) -> Mapping[int, str]:
        return {one: f"https://slack.example.com/{one}" for one in incident_ids}


class World:
    """The bot's answers over two clouds."""

    def __init__(self, incidents: IncidentStore) -> None:
        self.beijing = PlainCloud("beijing").hold([LLAMA, QWEN, OVER])
        self.alaya = PlainCloud("alaya", "alaya", JOB_ABILITIES - {Can.CAPACITY}).hold([BERT])
        clouds = {"beijing": self.beijing, "alaya": self.alaya}
        self.fleet = Fleet(clouds, answer_within=0.05)
        self.incidents = incidents
        rights = Rights(Directory(), POLICY)
        sources = Sources(self.fleet, clouds, incidents, rights, Steady(), lambda: NOW, Cards(), glance=0.05, read=0.1)
        self._ask = Ask(sources)

    async def ask(self, text: str, person: str | None = LIWEI) -> Answer:
        return await self._ask.answer(parse(text), person)

    async def jobs(self, text: str, person: str | None = LIWEI) -> list[str]:
        answer = await self.ask(text, person)
        assert isinstance(answer, JobList)
        return [job.name for job in answer.jobs]

    async def said(self, text: str, person: str | None = LIWEI) -> str:
        answer = await self.ask(text, person)
        assert isinstance(answer, Said), answer
        return str(answer.sentence)


@pytest.fixture
async def world(incidents: IncidentStore) -> AsyncIterator[World]:
    world = World(incidents)
    yield world
    await world.fleet.close()


async def test_jobs_of_all_clouds_come_active_first_and_newest_first(world: World) -> None:
    assert ["llama-70b", "qwen-base", "bert", "old-run"] == await world.jobs("jobs")
    answer = await world.ask("jobs")
    assert isinstance(answer, JobList)
    assert (4, 1, 1, 76, "jobs") == (answer.total, answer.page, answer.pages, answer.gpus_total, answer.command)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("jobs --mine", ["llama-70b"]),
        ("jobs --owner anna.schmidt", ["qwen-base"]),
        ("jobs --owner ANNA.SCHMIDT@example.com", ["qwen-base"]),
        ("jobs --owner <@U03ANNA>", ["qwen-base"]),
        ("jobs --owner anna", ["qwen-base"]),
        ("jobs --owner schmi", ["qwen-base"]),
        ("jobs --owner na", []),
        ("jobs --state failed", ["old-run"]),
        ("jobs --queue Urgent", ["qwen-base"]),
        ("jobs --cloud ALAYA", ["bert"]),
        ("jobs --name LLAMA", ["llama-70b"]),
        ("jobs running --sort gpu", ["qwen-base", "llama-70b", "bert"]),
        ("jobs running --sort age", ["bert", "llama-70b", "qwen-base"]),
        ("jobs --name nothing", []),
    ],
)
async def test_jobs_are_filtered_and_sorted_as_asked(world: World, text: str, names: list[str]) -> None:
    assert (names if text != "jobs --mine" else ["llama-70b", "old-run"]) == await world.jobs(text)


async def test_the_least_used_come_first_and_the_unmeasured_last(world: World) -> None:
    world.fleet.note_use(QWEN.key, UseLine(NOW, (0.2, 0.4)))
    world.fleet.note_use(BERT.key, UseLine(NOW, (0.9,)))
    answer = await world.ask("jobs running --sort use")
    assert isinstance(answer, JobList)
    assert ["qwen-base", "bert", "llama-70b"] == [job.name for job in answer.jobs]
    assert {str(QWEN.key): pytest.approx(0.3), str(BERT.key): 0.9} == answer.use


async def test_a_cloud_that_does_not_answer_is_named_beside_the_rest(world: World) -> None:
    world.alaya.gate = asyncio.Event()
    answer = await world.ask("jobs")
    assert isinstance(answer, JobList)
    assert 3 == answer.total
    assert [("alaya", "Unreachable", "no answer within 0.05 s")] == [
        (gap.cloud, gap.kind, gap.detail) for gap in answer.origin.gaps
    ]


async def test_a_page_beyond_the_end_is_the_last_one(world: World) -> None:
    world.beijing.hold(make.job(f"pytorchjob-x{n:02}", name=f"many-{n:02}") for n in range(2 * PAGE))
    answer = await world.ask("jobs --name many --page 9")
    assert isinstance(answer, JobList)
    assert (2, 2, PAGE, "jobs --name many") == (answer.page, answer.pages, len(answer.jobs), answer.command)
    assert ("--name many",) == answer.filters


async def test_mine_needs_to_know_who_asks(world: World) -> None:
    assert "nobody knows who you are" in await world.said("jobs --mine", None)
    assert "`access.people`" in await world.said("jobs --mine", GUEST)


async def test_an_unknown_cloud_is_answered_with_the_known_ones(world: World) -> None:
    assert "Did you mean `beijing`?" in await world.said("jobs --cloud bejing")
    assert "Known are: `beijing`, `alaya`" in await world.said("jobs --cloud mars")


async def test_a_job_is_read_anew_with_its_pods_use_and_incident(world: World) -> None:
    pod = make.pod()
    world.beijing.hold([], pod).measured[LLAMA.id] = [make.series(0.5, 0.7)]
    await world.incidents.observe("ack", [make.alarm(job=LLAMA)], NOW)
    world.beijing.held[LLAMA.id] = replace(LLAMA, state=JobState.STOPPING)
    await world.fleet.refresh("beijing", NOW)
    world.beijing.held[LLAMA.id] = replace(LLAMA, command="train --api-key abc123")
    answer = await world.ask("job llama")
    assert isinstance(answer, JobView)
    assert JobState.RUNNING is answer.job.state
    assert f"train --api-key {HIDDEN}" == answer.job.command
    assert ((pod,), 0.7) == (answer.pods, answer.use[0].latest)
    assert answer.incident is not None
    assert () == answer.origin.gaps


async def test_a_job_with_its_full_address_waits_for_no_other_cloud(world: World) -> None:
    await world.fleet.jobs(NOW - timedelta(hours=1))
    world.alaya.gate = asyncio.Event()
    answer = await world.ask("job beijing/pytorchjob-a1b2")
    assert isinstance(answer, JobView)
    assert (LLAMA, ()) == (answer.job, answer.origin.gaps)
    assert 1 == world.alaya.calls.count("jobs")


async def test_a_job_whose_cloud_fails_now_is_shown_as_last_listed(world: World) -> None:
    await world.fleet.jobs(NOW)
    world.beijing.error = Unreachable("beijing", "connection refused")
    answer = await world.ask("job llama")
    assert isinstance(answer, JobView)
    assert (LLAMA, ()) == (answer.job, answer.pods)
    assert [("beijing", NOW)] == [(gap.cloud, gap.as_of) for gap in answer.origin.gaps]
    assert "pods pytorchjob-a1b2" not in world.beijing.calls


async def test_parts_that_fail_alike_are_one_gap(world: World) -> None:
    down = Unreachable("beijing", "no answer")
    world.beijing.errors = {"pods": down, "series": down}
    answer = await world.ask("job llama")
    assert isinstance(answer, JobView)
    assert [("beijing", "no answer")] == [(gap.cloud, gap.detail) for gap in answer.origin.gaps]


async def test_a_job_that_vanished_since_the_listing_is_not_found(world: World) -> None:
    await world.fleet.jobs(NOW)
    del world.beijing.held[LLAMA.id]
    assert "beijing does not know this: no job pytorchjob-a1b2." == await world.said("job llama")


async def test_a_job_that_no_listing_holds_is_asked_for_by_its_id(world: World) -> None:
    world.alaya.abilities = JOB_ABILITIES - {Can.LIST_JOBS}
    for wanted in ("ca78d6b9", "alaya/ca78d6b9"):
        answer = await world.ask(f"job {wanted}")
        assert isinstance(answer, JobView)
        assert BERT == answer.job


async def test_an_ambiguous_job_is_answered_with_candidates_that_can_be_typed(world: World) -> None:
    answer = await world.ask("logs pytorchjob --lines 5")
    assert isinstance(answer, Candidates)
    assert "logs {choice} --lines 5" == answer.command
    typed = [answer.command.replace("{choice}", choice) for choice, _ in answer.choices]
    assert "logs beijing/pytorchjob-a1b2 --lines 5" in typed
    assert "llama-70b · running · li.wei" in [what for _, what in answer.choices]
    assert answer.exact


async def test_a_name_that_two_thousand_jobs_begin_with_is_answered_with_ten_and_a_count(world: World) -> None:
    """F08."""
    world.beijing.hold(make.job(f"pytorchjob-{n:04}", name=f"sweep-{n:04}") for n in range(2000))
    answer = await world.ask("logs sweep")
    assert isinstance(answer, Candidates)
    assert (10, 1990) == (len(answer.choices), answer.left_out)


async def test_what_fits_nothing_is_answered_with_what_is_alike(world: World) -> None:
    answer = await world.ask("job lama-7b")
    assert isinstance(answer, Candidates)
    assert not answer.exact
    assert "No job fits `zzzz`." == await world.said("job zzzz")


async def test_a_job_that_was_not_found_may_be_where_nobody_answered(world: World) -> None:
    world.alaya.error = Unreachable("alaya", "down")
    assert "No job fits `zzzz`, but not every cloud answered: alaya." == await world.said("job zzzz")


async def test_pods_and_one_pod_are_shown(world: World) -> None:
    pods = [make.pod("pytorchjob-a1b2-master-0"), make.pod("pytorchjob-a1b2-worker-0")]
    world.beijing.hold([], *pods)
    listed = await world.ask("pods llama")
    assert isinstance(listed, PodList)
    assert tuple(pods) == listed.pods
    shown = await world.ask("pod llama worker-0")
    assert isinstance(shown, PodView)
    assert (pods[1], "default") == (shown.detail.pod, shown.detail.namespace)
    assert "This job has no pods at the moment." == await world.said("pod qwen worker-0")


async def test_a_pod_that_is_not_there_is_answered_with_those_that_are(world: World) -> None:
    world.beijing.hold([], make.pod("pytorchjob-a1b2-master-0"))
    answer = await world.ask("logs llama worker-7")
    assert isinstance(answer, Candidates)
    assert ("pod", (("pytorchjob-a1b2-master-0", "Running node-1"),)) == (answer.what, answer.choices)
    assert "logs llama {choice}" == answer.command


async def test_logs_default_to_the_pod_that_speaks_for_the_job_and_say_so(world: World) -> None:
    world.beijing.hold([], *(make.pod(f"pytorchjob-a1b2-{role}-0") for role in ("worker", "master")))
    world.beijing.log = [f"line {n}" for n in range(100)] + ["WANDB_API_KEY=abcdef"]
    answer = await world.ask("logs llama")
    assert isinstance(answer, LogView)
    assert ("pytorchjob-a1b2-master-0", 2, 40, 1) == (
        answer.log.pod,
        answer.chosen_from,
        len(answer.log.lines),
        answer.hidden,
    )
    assert f"WANDB_API_KEY={HIDDEN}" == answer.log.lines[-1]
    assert answer.log.cut
    named = await world.ask("logs llama worker-0 --lines 3")
    assert isinstance(named, LogView)
    assert (None, 3) == (named.chosen_from, named.asked)


async def test_events_lose_their_secrets(world: World) -> None:
    world.beijing.noted = [Event("Failed", "pull https://u:p@registry failed")]
    answer = await world.ask("events llama")
    assert isinstance(answer, EventList)
    assert f"pull https://{HIDDEN}@registry failed" == answer.events[0].message


async def test_usage_is_read_over_the_asked_window(world: World) -> None:
    world.beijing.measured[LLAMA.id] = [make.series(0.5, metric=Metric.VRAM)]
    answer = await world.ask("usage llama vram --last 2h")
    assert isinstance(answer, UseView)
    assert (Metric.VRAM, Window(NOW - timedelta(hours=2), NOW)) == (answer.metric, answer.window)
    assert 1 == len(answer.series)


async def test_a_queued_job_has_no_use(world: World) -> None:
    world.beijing.hold([make.job("pytorchjob-q", name="waiting", state=JobState.QUEUED, started_at=None)])
    assert "waiting has not begun to run" in await world.said("usage waiting")


def test_the_window_of_use_lies_within_the_life_of_the_job() -> None:
    hour = timedelta(hours=1)
    young = make.job(started_at=NOW - timedelta(minutes=10))
    assert Window(NOW - timedelta(minutes=10), NOW) == use_window(young, hour, NOW)
    assert OVER.finished_at is not None
    assert Window(OVER.finished_at - hour, OVER.finished_at) == use_window(OVER, hour, NOW)
    assert Window(NOW - hour, NOW) == use_window(make.job(started_at=None), hour, NOW)


async def test_what_a_cloud_does_not_offer_is_said(world: World) -> None:
    world.beijing.abilities = JOB_ABILITIES - {Can.LOGS, Can.METRICS}
    assert "beijing does not offer this: it cannot read logs" in await world.said("logs llama")
    assert "it cannot read metrics" in await world.said("usage llama")
    shown = await world.ask("job llama")
    assert isinstance(shown, JobView)
    assert () == shown.use


async def test_an_error_of_a_cloud_is_a_true_sentence(world: World) -> None:
    world.beijing.hold([], make.pod()).errors["logs"] = Refused("beijing", "AccessDenied")
    assert "beijing refuses our credentials: AccessDenied. An operator must look" in await world.said("logs llama")


async def test_queues_pools_and_nodes_come_from_the_clouds_that_have_them(world: World) -> None:
    world.beijing.held_pools = [Pool("beijing", "cce-ab12cd34", "训练池 A", "running")]
    world.beijing.held_queues = [Queue("beijing", "cce-ab12cd34", "default")]
    world.beijing.held_nodes = [
        Node("beijing", "node-1", "Ready", pool="cce-ab12cd34"),
        Node("beijing", "node-2", "Ready", pool="cce-ef56gh78"),
    ]
    pools, queues, nodes = await world.ask("pools"), await world.ask("queues"), await world.ask("nodes")
    assert isinstance(pools, PoolList)
    assert isinstance(queues, QueueList)
    assert isinstance(nodes, NodeList)
    assert (1, 1, 2) == (len(pools.pools), len(queues.queues), len(nodes.nodes))
    assert (("beijing", NOW),) == nodes.origin.read
    for wanted in ("cce-ab12cd34", "“训练池 a”"):
        some = await world.ask(f"nodes --pool {wanted}")
        assert isinstance(some, NodeList)
        assert ["node-1"] == [node.name for node in some.nodes]
    assert "No node belongs to a pool `x`." == await world.said("nodes --pool x")
    assert "Known are: `beijing`" in await world.said("queues --cloud alaya")


async def test_a_capacity_cloud_that_fails_is_a_gap(world: World) -> None:
    world.beijing.errors["nodes"] = Unreachable("beijing", "down")
    nodes = await world.ask("nodes")
    assert isinstance(nodes, NodeList)
    assert ((), ["beijing"]) == (nodes.nodes, [gap.cloud for gap in nodes.origin.gaps])


async def test_alarms_are_the_open_incidents_or_all_of_a_span(world: World) -> None:
    early = NOW - timedelta(hours=2)
    await world.incidents.observe("ack", [make.alarm("1", task="a", at=early), make.alarm("2", task="b")], NOW)
    ended = (await world.incidents.open())[0]
    await world.incidents.change(ended.id, lambda one: resolve(one, Resolution.BY_HAND, early), early, at_once=True)
    answer = await world.ask("alarms")
    assert isinstance(answer, AlarmList)
    assert ([2], None) == ([one.id for one in answer.incidents], answer.since)
    span = await world.ask("alarms --last 3h")
    assert isinstance(span, AlarmList)
    assert ([2, 1], NOW - timedelta(hours=3)) == ([one.id for one in span.incidents], span.since)
    assert "https://slack.example.com/2" == span.links[2]


async def test_the_worst_of_the_open_incidents_come_first(world: World) -> None:
    for number, severity in enumerate((Severity.WARNING, Severity.CRITICAL, Severity.WARNING), start=1):
        at = NOW - timedelta(minutes=10 - number)
        await world.incidents.observe(
            "ack", [make.alarm(f"a{number}", task=f"t{number}", severity=severity, at=at)], at
        )
    answer = await world.ask("alarms")
    assert isinstance(answer, AlarmList)
    assert [2, 3, 1] == [one.id for one in answer.incidents]


async def test_an_incident_is_shown_with_the_link_to_its_card(world: World) -> None:
    await world.incidents.observe("ack", [make.alarm()], NOW)
    answer = await world.ask("incident INC-1")
    assert isinstance(answer, IncidentView)
    assert (1, "https://slack.example.com/1") == (answer.incident.id, answer.link)
    assert "There is no incident 7." == await world.said("incident 7")


async def test_top_counts_only_the_idle_share_of_measured_time(world: World) -> None:
    world.beijing.measured = {
        LLAMA.id: [make.series(*[0.5] * 120, gpu=gpu) for gpu in range(8)],
        QWEN.id: [make.series(*[0.9] * 60, gpu=None)],
    }
    answer = await world.ask("top --last 2h")
    assert isinstance(answer, TopList)
    assert ["llama-70b", "qwen-base"] == [waste.job.name for waste in answer.least_used]
    hours = {waste.job.name: waste.idle_gpu_hours for waste in answer.most_wasted}
    assert {"llama-70b": pytest.approx(8 * 2 * 0.5), "qwen-base": pytest.approx(64 * 1 * 0.1)} == hours
    assert 1 == answer.unmeasured
    assert [0, 0] == [waste.idle_gpus for waste in answer.least_used]


async def test_top_ends_in_time_and_counts_what_it_could_not_measure(world: World) -> None:
    await world.fleet.jobs(NOW)
    world.beijing.gate = world.alaya.gate = asyncio.Event()
    answer = await world.ask("top")
    assert isinstance(answer, TopList)
    assert (3, ()) == (answer.unmeasured, answer.least_used)


async def test_a_stop_is_offered_with_the_refusal_for_those_who_may_not(world: World) -> None:
    mine = await world.ask("stop llama", LIWEI)
    assert isinstance(mine, StopOffer)
    assert (LLAMA, None, None) == (mine.job, mine.incident, mine.refusal)
    for person, refused in ((CHEN, False), (ANNA, True), (GUEST, True), (None, True)):
        offer = await world.ask("stop llama", person)
        assert isinstance(offer, StopOffer)
        assert refused is (offer.refusal is not None)
    assert "old-run is over already: it is failed." == await world.said("stop old-run")
    assert [] == [call for call in world.beijing.calls if call.startswith("stop")]


async def test_a_terminal_is_offered_in_the_pods_that_have_one(world: World) -> None:
    with_terminal, without = make.pod("x-master-0"), make.pod("x-worker-0", terminal=False)
    world.beijing.hold([], with_terminal, without)
    offer = await world.ask("terminal llama")
    assert isinstance(offer, TerminalOffer)
    assert (with_terminal,) == offer.pods
    assert "No pod of llama-70b offers a terminal" in await world.said("terminal llama worker-0")
    assert [] == [call for call in world.beijing.calls if call.startswith("terminal")]


async def test_help_and_health_need_no_cloud(world: World) -> None:
    assert HelpView("jobs") == await world.ask("help jobs")
    assert isinstance(await world.ask("health"), HealthView)
    assert [] == world.beijing.calls


async def test_the_same_id_in_two_clouds_is_told_apart_by_the_clouds_names(world: World) -> None:
    world.alaya.hold([make.job("pytorchjob-a1b2", cloud="alaya", name="llama-70b")])
    answer = await world.ask("job pytorchjob-a1b2")
    assert isinstance(answer, Candidates)
    assert {"alaya/pytorchjob-a1b2", "beijing/pytorchjob-a1b2"} == {typed for typed, _ in answer.choices}
    for typed, _ in answer.choices:
        chosen = await world.ask(answer.command.replace("{choice}", typed))
        assert isinstance(chosen, JobView)
        assert typed == str(chosen.job.key)


async def test_the_pages_of_a_long_list_cost_one_reading_of_each_cloud(world: World) -> None:
    world.beijing.hold(make.job(f"pytorchjob-{n:04d}") for n in range(5000))
    pages = [await world.ask(f"jobs --page {number}") for number in (1, 2, 3)]
    assert [1, 2, 3] == [page.page for page in pages if isinstance(page, JobList)]
    assert [PAGE] * 3 == [len(page.jobs) for page in pages if isinstance(page, JobList)]
    assert (["jobs"], ["jobs"]) == (world.beijing.calls, world.alaya.calls)
