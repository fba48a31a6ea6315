"""Definitions as text: YAML and JSON in, YAML out, and nothing guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.definition import DefinitionError, read_definition
from bot.domain.job import JobDefinition, Mount
from bot.slack.definitions import read_text, write_definition


def mistake(text: str) -> str:
    with pytest.raises(DefinitionError) as caught:
        read_text(text)
    return str(caught.value)


def test_words_that_yaml_likes_to_reinterpret_stay_words() -> None:
    text = "a: no\nb: 1e3\nc: 012\nd: 12:30:00\ne: 2024-01-01\nf: ~\ng: ''\nh: [on, 0x10]"
    assert {
        "a": "no",
        "b": "1e3",
        "c": "012",
        "d": "12:30:00",
        "e": "2024-01-01",
        "f": None,
        "g": "",
        "h": ["on", "0x10"],
    } == read_text(text)


def test_json_with_tabs_is_json() -> None:
    assert {"a": [1, True]} == read_text('\n{\t"a":\t[1, true]}')


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: [", "This cannot be read as YAML: line 1"),
        ("a: b\n\tc: d", "This cannot be read as YAML: line 2"),
        ("a: b\na: c", "`a` is given twice."),
        ('{"a": 1, "a": 2}', "`a` is given twice."),
        ('{"a": 1', "This cannot be read as JSON: line 1"),
        ("a: &x b\nc: *x", "Anchors and aliases are not understood here"),
        ("a: b\n---\nc: d", "This cannot be read as YAML: line 2"),
        ("? [a]\n: b", "A key must be a word."),
        ("a: " + "[" * 30 + "]" * 30, "This is nested too deeply."),
        ("[" * 3000, "neither YAML nor JSON|cannot be read as JSON"),
        ("a: \x00", "This is neither YAML nor JSON."),
    ],
)
def test_what_cannot_be_read_says_where(text: str, sentence: str) -> None:
    assert any(part in mistake(text) for part in sentence.split("|"))


def test_python_objects_are_never_made() -> None:
    assert {"a": "x"} == read_text("a: !!python/name:os.system x")


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30).filter(str.strip)


@given(
    st.builds(
        JobDefinition,
        name=st.sampled_from(["a", "train-1"]),
        image=TEXTS,
        command=st.text("ab \n\t:#'\"{}[]-&*!|>%@`\u4e2d", min_size=1).filter(str.strip),
        replicas=st.integers(1, 64),
        resources=st.dictionaries(TEXTS, st.integers(1, 64) | st.sampled_from([0.5, 1.25]), min_size=1, max_size=3),
        env=st.dictionaries(TEXTS, st.sampled_from(["", "no", "1e3", "null", "~", "x: y", "true"]), max_size=3),
        mounts=st.just(()) | st.just((Mount("pfs", "/mnt", "pfs-1", None, {"readOnly": True, "sizeLimit": 10}),)),
        rdma=st.booleans(),
        more=st.just({}) | st.just({"hostNetwork": False, "faultToleranceConfig": {"faultToleranceLimit": 3}}),
    )
)
def test_a_written_definition_is_read_back_as_itself(definition: JobDefinition) -> None:
    text = write_definition(definition)
    assert definition == read_definition(read_text(text), {"hostNetwork", "faultToleranceConfig"})


def test_a_command_of_several_lines_is_written_as_a_block() -> None:
    assert "command: |" in write_definition(JobDefinition("a", "i", "cd /x\nbash run.sh\n", 1, {"g": 1}))
