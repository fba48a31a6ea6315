"""What a person can do, what reaches the app of it, and what Slack's own client shows or refuses."""

import asyncio
import re
from typing import Any

import aiohttp
import pytest
from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncRespond
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.simulator.slack import SlackServer, Timing, Workspace
from bot.simulator.slack.errors import PersonError

from .conftest import Clock, linked
from .test_blockkit import button, field, modal, options, plain, section, select


def card(*elements: Any) -> list[Any]:
    return [section(), {"type": "actions", "block_id": "acts", "elements": list(elements)}]


async def posted(client: AsyncWebClient, *elements: Any) -> str:
    return str((await client.chat_postMessage(channel="C01ALERTS", text="card", blocks=card(*elements)))["ts"])


@pytest.fixture
def seen(app: AsyncApp) -> list[Any]:
    """The bodies of all actions, acknowledged at once."""
    bodies: list[Any] = []

    @app.action({"type": "block_actions", "action_id": re.compile(".*")})
    async def record(ack: AsyncAck, body: dict[str, Any]) -> None:
        bodies.append(body)
        await ack()

    return bodies


async def test_a_click_on_a_message_carries_what_slack_sends(
    slack: SlackServer, app: AsyncApp, client: AsyncWebClient, seen: list[Any]
) -> None:
    ts = await posted(client, button(value="job-1"), select(initial_option=options(3)[1]))
    async with linked(slack, app):
        assert (await slack.people.click("li.wei", "gpu-alerts", ts, "stop")).ok
    (body,) = seen
    container = {"type": "message", "message_ts": ts, "channel_id": "C01ALERTS", "is_ephemeral": False}
    assert ("block_actions", container) == (body["type"], body["container"])
    assert ("U02LIWEI", "T0REDWOOD", "gpu-alerts") == (body["user"]["id"], body["team"]["id"], body["channel"]["name"])
    assert (ts, "UGPUBOT") == (body["message"]["ts"], body["message"]["user"])
    action = body["actions"][0]
    assert ("button", "stop", "acts", "job-1") == (
        action["type"],
        action["action_id"],
        action["block_id"],
        action["value"],
    )
    assert {"acts": {"pick": {"type": "static_select", "selected_option": options(3)[1]}}} == body["state"]["values"]
    assert body["response_url"].startswith(slack.url)


async def test_a_menus_value_picks_the_option_and_is_remembered(
    slack: SlackServer, app: AsyncApp, client: AsyncWebClient, seen: list[Any]
) -> None:
    overflow = {"type": "overflow", "action_id": "more", "options": options(2)}
    ts = await posted(client, select(), overflow)
    async with linked(slack, app):
        await slack.people.click("U02LIWEI", "C01ALERTS", ts, "pick", value="v2")
        await slack.people.click("U02LIWEI", "C01ALERTS", ts, "more", value="v1")
        with pytest.raises(PersonError, match="no value 'v9'"):
            await slack.people.click("U02LIWEI", "C01ALERTS", ts, "more", value="v9")
        with pytest.raises(PersonError, match="which option"):
            await slack.people.click("U02LIWEI", "C01ALERTS", ts, "more")
    assert ["v2", "v1"] == [body["actions"][0]["selected_option"]["value"] for body in seen]
    assert "v2" == seen[1]["state"]["values"]["acts"]["pick"]["selected_option"]["value"]


async def test_buttons_that_share_an_action_id_are_told_apart_by_block_or_value(
    slack: SlackServer, app: AsyncApp, client: AsyncWebClient, seen: list[Any]
) -> None:
    rows = [section(block_id=f"row{i}", accessory=button(value=f"job-{i}")) for i in range(3)]
    ts = (await client.chat_postMessage(channel="C01ALERTS", text="jobs", blocks=rows))["ts"]
    async with linked(slack, app):
        await slack.people.click("U02LIWEI", "C01ALERTS", ts, "stop", block_id="row1")
        await slack.people.click("U02LIWEI", "C01ALERTS", ts, "stop", value="job-2")
    assert [("row1", "job-1"), ("row2", "job-2")] == [
        (body["actions"][0]["block_id"], body["actions"][0]["value"]) for body in seen
    ]


async def test_a_click_on_an_ephemeral_brings_no_message_and_can_replace_it(
    slack: SlackServer, app: AsyncApp, client: AsyncWebClient
) -> None:
    bodies: list[Any] = []

    @app.action("stop")
    async def stop(ack: AsyncAck, body: dict[str, Any], respond: AsyncRespond) -> None:
        await ack()
        bodies.append(body)
        await respond(text="stopped", replace_original=True)

    ephemeral = await client.chat_postEphemeral(channel="C01ALERTS", user="U02LIWEI", text="?", blocks=card(button()))
    async with linked(slack, app):
        await slack.people.click("U02LIWEI", "C01ALERTS", ephemeral["message_ts"], "stop")
        await slack.until(lambda: slack.ephemerals("U02LIWEI")[0].text == "stopped")
        with pytest.raises(PersonError, match="no message"):
            await slack.people.click("U01CHEN", "C01ALERTS", ephemeral["message_ts"], "stop")
    assert bodies[0]["container"]["is_ephemeral"]
    assert "message" not in bodies[0]
    assert 1 == len(slack.ephemerals("U02LIWEI"))


async def test_a_command_brings_strings_and_its_answer_is_private_unless_it_says_otherwise(
    slack: SlackServer, app: AsyncApp
) -> None:
    commands: list[Any] = []

    @app.command("/gpu")
    async def gpu(ack: AsyncAck, command: dict[str, Any]) -> None:
        commands.append(command)
        await ack(text=command["text"], response_type="in_channel" if command["text"] == "show" else None)

    async with linked(slack, app):
        await slack.people.command("U01CHEN", "gpu-ops", "/gpu   top --mine ")
        await slack.people.command("U01CHEN", "@gpubot", "show")
    assert ["top --mine"] == [whisper.text for whisper in slack.ephemerals("U01CHEN")]
    assert ["show"] == [message.text for message in slack.direct_messages("U01CHEN")]
    assert ("/gpu", "gpu-ops", "false") == (
        commands[0]["command"],
        commands[0]["channel_name"],
        commands[0]["is_enterprise_install"],
    )
    assert "directmessage" == commands[1]["channel_name"]
    assert {str} == {type(value) for value in commands[0].values()}


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ({"user": "U0NOBODY", "channel": "gpu-ops", "text": "jobs"}, "nobody here is"),
        ({"user": "U06GUEST", "channel": "#nccl", "text": "jobs"}, "Sam Carter is not in nccl"),
        ({"user": "U01CHEN", "channel": "#nowhere", "text": "jobs"}, "no channel"),
        ({"user": "U01CHEN", "channel": "#gpu-ops", "text": "/cpu jobs"}, "/cpu is not a valid command"),
    ],
)
async def test_what_slacks_client_would_not_allow_is_a_sentence(slack: SlackServer, call: Any, sentence: str) -> None:
    with pytest.raises(PersonError, match=sentence):
        await slack.people.command(**call)
    assert [] == slack.delivered


async def test_a_mention_is_heard_where_the_app_is_and_direct_messages_always(
    slack: SlackServer, app: AsyncApp
) -> None:
    heard: list[Any] = []

    @app.event("app_mention")
    async def mention(event: dict[str, Any]) -> None:
        heard.append(event)

    @app.event("message")
    async def message(event: dict[str, Any]) -> None:
        heard.append(event)

    async with linked(slack, app):
        assert not (await slack.people.say("U03ANNA", "#random", "@gpubot jobs")).acknowledged
        assert not (await slack.people.say("U03ANNA", "#training", "lunch?")).acknowledged
        assert (await slack.people.say("U03ANNA", "#training", "<@UGPUBOT> jobs")).acknowledged
        assert (await slack.people.say("U03ANNA", "@gpubot", "jobs")).acknowledged
    assert [("app_mention", "<@UGPUBOT> jobs", None), ("message", "jobs", "im")] == [
        (event["type"], event["text"], event.get("channel_type")) for event in heard
    ]


@pytest.fixture
async def dialog(slack: SlackServer, app: AsyncApp, client: AsyncWebClient) -> str:
    """A trigger id of a click just made by U02LIWEI."""
    triggers: list[str] = []

    @app.action("open")
    async def opened(ack: AsyncAck, body: dict[str, Any]) -> None:
        triggers.append(body["trigger_id"])
        await ack()

    ts = await posted(client, button(action_id="open"))
    async with linked(slack, app):
        await slack.people.click("U02LIWEI", "C01ALERTS", ts, "open")
    return triggers[0]


FORM = modal(
    field({"type": "plain_text_input", "action_id": "reason", "min_length": 3}),
    field({**select(), "type": "radio_buttons", "action_id": "how"}, block_id="how", optional=True),
    callback_id="form",
)


async def refusal(call: Any) -> str:
    with pytest.raises(SlackApiError) as caught:
        await call
    return str(caught.value.response["error"])


async def test_a_trigger_opens_one_modal_and_not_for_long(
    clock: Clock, http: aiohttp.ClientSession, app: AsyncApp
) -> None:
    seconds = [0.0]
    server = SlackServer(Workspace.redwood(), clock=clock, timing=Timing(link_grace=0), monotonic=lambda: seconds[0])
    async with server.serve():
        client = AsyncWebClient("xoxb-sim-bot", base_url=server.api_url, session=http)
        first, second = server.triggers.issue("U02LIWEI"), server.triggers.issue("U02LIWEI")
        await client.views_open(trigger_id=first, view=FORM)
        assert "exchanged_trigger_id" == await refusal(client.views_open(trigger_id=first, view=FORM))
        assert "invalid_trigger_id" == await refusal(client.views_open(trigger_id="1.2", view=FORM))
        seconds[0] = 3.1
        assert "expired_trigger_id" == await refusal(client.views_open(trigger_id=second, view=FORM))


async def test_a_form_is_checked_by_the_client_then_by_the_app_then_closed(
    slack: SlackServer, app: AsyncApp, client: AsyncWebClient, dialog: str
) -> None:
    @app.view("form")
    async def submitted(ack: AsyncAck, view: dict[str, Any]) -> None:
        value = view["state"]["values"]["why"]["reason"]["value"]
        if value == "nothing":
            await ack(response_action="errors", errors={"why": "That is no reason."})
        else:
            await ack()

    view_id = (await client.views_open(trigger_id=dialog, view=FORM))["view"]["id"]
    async with linked(slack, app):
        short = await slack.people.submit("U02LIWEI", view_id, {"why": "no"})
        assert {"why": "Please enter at least 3 characters."} == short.more["errors"]
        assert [] == [d for d in slack.delivered if d.payload["type"] == "view_submission"]
        nothing = await slack.people.submit("U02LIWEI", view_id, {"why": {"reason": "nothing"}, "how": "v1"})
        assert (True, {"why": "That is no reason."}) == (nothing.acknowledged, nothing.more["errors"])
        assert {"why": "That is no reason."} == slack.views("U02LIWEI")[0].errors
        with pytest.raises(PersonError, match="no field 'colour'"):
            await slack.people.submit("U02LIWEI", view_id, {"colour": "red"})
        assert (await slack.people.submit("U02LIWEI", view_id, {"reason": "evaluation"})).ok
    last = slack.delivered[-1].payload["view"]["state"]["values"]
    assert "v1" == last["how"]["how"]["selected_option"]["value"]
    assert [] == slack.views("U02LIWEI")


@pytest.mark.parametrize(
    ("answer", "titles"),
    [
        ({"response_action": "update", "view": FORM | {"title": plain("New")}}, ["New"]),
        ({"response_action": "push", "view": FORM | {"title": plain("More")}}, ["Mute", "More"]),
        ({"response_action": "clear"}, []),
    ],
)
async def test_the_acknowledgement_of_a_form_decides_what_is_shown_next(
    slack: SlackServer, app: AsyncApp, client: AsyncWebClient, dialog: str, answer: Any, titles: list[str]
) -> None:
    @app.view("form")
    async def submitted(ack: AsyncAck) -> None:
        await ack(**answer)

    view_id = (await client.views_open(trigger_id=dialog, view=FORM))["view"]["id"]
    async with linked(slack, app):
        assert (await slack.people.submit("U02LIWEI", view_id, {"reason": "evaluation"})).ok
    assert titles == [view.content["title"]["text"] for view in slack.views("U02LIWEI")]


async def test_a_form_that_nobody_acknowledges_stays_open_with_slacks_sentence(
    slack: SlackServer, client: AsyncWebClient, dialog: str
) -> None:
    view_id = (await client.views_open(trigger_id=dialog, view=FORM))["view"]["id"]
    outcome = await slack.people.submit("U02LIWEI", view_id, {"reason": "evaluation"})
    assert (False, "dispatch_failed") == (outcome.ok, outcome.error)
    assert {"": "We had some trouble connecting. Try again?"} == slack.views("U02LIWEI")[0].errors


async def test_views_stack_three_high_and_conflict_by_hash(
    slack: SlackServer, client: AsyncWebClient, dialog: str
) -> None:
    top = (await client.views_open(trigger_id=dialog, view=FORM))["view"]
    for _ in range(2):
        trigger = slack.triggers.issue("U02LIWEI", slack.views("U02LIWEI")[-1].id)
        await client.views_push(trigger_id=trigger, view=FORM)
    trigger = slack.triggers.issue("U02LIWEI", slack.views("U02LIWEI")[-1].id)
    assert "push_limit_reached" == await refusal(client.views_push(trigger_id=trigger, view=FORM))
    assert (await client.views_update(view_id=top["id"], hash=top["hash"], view=FORM))["ok"]
    stale = client.views_update(view_id=top["id"], hash=top["hash"], view=FORM)
    assert "hash_conflict" == await refusal(stale)
    assert "not_found" == await refusal(client.views_update(view_id="V0NONE", view=FORM))
    broken = client.views_update(view_id=top["id"], view=FORM | {"title": plain("x" * 25)})
    assert "invalid_arguments" == await refusal(broken)


async def test_what_was_entered_survives_an_update_of_the_view(
    slack: SlackServer, app: AsyncApp, client: AsyncWebClient, dialog: str, seen: list[Any]
) -> None:
    asking = field({"type": "plain_text_input", "action_id": "reason"}, dispatch_action=True)
    view = (await client.views_open(trigger_id=dialog, view=modal(asking)))["view"]
    async with linked(slack, app):
        await slack.people.click("U02LIWEI", action_id="reason", value="evaluation", view_id=view["id"])
    assert {"type": "view", "view_id": view["id"]} == seen[0]["container"]
    assert {"channel", "message", "response_url"}.isdisjoint(seen[0])
    await client.views_update(view_id=view["id"], view=modal(section(), asking))
    assert {"why": {"reason": {"type": "plain_text_input", "value": "evaluation"}}} == slack.views("U02LIWEI")[
        0
    ].entries


async def test_closing_tells_the_app_only_when_it_asked(
    slack: SlackServer, app: AsyncApp, client: AsyncWebClient, dialog: str
) -> None:
    closed: list[Any] = []

    @app.view_closed("form")
    async def on_close(ack: AsyncAck, body: dict[str, Any]) -> None:
        closed.append(body["is_cleared"])
        await ack()

    view = (await client.views_open(trigger_id=dialog, view=FORM | {"notify_on_close": True}))["view"]
    async with linked(slack, app):
        assert (await slack.people.close("U02LIWEI", view["id"])).acknowledged
    assert ([False], []) == (closed, slack.views("U02LIWEI"))


async def test_an_external_menu_asks_the_app_for_its_options(
    slack: SlackServer, app: AsyncApp, client: AsyncWebClient, seen: list[Any]
) -> None:
    @app.options("job")
    async def jobs(ack: AsyncAck, payload: dict[str, Any]) -> None:
        await ack(options=options(2, payload["value"]))

    ts = await posted(client, {"type": "external_select", "action_id": "job", "min_query_length": 1})
    async with linked(slack, app):
        offered = await slack.people.suggest("U02LIWEI", "job", "llama", channel="#gpu-alerts", ts=ts)
        assert ["llama0", "llama1"] == [option["text"]["text"] for option in offered.more["options"]]
        await slack.people.click("U02LIWEI", "#gpu-alerts", ts, "job", value="v1")
    assert "llama1" == seen[0]["actions"][0]["selected_option"]["text"]["text"]


async def test_a_button_on_the_home_tab_reaches_the_app_with_its_view(
    slack: SlackServer, app: AsyncApp, client: AsyncWebClient, seen: list[Any]
) -> None:
    home = {"type": "home", "private_metadata": "page 2", "blocks": [section(accessory=button(value="job-1"))]}
    view_id = (await client.views_publish(user_id="U02LIWEI", view=home))["view"]["id"]
    async with linked(slack, app):
        assert (await slack.people.click("U02LIWEI", action_id="stop", view_id=view_id)).ok
        with pytest.raises(PersonError, match="has no view"):
            await slack.people.click("U01CHEN", action_id="stop", view_id=view_id)
    assert ("job-1", "page 2") == (seen[0]["actions"][0]["value"], seen[0]["view"]["private_metadata"])


async def test_a_home_tab_published_with_a_stale_hash_conflicts(client: AsyncWebClient) -> None:
    home = {"type": "home", "blocks": [section()]}
    first = (await client.views_publish(user_id="U02LIWEI", view=home))["view"]["hash"]
    await client.views_publish(user_id="U02LIWEI", view=home, hash=first)
    assert "hash_conflict" == await refusal(client.views_publish(user_id="U02LIWEI", view=home, hash=first))


async def test_an_acknowledgement_that_slack_cannot_use_is_shown_as_trouble(
    slack: SlackServer, app: AsyncApp, client: AsyncWebClient, dialog: str
) -> None:
    @app.view("form")
    async def submitted(ack: AsyncAck) -> None:
        await ack(response_action="errors", errors={"no_such_block": "x"})

    view_id = (await client.views_open(trigger_id=dialog, view=FORM))["view"]["id"]
    async with linked(slack, app):
        outcome = await slack.people.submit("U02LIWEI", view_id, {"reason": "evaluation"})
    assert (True, False) == (outcome.acknowledged, outcome.ok)
    assert "invalid_response_errors" in str(outcome.error)
    assert {"": "We had some trouble connecting. Try again?"} == slack.views("U02LIWEI")[0].errors


async def test_two_hundred_commands_at_once_are_all_answered(slack: SlackServer, app: AsyncApp) -> None:
    @app.command("/gpu")
    async def gpu(ack: AsyncAck, command: dict[str, Any]) -> None:
        await ack(command["text"])

    slack.state.timing = Timing()
    async with linked(slack, app):
        asking = [slack.people.command("U01CHEN", "gpu-ops", f"job {i}") for i in range(200)]
        outcomes = await asyncio.gather(*asking)
    assert all(outcome.ok for outcome in outcomes)
    assert {f"job {i}" for i in range(200)} == {whisper.text for whisper in slack.ephemerals("U01CHEN")}


@pytest.fixture
def heard(app: AsyncApp) -> list[tuple[str, str, str]]:
    """What the app hears about channels: (event, channel, who did it)."""
    events: list[tuple[str, str, str]] = []

    @app.event(re.compile("member_joined_channel|channel_unarchive"))
    async def record(event: dict[str, Any]) -> None:
        events.append((event["type"], event["channel"], event.get("inviter") or event["user"]))

    return events


async def test_the_app_hears_that_it_was_invited(
    slack: SlackServer, app: AsyncApp, heard: list[tuple[str, str, str]]
) -> None:
    async with linked(slack, app):
        slack.change_channel("#random", bot_is_member=True)
        await slack.until_delivered(1)
        slack.change_channel("#random", bot_is_member=True)  # nothing new
        slack.change_channel("#random", bot_is_member=False, topic="Tea")
    assert [("member_joined_channel", "C05RANDOM", "U01CHEN")] == heard
    assert 1 == len(slack.delivered)


async def test_the_app_hears_that_a_channel_it_is_in_was_unarchived(
    slack: SlackServer, app: AsyncApp, http: aiohttp.ClientSession, heard: list[tuple[str, str, str]]
) -> None:
    async with linked(slack, app):
        for channel in ("#nccl", "#random"):
            for archived in (True, False):
                body = {"user": "U05OMAR", "channel": channel, "is_archived": archived}
                assert 200 == (await http.post(f"{slack.url}/sim/channel", json=body)).status
        await slack.until_delivered(1)
    assert [("channel_unarchive", "C03NCCL", "U05OMAR")] == heard
    assert 1 == len(slack.delivered)


async def test_an_app_that_did_not_ask_for_them_hears_no_events_of_channels(slack: SlackServer, app: AsyncApp) -> None:
    slack.change_app(events=frozenset({"app_mention"}))
    async with linked(slack, app):
        slack.change_channel("#random", bot_is_member=True)
        await slack.people.say("U05OMAR", "#nccl", "@gpubot jobs")  # what follows has arrived
    assert ["app_mention"] == [delivery.payload["event"]["type"] for delivery in slack.delivered]
