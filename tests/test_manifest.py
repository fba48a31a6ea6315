"""The app manifest against Slack's published schema, and against the code: commands, scopes, events, ids."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from bot.slack.scopes import WITHOUT

ROOT = Path(__file__).parents[1]
SCHEMA = ROOT.parent / "shared" / "slack" / "manifest.schema.2.0.0.json"
SLACK_CODE = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "bot" / "slack").rglob("*.py")))

# method of the Web API -> the bot scopes that allow it (each group: one of them is enough)
SCOPES_OF = {
    "chat_postMessage": [{"chat:write"}],
    "chat_postEphemeral": [{"chat:write"}],
    "chat_update": [{"chat:write"}],
    "chat_delete": [{"chat:write"}],
    "chat_getPermalink": [],
    "conversations_list": [{"channels:read"}, {"groups:read"}],
    "conversations_info": [{"channels:read"}, {"groups:read"}],
    "conversations_open": [{"im:write"}],
    "conversations_history": [{"channels:history"}, {"groups:history"}],
    "conversations_replies": [{"channels:history"}, {"groups:history"}],
    "users_info": [{"users:read"}],
    "users_lookupByEmail": [{"users:read.email"}],
    "usergroups_users_list": [{"usergroups:read"}],
    "files_getUploadURLExternal": [{"files:write"}],
    "files_completeUploadExternal": [{"files:write"}],
    "files_info": [{"files:read"}],
}
SCOPES_OF_EVENTS = {
    "app_home_opened": set[str](),
    "app_mention": {"app_mentions:read"},
    "channel_unarchive": {"channels:read"},
    "member_joined_channel": {"channels:read"},
    "message.im": {"im:history"},
}


@pytest.fixture(scope="module")
def manifest() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "manifest.yml").read_text(encoding="utf-8"))
    return loaded


def scopes(manifest: dict[str, Any]) -> set[str]:
    return set(manifest["oauth_config"]["scopes"]["bot"])


@pytest.mark.skipif(not SCHEMA.exists(), reason="Slack's published schema lies outside the project and is not here")
def test_the_manifest_fits_slacks_published_schema(manifest: dict[str, Any]) -> None:
    jsonschema.Draft7Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(manifest)


def test_every_method_that_the_code_calls_has_its_scopes(manifest: dict[str, Any]) -> None:
    called = {method for method in SCOPES_OF if f".{method}(" in SLACK_CODE}

    assert {"chat_postMessage", "users_info"} <= called
    for method in called:
        for group in SCOPES_OF[method]:
            assert group & scopes(manifest), f"{method} needs one of {group}"


def test_the_code_calls_no_method_that_this_test_does_not_know() -> None:
    called = set(
        re.findall(r"client\.((?:chat|conversations|users|usergroups|files|reactions|bookmarks)_\w+)\(", SLACK_CODE)
    )

    assert set() == called - set(SCOPES_OF)


def test_the_check_knows_the_harm_of_each_missing_scope(manifest: dict[str, Any]) -> None:
    assert manifest["oauth_config"]["scopes"]["bot"] == list(WITHOUT)


def test_events_that_are_subscribed_are_listened_to_and_the_other_way_round(manifest: dict[str, Any]) -> None:
    subscribed = {event.split(".")[0] for event in manifest["settings"]["event_subscriptions"]["bot_events"]}
    listened = set(re.findall(r'app\.event\("(\w+)"\)', SLACK_CODE))

    assert subscribed == listened


def test_every_event_has_its_scopes(manifest: dict[str, Any]) -> None:
    for event in manifest["settings"]["event_subscriptions"]["bot_events"]:
        assert SCOPES_OF_EVENTS[event] <= scopes(manifest)


def test_the_command_is_the_one_the_settings_name_by_default(manifest: dict[str, Any]) -> None:
    from bot.config import SlackSettings

    (command,) = manifest["features"]["slash_commands"]

    assert SlackSettings.model_fields["command"].default == command["command"]
    assert command["should_escape"], "people and channels must arrive by id"


def test_socket_mode_and_buttons_are_on(manifest: dict[str, Any]) -> None:
    assert manifest["settings"]["socket_mode_enabled"]
    assert manifest["settings"]["interactivity"]["is_enabled"]
    assert manifest["features"]["app_home"]["home_tab_enabled"]
