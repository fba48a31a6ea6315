"""The Web API answers slack_sdk as Slack does: rights, channels, messages, people, and every refusal in Slack's
words."""

from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.simulator.slack import SlackServer

from .conftest import Clock

SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": "*llama*"}}


async def refused(call: Any) -> Any:
    """The answer that came with a refusal."""
    with pytest.raises(SlackApiError) as caught:
        await call
    return caught.value.response


async def test_rights_are_checked_token_by_token(slack: SlackServer, http: aiohttp.ClientSession) -> None:
    def client(token: str) -> AsyncWebClient:
        return AsyncWebClient(token=token, base_url=slack.api_url, session=http)

    async with http.post(slack.api_url + "auth.test") as response:
        assert "not_authed" == (await response.json())["error"]
    assert "invalid_auth" == (await refused(client("xoxb-other").auth_test()))["error"]
    assert "not_allowed_token_type" == (await refused(client("xapp-sim-app").auth_test()))["error"]
    opening = client("xoxb-sim-bot").apps_connections_open(app_token="xoxb-sim-bot")
    assert "not_allowed_token_type" == (await refused(opening))["error"]
    assert "UGPUBOT" == (await client("xoxb-sim-bot").auth_test())["user_id"]


async def test_a_missing_scope_is_named(slack: SlackServer, client: AsyncWebClient) -> None:
    slack.change_app(scopes=frozenset({"chat:write", "users:read"}))
    answer = await refused(client.usergroups_list())
    assert ("missing_scope", "usergroups:read") == (answer["error"], answer["needed"])
    assert "chat:write,users:read" == answer["provided"]
    assert "email" not in (await client.users_info(user="U01CHEN"))["user"]["profile"]


async def test_unknown_methods_are_unknown(client: AsyncWebClient) -> None:
    assert "unknown_method" == (await refused(client.api_call("chat.shout")))["error"]


async def test_arguments_may_come_as_query_form_or_json(slack: SlackServer, http: aiohttp.ClientSession) -> None:
    url, headers = slack.api_url + "chat.postMessage", {"Authorization": "Bearer xoxb-sim-bot"}
    form = {"channel": "C01ALERTS", "text": "form", "blocks": '[{"type":"divider"}]'}
    for arguments in (
        {"params": {"channel": "C01ALERTS", "text": "query"}},
        {"data": form},
        {"json": {"channel": "C01ALERTS", "text": "json", "blocks": [{"type": "divider"}]}},
    ):
        async with http.post(url, headers=headers, **arguments) as response:
            assert (await response.json())["ok"]
    assert [("query", 0), ("form", 1), ("json", 1)] == [(m.text, len(m.blocks)) for m in slack.messages("#gpu-alerts")]


async def test_ts_rise_strictly_though_the_clock_stands(slack: SlackServer, client: AsyncWebClient) -> None:
    stamps = [(await client.chat_postMessage(channel="C01ALERTS", text=str(i)))["ts"] for i in range(5)]
    assert ["1796112000.000000", "1796112000.000001"] == stamps[:2]
    assert sorted(set(stamps)) == stamps


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"channel": "C0NOWHERE", "text": "x"}, "channel_not_found"),
        ({"channel": "#random", "text": "x"}, "not_in_channel"),
        ({"channel": "C01ALERTS"}, "no_text"),
        ({"channel": "C01ALERTS", "text": "x", "thread_ts": "1.000001"}, "thread_not_found"),
        ({"channel": "C01ALERTS", "text": "x", "blocks": '{"type":"divider"}'}, "invalid_blocks_format"),
        ({"channel": "C01ALERTS", "text": "x", "blocks": [{"type": "nope"}]}, "invalid_blocks"),
        ({"channel": "C01ALERTS", "text": "x", "markdown_text": "y"}, "markdown_text_conflict"),
        ({"channel": "C01ALERTS", "text": "x", "metadata": {"event_type": "card"}}, "invalid_metadata_format"),
    ],
)
async def test_a_post_is_refused_in_slacks_words(client: AsyncWebClient, arguments: Any, error: str) -> None:
    assert error == (await refused(client.api_call("chat.postMessage", json=arguments)))["error"]


async def test_refused_blocks_come_with_pointers(client: AsyncWebClient) -> None:
    answer = await refused(client.chat_postMessage(channel="C01ALERTS", text="x", blocks=[SECTION] * 51))
    assert ["no more than 50 items allowed [json-pointer:/blocks]"] == answer["errors"]
    assert ["[ERROR] no more than 50 items allowed [json-pointer:/blocks]"] == answer["response_metadata"]["messages"]


async def test_a_post_with_too_much_text_over_all_blocks_is_refused(client: AsyncWebClient) -> None:
    long = {"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3000}}
    assert (await client.chat_postMessage(channel="C01ALERTS", text="x", blocks=[long] * 4))["ok"]
    answer = await refused(client.chat_postMessage(channel="C01ALERTS", text="x", blocks=[long] * 4 + [SECTION]))
    assert "msg_blocks_too_long" == answer["error"]


@pytest.mark.parametrize(
    ("state", "error"),
    [
        ({"is_archived": True}, "is_archived"),
        ({"bot_is_member": False}, "not_in_channel"),
        ({"posting": "read_only"}, "restricted_action_read_only_channel"),
        ({"posting": "thread_only"}, "restricted_action_thread_only_channel"),
    ],
)
async def test_a_channels_state_decides_who_may_post(
    slack: SlackServer, client: AsyncWebClient, state: Any, error: str
) -> None:
    slack.change_channel("#gpu-alerts", **state)
    assert error == (await refused(client.chat_postMessage(channel="C01ALERTS", text="x")))["error"]


async def test_threads_can_be_locked_or_forbidden(slack: SlackServer, client: AsyncWebClient) -> None:
    ts = (await client.chat_postMessage(channel="C01ALERTS", text="card"))["ts"]
    reply = (await client.chat_postMessage(channel="C01ALERTS", text="reply", thread_ts=ts))["ts"]
    to_reply = client.chat_postMessage(channel="C01ALERTS", text="x", thread_ts=reply)
    assert "cannot_reply_to_message" == (await refused(to_reply))["error"]
    slack.change_channel("#gpu-alerts", locked_threads=frozenset({ts}))
    to_locked = client.chat_postMessage(channel="C01ALERTS", text="x", thread_ts=ts)
    assert "restricted_action_thread_locked" == (await refused(to_locked))["error"]
    slack.change_channel("#gpu-alerts", posting="no_threads")
    to_any = client.chat_postMessage(channel="C01ALERTS", text="x", thread_ts=ts)
    assert "restricted_action_non_threadable_channel" == (await refused(to_any))["error"]


async def test_a_renamed_channel_keeps_its_id_and_loses_its_name(slack: SlackServer, client: AsyncWebClient) -> None:
    slack.change_channel("#nccl", name="fabric")
    assert (await client.chat_postMessage(channel="C03NCCL", text="x"))["ok"]
    assert "channel_not_found" == (await refused(client.chat_postMessage(channel="#nccl", text="x")))["error"]


async def test_a_reply_to_a_deleted_parent_lands_in_the_channel(slack: SlackServer, client: AsyncWebClient) -> None:
    ts = (await client.chat_postMessage(channel="C01ALERTS", text="card"))["ts"]
    slack.people.delete("#gpu-alerts", ts)
    answer = await client.chat_postMessage(channel="C01ALERTS", text="resolved", thread_ts=ts)
    assert "thread_ts" not in answer["message"]
    assert ["resolved"] == [m.text for m in slack.messages("#gpu-alerts")]
    assert "message_not_found" == (await refused(client.chat_update(channel="C01ALERTS", ts=ts, text="y")))["error"]


async def test_an_update_keeps_what_it_does_not_name(client: AsyncWebClient, slack: SlackServer) -> None:
    metadata = {"event_type": "card", "event_payload": {"incident": 7}}
    ts = (await client.chat_postMessage(channel="C01ALERTS", text="a", blocks=[SECTION], metadata=metadata))["ts"]
    await client.chat_update(channel="C01ALERTS", ts=ts, text="b")
    (message,) = slack.messages("#gpu-alerts")
    assert ("b", 1, metadata) == (message.text, len(message.blocks), message.metadata)


async def test_updates_are_refused_when_foreign_too_long_or_too_late(
    slack: SlackServer, client: AsyncWebClient, clock: Clock
) -> None:
    said = await slack.people.say("U01CHEN", "#gpu-alerts", "hello")
    foreign = client.chat_update(channel="C01ALERTS", ts=said.more["ts"], text="x")
    assert "cant_update_message" == (await refused(foreign))["error"]
    ts = (await client.chat_postMessage(channel="C01ALERTS", text="a"))["ts"]
    long = client.chat_update(channel="C01ALERTS", ts=ts, text="x" * 4001)
    assert "msg_too_long" == (await refused(long))["error"]
    by_name = client.chat_update(channel="#gpu-alerts", ts=ts, text="x")
    assert "channel_not_found" == (await refused(by_name))["error"]
    slack.state.edit_window_seconds = 60
    clock.advance(61)
    assert "edit_window_closed" == (await refused(client.chat_update(channel="C01ALERTS", ts=ts, text="x")))["error"]


async def test_metadata_is_given_only_when_asked_for(client: AsyncWebClient) -> None:
    metadata = {"event_type": "card", "event_payload": {"mark": "m-1"}}
    await client.chat_postMessage(channel="C01ALERTS", text="a", metadata=metadata)
    plain = await client.conversations_history(channel="C01ALERTS")
    full = await client.conversations_history(channel="C01ALERTS", include_all_metadata=True)
    assert "metadata" not in plain["messages"][0]
    assert metadata == full["messages"][0]["metadata"]


async def test_history_pages_newest_first_within_its_bounds(client: AsyncWebClient, clock: Clock) -> None:
    stamps = []
    for number in range(5):
        clock.advance(10)
        stamps.append((await client.chat_postMessage(channel="C01ALERTS", text=str(number)))["ts"])
    await client.chat_postMessage(channel="C01ALERTS", text="reply", thread_ts=stamps[0])
    pages = [
        [message["text"] for message in page["messages"]]
        async for page in await client.conversations_history(channel="C01ALERTS", limit=2)
    ]
    assert [["4", "3"], ["2", "1"], ["0"]] == pages
    since = await client.conversations_history(channel="C01ALERTS", oldest=stamps[1], latest=stamps[3])
    assert ["2"] == [message["text"] for message in since["messages"]]
    inclusive = await client.conversations_history(channel="C01ALERTS", oldest=stamps[1], inclusive=True)
    assert ["4", "3", "2", "1"] == [message["text"] for message in inclusive["messages"]]
    thread = await client.conversations_replies(channel="C01ALERTS", ts=stamps[0])
    assert [("0", 1), ("reply", None)] == [(m["text"], m.get("reply_count")) for m in thread["messages"]]
    assert "thread_not_found" == (await refused(client.conversations_replies(channel="C01ALERTS", ts="1.2")))["error"]


async def test_channels_can_be_listed_page_by_page_and_joined(client: AsyncWebClient) -> None:
    names = [
        channel["name"]
        async for page in await client.conversations_list(limit=2, exclude_archived=True)
        for channel in page["channels"]
    ]
    assert ["gpu-alerts", "gpu-ops", "nccl", "training", "random"] == names
    assert "invalid_cursor" == (await refused(client.conversations_list(cursor="???")))["error"]
    assert "invalid_types" == (await refused(client.conversations_list(types="open")))["error"]
    assert not (await client.conversations_info(channel="C05RANDOM"))["channel"]["is_member"]
    await client.conversations_join(channel="C05RANDOM")
    assert (await client.chat_postMessage(channel="#random", text="hello"))["ok"]
    members = await client.conversations_members(channel="C03NCCL")
    assert "U06GUEST" not in members["members"]


async def test_people_and_groups_can_be_looked_up(client: AsyncWebClient, slack: SlackServer) -> None:
    found = await client.users_lookupByEmail(email="Li.Wei@example.com")
    assert "U02LIWEI" == found["user"]["id"]
    assert "users_not_found" == (await refused(client.users_lookupByEmail(email="nobody@example.com")))["error"]
    info = (await client.users_info(user="U01CHEN", include_locale=True))["user"]
    assert ("zh-CN", "Asia/Shanghai", 28800) == (info["locale"], info["tz"], info["tz_offset"])
    assert "user_not_found" == (await refused(client.users_info(user="U0NOBODY")))["error"]
    assert 7 == len((await client.users_list())["members"])
    assert ["gpu-oncall"] == [group["handle"] for group in (await client.usergroups_list())["usergroups"]]
    assert ["U01CHEN"] == (await client.usergroups_users_list(usergroup="S01ONCALL"))["users"]
    slack.change_person("U02LIWEI", is_deleted=True)
    assert (await client.users_info(user="U02LIWEI"))["user"]["deleted"]
    assert "users_not_found" == (await refused(client.users_lookupByEmail(email="li.wei@example.com")))["error"]


async def test_direct_messages_are_a_channel_of_their_own(client: AsyncWebClient, slack: SlackServer) -> None:
    opened = await client.conversations_open(users="U02LIWEI")
    await client.chat_postMessage(channel=opened["channel"]["id"], text="by id")
    await client.chat_postMessage(channel="U02LIWEI", text="by person")
    assert ["by id", "by person"] == [message.text for message in slack.direct_messages("U02LIWEI")]


async def test_an_ephemeral_needs_its_reader_in_the_channel(client: AsyncWebClient, slack: SlackServer) -> None:
    absent = client.chat_postEphemeral(channel="C03NCCL", user="U06GUEST", text="x")
    assert "user_not_in_channel" == (await refused(absent))["error"]
    await client.chat_postEphemeral(channel="C03NCCL", user="U01CHEN", text="only you")
    assert ["only you"] == [whisper.text for whisper in slack.ephemerals("U01CHEN")]
    assert [] == slack.ephemerals("U02LIWEI")


async def test_an_ephemeral_in_a_thread_without_replies_is_seen_by_nobody(
    client: AsyncWebClient, slack: SlackServer
) -> None:
    ts = (await client.chat_postMessage(channel="C01ALERTS", text="card"))["ts"]
    assert (await client.chat_postEphemeral(channel="C01ALERTS", user="U01CHEN", text="x", thread_ts=ts))["ok"]
    assert [] == slack.ephemerals("U01CHEN")
    await slack.people.say("U01CHEN", "#gpu-alerts", "what is it?", ts)
    await client.chat_postEphemeral(channel="C01ALERTS", user="U01CHEN", text="x", thread_ts=ts)
    assert [ts] == [whisper.thread_ts for whisper in slack.ephemerals("U01CHEN")]


async def test_reactions_permalinks_bookmarks_and_deletion(client: AsyncWebClient, slack: SlackServer) -> None:
    ts = (await client.chat_postMessage(channel="C01ALERTS", text="card"))["ts"]
    await client.reactions_add(channel="C01ALERTS", timestamp=ts, name="eyes")
    again = client.reactions_add(channel="C01ALERTS", timestamp=ts, name="eyes")
    assert "already_reacted" == (await refused(again))["error"]
    assert (("eyes", ("UGPUBOT",)),) == slack.messages("#gpu-alerts")[0].reactions
    await client.reactions_remove(channel="C01ALERTS", timestamp=ts, name="eyes")
    gone = client.reactions_remove(channel="C01ALERTS", timestamp=ts, name="eyes")
    assert "no_reaction" == (await refused(gone))["error"]
    link = (await client.chat_getPermalink(channel="C01ALERTS", message_ts=ts))["permalink"]
    assert f"{slack.url}/archives/C01ALERTS/p{ts.replace('.', '')}" == link
    await client.bookmarks_add(channel_id="C01ALERTS", title="runbook", type="link", link="https://example.com")
    assert ["runbook"] == [b["title"] for b in (await client.bookmarks_list(channel_id="C01ALERTS"))["bookmarks"]]
    await client.chat_delete(channel="C01ALERTS", ts=ts)
    assert [] == slack.messages("#gpu-alerts")


async def test_an_upload_is_shared_a_little_after_it_was_completed(
    client: AsyncWebClient, slack: SlackServer, http: aiohttp.ClientSession
) -> None:
    ts = (await client.chat_postMessage(channel="C01ALERTS", text="card"))["ts"]
    done = await client.files_upload_v2(
        channel="C01ALERTS", thread_ts=ts, content="step 1\nstep 2\n", filename="log.txt", initial_comment="the tail"
    )
    file_id = done["files"][0]["id"]
    assert {} == (await client.files_info(file=file_id))["file"]["shares"]
    await slack.until(lambda: slack.thread("#gpu-alerts", ts))
    (message,) = slack.thread("#gpu-alerts", ts)
    assert ("the tail", (file_id,)) == (message.text, message.files)
    shares = (await client.files_info(file=file_id))["file"]["shares"]
    assert {"public": {"C01ALERTS": [{"ts": message.ts}]}} == shares
    async with http.get(f"{slack.url}/sim/files/{file_id}") as response:
        assert b"step 1\nstep 2\n" == await response.read()


async def test_a_message_shows_a_picture_only_once_slack_has_examined_it(
    client: AsyncWebClient, slack: SlackServer
) -> None:
    done = await client.files_upload_v2(content=b"not looked at", filename="use.png")
    file_id = done["files"][0]["id"]
    picture = {"type": "image", "slack_file": {"id": file_id}, "alt_text": "use"}
    early = await refused(client.chat_postMessage(channel="C01ALERTS", text="use", blocks=[picture]))
    assert ["invalid slack file [json-pointer:/blocks/0/slack_file]"] == early["errors"]
    assert "" == (await client.files_info(file=file_id))["file"]["mimetype"]
    await slack.until(lambda: slack.state.files[file_id].is_examined)
    assert "image/png" == (await client.files_info(file=file_id))["file"]["mimetype"]
    await client.chat_postMessage(channel="C01ALERTS", text="use", blocks=[picture])


async def test_an_upload_of_another_length_than_announced_is_refused(
    client: AsyncWebClient, http: aiohttp.ClientSession
) -> None:
    asked = await client.files_getUploadURLExternal(filename="log.txt", length=10)
    async with http.post(asked["upload_url"], data=b"short") as response:
        assert 400 == response.status
    unfinished = client.files_completeUploadExternal(files=[{"id": asked["file_id"]}])
    assert "file_not_found" == (await refused(unfinished))["error"]


async def test_every_request_is_on_record_without_its_token(slack: SlackServer, client: AsyncWebClient) -> None:
    await client.chat_postMessage(channel="C01ALERTS", text="a")
    await refused(client.chat_postMessage(channel="C0NOWHERE", text="b"))
    posts = [(call.args["text"], call.outcome, call.committed) for call in slack.journal.of("chat.postMessage")]
    assert [("a", "ok", True), ("b", "channel_not_found", False)] == posts
    assert "xoxb" not in repr(slack.requests)


async def test_text_beyond_forty_thousand_characters_is_cut(slack: SlackServer, client: AsyncWebClient) -> None:
    await client.chat_postMessage(channel="C01ALERTS", text="x" * 40_001)
    assert 40_000 == len(slack.messages("#gpu-alerts")[0].text)


async def test_blocks_without_ids_get_ids_and_those_that_have_them_keep_them(
    slack: SlackServer, client: AsyncWebClient
) -> None:
    button = {"type": "button", "text": {"type": "plain_text", "text": "Stop"}}
    blocks: list[dict[str, Any]] = [
        {"type": "actions", "elements": [button]},
        {"type": "divider", "block_id": "line"},
    ]
    await client.chat_postMessage(channel="C01ALERTS", text="x", blocks=blocks)
    actions, line = slack.messages("#gpu-alerts")[0].blocks
    assert actions["block_id"]
    assert actions["elements"][0]["action_id"]
    assert "line" == line["block_id"]


async def test_another_sites_page_is_kept_out(slack: SlackServer, http: aiohttp.ClientSession) -> None:
    for origin, status in (("http://evil.example", 403), (slack.url, 200)):
        async with http.get(f"{slack.url}/sim/state", headers={"Origin": origin}) as response:
            assert status == response.status
