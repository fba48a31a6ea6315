"""When GPUs count as idle, and when they do not."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain.job import JobState
from bot.domain.low_use import Rule, Use, is_judged, judge, rule_for
from bot.domain.series import Sample, Series
from tests import make

NOW = make.NOW
RULE = Rule("idle")


def flat(value: float, minutes: int = 61, gpu: int = 0) -> Series:
    return make.series(*([value] * minutes), gpu=gpu)


def test_an_hour_below_the_threshold_is_idle() -> None:
    finding = judge(RULE, make.job(gpus=2), [flat(0.02, gpu=0), flat(0.0, gpu=1)], NOW)

    assert Use.IDLE is finding.use
    assert finding.mean == pytest.approx(0.01)


def test_one_busy_gpu_keeps_the_job_from_being_idle() -> None:
    assert Use.IDLE is not judge(RULE, make.job(gpus=2), [flat(0.0, gpu=0), flat(0.15, gpu=1)], NOW).use


@pytest.mark.parametrize("series", [[], [make.series()], [make.series(), make.series(gpu=1)]])
def test_no_data_is_not_idle(series: list[Series]) -> None:
    assert Use.NO_DATA is judge(RULE, make.job(), series, NOW).use


def test_a_gpu_without_data_beside_idle_ones_is_not_idle() -> None:
    assert Use.TOO_FEW is judge(RULE, make.job(gpus=2), [flat(0.0), make.series(gpu=1)], NOW).use


def test_a_gpu_or_pod_that_the_answer_leaves_out_may_be_the_one_that_works() -> None:
    gpus = [flat(0.0, gpu=gpu) for gpu in range(8)]
    assert Use.IDLE is judge(RULE, make.job(gpus=8), gpus, NOW).use
    assert Use.TOO_FEW is judge(RULE, make.job(gpus=8), gpus[1:], NOW).use
    pods = [replace(flat(0.0), pod=f"worker-{place}", gpu=None) for place in range(4)]
    assert Use.IDLE is judge(RULE, replace(make.job(gpus=32), replicas=4), pods, NOW).use
    assert Use.TOO_FEW is judge(RULE, replace(make.job(gpus=32), replicas=4), pods[1:], NOW).use


def test_fewer_than_four_fifths_of_the_samples_judge_nobody() -> None:
    assert Use.TOO_FEW is judge(RULE, make.job(gpus=1), [flat(0.0, minutes=40)], NOW).use
    one_of_eight = [flat(0.0, gpu=gpu) for gpu in range(7)] + [flat(0.0, minutes=20, gpu=7)]
    assert Use.TOO_FEW is judge(RULE, make.job(gpus=8), one_of_eight, NOW).use


def test_a_young_job_is_in_its_grace() -> None:
    young = make.job(started_at=NOW - timedelta(minutes=40))

    assert Use.GRACE is judge(RULE, young, [flat(0.0)], NOW).use


def test_a_job_that_did_not_say_when_it_began_is_not_judged() -> None:
    assert Use.GRACE is judge(RULE, make.job(started_at=None), [flat(0.0)], NOW).use


def test_work_before_the_window_does_not_hide_idleness_in_it() -> None:
    worked_then_idle = make.series(*([0.9] * 120), *([0.0] * 61))

    assert Use.IDLE is judge(RULE, make.job(gpus=1), [worked_then_idle], NOW).use


def test_recovery_needs_twice_the_threshold_for_ten_minutes() -> None:
    recovered = make.series(*([0.0] * 50), *([0.9] * 11))
    hesitant = make.series(*([0.0] * 50), *([0.15] * 11))

    assert Use.BUSY is judge(RULE, make.job(gpus=1), [recovered], NOW).use
    assert Use.BUSY is not judge(RULE, make.job(gpus=1), [hesitant], NOW).use


def test_a_burst_is_no_recovery() -> None:
    five_minutes = make.series(*([0.0] * 56), *([1.0] * 5))

    assert Use.BETWEEN is judge(RULE, make.job(gpus=1), [five_minutes], NOW).use


def test_one_sample_in_ten_minutes_proves_no_recovery() -> None:
    lonely = make.series(*([0.0] * 50), until=NOW - timedelta(minutes=11))
    lonely = replace(lonely, samples=(*lonely.samples, Sample(NOW, 1.0)))

    assert Use.BUSY is not judge(RULE, make.job(gpus=1), [lonely], NOW).use


def test_minutes_that_are_not_there_yet_hide_no_recovery() -> None:
    late = make.series(*([0.0] * 50), *([0.9] * 11), until=NOW - timedelta(minutes=4))

    assert Use.BUSY is judge(RULE, make.job(gpus=1), [late], NOW).use


def test_a_tiny_threshold_recovers_five_hundredths_above_it() -> None:
    assert Rule("x", gpu_below=0.01).recovered_above == pytest.approx(0.06)


def test_the_first_rule_that_matches_judges() -> None:
    rules = [Rule("alaya only", clouds=("alaya",)), Rule("rest")]

    assert "rest" == getattr(rule_for(rules, make.job(cloud="beijing")), "name", None)
    assert "alaya only" == getattr(rule_for(rules, make.job(cloud="alaya")), "name", None)
    assert rule_for(rules[:1], make.job(cloud="beijing")) is None


def test_only_running_jobs_with_gpus_are_judged() -> None:
    assert is_judged(make.job())
    assert not is_judged(make.job(gpus=0))
    assert not is_judged(make.job(state=JobState.QUEUED))
    assert not is_judged(make.job(state=JobState.UNKNOWN))
