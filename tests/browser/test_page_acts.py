"""The simulated Slack's page in a real browser, with no app behind it: what a person does."""

from dataclasses import replace
from typing import Any

import pytest
from playwright.async_api import Page, expect

from bot.simulator.slack import SlackServer
from bot.simulator.slack.records import View
from tests.browser.scene import OPTIONS, button, mrkdwn, plain, post, section, visit

pytestmark = pytest.mark.browser


async def test_the_composer_completes_commands_and_sends_what_was_typed(page: Page, slack: SlackServer) -> None:
    await visit(page, slack)
    composer = page.get_by_test_id("composer")
    await composer.click()
    await page.keyboard.type("/g")
    await expect(page.get_by_test_id("suggestions")).to_contain_text("help | jobs | pods | top | alarms")
    await page.keyboard.press("Tab")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(composer).to_have_value("/gpu jobs ")
    await page.keyboard.press("Escape")
    await page.keyboard.press("Enter")
    answer = page.get_by_test_id("ephemeral")  # nobody is connected, and Slack says so
    await expect(answer).to_contain_text('/gpu failed with the error "dispatch_failed"')
    await expect(answer).to_contain_text("Only visible to you")
    await answer.get_by_test_id("dismiss").click()
    await expect(answer).to_have_count(0)


async def test_what_a_person_writes_is_escaped_and_mentions_become_links(page: Page, slack: SlackServer) -> None:
    await visit(page, slack)
    await page.get_by_test_id("composer").fill("<!channel> ask @anna.schmidt & wait")
    await page.get_by_test_id("send").click()
    await expect(page.get_by_test_id("message")).to_contain_text("<!channel> ask @Anna Schmidt & wait")
    assert "&lt;!channel&gt; ask <@U03ANNA> &amp; wait" == slack.messages("C01ALERTS")[0].text


async def test_a_button_asks_before_it_acts_and_says_when_nothing_answered(page: Page, slack: SlackServer) -> None:
    sure = {"title": plain("Stop the job?"), "text": mrkdwn("*64 GPUs*"), "confirm": plain("Stop"), "deny": plain("No")}
    acts = {"type": "actions", "block_id": "acts", "elements": [button("Stop", "stop", confirm=sure)]}
    post(slack, "C01ALERTS", "x", acts)
    await visit(page, slack)
    await page.locator('[data-action-id="stop"]').click()
    await page.get_by_test_id("confirm-no").click()
    await expect(page.get_by_test_id("confirm")).to_have_count(0)
    assert [] == slack.delivered
    await page.locator('[data-action-id="stop"]').click()
    await expect(page.get_by_test_id("confirm")).to_contain_text("64 GPUs")
    await page.get_by_test_id("confirm-yes").click()
    await expect(page.get_by_test_id("toast")).to_contain_text("This button did not work.")
    assert 1 == len(slack.delivered)


async def test_an_option_of_a_menu_is_chosen_with_the_keyboard(page: Page, slack: SlackServer) -> None:
    select = {"type": "static_select", "action_id": "mute", "placeholder": plain("Mute"), "options": OPTIONS}
    post(slack, "C01ALERTS", "x", {"type": "actions", "block_id": "acts", "elements": [select]})
    await visit(page, slack)
    await page.locator('[data-action-id="mute"]').click()
    await expect(page.get_by_role("option")).to_have_text(["One hour", "One day"])
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(page.locator('[data-action-id="mute"]')).to_have_text("One day")
    await slack.until_delivered(1)
    assert "1d" == slack.delivered[0].payload["actions"][0]["selected_option"]["value"]


async def test_a_card_that_changes_keeps_the_focus_on_its_button(page: Page, slack: SlackServer) -> None:
    acts = {"type": "actions", "block_id": "acts", "elements": [button("Acknowledge", "ack")]}
    message = post(slack, "C01ALERTS", "x", section("firing"), acts)
    await visit(page, slack)
    await page.locator('[data-action-id="ack"]').focus()
    slack.state.keep(replace(message, blocks=(section("still firing"), acts)))
    await expect(page.locator(f'[data-ts="{message.ts}"]')).to_contain_text("still firing")
    await expect(page.locator('[data-action-id="ack"]')).to_be_focused()


def a_form(**changes: Any) -> View:
    why = {"type": "plain_text_input", "action_id": "why", "multiline": True}
    until = {"type": "static_select", "action_id": "until", "options": OPTIONS, "initial_option": OPTIONS[0]}
    content = {
        "type": "modal",
        "callback_id": "keep",
        "title": plain("Keep llama"),
        "submit": plain("Keep"),
        "blocks": [
            {"type": "input", "block_id": "why", "label": plain("Why"), "element": why},
            {"type": "input", "block_id": "until", "label": plain("Until"), "element": until},
        ],
    }
    return replace(View("V1", "U05OMAR", content, "h1", "V1"), **changes)


async def test_a_modal_keeps_what_was_typed_and_shows_errors_at_their_fields(page: Page, slack: SlackServer) -> None:
    await visit(page, slack)
    slack.state.set_modals("U05OMAR", (a_form(),))
    modal = page.get_by_test_id("modal")
    await expect(modal).to_contain_text("Keep llama")
    await page.get_by_test_id("modal-submit").click()
    await expect(modal.get_by_role("alert")).to_have_text("Please complete this required field.")
    await modal.get_by_label("Why").fill("debugging")
    slack.state.set_modals("U05OMAR", (a_form(hash="h2", errors={"why": "Say a little more."}),))
    await expect(modal.get_by_role("alert")).to_have_text("Say a little more.")
    await expect(modal.get_by_label("Why")).to_have_value("debugging")
    await page.get_by_test_id("modal-submit").click()
    await expect(modal.get_by_role("alert")).to_contain_text("We had some trouble connecting")
    sent = slack.delivered[-1].payload["view"]["state"]["values"]
    assert "debugging" == sent["why"]["why"]["value"]
    assert "1h" == sent["until"]["until"]["selected_option"]["value"]


async def test_escape_closes_the_modal(page: Page, slack: SlackServer) -> None:
    await visit(page, slack)
    slack.state.set_modals("U05OMAR", (a_form(),))
    await expect(page.get_by_test_id("modal")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.get_by_test_id("modal")).to_be_hidden()
    assert [] == slack.views("U05OMAR")


async def test_the_apps_home_tab_shows_what_was_published(page: Page, slack: SlackServer) -> None:
    await visit(page, slack, channel="D05OMAR")
    await page.get_by_test_id("home-tab").click()
    await expect(page.get_by_test_id("home")).to_contain_text("Nothing here yet")
    content = {"type": "home", "blocks": [section("*Your jobs*: none")]}
    slack.state.set_home(View("VH", "U05OMAR", content, "h1", "VH"))
    await expect(page.get_by_test_id("home")).to_contain_text("Your jobs: none")
