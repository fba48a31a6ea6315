"""What a person does with a view: enter, submit, cancel; and what the app's acknowledgement then makes of it."""

from dataclasses import replace
from typing import Any

from . import payloads
from .deliveries import Acknowledgement, Deliveries
from .entries import fill, refused_by_client, values
from .errors import PersonError, SlackError
from .outcome import Outcome
from .records import Json, View
from .state import State
from .triggers import Triggers
from .views import changed_view, checked_view, find_view, push_on, replace_in_stack
from .wire import view_json
from .workspace import Person

TROUBLE = "We had some trouble connecting. Try again?"


class Modals:
    """Views as their reader handles them. Raises PersonError for what a client would not allow."""

    def __init__(self, state: State, deliveries: Deliveries, triggers: Triggers) -> None:
        self._state = state
        self._deliveries = deliveries
        self._triggers = triggers

    def view(self, person: Person, view_id: str) -> View:
        view = find_view(self._state, view_id)
        if view is None or view.user != person.id:
            raise PersonError(f"{person.real_name} has no view {view_id} open")
        stack = self._state.modals.get(person.id, ())
        if view in stack and stack[-1] != view:
            raise PersonError(f"the view {view_id} lies under another one")
        return view

    def keep_view(self, view: View) -> View:
        if view.content["type"] == "home":
            self._state.set_home(view)
        else:
            replace_in_stack(self._state, view)
        return view

    def with_values(self, view: View) -> View:
        return replace(view, entries=values(view.blocks, view.entries))

    async def submit(self, person: Person, view_id: str, given: Json) -> Outcome:
        view = self.view(person, view_id)
        if view.content["type"] != "modal" or not view.content.get("submit"):
            raise PersonError("this view has no submit button")
        filled = fill(view.blocks, view.entries, given, self._suggested())
        view = self.keep_view(replace(view, entries=filled, errors={}))
        complaints = refused_by_client(view.blocks, values(view.blocks, filled))
        if complaints:
            self.keep_view(replace(view, errors=complaints))
            return Outcome(False, error="the form is not complete", more={"errors": complaints})
        payload = payloads.view_submission(self._state, person, self.with_values(view))
        payload["trigger_id"] = self._triggers.issue(person.id, view.id)
        ack = await self._deliveries.once("interactive", payload)
        return self._submitted(view, ack)

    def _suggested(self) -> list[Json]:
        return [option for options in self._state.suggestions.values() for option in options]

    def _submitted(self, view: View, ack: Acknowledgement) -> Outcome:
        """Do with the view what the acknowledgement says."""
        if not ack.acknowledged:
            self.keep_view(replace(view, errors={"": TROUBLE}))
            return Outcome.of(ack)
        body = ack.payload if isinstance(ack.payload, dict) else {}
        errors: Json = {}
        try:
            errors = self._respond(view, body)
        except SlackError as error:
            self.keep_view(replace(view, errors={"": TROUBLE}))
            return replace(Outcome.of(ack), ok=False, error=f"{error.error}: {error.details}")
        stack = self._state.modals.get(view.user, ())
        more: Json = {"view": view_json(self._state, stack[-1]) if stack else None}
        if errors:
            return Outcome(False, True, ack.ms, "the app refused the form", more | {"errors": errors})
        return Outcome.of(ack, **more)

    def _respond(self, view: View, body: Json) -> Json:
        """Carry out a response_action; returns the errors it carries. Raises SlackError for an unusable one."""
        state, answer = self._state, body.get("response_action")
        below = tuple(v for v in state.modals.get(view.user, ()) if v.id != view.id)
        if answer == "errors":
            return self._show_errors(view, body.get("errors"))
        if answer == "update":
            content = checked_view(state, body.get("view"), "modal")
            replace_in_stack(state, changed_view(state, view, content))
        elif answer == "push":
            push_on(state, view.user, checked_view(state, body.get("view"), "modal"))
        elif answer == "clear":
            state.set_modals(view.user, ())
        elif answer is None:
            state.set_modals(view.user, below)
        else:
            raise SlackError("invalid_response_action")
        return {}

    def _show_errors(self, view: View, errors: Any) -> Json:
        inputs = {block["block_id"] for block in view.blocks if block["type"] == "input"}
        if not isinstance(errors, dict) or not errors or set(errors) - inputs:
            raise SlackError("invalid_response_errors", known=sorted(inputs))
        self.keep_view(replace(view, errors=errors))
        return errors

    async def close(self, person: Person, view_id: str) -> Outcome:
        view = self.view(person, view_id)
        if view.content["type"] != "modal":
            raise PersonError("a Home tab cannot be closed")
        cleared = bool(view.content.get("clear_on_close"))
        stack = self._state.modals.get(person.id, ())
        self._state.set_modals(person.id, () if cleared else stack[:-1])
        if not view.content.get("notify_on_close"):
            return Outcome(True)
        payload = payloads.view_closed(self._state, person, self.with_values(view), is_cleared=cleared)
        return Outcome.of(await self._deliveries.once("interactive", payload))
