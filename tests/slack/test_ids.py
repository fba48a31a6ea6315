"""Every id that a message or dialog carries is answered by a listener, and every listener's id is carried somewhere."""

from pathlib import Path

import pytest

from bot.slack import listeners, views
from bot.slack.ids import Action, Field, Modal
from bot.slack.listeners.actions import HANDLERS


def source(package_file: str | None) -> str:
    assert package_file is not None
    return "\n".join(file.read_text(encoding="utf-8") for file in Path(package_file).parent.glob("*.py"))


LISTENERS, VIEWS = source(listeners.__file__), source(views.__file__)


def test_every_action_is_answered_but_that_of_a_link_which_asks_for_nothing() -> None:
    assert set(Action) - {Action.OPEN_LINK} == set(HANDLERS)


@pytest.mark.parametrize("action", Action)
def test_every_action_stands_on_something(action: Action) -> None:
    assert f"Action.{action.name}" in VIEWS


@pytest.mark.parametrize("modal", Modal)
def test_every_dialog_is_shown_and_its_submission_answered(modal: Modal) -> None:
    assert f"Modal.{modal.name}" in VIEWS
    assert f"Modal.{modal.name}" in LISTENERS


@pytest.mark.parametrize("field", Field)
def test_every_field_is_asked_for_and_read(field: Field) -> None:
    assert f"Field.{field.name}" in VIEWS
    assert f"Field.{field.name}" in LISTENERS


def test_ids_in_messages_come_from_one_place() -> None:
    assert 'action_id="' not in VIEWS
    assert '"callback_id": "' not in VIEWS
