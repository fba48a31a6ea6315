"""Where an answer and its file end up: a private message cannot carry a file, so that goes to the person directly."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from slack_sdk.errors import SlackApiError

from bot.simulator.slack import SlackServer
from bot.simulator.slack.response_urls import Origin
from bot.slack.files import Uploads
from bot.slack.payloads import Place
from bot.slack.rendering import Rendered, TextFile
from bot.slack.replies import Replies
from tests.slack.workspace import Clock, redwood

LOG = Rendered("the end of the log", file=TextFile("worker-0.log", "worker-0", "line 1\nline 2\n"))
OMAR = "U05OMAR"


@pytest.fixture
async def slack() -> AsyncIterator[tuple[SlackServer, Replies]]:
    async with redwood(Clock()) as (server, client, session):
        yield server, Replies(client, session, Uploads(client, session))


async def test_the_file_of_a_private_answer_goes_into_the_direct_messages(slack: tuple[SlackServer, Replies]) -> None:
    server, replies = slack
    await replies.privately(OMAR, Place("C01ALERTS"), LOG)
    await server.until(lambda: server.direct_messages(OMAR))
    assert ["the end of the log"] == [whisper.text for whisper in server.ephemerals(OMAR)]
    assert ([], ["line 1\nline 2\n"]) == (server.messages("gpu-alerts"), _files(server, f"D{OMAR[1:]}"))


async def test_where_nothing_private_can_be_shown_both_go_into_the_direct_messages(
    slack: tuple[SlackServer, Replies],
) -> None:
    server, replies = slack
    await replies.privately(OMAR, Place("C05RANDOM"), LOG)
    await server.until(lambda: len(server.direct_messages(OMAR)) == 2)
    assert "the end of the log" == server.direct_messages(OMAR)[0].text
    assert ["line 1\nline 2\n"] == _files(server, f"D{OMAR[1:]}")


async def test_an_answer_for_everybody_has_its_file_in_the_same_thread(slack: tuple[SlackServer, Replies]) -> None:
    server, replies = slack
    asked = (await server.people.say(OMAR, "gpu-alerts", "logs?")).more["ts"]
    await replies.openly(Place("C01ALERTS", asked), LOG)
    await server.until(lambda: len(server.thread("gpu-alerts", asked)) == 2)
    assert "the end of the log" == server.thread("gpu-alerts", asked)[0].text
    assert ["line 1\nline 2\n"] == _files(server, "C01ALERTS")


async def test_a_picture_is_ready_to_be_shown_when_it_was_kept(slack: tuple[SlackServer, Replies]) -> None:
    server, replies = slack
    file_id = await replies._uploads.keep_picture("use.png", "use", b"a picture")
    await replies.openly(Place("C01ALERTS"), _with_picture(file_id))
    (message,) = server.messages("gpu-alerts")
    assert ["section", "image"] == [block["type"] for block in message.blocks]


@pytest.mark.parametrize("responding", [True, False])
async def test_an_answer_whose_picture_is_refused_is_shown_without_it(
    slack: tuple[SlackServer, Replies], responding: bool
) -> None:
    server, replies = slack
    place = Place("C01ALERTS", response_url=_answer_address(server) if responding else None)
    await replies.privately(OMAR, place, _with_picture("F0NOTHERE"))
    await replies.openly(replace(place, response_url=None), _with_picture("F0NOTHERE"))
    (private,), (public,) = server.ephemerals(OMAR), server.messages("gpu-alerts")
    assert (["section"], ["section"]) == tuple(
        [block["type"] for block in one] for one in (private.blocks, public.blocks)
    )


async def test_an_answer_that_is_refused_for_another_reason_is_an_error(slack: tuple[SlackServer, Replies]) -> None:
    server, replies = slack
    with pytest.raises(SlackApiError, match="invalid_blocks"):
        await replies.openly(Place("C01ALERTS"), Rendered("x", ({"type": "nonsense"},)))
    assert [] == server.messages("gpu-alerts")


def _with_picture(file_id: str) -> Rendered:
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "90 %"}}
    return Rendered("use", (section, {"type": "image", "slack_file": {"id": file_id}, "alt_text": "use"}))


def _answer_address(server: SlackServer) -> str:
    return server.people._response_urls.issue(Origin(OMAR, "C01ALERTS"))


def _files(server: SlackServer, channel: str) -> list[str]:
    files = [server.state.files[file] for message in server.messages(channel) for file in message.files]
    return [(file.data or b"").decode() for file in files]
