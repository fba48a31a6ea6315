"""views.*: the stack of modals a person has open, and their Home tab of the app. A trigger opens or pushes, ids and
external ids address, hashes detect races (Slack reference §5)."""

import json
from collections.abc import Callable
from dataclasses import replace

from .arguments import Arguments
from .blockkit import check_home, check_modal
from .errors import SlackError
from .limits import VIEW_BYTES, VIEW_STACK
from .methods import Method
from .posting import complaint, with_ids
from .records import Json, View
from .state import Desk, State
from .triggers import Triggers
from .wire import view_json


def checked_view(state: State, content: Json | None, kind: str) -> Json:
    """A view's content as it will be kept. Raises invalid_arguments with pointers, or view_too_large."""
    if content is None:
        raise SlackError("invalid_arguments", response_metadata={"messages": ["[ERROR] missing required field: view"]})
    check = check_home if kind == "home" else check_modal
    defects = check(content)
    if defects:
        raise SlackError("invalid_arguments", **complaint(defects))
    if len(json.dumps(content, ensure_ascii=False).encode()) > VIEW_BYTES:
        raise SlackError("view_too_large")
    return content | {"blocks": with_ids(state, content["blocks"])}


def new_hash(state: State) -> str:
    return f"{int(state.seconds())}.{state.new_id('', 8)}"


def new_view(state: State, user: str, content: Json, below: View | None) -> View:
    view_id = state.new_id("V")
    root = below.root_id if below else view_id
    _free_external_id(state, str(content.get("external_id") or ""))
    return View(view_id, user, content, new_hash(state), root, below.id if below else None)


def _free_external_id(state: State, external_id: str) -> None:
    taken = [view for stack in state.modals.values() for view in stack if view.external_id == external_id]
    if external_id and taken:
        raise SlackError("duplicate_external_id")


def changed_view(state: State, view: View, content: Json) -> View:
    """The view with new content; what was entered in inputs that are still there stays."""
    kept = {block["block_id"] for block in content["blocks"]}
    entries = {block: values for block, values in view.entries.items() if block in kept}
    return replace(view, content=content, hash=new_hash(state), entries=entries, errors={})


def replace_in_stack(state: State, view: View) -> None:
    stack = tuple(view if open_view.id == view.id else open_view for open_view in state.modals[view.user])
    state.set_modals(view.user, stack)


def push_on(state: State, user: str, content: Json) -> View:
    """A new view on top of the person's stack. Raises push_limit_reached."""
    stack = state.modals.get(user, ())
    if len(stack) >= VIEW_STACK:
        raise SlackError("push_limit_reached")
    view = new_view(state, user, content, stack[-1] if stack else None)
    state.set_modals(user, (*stack, view))
    return view


def find_view(state: State, view_id: str, external_id: str = "") -> View | None:
    """An open modal or a Home tab, by id or by external id."""
    everything = [view for stack in state.modals.values() for view in stack] + list(state.homes.values())
    for view in everything:
        if view.id == view_id or (external_id and view.external_id == external_id):
            return view
    return None


def _opener(triggers: Triggers) -> Callable[[Desk, Arguments], Json]:
    def open_view(desk: Desk, args: Arguments) -> Json:
        content = checked_view(desk.state, args.record("view"), "modal")
        user, _ = triggers.spend(args.required("trigger_id", "invalid_trigger_id"))
        view = new_view(desk.state, user, content, None)
        desk.state.set_modals(user, (view,))
        return {"ok": True, "view": view_json(desk.state, view)}

    return open_view


def _pusher(triggers: Triggers) -> Callable[[Desk, Arguments], Json]:
    def push_view(desk: Desk, args: Arguments) -> Json:
        content = checked_view(desk.state, args.record("view"), "modal")
        user, from_view = triggers.spend(args.required("trigger_id", "invalid_trigger_id"))
        if not from_view or from_view not in {view.id for view in desk.state.modals.get(user, ())}:
            raise SlackError("not_found")
        return {"ok": True, "view": view_json(desk.state, push_on(desk.state, user, content))}

    return push_view


def update(desk: Desk, args: Arguments) -> Json:
    state = desk.state
    view = find_view(state, args.text("view_id"), args.text("external_id"))
    if view is None:
        raise SlackError("not_found")
    content = checked_view(state, args.record("view"), str(view.content["type"]))
    _same_hash(view, args)
    updated = changed_view(state, view, content)
    if content["type"] == "home":
        state.set_home(updated)
    else:
        replace_in_stack(state, updated)
    return {"ok": True, "view": view_json(state, updated)}


def _same_hash(view: View | None, args: Arguments) -> None:
    if "hash" in args and (view is None or view.hash != args.text("hash")):
        raise SlackError("hash_conflict")


def publish(desk: Desk, args: Arguments) -> Json:
    state = desk.state
    if not state.app.home_enabled:
        raise SlackError("not_enabled")
    user = state.person(args.required("user_id")).id
    content = checked_view(state, args.record("view"), "home")
    before = state.homes.get(user)
    _same_hash(before, args)
    view = changed_view(state, before, content) if before else new_view(state, user, content, None)
    state.set_home(view)
    return {"ok": True, "view": view_json(state, view)}


def view_methods(triggers: Triggers) -> dict[str, Method]:
    return {
        "views.open": Method(_opener(triggers)),
        "views.push": Method(_pusher(triggers)),
        "views.update": Method(update),
        "views.publish": Method(publish),
    }
