"""Queues changed, jobs submitted, deleted, restarted: for those who may, after a fresh look, once, and verified."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain.access import Policy
from bot.domain.capacity import Pool, Queue, QueueDefinition, QueueKey, Spot
from bot.domain.errors import CloudError, Refused, Rejected, Uncertain, Unreachable
from bot.domain.job import OWNER_LABEL, JobDefinition, JobKey, JobState
from bot.domain.note import NoteKind
from bot.domain.ports import Can
from bot.domain.redact import HIDDEN
from bot.relay.act import (
    Act,
    Declined,
    Desk,
    Done,
    Failed,
    JobOrder,
    JobQuestion,
    QueueQuestion,
    QueueReceipt,
    Underway,
)
from bot.relay.fleet import Fleet
from bot.relay.rights import Rights
from bot.store.audit import Audit
from bot.store.claims import ClaimStore
from bot.store.database import Database
from bot.store.incidents import IncidentStore
from tests import make
from tests.relay.job_cloud import JOB_ABILITIES, PlainCloud
from tests.relay.people import ANNA, CHEN, GUEST, LIWEI, OMAR, POLICY, Directory

POOL = "cce-ab12cd34"
KEY = QueueKey("beijing", POOL, "eval")
QUEUE = Queue("beijing", POOL, "eval", deserved={"gpu": "8"}, description="old")
OVER = make.job("job-over", name="train", state=JobState.STOPPED, owner="li.wei", finished_at=make.NOW)
DEFINITION = JobDefinition("tiny", "img:1", "run", 2, {"gpu": 8}, queue="eval")
LOST = Uncertain("beijing", "the answer was lost")


class World:
    def __init__(self, database: Database, incidents: IncidentStore, policy: Policy = POLICY) -> None:
        self.now = make.NOW
        self.incidents = incidents
        self.audit = Audit(database)
        self.cloud = PlainCloud("beijing", held_queues=[QUEUE], held_pools=[Pool("beijing", POOL, "A", "running")])
        self.cloud.hold([OVER])
        self.fleet = Fleet({"beijing": self.cloud})
        desk = Desk(
            self.fleet,
            incidents,
            ClaimStore(database),
            Rights(Directory(), policy),
            self.audit,
            lambda: self.now,
            self._sleep,
        )
        self.act = Act(desk, {"beijing": self.cloud})

    async def _sleep(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)
        await asyncio.sleep(0)

    def writes(self) -> list[str]:
        words = ("create", "update", "delete", "set", "restart")
        return [call for call in self.cloud.calls if call.startswith(words)]

    async def told(self) -> list[str]:
        return [f"{one.person} {one.action}: {one.outcome}" for one in reversed(await self.audit.actions())]


@pytest.fixture
async def world(database: Database, incidents: IncidentStore) -> AsyncIterator[World]:
    world = World(database, incidents)
    yield world
    await world.fleet.close()


async def seen(world: World) -> str:
    look = await world.act.queues.prepare(OMAR, KEY)
    assert isinstance(look, QueueQuestion)
    return look.seen


# -- queues


async def test_an_operators_change_is_read_again_and_told_old_and_new(world: World) -> None:
    receipt = await world.act.queues.update(OMAR, KEY, await seen(world), QueueDefinition("eval", deserved={"gpu": 16}))

    assert isinstance(receipt, QueueReceipt)
    assert [("deserved", "gpu", "8", "16")] == [(c.facet, c.resource, c.before, c.after) for c in receipt.changes]
    assert [f"{OMAR} change queue: {KEY}: done; deserved gpu 8 → 16"] == await world.told()


@pytest.mark.parametrize("person", [LIWEI, ANNA, GUEST])
async def test_only_operators_change_queues(world: World, person: str) -> None:
    acts = world.act.queues
    for outcome in (
        await acts.spots(person),
        await acts.prepare(person, KEY),
        await acts.create(person, "beijing", POOL, QueueDefinition("x")),
        await acts.update(person, KEY, "", QueueDefinition("eval", description="x")),
        await acts.delete(person, KEY),
    ):
        assert isinstance(outcome, Declined)
        assert "Only operators may do this" in str(outcome.sentence)
    assert [] == world.writes()


async def test_nobody_changes_queues_until_operators_are_named(database: Database, incidents: IncidentStore) -> None:
    world = World(database, incidents, Policy())
    outcome = await world.act.queues.delete(OMAR, KEY)
    assert isinstance(outcome, Declined)
    assert "Nobody may act yet" in str(outcome.sentence)


async def test_a_queue_that_was_changed_meanwhile_is_left_alone(world: World) -> None:
    before = await seen(world)
    world.cloud.held_queues[:] = [replace(QUEUE, description="new")]
    outcome = await world.act.queues.update(OMAR, KEY, before, QueueDefinition("eval", description="mine"))

    assert isinstance(outcome, Declined)
    assert "changed by somebody else meanwhile" in str(outcome.sentence)
    assert [] == world.writes()


async def test_of_two_at_once_one_writes_and_the_other_hears_it(world: World) -> None:
    before = await seen(world)
    wanted = QueueDefinition("eval", description="x")
    outcomes = await asyncio.gather(
        world.act.queues.update(OMAR, KEY, before, wanted), world.act.queues.update(CHEN, KEY, before, wanted)
    )

    assert 1 == len(world.writes())
    assert {QueueReceipt, Declined} == {type(one) for one in outcomes}


async def test_the_turn_is_given_back_whatever_happens(world: World) -> None:
    world.cloud.errors["update_queue"] = Rejected("beijing", "no")
    before = await seen(world)
    first = await world.act.queues.update(OMAR, KEY, before, QueueDefinition("eval", description="x"))
    world.cloud.errors.clear()
    second = await world.act.queues.update(CHEN, KEY, before, QueueDefinition("eval", description="x"))

    assert (Failed, QueueReceipt) == (type(first), type(second))


async def test_a_lost_answer_is_settled_by_what_can_be_read(world: World) -> None:
    world.cloud.lost = LOST
    done = await world.act.queues.update(OMAR, KEY, await seen(world), QueueDefinition("eval", description="x"))
    world.cloud.ignored = frozenset({"update_queue"})
    undone = await world.act.queues.update(OMAR, KEY, await seen(world), QueueDefinition("eval", description="y"))

    assert isinstance(done, QueueReceipt)
    assert isinstance(undone, Failed)
    assert "eval is as it was" in str(undone.sentence)
    assert 2 == len(world.writes())


async def test_a_lost_answer_about_a_queue_that_cannot_be_read_is_called_unknown(world: World) -> None:
    before = await seen(world)
    world.cloud.lost = LOST
    read = world.cloud.queue

    async def once(pool: str, queue: str) -> Queue:
        if world.writes():
            raise Unreachable("beijing", "no answer")
        return await read(pool, queue)

    world.cloud.queue = once  # type: ignore[method-assign]
    outcome = await world.act.queues.update(OMAR, KEY, before, QueueDefinition("eval", description="x"))

    assert isinstance(outcome, Failed)
    assert "is not known: it cannot be read now" in str(outcome.sentence)


@pytest.mark.parametrize("name", ["default", "root"])
async def test_the_platforms_own_queues_stay(world: World, name: str) -> None:
    world.cloud.held_queues.append(replace(QUEUE, name=name))
    outcome = await world.act.queues.delete(OMAR, QueueKey("beijing", POOL, name))

    assert isinstance(outcome, Declined)
    assert "belongs to the platform" in str(outcome.sentence)


async def test_jobs_in_a_queue_keep_it_and_are_named(world: World) -> None:
    waiting = [make.job(f"j{n}", name=f"job-{n}", queue="eval", state=JobState.QUEUED) for n in range(7)]
    world.cloud.hold([*waiting, make.job("over", name="over", queue="eval", state=JobState.FAILED)])
    outcome = await world.act.queues.prepare(OMAR, KEY, delete=True)

    assert isinstance(outcome, Declined)
    assert "Jobs live in eval: job-0, job-1, job-2, job-3, job-4 +2." in str(outcome.sentence)


async def test_a_queue_below_it_keeps_a_queue(world: World) -> None:
    world.cloud.held_queues.append(replace(QUEUE, name="child", parent="eval"))
    outcome = await world.act.queues.delete(OMAR, KEY)

    assert isinstance(outcome, Declined)
    assert "eval has queues below it: child." == str(outcome.sentence)


async def test_an_empty_queue_is_deleted(world: World) -> None:
    receipt = await world.act.queues.delete(OMAR, KEY)

    assert isinstance(receipt, QueueReceipt)
    assert (QUEUE, None) == (receipt.before, receipt.after)
    assert [] == world.cloud.held_queues


async def test_jobs_that_cannot_be_read_keep_a_queue(world: World) -> None:
    world.cloud.errors["jobs"] = Unreachable("beijing", "no answer")
    outcome = await world.act.queues.delete(OMAR, KEY)

    assert isinstance(outcome, Declined)
    assert [] == world.writes()


async def test_a_new_queue_may_not_have_a_name_that_is_taken(world: World) -> None:
    outcome = await world.act.queues.create(OMAR, "beijing", POOL, QueueDefinition("eval"))
    made = await world.act.queues.create(OMAR, "beijing", POOL, QueueDefinition("new", deserved={"gpu": 1}))

    assert isinstance(outcome, Declined)
    assert isinstance(made, QueueReceipt)
    assert ["create_queue cce-ab12cd34 new"] == world.writes()


async def test_a_cloud_without_the_ability_says_so(world: World) -> None:
    world.cloud.abilities = JOB_ABILITIES - {Can.QUEUES, Can.SUBMIT}
    declined = await world.act.queues.delete(OMAR, KEY)
    spots = await world.act.queues.spots(OMAR)
    submitted = await world.act.orders.submit(OMAR, JobOrder("beijing", POOL, DEFINITION, "t"))

    assert isinstance(declined, Declined)
    assert "does not offer this" in str(declined.sentence)
    assert isinstance(spots, Declined)
    assert "None of the configured clouds lets queues be changed." == str(spots.sentence)
    assert isinstance(submitted, Declined)


async def test_an_operator_may_make_queues_in_every_pool(world: World) -> None:
    assert (Spot("beijing", POOL, "A"),) == await world.act.queues.spots(OMAR)


# -- orders


def order(**changes: object) -> JobOrder:
    return replace(JobOrder("beijing", POOL, DEFINITION, "token-1"), **changes)  # type: ignore[arg-type]


async def test_an_order_makes_a_job_that_names_its_owner(world: World) -> None:
    outcome = await world.act.orders.submit(LIWEI, order())

    assert isinstance(outcome, Done)
    assert outcome.receipt is not None
    assert (NoteKind.SUBMITTED, "eval", 2) == (
        outcome.receipt.kind,
        outcome.receipt.figures["queue"],
        outcome.receipt.figures["replicas"],
    )
    ((pool, definition, token),) = world.cloud.submitted
    assert (POOL, "token-1", {OWNER_LABEL: "li.wei"}) == (pool, token, definition.labels)


async def test_nobody_submits_in_another_name(world: World) -> None:
    forged = replace(DEFINITION, labels={OWNER_LABEL: "anna.schmidt", "team": "x"})
    await world.act.orders.submit(LIWEI, order(definition=forged))
    await world.act.orders.submit(OMAR, order(definition=replace(forged, name="other"), token="token-2"))

    assert [{"team": "x", OWNER_LABEL: "li.wei"}, {"team": "x"}] == [d.labels for _, d, _ in world.cloud.submitted]


async def test_who_is_no_clouds_user_may_not_submit(world: World) -> None:
    outcome = await world.act.orders.submit(GUEST, order())

    assert isinstance(outcome, Declined)
    assert "access.people" in str(outcome.sentence)
    assert [] == world.cloud.submitted


async def test_where_owners_may_not_act_only_operators_submit(database: Database, incidents: IncidentStore) -> None:
    world = World(database, incidents, replace(POLICY, owners_may_act=False))
    assert isinstance(await world.act.orders.submit(LIWEI, order()), Declined)
    assert isinstance(await world.act.orders.submit(OMAR, order()), Done)


async def test_one_order_sent_in_twice_makes_one_job(world: World) -> None:
    outcomes = await asyncio.gather(world.act.orders.submit(LIWEI, order()), world.act.orders.submit(LIWEI, order()))

    assert 1 == len(world.cloud.submitted)
    assert {Done, Declined} == {type(one) for one in outcomes}
    assert isinstance(await world.act.orders.submit(LIWEI, order()), Declined)
    assert 1 == len(world.cloud.submitted)


@pytest.mark.parametrize("doubt", [LOST, Unreachable("beijing", "cut off")])
async def test_a_lost_answer_is_looked_up_by_name(world: World, doubt: CloudError) -> None:
    world.cloud.lost = doubt
    outcome = await world.act.orders.submit(LIWEI, order())

    assert isinstance(outcome, Done)
    assert outcome.job is not None
    assert "tiny" == outcome.job.name
    assert 1 == len(world.cloud.submitted)


async def test_a_job_of_that_name_that_was_there_before_is_not_taken_for_it(world: World) -> None:
    world.cloud.hold([make.job("old", name="tiny", state=JobState.FAILED)])
    world.cloud.lost, world.cloud.ignored = LOST, frozenset({"create_job"})
    outcome = await world.act.orders.submit(LIWEI, order())

    assert isinstance(outcome, Underway)
    assert "Look for it with `jobs --name tiny` before you submit it again." in str(outcome.sentence)
    assert 1 == len(world.cloud.submitted)
    assert isinstance(await world.act.orders.submit(LIWEI, order()), Declined)


async def test_a_refused_order_may_be_sent_in_again(world: World) -> None:
    world.cloud.errors["create_job"] = Rejected("beijing", "no such queue")
    first = await world.act.orders.submit(LIWEI, order())
    world.cloud.errors.clear()

    assert isinstance(first, Failed)
    assert isinstance(await world.act.orders.submit(LIWEI, order()), Done)


async def test_a_name_that_still_runs_or_a_listing_that_fails_stops_the_order(world: World) -> None:
    world.cloud.hold([make.job("live", name="tiny")])
    twin = await world.act.orders.submit(LIWEI, order())
    world.cloud.held.pop("live")
    world.cloud.errors["jobs"] = Refused("beijing", "bad key")
    blind = await world.act.orders.submit(LIWEI, order())

    assert "A job tiny is there already: running." == str(twin.sentence)
    assert (Declined, Declined) == (type(twin), type(blind))
    assert [] == world.cloud.submitted


async def test_running_again_puts_hidden_values_back_and_keeps_the_owner(world: World) -> None:
    world.cloud.defined[OVER.id] = replace(DEFINITION, env={"HF_TOKEN": "hf_secret"})
    shown = replace(DEFINITION, name="train-r2", env={"HF_TOKEN": HIDDEN})
    outcome = await world.act.orders.submit(OMAR, order(definition=shown, source=OVER.key))

    assert isinstance(outcome, Done)
    ((_, definition, _),) = world.cloud.submitted
    assert ({"HF_TOKEN": "hf_secret"}, {OWNER_LABEL: "li.wei"}) == (definition.env, definition.labels)


async def test_somebody_elses_job_gives_no_secrets(world: World) -> None:
    world.cloud.defined[OVER.id] = replace(DEFINITION, env={"HF_TOKEN": "hf_secret"})
    shown = replace(DEFINITION, name="train-r2", env={"HF_TOKEN": HIDDEN})
    outcome = await world.act.orders.submit(ANNA, order(definition=shown, source=OVER.key))

    assert isinstance(outcome, Declined)
    assert [] == world.cloud.submitted
    assert f"definition {OVER.id}" not in world.cloud.calls


async def test_a_key_that_the_cloud_does_not_know_is_refused(world: World) -> None:
    outcome = await world.act.orders.submit(LIWEI, order(definition=replace(DEFINITION, more={"enableBccl": True})))
    assert "beijing does not know `enableBccl`." == str(outcome.sentence)


# -- what else is done to jobs


async def test_a_job_that_is_over_is_deleted_and_its_receipt_given_back(world: World) -> None:
    outcome = await world.act.upkeep.delete(LIWEI, OVER.key, OVER.started_at)

    assert isinstance(outcome, Done)
    assert outcome.receipt is not None
    assert NoteKind.DELETED is outcome.receipt.kind
    assert {} == world.cloud.held
    assert [f"{LIWEI} delete: train was deleted."] == await world.told()


async def test_a_note_goes_into_the_incidents_thread_where_there_is_one(world: World) -> None:
    job = make.job("live", name="live", state=JobState.QUEUED, started_at=None)
    world.cloud.hold([job])
    await world.incidents.observe("ack", [make.alarm(job=job)], world.now)
    outcome = await world.act.upkeep.set_priority(LIWEI, job.key, None, "high")

    assert isinstance(outcome, Done)
    assert (True, None) == (outcome.incident is not None, outcome.receipt)


async def test_a_running_job_is_not_deleted_nor_restarted(world: World) -> None:
    world.cloud.hold([make.job("live", name="live")])
    key, started = JobKey("beijing", "live"), make.job().started_at
    for outcome in (
        await world.act.upkeep.delete(LIWEI, key, started),
        await world.act.upkeep.restart(LIWEI, key, started),
        await world.act.upkeep.prepare(LIWEI, key, started, Can.DELETE),
    ):
        assert isinstance(outcome, Declined)
        assert "live is not over: it is running. Stop it first." == str(outcome.sentence)
    assert [] == world.writes()


async def test_another_run_of_the_job_is_not_touched(world: World) -> None:
    outcome = await world.act.upkeep.delete(LIWEI, OVER.key, make.NOW)
    assert isinstance(outcome, Declined)
    assert [] == world.writes()


@pytest.mark.parametrize("person", [ANNA, GUEST])
async def test_who_may_not_act_on_the_job_may_not_delete_it(world: World, person: str) -> None:
    assert isinstance(await world.act.upkeep.prepare(person, OVER.key, OVER.started_at, Can.DELETE), Declined)
    assert isinstance(await world.act.upkeep.delete(person, OVER.key, OVER.started_at), Declined)
    assert [] == world.writes()


async def test_a_priority_that_the_platform_does_not_heed_is_not_called_done(world: World) -> None:
    world.cloud.hold([make.job("live", name="live")])
    world.cloud.ignored = frozenset({"set_priority"})
    outcome = await world.act.upkeep.set_priority(LIWEI, JobKey("beijing", "live"), make.job().started_at, "high")

    assert isinstance(outcome, Underway)
    assert "live does not show it yet" in str(outcome.sentence)


async def test_a_lost_answer_to_a_deletion_is_looked_up(world: World) -> None:
    world.cloud.lost = LOST
    assert isinstance(await world.act.upkeep.delete(LIWEI, OVER.key, OVER.started_at), Done)
    assert 1 == len(world.writes())


async def test_a_lost_answer_that_nothing_settles_is_unknown(world: World) -> None:
    world.cloud.lost, world.cloud.ignored = LOST, frozenset({"delete_job"})
    outcome = await world.act.upkeep.delete(LIWEI, OVER.key, OVER.started_at)

    assert isinstance(outcome, Underway)
    assert "it is not known whether it did it" in str(outcome.sentence)
    assert 1 == len(world.writes())


async def test_a_job_is_started_again_under_its_own_id(world: World) -> None:
    look = await world.act.upkeep.prepare(LIWEI, OVER.key, OVER.started_at, Can.RESTART)
    outcome = await world.act.upkeep.restart(LIWEI, OVER.key, OVER.started_at)

    assert isinstance(look, JobQuestion)
    assert isinstance(outcome, Done)
    assert JobState.STARTING is world.cloud.held[OVER.id].state


async def test_what_is_switched_off_is_said(world: World) -> None:
    world.cloud.abilities = JOB_ABILITIES - {Can.RESTART}
    outcome = await world.act.upkeep.restart(LIWEI, OVER.key, OVER.started_at)

    assert isinstance(outcome, Declined)
    assert "it cannot restart jobs, or that is switched off in the settings" in str(outcome.sentence)
