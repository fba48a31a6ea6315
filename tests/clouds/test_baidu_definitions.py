"""Definitions of AIHC's jobs: what comes back is what was sent, without what the platform added by itself."""

import json
from collections.abc import AsyncIterator

import pytest

from bot.clouds.baidu import Baidu
from bot.clouds.http import Http
from bot.domain.errors import NotAvailable
from bot.domain.job import OWNER_LABEL, JobDefinition, Mount
from bot.domain.ports import Can
from bot.domain.writers import JobWriter, QueueCloud
from bot.simulator.clouds import serve_baidu
from bot.simulator.world import World
from tests.clouds.canned import JOB_PATH, POOL, Canned, baidu_saying, result
from tests.clouds.test_baidu_answers import KEY, fixture, job_row

GPU = "baidu.com/a800_80g_cgpu"


@pytest.fixture
async def baidu(http: Http) -> AsyncIterator[Baidu]:
    world = World.scripted()
    async with serve_baidu(world) as serving:
        yield Baidu("beijing", serving.url, "ak-sim", "sk-sim", http=http, clock=world.now)


def told(**changes: object) -> Baidu:
    row = {**job_row(), "podList": {"pods": []}, **changes}
    return baidu_saying(Canned({JOB_PATH: result(**row)}))


async def test_the_examples_job_says_what_its_order_had_said() -> None:
    definition = await told().definition(KEY.id)

    assert (
        JobDefinition(
            name="sim-train-1",
            image="registry.example.com/team/train:1.0",
            command="bash /mnt/cluster/run.sh",
            replicas=2,
            resources={GPU: 8},
            queue="default",
            framework="PyTorchJob",
            priority="normal",
            labels={"team": "训练"},
            mounts=(Mount("pfs", "/mnt/cluster", "pfs-Ab12Cd"),),
            rdma=True,
        )
        == definition
    )


async def test_what_a_person_set_stays_where_it_differs_from_what_the_platform_would_add() -> None:
    definition = await told(
        envs=[{"name": "NCCL_DEBUG", "value": "WARN"}, {"name": "EMPTY", "value": ""}, {"name": "BLANK", "value": " "}],
        hostNetwork=False,
        enableBccl=True,
        enableFaultTolerance="true",
        faultToleranceConfig={"faultToleranceLimit": 3},
        datasources=[
            {"type": "hostpath", "name": "", "mountPath": "/x", "options": {"hostPath": "/y", "sizeLimit": 0}}
        ],
    ).definition(KEY.id)

    assert {"NCCL_DEBUG": "WARN", "EMPTY": "", "BLANK": " "} == definition.env
    assert {
        "hostNetwork": False,
        "enableBccl": True,
        "faultToleranceConfig": {"faultToleranceLimit": 3},
    } == definition.more
    assert definition.fault_tolerance
    assert (Mount("hostpath", "/x", options={"hostPath": "/y"}),) == definition.mounts


async def test_the_platforms_own_keys_go_where_it_wants_them() -> None:
    canned = Canned({"/api/v1/aijobs": fixture("created")})
    more = {"hostNetwork": True, "enableBccl": True}
    await baidu_saying(canned).create_job(POOL, JobDefinition("n", "i", "c", 1, {GPU: 8}, more=more))

    body = json.loads(canned.requests[0].content)
    assert (True, True) == (body["enableBccl"], body["jobSpec"]["hostNetwork"])
    assert "hostNetwork" not in body


async def test_a_job_made_from_a_definition_gives_that_definition_back(baidu: Baidu) -> None:
    definition = JobDefinition(
        "tiny", "img:1", "a\nb", 2, {"cpu": 4, GPU: 8}, "eval", "PyTorchJob", "low", {"A": "no"}, {"team": "x"}
    )
    key = await baidu.create_job("cce-ab12cd34", definition, token="t")
    back = await baidu.definition(key.id)

    assert definition == JobDefinition(
        **{name: getattr(back, name) for name in JobDefinition.__slots__} | {"mounts": ()}
    )


async def test_a_job_submitted_for_somebody_is_theirs(baidu: Baidu) -> None:
    definition = JobDefinition("tiny", "img:1", "run", 1, {GPU: 8}, labels={OWNER_LABEL: "anna.schmidt"})
    key = await baidu.create_job("cce-ab12cd34", definition)

    assert "anna.schmidt" == (await baidu.job(key.id)).owner
    assert {} == (await baidu.definition(key.id)).labels


async def test_it_writes_all_but_restarts(baidu: Baidu) -> None:
    assert isinstance(baidu, QueueCloud)
    assert isinstance(baidu, JobWriter)
    assert {Can.QUEUES, Can.SUBMIT, Can.PRIORITY, Can.DELETE} == baidu.abilities & {
        Can.QUEUES,
        Can.SUBMIT,
        Can.PRIORITY,
        Can.DELETE,
        Can.RESTART,
    }
    with pytest.raises(NotAvailable):
        await baidu.restart_job("x")
