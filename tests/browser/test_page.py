"""The simulated Slack's page in a real browser, with no app behind it: what a person sees."""

import re
from dataclasses import replace

import pytest
from playwright.async_api import Page, expect

from bot.simulator.slack import SlackServer
from bot.simulator.slack.records import Ephemeral, Json, StoredFile
from tests.browser.scene import NOON_UNIX, OPTIONS, button, mrkdwn, plain, post, section, visit

pytestmark = pytest.mark.browser

PICTURE = b'<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"/>'
RICH = {
    "type": "rich_text",
    "elements": [
        {
            "type": "rich_text_section",
            "elements": [
                {"type": "text", "text": "bold", "style": {"bold": True}},
                {"type": "link", "url": "https://example.com/", "text": "a link"},
                {"type": "user", "user_id": "U03ANNA"},
                {"type": "usergroup", "usergroup_id": "S01ONCALL"},
                {"type": "channel", "channel_id": "C03NCCL"},
                {"type": "emoji", "name": "eyes", "unicode": "1f440"},
                {"type": "date", "timestamp": NOON_UNIX, "format": "{time}", "fallback": "noon"},
            ],
        },
        {
            "type": "rich_text_list",
            "style": "ordered",
            "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "first"}]}],
        },
        {"type": "rich_text_quote", "elements": [{"type": "text", "text": "quoted"}]},
        {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "  kept   as it is"}]},
    ],
}
TABLE = {
    "type": "table",
    "column_settings": [{"align": "left"}, {"align": "right"}],
    "rows": [
        [{"type": "raw_text", "text": "Job"}, {"type": "raw_text", "text": "GPUs"}],
        [{"type": "raw_text", "text": "llama"}, {"type": "raw_text", "text": "64"}],
    ],
}
EVERY_BLOCK: tuple[Json, ...] = (
    {"type": "header", "text": plain(":red_circle: NCCL hang")},
    section(
        "*bold* _italic_ ~old~ `code`",
        accessory={"type": "overflow", "action_id": "more", "options": OPTIONS},
        fields=[mrkdwn("*Cloud*\nbeijing"), mrkdwn("*Queue*\n训练池 A")],
    ),
    {"type": "divider"},
    {
        "type": "context",
        "elements": [{"type": "image", "slack_file": {"id": "F1"}, "alt_text": "dot"}, mrkdwn(":eyes: seen")],
    },
    {
        "type": "actions",
        "elements": [
            button("Stop", "stop", style="danger"),
            button("Acknowledge", "ack", style="primary"),
            {"type": "static_select", "action_id": "mute", "placeholder": plain("Mute"), "options": OPTIONS},
            {"type": "datepicker", "action_id": "day", "initial_date": "2026-12-02"},
            {"type": "checkboxes", "action_id": "ticks", "options": OPTIONS},
            {"type": "radio_buttons", "action_id": "radio", "options": OPTIONS},
        ],
    },
    {"type": "image", "slack_file": {"id": "F1"}, "alt_text": "use", "title": plain("GPU use")},
    TABLE,
    RICH,
    {"type": "markdown", "text": "## Heading\n- point with **weight**"},
    {"type": "file", "external_id": "x", "source": "remote"},
)


def a_picture(slack: SlackServer) -> None:
    stored = StoredFile(
        "F1", "use.svg", len(PICTURE), NOON_UNIX, "token", data=PICTURE, is_complete=True, is_examined=True
    )
    slack.state.files["F1"] = replace(stored, mimetype="image/svg+xml")


async def test_every_block_is_drawn_and_the_console_stays_silent(
    page: Page, slack: SlackServer, complaints: list[str]
) -> None:
    a_picture(slack)
    message = post(slack, "C01ALERTS", "card", *EVERY_BLOCK, {"type": "data_visualization", "title": "new"})
    await visit(page, slack)
    drawn = page.locator(f'[data-ts="{message.ts}"]')
    kinds = await drawn.locator("[data-block]").evaluate_all("nodes => nodes.map(node => node.dataset.block)")
    assert [block["type"] for block in EVERY_BLOCK] + ["data_visualization"] == kinds
    await expect(drawn.locator("h3")).to_have_text("🔴 NCCL hang")
    await expect(drawn.locator(".field")).to_have_count(2)
    await expect(drawn.locator("th")).to_have_text(["Job", "GPUs"])
    await expect(drawn.locator(".rich-text")).to_contain_text("@Anna Schmidt@gpu-oncall#nccl")
    await expect(drawn.locator(".image")).to_have_js_property("naturalWidth", 20)
    await expect(drawn.locator(".block-unknown")).to_have_text("This block type is not shown here: data_visualization")
    actions = await drawn.locator("[data-action-id]").evaluate_all("nodes => nodes.map(node => node.dataset.actionId)")
    assert ["more", "stop", "ack", "mute", "day", "ticks", "radio"] == actions
    assert [] == complaints


async def test_text_from_outside_stays_text(page: Page, slack: SlackServer) -> None:
    evil = "&lt;script&gt;document.title='owned'&lt;/script&gt; &lt;!channel&gt; &amp;lt;b&amp;gt;"
    raw = "<img src=x onerror=alert(1)> <!channel>"
    message = post(slack, "C01ALERTS", "x", section(evil), {"type": "header", "text": plain(raw)})
    await visit(page, slack)
    drawn = page.locator(f'[data-ts="{message.ts}"]')
    await expect(drawn.locator(".section-text")).to_have_text(
        "<script>document.title='owned'</script> <!channel> &lt;b&gt;"
    )
    await expect(drawn.locator("h3")).to_have_text(raw)
    await expect(drawn.locator("script, .mention, img")).to_have_count(0)
    assert "owned" != await page.title()


async def test_a_dangerous_link_is_not_a_link(page: Page, slack: SlackServer) -> None:
    target = {"type": "link", "url": "javascript:alert(1)", "text": "click me"}
    rich = {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [target]}]}
    message = post(slack, "C01ALERTS", "x", rich)
    await visit(page, slack)
    drawn = page.locator(f'[data-ts="{message.ts}"] .rich-text')
    await expect(drawn).to_have_text("click me")
    await expect(drawn.locator("a")).to_have_count(0)


@pytest.mark.parametrize(
    ("user", "shown"),
    [
        ("U05OMAR", "Began today at 12:00, fell silent yesterday"),
        ("U06GUEST", "Began today at 7:00 AM, fell silent yesterday"),
        ("U01CHEN", "Began 今天 at 20:00, fell silent 昨天"),
    ],
)
async def test_a_date_token_is_written_in_the_persons_zone_and_language(
    page: Page, slack: SlackServer, user: str, shown: str
) -> None:
    began = f"<!date^{NOON_UNIX}^{{date_short_pretty}} at {{time}}|never shown>"
    silent = f"<!date^{NOON_UNIX - 86400}^{{date_pretty}}|never shown>"
    message = post(slack, "C01ALERTS", "x", section(f"Began {began}, fell silent {silent}"))
    await visit(page, slack, user)
    await expect(page.locator(f'[data-ts="{message.ts}"] .section-text')).to_have_text(shown)


async def test_a_date_token_without_a_known_field_shows_its_fallback(page: Page, slack: SlackServer) -> None:
    message = post(slack, "C01ALERTS", f"<!date^{NOON_UNIX}^{{week}}|week 49>")
    await visit(page, slack)
    await expect(page.locator(f'[data-ts="{message.ts}"] .message-text')).to_have_text("week 49")


async def test_a_thread_opens_beside_the_channel_and_takes_replies(page: Page, slack: SlackServer) -> None:
    parent = post(slack, "C01ALERTS", "card")
    post(slack, "C01ALERTS", "first reply", thread_ts=parent.ts)
    await visit(page, slack)
    line = page.locator(f'[data-ts="{parent.ts}"]').get_by_test_id("thread-line")
    await expect(line).to_contain_text("1 reply")
    await line.click()
    panel = page.get_by_test_id("thread-panel")
    await expect(panel.get_by_test_id("message")).to_contain_text(["card", "first reply"])
    await panel.get_by_test_id("thread-composer").fill("on it")
    await page.keyboard.press("Enter")
    await expect(panel.get_by_test_id("message")).to_contain_text(["card", "first reply", "on it"])
    await expect(line).to_contain_text("2 replies")
    assert ["first reply", "on it"] == [reply.text for reply in slack.thread("C01ALERTS", parent.ts)]
    await panel.get_by_test_id("thread-close").click()
    await expect(panel).to_be_hidden()


async def test_switching_the_person_changes_name_zone_and_channels(page: Page, slack: SlackServer) -> None:
    message = post(slack, "C01ALERTS", "hello")
    await visit(page, slack)
    stamp = page.locator(f'[data-ts="{message.ts}"] .stamp')
    await expect(stamp).to_have_text("12:00")
    await page.get_by_test_id("person-switch").click()
    await page.locator('.menu [data-user="U06GUEST"]').click()
    await expect(page.get_by_test_id("person-switch")).to_contain_text("Sam Carter")
    await expect(stamp).to_have_text("7:00 AM")
    await expect(page.locator('[data-channel="C03NCCL"]')).to_have_count(0)  # a guest is not in it


async def test_unread_marks_are_kept_for_each_person(page: Page, slack: SlackServer) -> None:
    await visit(page, slack)
    row = page.locator('[data-channel="C02OPS"]')
    await expect(row).not_to_have_class(re.compile(r"\bunread\b"))
    post(slack, "C02OPS", "one")
    post(slack, "C02OPS", "two for <@U05OMAR>")
    await expect(row).to_have_class(re.compile(r"\bunread\b"))
    await expect(row.locator(".badge-urgent")).to_have_text("2")
    await row.click()
    await expect(page.get_by_test_id("message")).to_have_count(2)
    await page.locator('[data-channel="C01ALERTS"]').click()
    await expect(row).not_to_have_class(re.compile(r"\bunread\b"))
    await page.reload()
    await expect(row).not_to_have_class(re.compile(r"\bunread\b"))
    await visit(page, slack, "U03ANNA")
    await expect(row.locator(".badge")).to_have_text("2")  # she has read nothing yet


async def test_messages_change_and_vanish_without_a_reload(page: Page, slack: SlackServer) -> None:
    await visit(page, slack)
    message = post(slack, "C01ALERTS", "firing")
    drawn = page.locator(f'[data-ts="{message.ts}"]')
    await expect(drawn).to_contain_text("firing")
    slack.state.keep(replace(message, text="resolved", edited_ts=slack.state.new_ts()))
    await expect(drawn).to_contain_text("resolved (edited)")
    slack.state.keep(replace(message, is_deleted=True))
    await expect(drawn).to_have_count(0)


async def test_a_reader_further_up_is_not_moved_by_a_new_message(page: Page, slack: SlackServer) -> None:
    for number in range(60):
        post(slack, "C01ALERTS", f"line {number}")
    await visit(page, slack)
    scroller = page.locator("#channel-scroller")
    await expect(page.get_by_text("line 59")).to_be_in_viewport()
    await scroller.evaluate("node => node.scrollTop = 100")
    post(slack, "C01ALERTS", "news")
    await expect(page.get_by_role("button", name="New messages")).to_be_visible()
    assert 100 == await scroller.evaluate("node => node.scrollTop")
    await page.get_by_role("button", name="New messages").click()
    await expect(page.get_by_text("news", exact=True)).to_be_in_viewport()


async def test_a_text_file_is_previewed_and_can_be_downloaded(page: Page, slack: SlackServer) -> None:
    log = "\n".join(f"step {number} <b>" for number in range(40)).encode()
    slack.state.files["F2"] = StoredFile(
        "F2", "rank3.log", len(log), NOON_UNIX, "t", "Log", "", "text/plain", log, True, True
    )
    post(slack, "C01ALERTS", "log", files=("F2",))
    await visit(page, slack)
    box = page.locator('[data-file="F2"]')
    await expect(box.locator("pre")).to_contain_text("step 0 <b>")
    await expect(box.get_by_role("link")).to_have_attribute("href", "/sim/files/F2")


async def test_a_private_answer_is_seen_by_its_reader_only(page: Page, slack: SlackServer) -> None:
    slack.state.whisper(Ephemeral("U05OMAR", "C01ALERTS", slack.state.new_ts(), "UGPUBOT", "three jobs run"))
    await visit(page, slack)
    await expect(page.get_by_test_id("ephemeral")).to_contain_text("three jobs run")
    await visit(page, slack, "U03ANNA")
    await expect(page.get_by_test_id("ephemeral")).to_have_count(0)


async def test_a_narrow_window_hides_the_channels_behind_a_button(page: Page, slack: SlackServer) -> None:
    await page.set_viewport_size({"width": 420, "height": 800})
    post(slack, "C01ALERTS", "card", *EVERY_BLOCK[:3])
    await visit(page, slack)
    row = page.locator('[data-channel="C02OPS"]')
    await expect(row).not_to_be_in_viewport()
    await page.get_by_role("button", name="Show channels").click()
    await row.click()
    await expect(page.get_by_role("heading", name="gpu-ops", exact=True)).to_be_visible()
    assert 420 == await page.evaluate("document.documentElement.scrollWidth")
