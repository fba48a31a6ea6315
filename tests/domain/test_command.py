"""The grammar of commands."""

from collections.abc import Callable
from dataclasses import fields
from datetime import timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.command import (
    COMMANDS,
    Alarms,
    Command,
    Health,
    Help,
    Jobs,
    Logs,
    Nodes,
    OpenTerminal,
    Queues,
    ShowIncident,
    ShowJob,
    ShowPod,
    Usage,
    parse,
)
from bot.domain.errors import CommandError
from bot.domain.job import JobState
from bot.domain.series import Metric


def refusal(text: str) -> str:
    with pytest.raises(CommandError) as caught:
        parse(text)
    return str(caught.value.sentence)


@pytest.mark.parametrize("text", ["", "   ", "\u3000", "help", "HELP", "\u200bhelp"])
def test_nothing_typed_means_help(text: str) -> None:
    assert Help() == parse(text)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("jobs --mine", Jobs(mine=True)),
        ("jobs —mine", Jobs(mine=True)),
        ("jobs –mine", Jobs(mine=True)),
        ("JOBS -Mine", Jobs(mine=True)),
        ("jobs mine", Jobs(mine=True)),
        ("jobs\u00a0--mine", Jobs(mine=True)),
        ("ｊｏｂｓ\u3000－－ｍｉｎｅ", Jobs(mine=True)),
        ("*jobs* `--mine`", Jobs(mine=True)),
        ("`jobs --mine`", Jobs(mine=True)),
        ("jobs --state=running --sort gpu --page 2", Jobs(state=JobState.RUNNING, sort="gpu", page=2)),
        ("jobs state running sort=gpu page 2", Jobs(state=JobState.RUNNING, sort="gpu", page=2)),
        ("jobs running", Jobs(state=JobState.RUNNING)),
        ("jobs --page ２", Jobs(page=2)),
        ("jobs --page＝2", Jobs(page=2)),
        ("jobs --own li.wei", Jobs(owner="li.wei")),
        ("jobs --owner <@U01CHEN|chen.jing>", Jobs(owner="@U01CHEN")),
        ("jobs --owner <@U01CHEN>", Jobs(owner="@U01CHEN")),
        ("jobs --owner @li.wei", Jobs(owner="li.wei")),
        ("jobs --owner <mailto:li.wei@example.com|li.wei@example.com>", Jobs(owner="li.wei@example.com")),
        ("jobs --queue <#C04TRAIN|training>", Jobs(queue="training")),
        ("nodes --pool “训练池 A”", Nodes(pool="训练池 A")),
        ("nodes --pool=「训练池 A」", Nodes(pool="训练池 A")),
        ("queues --cloud ‘beijing’", Queues(cloud="beijing")),
    ],
)
def test_what_keyboards_and_slack_change_is_understood(text: str, command: Command) -> None:
    assert command == parse(text)


@pytest.mark.parametrize(
    ("typed", "job"),
    [
        ("*abc*", "abc"),
        ("_abc_", "abc"),
        ("~abc~", "abc"),
        ("`abc`", "abc"),
        ("*_abc_*", "abc"),
        ("<http://node-1.local|node-1.local>", "node-1.local"),
        ("<https://node-1.local>", "node-1.local"),
        ("beijing/pytorchjob-a1", "beijing/pytorchjob-a1"),
        ("训练/a", "训练/a"),
        ("b%2F", "b%2F"),
        ("a=b", "a=b"),
        ("snake_case_", "snake_case_"),
        ('"a b"', "a b"),
        ('"say \\"x\\""', 'say "x"'),
        ("li's-job", "li's-job"),
        ('"unclosed', "unclosed"),
        ("a&amp;b", "a&b"),
        ("last", "last"),
        ("训练（A）", "训练（A）"),
    ],
)
def test_a_job_is_what_the_person_meant_and_otherwise_just_text(typed: str, job: str) -> None:
    assert ShowJob(job) == parse(f"job {typed}")


def test_an_optional_pod_is_told_from_options_without_dashes() -> None:
    assert Usage("x", metric=Metric.VRAM, last=timedelta(hours=6)) == parse("usage x vram last 6h")
    assert Usage("x", "worker-0", Metric.VRAM) == parse("usage x worker-0 vram")
    assert Logs("x", lines=100) == parse("logs x lines=100")
    assert ShowPod("last", "lines") == parse("pod last lines")


@pytest.mark.parametrize("text", ["incident 12", "incident #12", "incident INC-12", "incident inc12", "incident １２"])
def test_an_incident_is_known_by_its_number_in_any_form(text: str) -> None:
    assert ShowIncident(12) == parse(text)


def test_three_letters_are_enough_where_they_fit_one_command_only() -> None:
    assert Alarms() == parse("ala")
    assert Health() == parse("heal")
    assert OpenTerminal("x") == parse("term x")
    assert "There is no `he`" in refusal("he")
    assert "There is no `po`" in refusal("po")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("jbos", "There is no `jbos`. Did you mean `jobs`?"),
        ("jobs --mien", "`jobs` has no `--mien`. Did you mean `--mine`?"),
        ("health --xyz", "`health` has no options, so no `--xyz`."),
        ("job", "`job` needs ID: `job ID`"),
        ("pod x", "`pod` needs POD: `pod ID POD`"),
        ("jobs --state", "`--state` needs a value: `"),
        ("jobs --owner --mine", "`--owner` needs a value: `"),
        ("jobs --state runing", "`runing` is not possible here. Did you mean `running`?"),
        ("jobs --state idle", "`idle` is not possible here. Possible are: `queued`, `starting`, `running`,"),
        ("jobs --mine=yes", "`--mine` takes no value."),
        ("jobs --mine --owner li", "Use `--mine` or `--owner`, not both."),
        ("alarms --open --last 2h", "Use `--open` or `--last`, not both."),
        ("jobs --page 1 --page 2", "`--page` is given twice."),
        ("job a b", "`b` is too much here: `job ID`. A name with a space goes between quotation marks."),
        ("logs x --lines 0", "`0` is out of range: 1 to 2000."),
        ("logs x --lines 2001", "`2001` is out of range: 1 to 2000."),
        ("logs x --lines many", "`many` is not a whole number."),
        ("jobs --page -1", "`--page` needs a value"),
        ("jobs --page 0", "`0` is out of range: 1 to "),
        ("top --last 90", "`90` lacks a unit: write `90s`, `90m`, `90h` or `90d`."),
        ("top --last soon", "`soon` is not a duration. Write for instance `30m`"),
        ("top --last 31d", "`31d` is too long: the longest is 30d."),
        ('job ""', "A name cannot be empty."),
        ("help jbos", "There is no `jbos`. Did you mean `jobs`?"),
        ("incident twelve", "`twelve` is not a whole number."),
        ("incident 0", "`0` is out of range"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_what_to_type_instead(text: str, sentence: str) -> None:
    assert sentence in refusal(text)


def test_a_word_like_nothing_known_is_answered_with_everything_known() -> None:
    sentence = refusal("xyzzy")
    assert [] == [kind.spec.name for kind in COMMANDS if f"`{kind.spec.name}`" not in sentence]


def test_the_table_describes_every_command_and_its_fields() -> None:
    assert get_args(Command) == COMMANDS
    for kind in COMMANDS:
        spec = kind.spec
        described = {one.name for one in spec.arguments} | {one.name for one in spec.options}
        assert {one.name for one in fields(kind)} == described
        assert spec.usage.startswith(spec.name)
        assert str(spec.about)


@pytest.mark.parametrize("example", [example for kind in COMMANDS for example in kind.spec.examples])
def test_every_example_of_the_help_is_a_command_of_its_kind(example: str) -> None:
    assert example.split()[0] == parse(example).spec.name


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(str.strip)
AWKWARD = st.sampled_from(["--mine", "*x*", "_x_", "a b", '"', "\\", "a\\", "<http://x|y>", "&amp;", "last", "＝", "“"])
FREE = st.one_of(NAMES, AWKWARD)
OWNERS = FREE.filter(lambda text: not text.startswith("@"))
SPANS = st.integers(60, 2_592_000).map(lambda seconds: timedelta(seconds=seconds))


def command_of(kind: Callable[..., Command], **values: st.SearchStrategy[object]) -> st.SearchStrategy[Command]:
    return st.builds(kind, **{name: st.none() | value for name, value in values.items()})


@given(
    st.one_of(
        command_of(
            Jobs,
            owner=OWNERS,
            state=st.sampled_from(JobState),
            queue=FREE,
            cloud=FREE,
            name=FREE,
            sort=st.sampled_from(["gpu", "age", "use"]),
            page=st.integers(1, 100_000),
        ),
        st.builds(ShowPod, FREE, FREE),
        st.builds(Usage, FREE, st.none() | FREE, st.none() | st.sampled_from(Metric), st.none() | SPANS),
        st.builds(Logs, FREE, st.none() | FREE, st.none() | st.integers(1, 2000)),
        st.builds(Nodes, st.none() | FREE, st.none() | FREE),
        st.builds(Alarms, last=SPANS),
        st.builds(ShowIncident, st.integers(1, 10**9)),
        st.builds(Help, st.sampled_from([kind.spec.name for kind in COMMANDS])),
    )
)
def test_the_canonical_text_is_read_as_the_same_command(command: Command) -> None:
    assert command == parse(command.text())


@given(st.text(max_size=60))
def test_whatever_is_typed_is_a_command_or_a_refusal(text: str) -> None:
    try:
        command = parse(text)
    except CommandError:
        return
    assert command == parse(command.text())
