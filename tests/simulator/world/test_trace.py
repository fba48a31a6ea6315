"""A world from a recorded cluster: with small tables made here, and with the real ones where they lie."""

import csv
import gzip
import time
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from bot.simulator.world import JobState, World
from bot.simulator.world.use import gpu_memory, gpu_use

PODS = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time"
NODES = "sn,cpu_milli,memory_mib,gpu,model"
USE = "pod,seconds,gpu_percent,gpu_memory_mib"


def write(path: Path, head: str, rows: Sequence[Sequence[object]]) -> Path:
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(head.split(","))
        writer.writerows(rows)
    return path


def small_world(folder: Path) -> World:
    def pod(name: str, phase: str, created: int, gone: int, *, gpus: int = 1) -> tuple[object, ...]:
        scheduled = "" if phase == "Pending" else created + 10
        return (name, 8000, 16384, gpus, 1000, "", "LS", phase, created, gone, scheduled)

    pods = [
        pod("runs", "Running", 0, 7000),
        pod("failed", "Failed", 1000, 2000),
        pod("will-fail", "Failed", 1000, 6000),
        pod("will-come", "Running", 5000, 7200),
        pod("waits", "Pending", 1000, 1500),
        pod("no-gpu", "Running", 0, 7200, gpus=0),
    ]
    nodes = [(f"node-{index}", 96000, 393216, 8, "G2") for index in range(4)]
    use = [("p", 0, 50.0, 20480), ("p", 57, 100.0, "")]
    return World.from_trace(
        write(folder / "pods.csv.gz", PODS, pods),
        write(folder / "nodes.csv.gz", NODES, nodes),
        write(folder / "use.csv.gz", USE, use),
    )


def states(world: World) -> dict[str, str]:
    return {job.name: job.state.value for job in world.jobs()}


def test_pods_become_jobs_in_the_state_they_had(tmp_path: Path) -> None:
    world = small_world(tmp_path)
    expected = {"runs": "running", "failed": "failed", "will-fail": "running", "waits": "queued", "no-gpu": "running"}
    assert expected == states(world)


def test_what_the_recording_holds_for_later_happens_later(tmp_path: Path) -> None:
    world = small_world(tmp_path)
    world.advance(timedelta(hours=1))
    assert ("failed", "running") == (states(world)["will-fail"], states(world)["will-come"])


def test_failed_pods_leave_records_of_the_monitor(tmp_path: Path) -> None:
    world = small_world(tmp_path)
    assert [(world.job_named("failed").id, "failed")] == [(alarm.task, alarm.status) for alarm in world.alarms()]


def test_use_is_the_recorded_one_as_a_ratio_and_missing_memory_stays_missing(tmp_path: Path) -> None:
    world = small_world(tmp_path)
    job = world.job_named("runs")
    times = [world.now() + timedelta(seconds=57 * index) for index in range(2)]
    assert {0.5, 1.0} == {gpu_use(job, job.pods[0], 0, at) for at in times}
    assert {0.5, None} == {gpu_memory(job, job.pods[0], 0, at) for at in times}


def test_the_same_pods_get_the_same_ids_and_owners_each_time(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one, other = small_world(tmp_path / "a"), small_world(tmp_path / "b")
    assert [(job.id, job.owner) for job in one.jobs()] == [(job.id, job.owner) for job in other.jobs()]


DATA = Path(__file__).parents[4] / "shared" / "data"


@pytest.mark.skipif(
    not (DATA / "openb_pods.csv.gz").exists(), reason="the recorded cluster data does not lie beside the project"
)
def test_the_whole_recorded_cluster_is_ready_within_seconds() -> None:
    began = time.monotonic()
    world = World.from_trace(DATA / "openb_pods.csv.gz", DATA / "openb_nodes.csv.gz", DATA / "gpu_use_real.csv.gz")
    assert time.monotonic() - began < 10
    counts = Counter(job.state for job in world.jobs())
    assert (True, True) == (counts[JobState.RUNNING] > 5000, counts[JobState.FAILED] > 1800)
    assert {"baidu", "alaya"} == {job.platform for job in world.jobs()}
    assert 50 < len(world.alarms()) < 500
