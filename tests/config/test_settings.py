"""The settings file, the environment over it, and what an operator is told when something is wrong."""

from datetime import timedelta
from pathlib import Path

import pytest

from bot.config import BaiduSettings, ConfigError, Settings, SysomSettings, load

GOOD = """
language = "zh"

[slack]
bot_token = "xoxb-1"
app_token = "xapp-1"

[[clouds]]
name = "beijing"
kind = "baidu"
endpoint = "https://aihc.bj.baidubce.com"
access_key = "ak"
secret_key = "sk"

[[clouds]]
name = "ack"
kind = "sysom"
access_key = "ak"
secret_key = "sk"
clusters = ["cluster1"]
jobs_in = ["beijing"]

[[low_use]]
name = "idle"
gpu_below = 0.1
window = "90m"

[access]
operators = ["U0123", "S0456"]
[access.people]
"li.wei" = "li.wei@example.com"
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "gpubot.toml"
    path.write_text(text, encoding="utf-8")
    return path


def problems(tmp_path: Path, text: str, **environment: str) -> list[str]:
    with pytest.raises(ConfigError) as refused:
        load(write(tmp_path, text), environment)
    return refused.value.problems


def test_a_file_is_read_with_its_defaults(tmp_path: Path) -> None:
    settings = load(write(tmp_path, GOOD), {})

    assert "zh" == settings.language
    assert "/gpu" == settings.slack.command
    assert timedelta(seconds=30) == settings.alarms.poll_every
    assert timedelta(minutes=90) == settings.low_use[0].window
    assert isinstance(settings.clouds[0], BaiduSettings)
    assert isinstance(settings.clouds[1], SysomSettings)
    assert ("U0123", "S0456") == settings.access.operators


def test_the_example_file_is_valid() -> None:
    example = Path(__file__).parents[2] / "gpubot.example.toml"

    assert isinstance(load(example, {}), Settings)


def test_a_variable_overrides_a_key_and_a_cloud_is_addressed_by_its_name(tmp_path: Path) -> None:
    environment = {"GPUBOT_SLACK__COMMAND": "/ml", "GPUBOT_CLOUDS__BEIJING__SECRET_KEY": "other", "PATH": "/bin"}

    settings = load(write(tmp_path, GOOD), environment)

    assert "/ml" == settings.slack.command
    assert isinstance(settings.clouds[0], BaiduSettings)
    assert "other" == settings.clouds[0].secret_key.get_secret_value()


def test_a_list_in_a_variable_is_split_at_commas(tmp_path: Path) -> None:
    settings = load(write(tmp_path, GOOD), {"GPUBOT_ACCESS__OPERATORS": "U1, U2"})

    assert ("U1", "U2") == settings.access.operators


@pytest.mark.parametrize(
    ("variable", "said"),
    [
        ("GPUBOT_SLAK__BOT_TOKEN", "GPUBOT_SLAK__BOT_TOKEN: unknown section; did you mean SLACK?"),
        (
            "GPUBOT_CLOUDS__tokyo__ENDPOINT",
            "GPUBOT_CLOUDS__tokyo__ENDPOINT: no entry of clouds has that name; known: beijing, ack",
        ),
        ("GPUBOT_CLOUDS__ENDPOINT", "GPUBOT_CLOUDS__ENDPOINT: write GPUBOT_CLOUDS__<name>__KEY"),
        ("GPUBOT_SLACK", "GPUBOT_SLACK: write GPUBOT_SECTION__KEY"),
        ("GPUBOT_SLACK__A__B", "GPUBOT_SLACK__A__B: write GPUBOT_SECTION__KEY"),
        ("GPUBOT_LANGUAGE__X", "GPUBOT_LANGUAGE__X: write GPUBOT_LANGUAGE"),
        (
            "GPUBOT_ROUTES__CHANNEL",
            "GPUBOT_ROUTES__CHANNEL: the entries of routes have no names; write them in the file",
        ),
    ],
)
def test_a_variable_that_fits_nothing_is_refused_by_name(tmp_path: Path, variable: str, said: str) -> None:
    assert [said] == problems(tmp_path, GOOD, **{variable: "x"})


def test_a_variable_for_what_is_no_table_in_the_file_is_refused(tmp_path: Path) -> None:
    text = "slack = 3\nclouds = 4\n"

    said = problems(tmp_path, text, GPUBOT_SLACK__COMMAND="/x", GPUBOT_CLOUDS__A__KIND="baidu")
    assert "GPUBOT_SLACK__COMMAND: slack is no table in the file" in said
    assert "GPUBOT_CLOUDS__A__KIND: no entry of clouds has that name; known: none" in said


def test_a_misspelt_key_is_named_with_the_nearest_one(tmp_path: Path) -> None:
    assert ["clouds.beijing.secret_kye: unknown key; did you mean secret_key?"] == problems(
        tmp_path,
        GOOD.replace(
            'access_key = "ak"\nsecret_key = "sk"\n\n', 'access_key = "ak"\nsecret_key = "sk"\nsecret_kye = "s"\n\n', 1
        ),
    )


def test_a_misspelt_variable_key_is_named_too(tmp_path: Path) -> None:
    said = problems(tmp_path, GOOD, GPUBOT_SLACK__COMAND="/x", GPUBOT_CLOUDS__BEIJING__PACE="fast")

    assert "GPUBOT_SLACK__COMAND: unknown key; did you mean command?" in said
    assert ["GPUBOT_CLOUDS__BEIJING__PACE"] == [line.partition(":")[0] for line in said if "COMAND" not in line]


def test_a_secret_may_lie_in_a_file(tmp_path: Path) -> None:
    secret = tmp_path / "token"
    secret.write_text("xoxb-from-file\n")

    settings = load(write(tmp_path, GOOD.replace('bot_token = "xoxb-1"', f'bot_token_file = "{secret}"')), {})

    assert "xoxb-from-file" == settings.slack.bot_token.get_secret_value()


def test_a_missing_secret_file_is_named(tmp_path: Path) -> None:
    said = problems(tmp_path, GOOD.replace('bot_token = "xoxb-1"', 'bot_token_file = "/nowhere/token"'))

    assert ["slack: bot_token_file /nowhere/token: No such file or directory"] == said


def test_secrets_show_neither_in_the_settings_nor_in_complaints(tmp_path: Path) -> None:
    proxy = {"GPUBOT_CLOUDS__BEIJING__PROXY": "http://me:hush@proxy:3128"}
    settings = load(write(tmp_path, GOOD.replace("xoxb-1", "xoxb-hush")), proxy)
    said = problems(tmp_path, GOOD.replace('"xoxb-1"', '"hush-hush"').replace('"xapp-1"', '["hush-hush"]'))

    assert "hush" not in repr(settings)
    assert "hush" not in "\n".join(said)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('window = "90m"', 'window = "90"', "low_use.idle.window: `90` lacks a unit"),
        ('window = "90m"', "window = 90", "low_use.idle.window: write a duration as text with its unit"),
        ("gpu_below = 0.1", "gpu_below = 10", "low_use.idle.gpu_below: Input should be less than or equal to 1"),
        ('jobs_in = ["beijing"]', 'jobs_in = ["bejing"]', "clouds.ack.jobs_in: 'bejing' is no cloud that runs jobs"),
        ('name = "ack"', 'name = "beijing"', "clouds: two entries are named 'beijing'"),
        ('kind = "baidu"', 'kind = "aws"', "clouds.beijing: Input tag 'aws'"),
        ('app_token = "xapp-1"', "", "slack: give app_token for Socket Mode, or signing_secret for HTTP mode"),
        ('"U0123"', '"chen"', "access.operators: 'chen' is no Slack user id"),
        ('bot_token = "xoxb-1"', "", "slack.bot_token: is missing"),
        ('language = "zh"', 'language = "fr"', "language: Input should be 'en' or 'zh'"),
    ],
)
def test_a_wrong_value_is_named_with_what_would_be_right(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in GOOD

    found = problems(tmp_path, GOOD.replace(old, new, 1))

    assert 1 == len(found)
    assert said in found[0]


def test_every_problem_is_said_at_once(tmp_path: Path) -> None:
    text = GOOD.replace('bot_token = "xoxb-1"', "").replace('window = "90m"', 'window = "90"')

    assert 2 == len(problems(tmp_path, text))


def test_clouds_that_are_all_refused_are_not_called_missing_as_well(tmp_path: Path) -> None:
    text = GOOD.replace('kind = "baidu"', 'kind = "aws"').replace('kind = "sysom"', 'kind = "gcp"')

    assert ["clouds.beijing", "clouds.ack"] == [line.partition(":")[0] for line in problems(tmp_path, text)]
    assert "clouds: needs at least one [[clouds]] table" in problems(tmp_path, "clouds = []")


def test_a_missing_file_and_broken_toml_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no such file"):
        load(tmp_path / "none.toml", {})

    assert "Invalid value" in problems(tmp_path, "language = ")[0]


def test_how_a_monitor_counts_gpus_and_pages_can_be_said(tmp_path: Path) -> None:
    said = GOOD.replace('clusters = ["cluster1"]', "gpu_numbers_from = 1\npage_cap = 7")
    monitor = load(write(tmp_path, said), {"GPUBOT_CLOUDS__ACK__PAGE_CAP": "9"}).clouds[1]
    assert isinstance(monitor, SysomSettings)
    assert (1, 9) == (monitor.gpu_numbers_from, monitor.page_cap)


@pytest.mark.parametrize("wrong", ["gpu_numbers_from = 2", "page_cap = 0"])
def test_a_count_that_cannot_be_meant_is_refused_by_name(tmp_path: Path, wrong: str) -> None:
    (problem,) = problems(tmp_path, GOOD.replace('clusters = ["cluster1"]', wrong))
    assert problem.startswith(f"clouds.ack.{wrong.partition(' ')[0]}: ")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (
            'timezone = "Asia/Nowhere"',
            "clouds.ack.timezone: is no time zone of the IANA database, such as Asia/Shanghai",
        ),
        ('timezone = "../etc"', "clouds.ack.timezone: is no time zone of the IANA database, such as Asia/Shanghai"),
        ('proxy = "proxy:3128"', "clouds.ack.proxy: must begin with http:// or https://"),
    ],
)
def test_a_zone_or_proxy_that_cannot_work_is_refused_at_the_start(tmp_path: Path, line: str, problem: str) -> None:
    assert [problem] == problems(tmp_path, GOOD.replace('kind = "sysom"', f'kind = "sysom"\n{line}'))
