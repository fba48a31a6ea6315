"""/sim/*: what scripts and the page rely on, shape by shape, and the live stream."""

from dataclasses import replace
from typing import Any

import aiohttp
import pytest
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.simulator.slack import SlackServer, SlashCommand, SubCommand, Timing, Workspace

from .conftest import Clock, linked
from .test_blockkit import button, field, modal, section


async def order(http: aiohttp.ClientSession, slack: SlackServer, call: str, **body: Any) -> Any:
    async with http.post(f"{slack.url}/sim/{call}", json=body) as response:
        assert 200 == response.status
        return await response.json()


async def test_a_script_lives_through_command_click_and_submit(
    slack: SlackServer, http: aiohttp.ClientSession, app: AsyncApp, client: AsyncWebClient
) -> None:
    @app.command("/gpu")
    async def gpu(ack: AsyncAck) -> None:
        await ack(text="jobs", blocks=[section(block_id="row", accessory=button(value="job-1"))])

    @app.action("stop")
    async def stop(ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        form = modal(field({"type": "plain_text_input", "action_id": "reason"}), callback_id="form")
        await client.views_open(trigger_id=body["trigger_id"], view=form)

    @app.view("form")
    async def submitted(ack: AsyncAck) -> None:
        await ack(response_action="errors", errors={"why": "no"})

    async with linked(slack, app):
        command = await order(http, slack, "command", user="U01CHEN", channel="#gpu-ops", text="/gpu jobs")
        assert (True, True) == (command["ok"], command["acknowledged"])
        assert 0 <= command["ack_ms"] < 300
        (whisper,) = await ephemerals(http, slack, "U01CHEN")
        assert ("C02OPS", "jobs", "row") == (whisper["channel"], whisper["text"], whisper["blocks"][0]["block_id"])
        click = {"user": "U01CHEN", "channel": "gpu-ops", "ts": whisper["ts"], "action_id": "stop"}
        assert (await order(http, slack, "click", **click))["ok"]
        await slack.until(lambda: slack.views("U01CHEN"))
        (view,) = (await state(http, slack))["views"]["U01CHEN"]
        assert ("form", "Mute") == (view["callback_id"], view["title"]["text"])
        values = {"why": {"reason": "because"}}
        refused = await order(http, slack, "submit", user="U01CHEN", view_id=view["id"], values=values)
    assert (False, {"why": "no"}, view["id"]) == (refused["ok"], refused["errors"], refused["view"]["id"])


async def state(http: aiohttp.ClientSession, slack: SlackServer) -> Any:
    async with http.get(f"{slack.url}/sim/state") as response:
        return await response.json()


async def ephemerals(http: aiohttp.ClientSession, slack: SlackServer, user: str) -> list[Any]:
    whispers: list[Any] = (await state(http, slack))["ephemerals"][user]
    return whispers


async def test_the_state_has_its_fixed_shape(
    slack: SlackServer, http: aiohttp.ClientSession, client: AsyncWebClient
) -> None:
    ts = (await client.chat_postMessage(channel="C01ALERTS", text="card", blocks=[section(block_id="s")]))["ts"]
    await client.chat_postMessage(channel="C01ALERTS", text="reply", thread_ts=ts)
    await client.views_publish(user_id="U03ANNA", view={"type": "home", "blocks": [section()]})
    seen = await state(http, slack)
    assert {"users", "channels", "ephemerals", "views", "homes"} == set(seen)
    assert {"id": "U01CHEN", "name": "chen.jing"} in seen["users"]
    alerts = next(channel for channel in seen["channels"] if channel["name"] == "gpu-alerts")
    card, reply = alerts["messages"]
    assert (ts, "UGPUBOT", "card", [section(block_id="s")]) == tuple(card[k] for k in ("ts", "user", "text", "blocks"))
    assert (ts, "reply") == (reply["thread_ts"], reply["text"])
    assert "thread_ts" not in card
    assert "home" == seen["homes"]["U03ANNA"]["type"]
    assert {user["id"]: [] for user in seen["users"]} == seen["views"]


@pytest.mark.parametrize(
    ("call", "body", "sentence"),
    [
        ("command", {"user": "U01CHEN", "channel": "#nowhere", "text": "jobs"}, "there is no channel '#nowhere'"),
        ("command", {"channel": "#gpu-ops", "text": "jobs"}, "user is missing"),
        ("say", {"user": "U01CHEN", "channel": "#gpu-ops", "text": 7}, "text must be a string"),
        ("click", {"user": "U01CHEN", "channel": "#gpu-ops", "ts": "1.1", "action_id": "x"}, "there is no message 1.1"),
        ("submit", {"user": "U01CHEN", "view_id": "V1", "values": {}}, "Chen Jing 陈静 has no view V1 open"),
        ("delete", {"channel": "#gpu-ops", "ts": "1.1"}, "there is no message 1.1"),
        ("channel", {"channel": "#nowhere"}, "channel_not_found"),
    ],
)
async def test_a_mistake_is_answered_with_a_sentence(
    slack: SlackServer, http: aiohttp.ClientSession, call: str, body: Any, sentence: str
) -> None:
    answer = await order(http, slack, call, **body)
    assert not answer["ok"]
    assert sentence in answer["error"]


async def test_an_unknown_action_names_those_that_are_there(
    slack: SlackServer, http: aiohttp.ClientSession, client: AsyncWebClient
) -> None:
    blocks = [{"type": "actions", "elements": [button()]}]
    ts = (await client.chat_postMessage(channel="C01ALERTS", text="card", blocks=blocks))["ts"]
    answer = await order(http, slack, "click", user="U01CHEN", channel="C01ALERTS", ts=ts, action_id="start")
    assert "nothing here has action_id 'start'; there is: stop" == answer["error"]


async def test_a_channel_can_be_changed_from_outside(slack: SlackServer, http: aiohttp.ClientSession) -> None:
    await order(http, slack, "channel", channel="#nccl", name="fabric", bot_is_member=False, is_archived=True)
    channel = slack.state.channel("#fabric")
    assert (True, False) == (channel.is_archived, "UGPUBOT" in channel.members)


async def test_a_permalink_leads_to_its_place_on_the_page(
    slack: SlackServer, http: aiohttp.ClientSession, client: AsyncWebClient
) -> None:
    card = (await client.chat_postMessage(channel="C01ALERTS", text="card"))["ts"]
    reply = (await client.chat_postMessage(channel="C01ALERTS", text="reply", thread_ts=card))["ts"]
    for ts, place in ((card, {}), (reply, {"thread": card})):
        link = (await client.chat_getPermalink(channel="C01ALERTS", message_ts=ts))["permalink"]
        async with http.get(link) as response:
            assert 200 == response.status
            assert {"channel": "C01ALERTS", "message": ts} | place == dict(response.url.query)
            assert "/" == response.url.path


async def test_the_stream_tells_the_words_that_a_command_takes(clock: Clock, http: aiohttp.ClientSession) -> None:
    jobs = SubCommand("jobs", "[--mine]", "Jobs of all clouds")
    redwood = Workspace.redwood()
    app = replace(redwood.app, commands=(SlashCommand("/gpu", "GPUs", subcommands=(jobs,)),))
    server = SlackServer(replace(redwood, app=app), clock=clock, timing=Timing.quick())
    async with server.serve(), http.ws_connect(f"{server.url}/sim/stream?user=U01CHEN") as stream:
        (command,) = (await stream.receive_json())["commands"]
    assert [{"name": "jobs", "hint": "[--mine]", "description": "Jobs of all clouds"}] == command["subcommands"]


async def test_the_stream_begins_in_full_and_goes_on_with_what_changed(
    slack: SlackServer, http: aiohttp.ClientSession, client: AsyncWebClient, clock: Clock
) -> None:
    ts = (await client.chat_postMessage(channel="C01ALERTS", text="card"))["ts"]
    async with http.ws_connect(f"{slack.url}/sim/stream?user=U01CHEN") as stream:
        full = await stream.receive_json()
        assert ("full", 1, "U01CHEN", 1796112000.0, 1.0) == tuple(
            full[k] for k in ("type", "rev", "me", "now", "speed")
        )
        assert {"name": "Redwood AI", "domain": "redwood-ai"} == full["team"]
        assert ["card"] == [message["text"] for message in full["messages"]]
        assert ["D01CHEN"] == [channel["id"] for channel in full["channels"] if channel["kind"] == "im"]
        assert ["/gpu"] == [command["command"] for command in full["commands"]]
        clock.advance(5)
        await client.chat_postMessage(channel="C01ALERTS", text="reply", thread_ts=ts)
        await client.chat_postEphemeral(channel="C01ALERTS", user="U01CHEN", text="for you")
        delta = await stream.receive_json()
        while "ephemerals" not in delta:
            delta = {**delta, **await stream.receive_json()}
        assert ("delta", 1796112005.0) == (delta["type"], delta["now"])
        assert ["reply", "card"] == [message["text"] for message in delta["messages"]]
        assert ["for you"] == [whisper["text"] for whisper in delta["ephemerals"]]
        assert "users" not in delta


async def test_the_stream_tells_of_edits_deletions_views_homes_and_channels(
    slack: SlackServer, http: aiohttp.ClientSession, client: AsyncWebClient
) -> None:
    ts = (await client.chat_postMessage(channel="C01ALERTS", text="card"))["ts"]
    async with http.ws_connect(f"{slack.url}/sim/stream?user=U01CHEN") as stream:
        await stream.receive_json()
        await client.chat_update(channel="C01ALERTS", ts=ts, text="new")
        edited = (await stream.receive_json())["messages"][0]
        assert ("new", True) == (edited["text"], "edited" in edited)
        await client.chat_delete(channel="C01ALERTS", ts=ts)
        assert (await stream.receive_json())["messages"][0]["deleted"]
        view = modal(section(), private_metadata="secret")
        await client.views_open(trigger_id=slack.triggers.issue("U01CHEN"), view=view)
        views = (await stream.receive_json())["views"]
        assert ["Mute"] == [shown["title"]["text"] for shown in views]
        assert "private_metadata" not in views[0]
        await client.views_publish(user_id="U01CHEN", view={"type": "home", "blocks": [section()]})
        assert "home" == (await stream.receive_json())["home"]["type"]
        slack.change_channel("#nccl", topic="Fabric")
        assert ["Fabric"] == [channel["topic"] for channel in (await stream.receive_json())["channels"]]


async def test_a_viewer_sees_neither_others_direct_messages_nor_their_ephemerals(
    slack: SlackServer, http: aiohttp.ClientSession, client: AsyncWebClient
) -> None:
    async with http.ws_connect(f"{slack.url}/sim/stream?user=U01CHEN") as stream:
        await stream.receive_json()
        await client.chat_postMessage(channel="U02LIWEI", text="private")
        await client.chat_postEphemeral(channel="C01ALERTS", user="U02LIWEI", text="private")
        await client.chat_postMessage(channel="C01ALERTS", text="public")
        delta = await stream.receive_json()
    assert (["public"], 2) == ([message["text"] for message in delta["messages"]], delta["rev"])
    assert "ephemerals" not in delta


async def test_the_page_is_served_and_nothing_beside_it(slack: SlackServer, http: aiohttp.ClientSession) -> None:
    async with http.get(f"{slack.url}/page/..%2fslack%2fserver.py") as response:
        assert 404 == response.status
    async with http.get(f"{slack.url}/sim/stream?user=U0NOBODY") as response:
        assert 404 == response.status
