"""The app's Home tab: open incidents, one's own running jobs, how the sources are."""

from typing import Any

from slack_bolt.app.async_app import AsyncApp

from bot.domain.answers import AlarmList, HealthView, JobList
from bot.domain.command import Alarms, Health, Jobs
from bot.slack.payloads import Place
from bot.slack.reception import Reception


def register(app: AsyncApp, reception: Reception) -> None:
    @app.event("app_home_opened")
    async def on_home(event: dict[str, Any], body: dict[str, Any]) -> None:
        if event.get("tab", "home") == "home":
            user = str(event.get("user", ""))
            key = f"home:{body.get('event_id')}"
            reception.begin("home", key, user, Place(event.get("channel")), lambda: show(reception, user))


async def show(reception: Reception, user: str) -> None:
    views = await reception.views_for(user)
    alarms = await reception.ask.answer(Alarms(), user)
    jobs = await reception.ask.answer(Jobs(mine=True), user)
    health = await reception.ask.answer(Health(), user)
    no_jobs = JobList((), 0, 1, 1, 0, Jobs(mine=True).text())
    if isinstance(alarms, AlarmList) and isinstance(health, HealthView):
        mine = jobs if isinstance(jobs, JobList) else no_jobs
        await reception.replies.publish_home(user, views.home(alarms, mine, health, reception.clock()))
