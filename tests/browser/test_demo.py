"""The demo as a person meets it: the page in a browser, the real bot behind it, clouds that stand still."""

import re
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from bot.config import AlarmSettings, UsageSettings
from bot.demo import stage, workspace
from bot.simulator.world import World
from tests.browser.scene import visit
from tests.paths.scene import ANNA, GUEST, LIWEI, OMAR, Scene, quick_slack

pytestmark = pytest.mark.browser

JOB = "llm-pretrain-70b"
NCCL, ALERTS, OPS = "C03NCCL", "C01ALERTS", "C02OPS"
PATIENT = 10_000  # ms
CALM = {  # the bot's waits pass twenty times faster, and the browser needs the processor as well
    "alarms": AlarmSettings.model_validate({"poll_every": "10s"}),
    "usage": UsageSettings.model_validate({"judge_every": "1h"}),
}


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    """The bot at work in the demo's workspace, on a fleet to which nothing happens but what the test does."""
    expect.set_options(timeout=PATIENT)
    world = World.scripted(story=False)
    async with stage(world, speed=0, slack=quick_slack(world, workspace())) as on:
        scene = Scene(on, on.settings(tmp_path / "gpubot.db").model_copy(update={"low_use": (), **CALM}))
        async with scene.bot():
            yield scene


@pytest.fixture
async def hang(scene: Scene, page: Page, complaints: list[str]) -> AsyncIterator[Locator]:
    """The card of the 64-GPU job that hangs, as the operator sees it; the browser must find nothing to complain of."""
    scene.world.hang(scene.world.job_named(JOB).id, {2: (5,), 5: (0, 1), 7: (3,)})
    await scene.said_below(await scene.card_in("nccl"), "NCCL HANG")
    await visit(page, scene.slack, OMAR, NCCL)
    yield page.get_by_test_id("message").first
    assert [] == complaints


async def typed(page: Page, text: str) -> Locator:
    """The newest private answer to what a person types and sends."""
    answers = page.get_by_test_id("ephemeral")
    before = await answers.count()
    await page.get_by_test_id("composer").click()
    await page.keyboard.insert_text(text)
    await page.keyboard.press("Escape")  # the suggestions go, the text stays
    await page.get_by_test_id("send").click()
    await expect(answers).to_have_count(before + 1)
    return answers.last


async def switch(page: Page, user: str) -> None:
    await page.get_by_test_id("person-switch").click()
    await page.locator(f'.menu [data-user="{user}"]').click()


def action(place: Page | Locator, name: str) -> Locator:
    return place.locator(f'[data-action-id="{name}"]')


async def test_a_newcomer_finds_a_command_by_its_first_letters(scene: Scene, page: Page) -> None:
    await visit(page, scene.slack, OMAR, OPS)
    composer = page.get_by_test_id("composer")
    await composer.click()
    await page.keyboard.type("/g")
    await page.keyboard.press("Tab")
    suggestions = page.get_by_test_id("suggestions")
    await expect(suggestions).to_contain_text("Jobs of all clouds")
    await page.keyboard.type("he")
    await expect(suggestions.get_by_role("option")).to_have_text([re.compile("/gpu help"), re.compile("/gpu health")])
    await page.keyboard.press("Enter")
    await expect(composer).to_have_value("/gpu help ")
    await page.keyboard.press("Enter")
    answer = page.get_by_test_id("ephemeral")
    await expect(answer).to_contain_text("What can be asked")
    await expect(answer).to_contain_text("Only visible to you")


async def test_an_answer_is_shown_to_the_channel(scene: Scene, page: Page) -> None:
    await visit(page, scene.slack, OMAR, OPS)
    answer = await typed(page, f"/gpu job {JOB}")
    await expect(answer).to_contain_text("64 × A800-80G")
    await action(answer, "show_to_channel").click()
    shown = page.get_by_test_id("message").last
    await expect(shown).to_contain_text("64 × A800-80G")
    await expect(action(shown, "show_to_channel")).to_have_count(0)


async def test_a_stop_is_asked_confirmed_and_seen_on_the_card_and_in_its_thread(
    scene: Scene, page: Page, hang: Locator
) -> None:
    await expect(hang).to_contain_text("NCCL HANG · llm-pretrain-70b")
    await hang.get_by_test_id("thread-line").click()
    thread = page.get_by_test_id("thread-panel")
    await expect(thread).to_contain_text("3 of 8 nodes carry a fault")

    await action(hang, "stop").click()
    modal = page.get_by_test_id("modal")
    await expect(modal).to_contain_text("Its processes end and its GPUs are given back")
    await expect(modal).to_contain_text("64 × A800-80G")
    await modal.get_by_label("Reason").fill("hangs since noon <!channel>")
    await page.get_by_test_id("modal-submit").click()
    await expect(hang).to_contain_text("Stopping, asked for by @Omar Haddad")
    await expect(action(hang, "stop")).to_have_count(0)

    scene.world.advance(timedelta(minutes=1))
    await expect(modal).to_contain_text(f"{JOB} is stopped now")
    await page.get_by_test_id("modal-cancel").click()
    await expect(hang).to_contain_text("Stopped by @Omar Haddad")
    await expect(hang).to_contain_text("hangs since noon <!channel>")
    await expect(hang.get_by_role("button", name="Stop job…")).to_have_count(0)
    await expect(thread).to_contain_text("64 GPUs")
    await expect(page.get_by_test_id("message").filter(has_text=f"NCCL HANG · {JOB}")).to_have_count(
        2
    )  # and in the thread
    await expect(page.get_by_test_id("toast")).to_have_count(0)


async def test_a_terminal_is_opened_for_one_person_and_the_thread_says_by_whom(
    scene: Scene, page: Page, hang: Locator
) -> None:
    await action(hang, "terminal").click()
    handed = page.get_by_test_id("ephemeral").get_by_role("button", name="Open terminal")
    async with page.context.expect_page() as opened:
        await handed.click()
    address = (await opened.value).url
    await hang.get_by_test_id("thread-line").click()
    await expect(page.get_by_test_id("thread-panel")).to_contain_text("@Omar Haddad opened a terminal")
    await switch(page, LIWEI)
    await expect(page.get_by_test_id("person-switch")).to_contain_text("Li Wei")
    await expect(page.get_by_test_id("message").first).to_contain_text("NCCL HANG")
    await expect(page.get_by_test_id("ephemeral")).to_have_count(0)
    assert address.startswith(scene.on.baidu.url)
    assert not [one for one in scene.slack.messages("nccl") if address in one.text or address in str(one.blocks)]


async def test_a_guest_is_refused_and_nothing_is_stopped(scene: Scene, page: Page, complaints: list[str]) -> None:
    scene.world.run_out_of_memory(scene.world.job_named("qwen-32b-sft").id, 1, 4)
    await scene.card_in("gpu-alerts", "qwen-32b-sft")
    await visit(page, scene.slack, OMAR, ALERTS)
    card = page.get_by_test_id("message").filter(has_text="qwen-32b-sft").first
    await expect(action(card, "stop")).to_be_visible()
    await switch(page, GUEST)
    await expect(page.get_by_test_id("person-switch")).to_contain_text("Sam Carter")
    await action(card, "stop").click()
    modal = page.get_by_test_id("modal")
    await expect(modal).to_contain_text("@gpu-oncall")
    await expect(page.get_by_test_id("modal-submit")).to_have_count(0)
    await page.keyboard.press("Escape")
    await expect(modal).to_be_hidden()
    refused = await typed(page, "/gpu stop qwen-32b-sft")
    await expect(refused).to_contain_text("Only")
    await expect(action(refused, "stop")).to_have_count(0)
    assert ([], []) == (scene.stops(), complaints)


async def test_the_home_tab_shows_what_is_open_and_the_persons_own_jobs(
    scene: Scene, page: Page, hang: Locator
) -> None:
    await expect(hang).to_be_visible()
    await visit(page, scene.slack, LIWEI, f"D{LIWEI[1:]}")
    await page.get_by_test_id("home-tab").click()
    home = page.get_by_test_id("home")
    await expect(home).to_contain_text("NCCL HANG · llm-pretrain-70b")
    await expect(home).to_contain_text("我的任务")
    await expect(home).to_contain_text("notebook-liwei")
    await home.get_by_role("link", name=re.compile(r"^#\d+$")).click()
    await expect(page.get_by_role("heading", name="nccl", exact=True)).to_be_visible()


async def test_use_over_time_comes_with_a_picture(scene: Scene, page: Page) -> None:
    pytest.importorskip("matplotlib", reason="pictures need the extra `charts`")
    await visit(page, scene.slack, ANNA, OPS)
    answer = await typed(page, "/gpu usage qwen-32b-sft --last 2h")
    await expect(answer).to_contain_text("GPU 7")
    picture = answer.get_by_role("img", name="qwen-32b-sft · GPU use")
    await expect(picture).to_be_visible()
    assert 800 == await picture.evaluate("image => image.decode().then(() => image.naturalWidth)")


async def test_a_permalink_opens_the_page_at_its_message(scene: Scene, page: Page, hang: Locator) -> None:
    card = scene.card("nccl")
    reply = scene.slack.thread("nccl", card.ts)[0]
    place = f"{scene.slack.url}/archives/{NCCL}"
    await page.goto(f"{place}/p{reply.ts.replace('.', '')}?thread_ts={card.ts}&cid={NCCL}")
    await expect(page.get_by_test_id("thread-panel").locator(f'[data-ts="{reply.ts}"]')).to_be_in_viewport()
    await page.goto(f"{place}/p{card.ts.replace('.', '')}")
    await expect(page.locator(f'[data-ts="{card.ts}"].highlight')).to_be_visible()
