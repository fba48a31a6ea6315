"""What Slack sends, read once; a missing field never raises."""

from typing import Any

import pytest

from bot.slack import payloads
from bot.slack.payloads import Place

CLICK: dict[str, Any] = {
    "type": "block_actions",
    "user": {"id": "U01CHEN"},
    "container": {"type": "message", "message_ts": "1.0", "channel_id": "C01ALERTS", "is_ephemeral": False},
    "channel": {"id": "C01ALERTS"},
    "message": {"ts": "1.0", "thread_ts": "1.0"},
    "response_url": "http://127.0.0.1/response/1",
    "trigger_id": "t1",
    "actions": [{"type": "button", "action_id": "stop", "block_id": "b", "value": "v", "action_ts": "2.0"}],
}


def test_a_command_keeps_who_where_and_what() -> None:
    asked = payloads.command(
        {"user_id": "U1", "channel_id": "C1", "text": "jobs", "response_url": "http://r", "trigger_id": "t"}
    )

    assert ("U1", "jobs", Place("C1", None, "http://r"), "t") == (asked.user, asked.text, asked.place, asked.trigger_id)


def test_a_click_is_one_click_however_often_it_is_delivered() -> None:
    first, again = payloads.click(CLICK), payloads.click(CLICK | {"trigger_id": "t2"})

    assert first.key == again.key
    assert ("stop", "v", "U01CHEN", False) == (first.action, first.value, first.user, first.private)


def test_two_people_who_click_at_once_are_two_clicks() -> None:
    assert payloads.click(CLICK).key != payloads.click(CLICK | {"user": {"id": "U02LIWEI"}}).key


def test_a_menu_entry_carries_its_value() -> None:
    action = {"action_id": "more", "selected_option": {"value": "logs x"}, "action_ts": "3"}

    assert "logs x" == payloads.click(CLICK | {"actions": [action]}).value


def test_a_private_message_and_a_dialog_are_told_apart_from_a_card() -> None:
    private = payloads.click(CLICK | {"container": {"is_ephemeral": True, "channel_id": "C1"}, "message": None})
    dialog = payloads.click({"user": {"id": "U1"}, "container": {"type": "view", "view_id": "V1"}, "actions": [{}]})

    assert private.private
    assert ("V1", None) == (dialog.view_id, dialog.place.channel)


def test_a_mention_is_answered_in_its_thread_and_a_direct_message_where_it_stands() -> None:
    mention = payloads.mention({"event": {"user": "U1", "channel": "C1", "ts": "5.0", "text": "<@B> jobs"}})
    direct = payloads.mention({"event": {"user": "U1", "channel": "D1", "ts": "5.0", "channel_type": "im"}})

    assert "5.0" == mention.place.thread_ts
    assert direct.place.thread_ts is None


def test_a_submission_gives_every_input_by_its_block() -> None:
    view = {
        "id": "V1",
        "callback_id": "mute",
        "private_metadata": "m",
        "state": {
            "values": {
                "span": {"span": {"selected_option": {"value": "2h"}}},
                "reason": {"reason": {"value": "loading data"}},
                "custom_span": {"custom_span": {"value": None}},
            }
        },
    }

    submitted = payloads.submission({"user": {"id": "U1"}, "view": view})

    assert {"span": "2h", "reason": "loading data"} == submitted.inputs


@pytest.mark.parametrize("read", [payloads.command, payloads.click, payloads.submission, payloads.mention])
def test_an_empty_payload_raises_nothing(read: Any) -> None:
    assert "" == read({}).user
