"""What monitors see, in words: what is wrong first, every machine, and any names."""

from dataclasses import replace
from datetime import timedelta

from inline_snapshot import snapshot

from bot.domain.answers import NodeList, NodeView, Origin, TopologyView
from bot.domain.capacity import Node
from bot.domain.journal import Event
from bot.domain.series import Window
from bot.domain.topology import Link, Topology
from tests.make import NOW, job
from tests.relay.monitor import graph
from tests.slack.views.looks import EN, ZH, faults, look

READ = Origin((("ack", NOW - timedelta(seconds=3)),))
DAY = Window.last(timedelta(hours=24), NOW)


def seen(topology: Topology, of_job: bool = True) -> TopologyView:
    return TopologyView(topology, "ack", "cluster-bj1", job() if of_job else None, READ)


def test_a_jobs_graph_says_what_is_wrong_first_and_then_names_every_machine() -> None:
    assert snapshot("""\
# Topology
(`llama-70b` · cluster-bj1 · 3 nodes · 12 GPUs · 12 links)
1 of 3 nodes carries a fault:
• *i-1*: XID 79; GPU 3 NCCL HANG
• 1 of 12 links faulty: NCCL HANG
• i-1 GPU 3 ↔ i-2 GPU 3: NCCL HANG
▫️ i-0 · 4 GPUs
▫️ i-2 · 4 GPUs
(ack 3 s ago)
[Details] [Show to channel]\
""") == look(EN.answer(seen(graph(3, [1], gpus=4)), NOW, "topology llama-70b"))


def test_a_graph_without_faults_says_so() -> None:
    assert snapshot("""\
# Topology
(cluster-bj1 · 1 node · 1 GPU · 1 link)
✅ No machine, GPU or link carries a fault.
▫️ i-0 · 1 GPU
(ack 3 s ago)
[Show to channel]\
""") == look(EN.answer(seen(graph(1, gpus=1), of_job=False), NOW, "topology cluster-bj1"))


def test_a_graph_is_told_in_chinese() -> None:
    assert snapshot("""\
# 拓扑
(`llama-70b` · cluster-bj1 · 2 个节点 · 8 张 GPU · 8 条链路)
2 个节点中 1 个异常：
• *i-0*: XID 79; GPU 3 NCCL HANG
• 8 条链路中 1 条异常: NCCL HANG
• i-0 GPU 3 ↔ i-1 GPU 3: NCCL HANG
▫️ i-1 · 4 张 GPU
(ack 3 秒前)
[详情] [发到频道]\
""") == look(ZH.answer(seen(graph(2, [0], gpus=4)), NOW, "topology llama-70b"))


def test_an_empty_graph_is_no_sound_one() -> None:
    shown = look(EN.answer(seen(Topology()), NOW, ""))
    assert "The monitor sees no machines at the moment." in shown
    assert "carries a fault" not in shown


def test_a_link_with_ends_that_nobody_explains_is_named_by_their_ids() -> None:
    lost = Topology(links=(Link("", "", source_id="44c8eac0", target_id="", exceptions=("NCCL HANG",)),))
    assert "• 44c8eac0 ↔ `?`: NCCL HANG" in look(EN.answer(seen(lost), NOW, ""))


def test_a_large_graph_fits_a_message_and_says_what_was_left_out() -> None:
    message = EN.answer(seen(graph(2000, range(0, 2000, 3))), NOW, "topology cluster-bj1")
    assert [] == faults(message)
    assert "more nodes" in look(message)
    assert "more links" in look(message)


def test_hostile_names_stay_text() -> None:
    one = graph(2, [0])
    named = tuple(replace(machine, name="<!channel> `x` *b*", exceptions=("```\n<!here>",)) for machine in one.machines)
    message = EN.answer(seen(replace(one, machines=named)), NOW, "")
    assert [] == faults(message)
    assert "<!" not in message.text


def test_the_picture_says_over_and_under_it_what_it_is_and_what_is_not_drawn() -> None:
    assert ("llama-70b · cluster-bj1", "1 more node is not drawn") == EN.topology_caption(seen(graph(3)), 2)
    assert ("ack · cluster-bj1", "另有 2 个节点未画出") == ZH.topology_caption(seen(graph(3), of_job=False), 1)
    assert ("ack · cluster-bj1", "") == EN.topology_caption(seen(graph(3), of_job=False), 3)


def test_a_list_of_nodes_tells_scores_and_counts_of_abnormal_events() -> None:
    nodes = NodeList(
        (
            Node("beijing", "node-1", "Ready", gpus_total=8, gpus_used=8, health=71, abnormal=2),
            Node("ack", "i-elsewhere", "healthy", health=100, abnormal=0),
        ),
        READ,
    )
    assert snapshot("""\
# Nodes
(2 nodes)
▫️ *node-1* · ▰▰▰▰▰▰▰▰▰▰ 8/8 GPUs
Ready · beijing · health 71 · 2 abnormal events
▫️ *i-elsewhere* · –/– GPUs
healthy · ack · health 100
(ack 3 s ago)
[Show to channel]\
""") == look(EN.answer(nodes, NOW, "nodes"))


def test_one_node_is_shown_with_its_events() -> None:
    node = Node(
        "beijing",
        "node-1",
        "Ready",
        id="i-1",
        pool="cce-1",
        schedulable=False,
        gpu_model="A800-80G",
        gpus_total=8,
        gpus_used=7,
        cpus_total=128,
        cpus_used=96,
        memory_total_gb=2048,
        health=42,
        abnormal=1,
    )
    event = Event("GPU 掉卡", "node lost GPU3; XID 79", warning=True, last_at=NOW - timedelta(minutes=5), node="i-1")
    assert snapshot("""\
# node-1
▰▰▰▰▰▰▰▰▰▱ 7/8 GPUs · health 42 · 1 abnormal event
*Name*
`node-1`
*Instance*
`i-1`
*Cloud*
beijing · cce-1
*Platform's state*
Ready
*New pods*
takes no new pods
*GPU model*
A800-80G
*CPUs*
96/128
*Memory, GB*
–/2048
⚠️ *GPU 掉卡* · 2026-11-30 05:55 UTC
node lost GPU3; XID 79
(ack 3 s ago)
[Show to channel]\
""") == look(EN.answer(NodeView(node, DAY, (event,), READ), NOW, "node node-1"))


def test_a_node_that_no_monitor_knows_is_not_called_healthy() -> None:
    unknown, sound = Node("beijing", "node-1", "Ready"), Node("ack", "i-1", "healthy", health=100, abnormal=0)
    assert "Nothing abnormal" not in look(EN.answer(NodeView(unknown, DAY), NOW, ""))
    assert "Nothing abnormal was noted over the last 1 d." in look(EN.answer(NodeView(sound, DAY), NOW, ""))
