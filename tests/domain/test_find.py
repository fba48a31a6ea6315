"""Which job or pod a person means."""

from datetime import timedelta
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.find import MOST_COMPARED, find_job, find_pod, leading_pod, short_id
from bot.domain.job import Job, JobState
from tests import make

LLAMA = make.job("pytorchjob-a1b2", name="llama-70b")
QWEN = make.job("pytorchjob-c3d4", name="qwen-base 训练")
ALAYA = make.job("ca78d6b9-1111", cloud="alaya", name="bert")
JOBS = [LLAMA, QWEN, ALAYA]


@pytest.mark.parametrize(
    ("wanted", "job"),
    [
        ("pytorchjob-a1b2", LLAMA),
        ("PYTORCHJOB-A1B2", LLAMA),
        ("beijing/pytorchjob-a1b2", LLAMA),
        ("a1b2", LLAMA),
        ("a1b", LLAMA),
        ("pytorchjob-c3", QWEN),
        ("alaya/ca78", ALAYA),
        ("alaya/bert", ALAYA),
        ("llama-70b", LLAMA),
        ("LLAMA", LLAMA),
        ("ｌｌａｍａ", LLAMA),
        ("训练", QWEN),
        ("base 训", QWEN),
        ("ca78d6b9-1111", ALAYA),
    ],
)
def test_a_job_is_found_by_id_name_or_a_part_of_them(wanted: str, job: Job) -> None:
    assert job == find_job(wanted, JOBS).only


def test_percent_slash_and_space_in_an_id_are_just_text() -> None:
    odd = make.job("训练/a b%2F", name="x")
    assert odd == find_job("训练/a b%2F", [*JOBS, odd]).only
    assert odd == find_job("beijing/训练/a b%2F", [*JOBS, odd]).only


def test_the_beginning_of_several_ids_is_answered_with_candidates() -> None:
    matches = find_job("pytorchjob", JOBS)
    assert matches.only is None
    assert {LLAMA, QWEN} == set(matches.fitting)


def test_the_same_id_in_two_clouds_is_never_chosen_for_the_person() -> None:
    over = make.job("pytorchjob-a1b2", cloud="shanghai", state=JobState.FAILED)
    assert find_job("pytorchjob-a1b2", [LLAMA, over]).only is None
    assert over == find_job("shanghai/pytorchjob-a1b2", [LLAMA, over]).only


def test_an_exact_id_wins_over_a_longer_one() -> None:
    longer = make.job("pytorchjob-a1b2-x")
    assert LLAMA == find_job("pytorchjob-a1b2", [longer, LLAMA]).only


def test_ids_that_differ_only_in_case_are_told_apart() -> None:
    upper = make.job("PytorchJob-A1B2", name="other")
    assert upper == find_job("PytorchJob-A1B2", [LLAMA, upper]).only
    assert LLAMA == find_job("pytorchjob-a1b2", [LLAMA, upper]).only


def test_of_several_jobs_with_a_name_the_only_active_one_is_meant() -> None:
    finished = [make.job(f"pytorchjob-{n}", name="llama-70b", state=JobState.SUCCEEDED) for n in range(3)]
    assert LLAMA == find_job("llama-70b", [*finished, LLAMA]).only
    assert LLAMA == find_job("llama", [*finished, LLAMA]).only


def test_of_two_active_jobs_with_a_name_the_person_chooses_and_the_newest_comes_first() -> None:
    newer = make.job("pytorchjob-e5f6", name="llama-70b", started_at=make.NOW)
    over = make.job("pytorchjob-0000", name="llama-70b", state=JobState.STOPPED, started_at=make.NOW)
    assert (newer, LLAMA, over) == find_job("llama-70b", [over, LLAMA, newer]).fitting


def test_at_most_ten_candidates_are_named_and_the_rest_is_counted() -> None:
    many = [make.job(f"pytorchjob-{n:04}", name=f"llama-{n}") for n in range(25)]
    matches = find_job("llama", many)
    assert (10, 15) == (len(matches.fitting), matches.left_out)


def test_what_fits_nothing_is_answered_with_what_is_alike() -> None:
    matches = find_job("lama-7b", JOBS)
    assert ((), (LLAMA,)) == (matches.fitting, matches.alike)
    assert () == find_job("zzzzzz", JOBS).alike


def test_one_or_two_letters_are_no_beginning_of_an_id() -> None:
    assert () == find_job("a1", JOBS).fitting


def test_a_pod_is_found_by_its_ending_before_any_part_of_its_name() -> None:
    pods = [make.pod(f"job-x-worker-{n}") for n in (0, 1, 10, 11)]
    assert pods[1] == find_pod("worker-1", pods).only
    assert pods[1] == find_pod("JOB-X-WORKER-1", pods).only
    assert tuple(pods) == find_pod("worker", pods).fitting
    assert pods[2] in find_pod("wroker-10", pods).alike


def test_the_master_speaks_for_a_job_and_else_its_first_worker() -> None:
    workers = [make.pod(f"x-worker-{n}") for n in (10, 1, 0)]
    assert workers[2] == leading_pod(workers)
    master = make.pod("x-master-0")
    assert master == leading_pod([*workers, master])
    assert make.pod("a") == leading_pod([make.pod("b"), make.pod("a")])
    assert leading_pod([]) is None


def test_the_kind_before_an_id_may_be_left_out() -> None:
    assert "a1b2" == short_id("pytorchjob-a1b2")
    assert "ca78-11" == short_id("ca78-11")
    assert "job-" == short_id("job-")


@given(st.text(max_size=12))
def test_any_text_at_all_may_be_looked_for(wanted: str) -> None:
    for matches in (find_job(wanted, JOBS), find_pod(wanted, [make.pod()])):
        assert not (matches.fitting and matches.alike)


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(lambda text: text == text.strip())
)
def test_whatever_an_id_looks_like_it_finds_its_job(job_id: str) -> None:
    odd = make.job(job_id, name="odd")
    assert odd == find_job(job_id, [*JOBS, odd]).only
    assert odd == find_job(f"beijing/{job_id}", [*JOBS, odd]).only


def test_a_word_is_looked_for_among_five_thousand_jobs_at_once() -> None:
    many = [
        make.job(f"pytorchjob-{n:08x}", name=f"team-{n % 40}-run-{n}", started_at=make.NOW - timedelta(seconds=n))
        for n in range(5000)
    ]
    assert many[4999] == find_job("team-39-run-4999", many).only
    assert find_job("taem-39-rnu-4999", many).alike


@pytest.mark.parametrize(
    "typed", ["llma-70b-sft-02500", "llama-70b-stf-02500", "llama-70b-sft-02500x", "llama70b-sft-02500"]
)
def test_the_meant_one_of_five_thousand_like_names_is_found_by_few_exact_comparisons(
    typed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[str] = []
    ratio = SequenceMatcher.ratio

    def counted(matcher: "SequenceMatcher[str]") -> float:
        compared.append(matcher.a)  # type: ignore[attr-defined]
        return ratio(matcher)

    monkeypatch.setattr(SequenceMatcher, "ratio", counted)
    jobs = [make.job(f"pytorchjob-{n:08d}", name=f"llama-70b-sft-{n:05d}") for n in range(5000)]
    matches = find_job(typed, jobs)
    assert "llama-70b-sft-02500" == matches.alike[0].name
    assert 0 < len(compared) <= MOST_COMPARED


def test_a_name_that_is_nothing_like_any_is_compared_with_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SequenceMatcher, "ratio", None)
    assert () == find_job("zzz", [make.job(f"pytorchjob-{n}", name=f"llama-{n}") for n in range(100)]).alike
