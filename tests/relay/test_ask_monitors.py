"""What people ask of monitors: what talks to what, and how healthy machines are."""

from datetime import timedelta

import pytest

from bot.domain.answers import Answer, Candidates, NodeList, NodeView, Said, TopologyView
from bot.domain.capacity import Node, Pool
from bot.domain.command import parse
from bot.domain.errors import Unreachable
from bot.domain.journal import Event
from bot.domain.ports import Clouds
from bot.domain.redact import HIDDEN
from bot.relay.ask import Ask, NoLinks, Sources
from bot.relay.fleet import Fleet
from bot.relay.rights import Rights
from bot.store.incidents import IncidentStore
from tests import make
from tests.relay.job_cloud import PlainCloud
from tests.relay.monitor import PlainMonitor, graph
from tests.relay.people import LIWEI, POLICY, Directory
from tests.relay.test_ask import Steady

NOW = make.NOW
LLAMA = make.job("pytorchjob-a1b2", name="llama-70b")
DOWN = Unreachable("ack", "connection refused")


class House:
    """One platform with a monitor over it."""

    def __init__(self, incidents: IncidentStore, clouds: Clouds | None = None) -> None:
        self.beijing = PlainCloud("beijing").hold([LLAMA])
        self.monitor = PlainMonitor()
        self.monitor.graphs = {("cluster-bj1", None): graph(4, [2]), ("cluster-bj2", LLAMA.id): graph(2, [1])}
        clouds = {"beijing": self.beijing, "ack": self.monitor} if clouds is None else clouds
        rights = Rights(Directory(), POLICY)
        fleet = Fleet(clouds, answer_within=0.05)
        self._ask = Ask(
            Sources(fleet, clouds, incidents, rights, Steady(), lambda: NOW, NoLinks(), glance=0.05, read=0.1)
        )

    async def ask(self, text: str) -> Answer:
        return await self._ask.answer(parse(text), LIWEI)

    async def said(self, text: str) -> str:
        answer = await self.ask(text)
        assert isinstance(answer, Said), answer
        assert not answer.ok
        return str(answer.sentence)


@pytest.fixture
def house(incidents: IncidentStore) -> House:
    return House(incidents)


# -- topology


async def test_a_clusters_graph_is_asked_for_by_its_name(house: House) -> None:
    answer = await house.ask("topology Cluster-BJ1")
    assert isinstance(answer, TopologyView)
    assert ("ack", "cluster-bj1", None, 4) == (
        answer.monitor,
        answer.cluster,
        answer.job,
        len(answer.topology.machines),
    )
    assert (("ack", NOW),) == answer.origin.read


async def test_a_jobs_graph_is_found_in_the_cluster_that_knows_its_task(house: House) -> None:
    answer = await house.ask("topology llama")
    assert isinstance(answer, TopologyView)
    assert ("cluster-bj2", "llama-70b", 2) == (
        answer.cluster,
        answer.job.name if answer.job else None,
        len(answer.topology.machines),
    )
    assert ["clusters", f"topology cluster-bj1 {LLAMA.id}", f"topology cluster-bj2 {LLAMA.id}"] == house.monitor.calls


async def test_without_a_name_the_clusters_are_the_choice(house: House) -> None:
    answer = await house.ask("topology")
    assert isinstance(answer, Candidates)
    assert (("cluster-bj1", "ack"), ("cluster-bj2", "ack")) == answer.choices
    assert ("cluster", "topology {choice}") == (answer.what, answer.command)


async def test_a_single_cluster_needs_no_name(house: House) -> None:
    house.monitor.held_clusters = ("cluster-bj1",)
    assert isinstance(await house.ask("topology"), TopologyView)


async def test_jobs_that_fit_alike_are_the_choice_and_stay_a_question_about_topology(house: House) -> None:
    house.beijing.hold([make.job("pytorchjob-c3d4", name="llama-7b")])
    answer = await house.ask("topology llama")
    assert isinstance(answer, Candidates)
    assert "topology {choice}" == answer.command


async def test_a_cluster_that_is_gone_hides_no_other(house: House) -> None:
    house.monitor.gone = ("cluster-bj1",)
    answer = await house.ask("topology llama")
    assert isinstance(answer, TopologyView)
    assert ("cluster-bj2", ()) == (answer.cluster, answer.origin.gaps)


async def test_a_monitor_that_does_not_answer_is_named_with_its_reason(house: House) -> None:
    house.monitor.errors["topology"] = DOWN
    assert "ack does not show it: connection refused." == await house.said("topology cluster-bj1")
    assert "ack does not show it: connection refused." == await house.said("topology llama")
    house.monitor.errors["clusters"] = DOWN
    assert "The monitors that could show it did not answer: ack." == await house.said("topology llama")


async def test_a_job_that_nobody_watches_or_sees_is_said_to_be_so(house: House) -> None:
    house.monitor.graphs = {}
    assert "The monitors see nothing of llama-70b at the moment." == await house.said("topology llama")
    house.monitor.jobs_in = ("alaya",)
    assert "No monitor watches the jobs of beijing." == await house.said("topology llama")


async def test_without_a_monitor_the_question_is_declined(incidents: IncidentStore) -> None:
    house = House(incidents, {"beijing": PlainCloud("beijing")})
    assert "None of the configured clouds sees what talks to what." == await house.said("topology")


# -- nodes


def machine(name: str, id: str | None = None, cloud: str = "beijing", pool: str | None = "cce-1") -> Node:
    return Node(cloud, name, "Ready", id=id, pool=pool)


def scored(name: str, health: float) -> Node:
    return Node("ack", name, "warning", health=health)


@pytest.fixture
def watched(house: House) -> House:
    house.beijing.held_nodes = [machine("node-1", "i-1"), machine("node-2", "i-2"), machine("node-3", "i-3")]
    house.beijing.held_pools = [Pool("beijing", "cce-1", "训练池", "running")]
    house.monitor.scored = [scored("i-1", 71), scored("NODE-2", 100), scored("i-elsewhere", 40)]
    house.monitor.noted = [
        Event("XID 79", "password=hunter22 on the card", warning=True, last_at=NOW, node="i-1"),
        Event("ECC", "page retired", last_at=NOW - timedelta(hours=1), node="i-1"),
        Event("loss", "no node", last_at=NOW),
    ]
    return house


async def test_a_monitors_scores_are_joined_to_the_platforms_nodes_by_name_or_id(watched: House) -> None:
    answer = await watched.ask("nodes")
    assert isinstance(answer, NodeList)
    assert [
        ("beijing", "node-1", 71, 2),
        ("beijing", "node-2", 100, 0),
        ("beijing", "node-3", None, None),
        ("ack", "i-elsewhere", 40, 0),
    ] == [(node.cloud, node.name, node.health, node.abnormal) for node in answer.nodes]
    assert (("beijing", NOW), ("ack", NOW)) == answer.origin.read


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("nodes --cloud beijing", ["node-1", "node-2", "node-3"]),
        ("nodes --pool 训练池", ["node-1", "node-2", "node-3"]),
        ("nodes --cloud ack", ["i-1", "NODE-2", "i-elsewhere"]),
    ],
)
async def test_a_cloud_or_pool_shows_only_its_own_nodes(watched: House, asked: str, names: list[str]) -> None:
    answer = await watched.ask(asked)
    assert isinstance(answer, NodeList)
    assert names == [node.name for node in answer.nodes]


async def test_a_monitor_that_fails_costs_the_scores_and_is_named(watched: House) -> None:
    watched.monitor.errors["events"] = DOWN
    answer = await watched.ask("nodes")
    assert isinstance(answer, NodeList)
    assert [None, None, None] == [node.health for node in answer.nodes]
    assert [("ack", "connection refused")] == [(gap.cloud, gap.detail) for gap in answer.origin.gaps]


async def test_a_monitor_alone_is_enough_to_list_nodes(incidents: IncidentStore) -> None:
    monitor = PlainMonitor(scored=[scored("i-1", 71)])
    answer = await House(incidents, {"ack": monitor}).ask("nodes")
    assert isinstance(answer, NodeList)
    assert [71] == [node.health for node in answer.nodes]


@pytest.mark.parametrize("name", ["node-1", "I-1"])
async def test_one_node_is_shown_with_its_abnormal_events_without_secrets(watched: House, name: str) -> None:
    answer = await watched.ask(f"node {name}")
    assert isinstance(answer, NodeView)
    assert ("node-1", 71, ["XID 79", "ECC"]) == (
        answer.node.name,
        answer.node.health,
        [event.reason for event in answer.events],
    )
    assert HIDDEN in answer.events[0].message
    assert timedelta(hours=24) == answer.window.length


async def test_a_node_of_two_clouds_is_the_choice_and_a_misspelt_one_a_guess(watched: House) -> None:
    watched.beijing.held_nodes.append(machine("node-1", "i-9", cloud="beijing-2"))
    twin = await watched.ask("node node-1")
    assert isinstance(twin, Candidates)
    assert "node-1 --cloud beijing-2" == twin.choices[1][0]
    guess = await watched.ask("node node-33")
    assert isinstance(guess, Candidates)
    assert (("node-3", "beijing"),) == guess.choices
    assert "There is no node `zzzzzzzz`." == await watched.said("node zzzzzzzz")
