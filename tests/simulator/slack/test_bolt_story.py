"""A stock Bolt app lives through everything a person does: the simulated Slack must look to it like the real one."""

from typing import Any

from slack_bolt.async_app import AsyncAck, AsyncApp, AsyncRespond
from slack_sdk.web.async_client import AsyncWebClient

from bot.simulator.slack import SlackServer

from .conftest import linked

CARD: list[dict[str, Any]] = [
    {"type": "section", "text": {"type": "mrkdwn", "text": "job *llama* is idle"}},
    {
        "type": "actions",
        "block_id": "acts",
        "elements": [
            {"type": "button", "action_id": "mute", "text": {"type": "plain_text", "text": "Mute…"}, "value": "job-1"},
        ],
    },
]
DIALOG = {
    "type": "modal",
    "callback_id": "mute_dialog",
    "private_metadata": "job-1",
    "title": {"type": "plain_text", "text": "Mute"},
    "submit": {"type": "plain_text", "text": "Mute"},
    "blocks": [
        {
            "type": "input",
            "block_id": "why",
            "label": {"type": "plain_text", "text": "Why?"},
            "element": {"type": "plain_text_input", "action_id": "reason"},
        }
    ],
}


async def test_a_command_is_acknowledged_and_answered_posted_threaded_and_updated(
    slack: SlackServer, app: AsyncApp, client: AsyncWebClient
) -> None:
    @app.command("/gpu")
    async def gpu(ack: AsyncAck, respond: AsyncRespond, command: dict[str, Any]) -> None:
        await ack()
        await respond(text=f"you asked {command['text']}")
        card = await client.chat_postMessage(channel="#gpu-alerts", text="idle", blocks=CARD)
        await client.chat_postMessage(channel=card["channel"], thread_ts=card["ts"], text="since 09:00")
        await client.chat_update(channel=card["channel"], ts=card["ts"], text="still idle")

    async with linked(slack, app):
        outcome = await slack.people.command("U01CHEN", "#gpu-ops", "/gpu jobs --mine")
        assert outcome.ok
        await slack.until(lambda: any(m.edited_ts for m in slack.messages("#gpu-alerts")))

    assert ["you asked jobs --mine"] == [w.text for w in slack.ephemerals("U01CHEN")]
    card, reply = slack.messages("gpu-alerts")
    assert ("still idle", card.ts) == (card.text, reply.thread_ts)
    assert [reply] == slack.thread("C01ALERTS", card.ts)


async def test_a_button_opens_a_modal_whose_submission_reaches_the_app(
    slack: SlackServer, app: AsyncApp, client: AsyncWebClient
) -> None:
    seen: list[Any] = []

    @app.action("mute")
    async def mute(ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=DIALOG)

    @app.view("mute_dialog")
    async def muted(ack: AsyncAck, view: dict[str, Any]) -> None:
        seen.append((view["private_metadata"], view["state"]["values"]["why"]["reason"]["value"]))
        await ack()

    card = await client.chat_postMessage(channel="C01ALERTS", text="idle", blocks=CARD)
    async with linked(slack, app):
        assert (await slack.people.click("U05OMAR", "gpu-alerts", card["ts"], "mute")).acknowledged
        await slack.until(lambda: slack.views("U05OMAR"))
        view = slack.views("U05OMAR")[0]
        empty = await slack.people.submit("U05OMAR", view.id, {})
        assert {"why": "Please complete this required field."} == empty.more["errors"]
        assert (await slack.people.submit("U05OMAR", view.id, {"reason": "a long evaluation"})).ok

    assert [("job-1", "a long evaluation")] == seen
    assert [] == slack.views("U05OMAR")


async def test_home_and_mention_reach_the_app(slack: SlackServer, app: AsyncApp, client: AsyncWebClient) -> None:
    @app.event("app_home_opened")
    async def home(event: dict[str, Any]) -> None:
        await client.views_publish(user_id=event["user"], view={"type": "home", "blocks": CARD[:1]})

    @app.event("app_mention")
    async def mention(event: dict[str, Any]) -> None:
        await client.chat_postMessage(channel=event["channel"], thread_ts=event["thread_ts"], text="here")

    card = await client.chat_postMessage(channel="C01ALERTS", text="idle")
    async with linked(slack, app):
        await slack.people.home("U03ANNA")
        said = await slack.people.say("U03ANNA", "#gpu-alerts", "@gpubot pods", card["ts"])
        assert said.acknowledged
        await slack.until(lambda: slack.home("U03ANNA") and len(slack.thread("#gpu-alerts", card["ts"])) == 2)

    assert ["<@UGPUBOT> pods", "here"] == [m.text for m in slack.thread("#gpu-alerts", card["ts"])]
