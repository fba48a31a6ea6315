"""`gpubot backup`: whole, beside a running bot, and never in the place of something."""

import sqlite3
from pathlib import Path

import pytest

from bot.app.backup import back_up
from bot.app.bot import running
from bot.config import Settings
from bot.demo import Stage


async def backed_up(settings: Settings, target: Path) -> tuple[int, str]:
    said: list[str] = []
    code = await back_up(settings.store.path, target, said.append)
    (line,) = said
    return code, line


async def test_a_running_bot_is_copied_whole_and_the_copy_works_as_its_database(
    on: Stage, settings: Settings, tmp_path: Path
) -> None:
    target = tmp_path / "copy.db"
    async with running(settings, on.world.now) as bot:
        on.world.hang(on.world.job_named("llm-pretrain-70b").id, {2: (5,)})
        await on.slack.until(lambda: on.slack.messages("nccl"))
        code, line = await backed_up(settings, target)
        (open_now,) = await bot.store.incidents.open()

    assert (0, f"ok    backup: {target}") == (code, line.split(",")[0])
    copied = settings.model_copy(update={"store": settings.store.model_copy(update={"path": str(target)})})
    async with running(copied, on.world.now) as bot:
        assert [open_now.id] == [one.id for one in await bot.store.incidents.open()]


async def test_the_copy_is_its_owners_alone_and_nothing_is_left_beside_it(
    on: Stage, settings: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    async with running(settings, on.world.now):
        await backed_up(settings, folder / "copy.db")

    assert ["copy.db"] == [file.name for file in folder.iterdir()]
    assert 0o600 == (folder / "copy.db").stat().st_mode & 0o777
    assert "ok" == sqlite3.connect(folder / "copy.db").execute("PRAGMA integrity_check").fetchone()[0]


async def test_what_is_there_is_not_replaced(on: Stage, settings: Settings, tmp_path: Path) -> None:
    target = tmp_path / "precious.db"
    target.write_text("precious")
    async with running(settings, on.world.now):
        code, line = await backed_up(settings, target)

    assert (1, f"FAIL  backup: {target} is there already and stays as it is; choose another name") == (code, line)
    assert "precious" == target.read_text()


async def test_without_a_database_there_is_nothing_to_copy(settings: Settings, tmp_path: Path) -> None:
    code, line = await backed_up(settings, tmp_path / "copy.db")

    assert 1 == code
    assert f"there is no database {settings.store.path}" in line
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("content", [b"not a database" * 300, b""])
async def test_a_file_that_is_no_database_of_ours_gives_no_backup(
    settings: Settings, tmp_path: Path, content: bytes
) -> None:
    Path(settings.store.path).write_bytes(content)
    code, line = await backed_up(settings, tmp_path / "copy.db")

    assert 1 == code
    assert line.startswith("FAIL  backup: ")
    assert ["gpubot.db"] == [file.name for file in tmp_path.iterdir()]


async def test_a_folder_that_is_not_there_is_named(on: Stage, settings: Settings, tmp_path: Path) -> None:
    async with running(settings, on.world.now):
        code, line = await backed_up(settings, tmp_path / "nowhere" / "copy.db")

    assert 1 == code
    assert "nowhere/copy.db cannot be written: No such file or directory" in line
