"""Texts that nobody would write: however odd, a message stays one that Slack takes, and says nothing it should not."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain.alarm import Subject
from bot.domain.answers import (
    AlarmList,
    Answer,
    Candidates,
    EventList,
    Gap,
    JobList,
    JobView,
    LogView,
    NodeList,
    Origin,
    PodList,
    PodView,
    QueueList,
    Said,
    UseView,
)
from bot.domain.capacity import Node, Queue
from bot.domain.incident import Condition, Incident, Mute
from bot.domain.job import Job, JobKey, PodDetail
from bot.domain.journal import Event, LogLines
from bot.domain.note import Note, NoteKind
from bot.domain.series import Metric, UseLine, Window
from bot.domain.topology import Gpu, Link, Machine, Topology
from bot.domain.wording import say
from tests.make import NOW, alarm, incident, job, pod, series
from tests.slack.views.looks import EN, ZH, faults, marked_texts_of, texts_of, view_faults

WINDOW = Window.last(timedelta(hours=1), NOW)
NASTY = [
    "<!channel> free GPUs",
    "<@U01CHEN> `rm -rf /` ```",
    "&lt;&amp;&gt;" * 60,
    "*bold* _it_ ~no~ :tada:",
    "大模型预训练" * 40,
    "👩‍👩‍👧‍👦🏳️‍🌈" * 50,
    "x" * 3_001,
    "\x1b[31m\x00\u202e\n\r\t",
    "",
    "```",
    "<",
    "{choice} {0} %s $x$",
]


def nasty_job(text: str) -> Job:
    made = job(text[:290] or "x", name=text, owner=text, queue=text, reason=text, command=text, image=text)
    return replace(made, pool=text, platform_state=text, gpu_model=text, framework=text, priority=text)


def nasty_incident(text: str) -> Incident:
    many = tuple(f"{text[:100]}-{number}" for number in range(64))
    about = Subject(text, text, text, JobKey(text, text[:290]), many, many, tuple((node, 7) for node in many))
    one = incident(7, first=alarm(source=text, kind=text, job=nasty_job(text), subject=about))
    conditions = tuple(Condition(text, f"{text}{n}", one.severity, 3, NOW, NOW) for n in range(20))
    return replace(
        one,
        conditions=conditions,
        mute=Mute(text, NOW, NOW + timedelta(hours=1), text),
        use=UseLine(NOW, (0.5, None) * 1_024),
    )


def answers(text: str) -> list[Answer]:
    one, origin = (
        nasty_job(text),
        Origin(((text, NOW),), (Gap(text, text, text, NOW, NOW, NOW), Gap("b", "Refused", text))),
    )
    pods = tuple(replace(pod(f"{text}-{number}", role=text, node=text), reason=text) for number in range(64))
    use = tuple(series(*[0.5] * 60, gpu=gpu % 8, pod=f"{text}-{gpu // 8}") for gpu in range(512))
    found = tuple(nasty_incident(text) for _ in range(60))
    return [
        JobList((one,) * 60, 60, 1, 2, 480, text, (text,) * 5, origin=origin),
        JobView(one, pods, use, WINDOW, found[0], origin),
        PodList(one, pods, origin),
        PodView(one, PodDetail(pods[0], text, text, text, text, ((text, text),) * 60), use[:8], WINDOW, origin),
        UseView(one, Metric.GPU, WINDOW, use, text, origin),
        UseView(one, Metric.GPU, WINDOW, use[:40], None, origin),
        LogView(one, LogLines(text, (text,) * 300, True), 300, origin),
        EventList(one, (Event(text, text, True, 9, NOW, NOW, text),) * 100, text, origin),
        QueueList((Queue(text, text, text, description=text, platform_state=text),) * 100, origin),
        NodeList((Node(text, text, text, pool=text, gpu_model=text),) * 500, origin),
        AlarmList(found, None, {7: "https://example.com/" + "x" * 200}, origin),
        Candidates(text, "job", ((text, text),) * 10, "job {choice}", left_out=3),
        Said(say("No job fits `{wanted}`.", wanted=text), False),
    ]


@pytest.mark.parametrize("text", NASTY)
def test_a_card_is_sound_whatever_its_texts(text: str) -> None:
    """F01, F09, F13."""
    assert [] == faults(EN.card(nasty_incident(text), NOW))
    assert [] == faults(ZH.card(nasty_incident(text), NOW + timedelta(days=1)))


@pytest.mark.parametrize("text", NASTY)
def test_an_alarms_note_is_sound_whatever_its_texts(text: str) -> None:
    gpus = tuple(Gpu(text, text, exceptions=(text,) * 9) for _ in range(16))
    machines = tuple(Machine(text, text, exceptions=(text, "b"), gpus=gpus) for _ in range(64))
    graph = Topology(machines, (Link(text, text, exceptions=(text,)),) * 64)
    found = replace(
        alarm(kind=text, log=text * 3, details={text: text} | {str(n): text for n in range(30)}), topology=graph
    )
    note = Note(NoteKind.ALARM, NOW, None, {"verdict": "worse", "late": 60}, found)
    assert [] == faults(EN.note(nasty_incident(text), note))


@pytest.mark.parametrize("kind", [kind for kind in NoteKind if kind is not NoteKind.ALARM])
@pytest.mark.parametrize("text", NASTY)
def test_every_other_note_is_sound_whatever_its_texts(kind: NoteKind, text: str) -> None:
    names = ("reason", "pod", "before", "after", "answer", "failure", "again", "kind", "from", "to", "why")
    assert [] == faults(EN.note(nasty_incident(text), Note(kind, NOW, text, dict.fromkeys(names, text))))


@pytest.mark.parametrize("text", NASTY)
def test_every_answer_is_sound_whatever_its_texts(text: str) -> None:
    """F02, F03, F10, F13."""
    for answer in answers(text):
        assert [] == faults(EN.answer(answer, NOW, f"jobs {text[:100]}"))
        assert [] == faults(ZH.answer(answer, NOW, "jobs", private=False))


@pytest.mark.parametrize("text", NASTY)
def test_dialogs_and_the_tab_are_sound_whatever_their_texts(text: str) -> None:
    """F09."""
    one, about = nasty_job(text), nasty_incident(text)
    assert [] == view_faults(EN.stop_question(one, about, about.use, NOW))
    assert [] == view_faults(EN.stop_refused(one, say("{x}", x=text), NOW))
    assert [] == view_faults(ZH.mute_question(about))


def test_no_text_from_outside_reaches_everybody() -> None:
    for text in ("<!channel> now", "<!here|x>", "<@U01CHEN>"):
        for answer in answers(text):
            shown = EN.answer(answer, NOW, "jobs")
            said = "\n".join([shown.text, *marked_texts_of(shown.blocks)])
            assert "<!channel" not in said
            assert "<!here" not in said


def test_a_log_of_two_megabytes_is_a_message_and_a_file() -> None:
    log = "".join(f"[rank {number}] <loss> `{number}` 任务 🙂\n" for number in range(60_000))
    assert len(log.encode()) > 2_000_000
    message = EN.note(incident(job=job()), Note(NoteKind.ALARM, NOW, None, {}, alarm(job=job(), log=log)))
    assert [] == faults(message)
    assert message.file is not None
    assert message.file.content.endswith("[rank 59999] <loss> `59999` 任务 🙂\n")
    assert message.file.content.startswith("[the first ")


def test_what_does_not_fit_is_said() -> None:
    shown = EN.answer(NodeList(tuple(Node("b", f"node-{n}", "Ready", pool="p" * 60) for n in range(500))), NOW, "nodes")
    listed = sum(text.count("node-") for text in texts_of(shown.blocks))
    assert any(f"and {500 - listed} more" == text for text in texts_of(shown.blocks))
