"""Every answer as a message: the draft of its kind, cut to size, with its sources and the *Show to channel* button."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from bot.domain import answers
from bot.domain.answers import Answer
from bot.slack.ids import Action
from bot.slack.rendering import Rendered
from bot.slack.views import (
    alarms,
    capacity,
    choices,
    graph,
    guide,
    health,
    jobs,
    journal,
    node,
    place,
    pods,
    top,
    usage,
)
from bot.slack.views.draft import Draft
from bot.slack.views.gaps import origin_words
from bot.slack.views.parts import Block, actions, assemble, button, context, message
from bot.slack.views.voice import Voice

# Each function takes the one kind of answer that stands before it, which types of a mapping cannot say.
_DRAFTS: Mapping[type[Answer], Callable[[Voice, Any, datetime], Draft]] = {
    answers.JobList: jobs.job_list,
    answers.JobView: jobs.job_view,
    answers.PodList: pods.pod_list,
    answers.PodView: pods.pod_view,
    answers.UseView: usage.use_view,
    answers.LogView: journal.log_view,
    answers.EventList: journal.event_list,
    answers.QueueList: capacity.queue_list,
    answers.QueueView: place.queue_view,
    answers.NodeList: capacity.node_list,
    answers.NodeView: node.node_view,
    answers.TopologyView: graph.topology_view,
    answers.PoolList: capacity.pool_list,
    answers.PoolView: place.pool_view,
    answers.AlarmList: alarms.alarm_list,
    answers.IncidentView: alarms.incident_view,
    answers.TopList: top.top_list,
    answers.HealthView: health.health_view,
    answers.Candidates: choices.candidates,
    answers.HelpView: guide.help_view,
    answers.StopOffer: choices.stop_offer,
    answers.SubmitOffer: choices.submit_offer,
    answers.TerminalOffer: choices.terminal_offer,
    answers.TerminalHandout: choices.terminal_handout,
    answers.Said: choices.said,
}
_PRIVATE_ACTIONS = frozenset(
    {
        Action.PAGE_BACK,
        Action.PAGE_ON,
        Action.SUBMIT,
        Action.PRIORITY,
        Action.DELETE_JOB,
        Action.RESTART_JOB,
        Action.NEW_QUEUE,
        Action.EDIT_QUEUE,
        Action.DELETE_QUEUE,
    }
)


def render(voice: Voice, answer: Answer, now: datetime, command: str, private: bool) -> Rendered:
    """The answer as the asker sees it, or (not `private`) as everybody does: without buttons for the asker."""
    draft = _DRAFTS[type(answer)](voice, answer, now)
    sources = origin_words(voice, draft.origin, now)
    foot = [
        *draft.foot,
        *([context(voice.t("📎 The file is in your direct messages with the bot."))] if private and draft.file else []),
        *([context(sources)] if sources else []),
        *actions(_buttons(voice, draft, command, private)),
    ]
    return message(assemble(draft.head, draft.rows, foot, draft.more), draft.file)


def _buttons(voice: Voice, draft: Draft, command: str, private: bool) -> list[Block]:
    own = [one for one in draft.buttons if one and (private or one["action_id"] not in _PRIVATE_ACTIONS)]
    show = button(voice.t("Show to channel"), Action.SHOW, command) if private and draft.shareable and command else None
    return [*own, *([show] if show else [])]
