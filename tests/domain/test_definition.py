"""Definitions of jobs: read in every spelling, every mistake told, written again, and run again without secrets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.definition import DefinitionError, hidden, next_name, plainly, read_definition, revealed
from bot.domain.job import JobDefinition, Mount
from bot.domain.redact import HIDDEN

WHOLE = JobDefinition(
    name="train-1",
    image="registry.example.com/train:1",
    command="cd /work\nbash run.sh",
    replicas=2,
    resources={"baidu.com/a800_80g_cgpu": 8, "memory": 0.5},
    queue="sft",
    framework="PyTorchJob",
    priority="high",
    env={"NCCL_DEBUG": "WARN", "EMPTY": ""},
    labels={"team": "训练"},
    mounts=(Mount("pfs", "/mnt", "pfs-1", "/data", {"readOnly": True}),),
    rdma=True,
    fault_tolerance=True,
    more={"hostNetwork": False},
)
LEAST = {"name": "a", "image": "i", "command": "c", "replicas": "1", "resources": {"nvidia.com/gpu": "1"}}


def mistakes(given: object, more: tuple[str, ...] = ()) -> list[str]:
    with pytest.raises(DefinitionError) as caught:
        read_definition(given, more)
    return [str(sentence) for sentence in caught.value.sentences]


def test_what_is_written_is_read_back_as_the_same() -> None:
    assert WHOLE == read_definition(plainly(WHOLE), {"hostNetwork"})


def test_the_platforms_own_spelling_is_understood() -> None:
    given = {
        "name": "train-1",
        "queue": "sft",
        "jobFramework": "PyTorchJob",
        "priority": "high",
        "faultTolerance": True,
        "labels": [{"key": "team", "value": "训练"}],
        "datasources": [
            {"type": "pfs", "name": "pfs-1", "mountPath": "/mnt", "sourcePath": "/data", "options": {"readOnly": True}}
        ],
        "jobSpec": {
            "image": "registry.example.com/train:1",
            "command": "cd /work\nbash run.sh",
            "replicas": 2,
            "enableRDMA": True,
            "hostNetwork": False,
            "resources": [
                {"name": "baidu.com/a800_80g_cgpu", "quantity": "8"},
                {"name": "memory", "quantity": "0.5GB"},
            ],
            "envs": [{"name": "NCCL_DEBUG", "value": "WARN"}, {"name": "EMPTY", "value": ""}],
        },
    }
    assert WHOLE == read_definition(given, {"hostNetwork"})


@pytest.mark.parametrize(
    ("change", "mistake"),
    [
        ({"name": "A"}, "`A` cannot be a name"),
        ({"name": "-a"}, "`-a` cannot be a name"),
        ({"name": "a" * 51}, "50 characters at most"),
        ({"name": ""}, "`name` is missing."),
        ({"image": None}, "`image` is missing."),
        ({"image": ["x"]}, "`image` must be a text."),
        ({"replicas": "0"}, "`replicas` is a whole number from 1 to 10000, not `0`."),
        ({"replicas": "1.5"}, "`replicas` is a whole number"),
        ({"replicas": True}, "`replicas` is a whole number"),
        ({"resources": {}}, None),
        ({"resources": None}, "`resources` is missing."),
        ({"resources": {"gpu": "0"}}, "It must be a number above 0, not `0`."),
        ({"resources": {"gpu": "nan"}}, "It must be a number above 0, not `nan`."),
        ({"resources": {"gpu": True}}, "It must be a number above 0, not `True`."),
        ({"resources": {"gpu": "-1"}}, "It must be a number above 0, not `-1`."),
        ({"resources": [{"name": "gpu"}]}, "entries with `name` and `quantity`."),
        ({"env": {"A": {"b": "c"}}}, "`A` must be a text."),
        ({"env": "A=b"}, "`env` is a list of `name: value` lines"),
        ({"rdma": "maybe"}, "`rdma` is `true` or `false`, not `maybe`."),
        ({"mounts": {"type": "pfs"}}, "`mounts` is a list of entries"),
        ({"mounts": [{"type": "pfs"}]}, "Every entry of `mounts` needs `type` and `path`."),
        ({"mounts": [{"type": "pfs", "path": "/x", "pth": 1}]}, "`pth` is not known here. Did you mean `path`?"),
        ({"enableBccl": "true"}, "`enableBccl` is not known here."),
        ({"jobSpec": {"image": "j"}}, "`image` is given twice."),
    ],
)
def test_each_mistake_has_its_sentence(change: dict[str, object], mistake: str | None) -> None:
    if mistake is None:
        assert {} == read_definition(LEAST | change).resources
    else:
        assert mistake in " ".join(mistakes(LEAST | change))


def test_all_mistakes_are_told_at_once_and_each_once() -> None:
    told = mistakes({"nmae": "x", "replicas": "x", "resources": {"a": "x", "b": "x"}})
    assert len(told) == len(set(told)) == 7


@pytest.mark.parametrize("given", [None, "words", ["a"], 7])
def test_what_is_no_definition_at_all_is_said(given: object) -> None:
    assert ["A definition is a list of `key: value` lines, or a JSON object."] == mistakes(given)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["name", "image", "jobSpec", "resources", "env", "mounts", "replicas", "x"]),
                inner,
                max_size=5,
            )
        ),
        max_leaves=12,
    )
)
def test_whatever_is_given_is_a_definition_or_told_mistakes(given: object) -> None:
    told: object = None
    try:
        told = read_definition(given)
    except DefinitionError as error:
        told = error.sentences
    assert told


def test_secrets_are_hidden_and_come_back_from_the_source() -> None:
    source = JobDefinition(
        "a", "i", "run --api-key sk-abcdefgh12345678", 1, {}, env={"HF_TOKEN": "hf_abcdefghij0123456789", "LR": "3e-4"}
    )
    shown = hidden(source)

    assert {"HF_TOKEN": HIDDEN, "LR": "3e-4"} == shown.env
    assert "sk-" not in shown.command
    assert source == revealed(shown, source)


@pytest.mark.parametrize(
    "edited",
    [
        JobDefinition("a", "i", f"run --changed --api-key {HIDDEN}", 1, {}),
        JobDefinition("a", "i", "run", 1, {}, env={"OTHER": HIDDEN}),
        JobDefinition("a", "i", "run", 1, {}, env={"HF_TOKEN": f"x{HIDDEN}"}),
    ],
)
def test_a_hidden_value_that_cannot_be_known_is_refused(edited: JobDefinition) -> None:
    source = JobDefinition(
        "a", "i", "run --api-key sk-abcdefgh12345678", 1, {}, env={"HF_TOKEN": "hf_abcdefghij012345"}
    )
    with pytest.raises(DefinitionError):
        revealed(edited, source)


@pytest.mark.parametrize(
    ("name", "taken", "free"),
    [
        ("train", (), "train-r2"),
        ("train-r2", (), "train-r3"),
        ("train", ("train-r2", "train-r3"), "train-r4"),
        ("x" * 50, (), "x" * 47 + "-r2"),
        ("对话模型-sft_v3", (), "sft-v3-r2"),
        ("模型", (), "job-r2"),
    ],
)
def test_a_job_that_runs_again_gets_a_free_name(name: str, taken: tuple[str, ...], free: str) -> None:
    assert free == next_name(name, taken)
