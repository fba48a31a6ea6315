"""Who is who: auth.test, api.test, team.info, users.* and usergroups.*."""

from .arguments import Arguments
from .errors import SlackError
from .methods import Method
from .paging import page
from .records import Json
from .state import Desk
from .wire import bot_user_json, group_json, user_json


def api_test(desk: Desk, args: Arguments) -> Json:
    if "error" in args:
        raise SlackError(args.text("error"), args=args.values)
    return {"ok": True, "args": args.values}


def auth_test(desk: Desk, args: Arguments) -> Json:
    workspace = desk.state.workspace
    return {
        "ok": True,
        "url": f"{desk.state.base_url}/",
        "team": workspace.team_name,
        "user": desk.state.app.name,
        "team_id": workspace.team_id,
        "user_id": desk.state.app.user_id,
        "bot_id": desk.state.app.bot_id,
        "is_enterprise_install": False,
    }


def team_info(desk: Desk, args: Arguments) -> Json:
    workspace = desk.state.workspace
    team = {"id": workspace.team_id, "name": workspace.team_name, "domain": workspace.domain, "email_domain": ""}
    return {"ok": True, "team": team}


def _with_email(desk: Desk) -> bool:
    return "users:read.email" in desk.scopes


def user_info(desk: Desk, args: Arguments) -> Json:
    wanted = args.required("user", "user_not_found")
    if wanted == desk.state.app.user_id:
        return {"ok": True, "user": bot_user_json(desk.state)}
    person = desk.state.person(wanted)
    locale = args.flag("include_locale")
    return {"ok": True, "user": user_json(desk.state, person, with_email=_with_email(desk), with_locale=locale)}


def list_users(desk: Desk, args: Arguments) -> Json:
    locale = args.flag("include_locale")
    members = [
        user_json(desk.state, person, with_email=_with_email(desk), with_locale=locale)
        for person in desk.state.people.values()
    ]
    found, cursor = page([*members, bot_user_json(desk.state)], args)
    return {"ok": True, "members": found, "response_metadata": {"next_cursor": cursor}}


def lookup_by_email(desk: Desk, args: Arguments) -> Json:
    wanted = args.required("email").lower()
    for person in desk.state.people.values():
        if person.email.lower() == wanted and not person.is_deleted:
            return {"ok": True, "user": user_json(desk.state, person, with_email=True)}
    raise SlackError("users_not_found")


def list_groups(desk: Desk, args: Arguments) -> Json:
    with_users = args.flag("include_users")
    groups = [group_json(desk.state, group, with_users=with_users) for group in desk.state.workspace.user_groups]
    return {"ok": True, "usergroups": groups}


def list_group_users(desk: Desk, args: Arguments) -> Json:
    wanted = args.required("usergroup", "no_such_subteam")
    for group in desk.state.workspace.user_groups:
        if group.id == wanted:
            return {"ok": True, "users": list(group.members)}
    raise SlackError("no_such_subteam")


METHODS = {
    "api.test": Method(api_test, token="none"),
    "auth.test": Method(auth_test),
    "team.info": Method(team_info, "team:read"),
    "users.info": Method(user_info, "users:read"),
    "users.list": Method(list_users, "users:read"),
    "users.lookupByEmail": Method(lookup_by_email, "users:read.email"),
    "usergroups.list": Method(list_groups, "usergroups:read"),
    "usergroups.users.list": Method(list_group_users, "usergroups:read"),
}
