"""The tables of the settings file, one model each. Field names are the keys; docstrings say units and meaning."""

from datetime import timedelta
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, Field, SecretStr, StringConstraints, field_validator, model_validator

from bot.config.values import Duration, DurationOrOff, Names, Section

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$")]
Ratio = Annotated[float, Field(ge=0, le=1)]


def _web_address(value: str) -> str:
    if not value.startswith(("https://", "http://")):
        raise ValueError("must begin with https:// (or http:// for a test)")
    return value.rstrip("/")


def _proxy_address(value: str) -> str:
    if not value.startswith(("http://", "https://")):
        raise ValueError("must begin with http:// or https://")
    return value


def _zone(value: str) -> str:
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError):
        raise ValueError("is no time zone of the IANA database, such as Asia/Shanghai") from None
    return value


Address = Annotated[str, AfterValidator(_web_address)]
Proxy = Annotated[str, AfterValidator(_proxy_address)]
Zone = Annotated[str, AfterValidator(_zone)]


class SlackSettings(Section):
    """The workspace. With `app_token` the bot uses Socket Mode; without it HTTP mode, which needs `signing_secret`."""

    bot_token: SecretStr
    app_token: SecretStr | None = None
    signing_secret: SecretStr | None = None
    api_url: str = "https://slack.com/api/"
    command: Annotated[str, StringConstraints(pattern=r"^/[a-z0-9_-]{1,31}$")] = "/gpu"
    alert_channel: str = "#gpu-alerts"
    operator_channel: str = "#gpu-ops"

    @field_validator("bot_token", "app_token")
    @classmethod
    def _has_its_prefix(cls, token: SecretStr | None, info: object) -> SecretStr | None:
        field = str(getattr(info, "field_name", ""))
        prefix = {"bot_token": "xoxb-", "app_token": "xapp-"}[field]
        if token is not None and not token.get_secret_value().startswith(prefix):
            raise ValueError(f"{field} must begin with {prefix}")
        return token

    @model_validator(mode="after")
    def _has_a_way_in(self) -> "SlackSettings":
        if self.app_token is None and self.signing_secret is None:
            raise ValueError("give app_token for Socket Mode, or signing_secret for HTTP mode")
        return self


class StoreSettings(Section):
    """`path` is the SQLite file; `keep` is how long ended incidents and their alarms stay."""

    path: str = "gpubot.db"
    keep: Duration = timedelta(days=90)


class WebSettings(Section):
    """Where /healthz, /readyz and /metrics are served, and /slack/events in HTTP mode. Port 0 picks a free one."""

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8080


class _Cloud(Section):
    """What every cloud has. `pace` is calls per second, `concurrency` calls at once, `deadline` the longest call.

    The usual pace lets a sweep over 1,000 jobs end within a quarter of a minute; the calls at once are the real limit.
    """

    name: Name
    concurrency: Annotated[int, Field(ge=1, le=64)] = 4
    pace: Annotated[float, Field(gt=0, le=100)] = 100.0
    deadline: Duration = timedelta(seconds=10)
    proxy: Proxy | None = Field(default=None, repr=False)  # its address may hold a password


class BaiduSettings(_Cloud):
    """Baidu AIHC, API v1. `resource_pools` empty means all that the key can see."""

    kind: Literal["baidu"]
    endpoint: Address
    access_key: str
    secret_key: SecretStr
    session_token: SecretStr | None = None
    resource_pools: Names = ()


class OperationSettings(Section):
    """One platform operation whose way is not documented everywhere: method, path, and whether to use it."""

    method: Literal["GET", "POST", "PUT", "DELETE"] | None = None
    path: str | None = None
    enabled: bool | None = None


class AlayaSettings(_Cloud):
    """Alaya NeW. `jobs` are watched where the job list is not available; `operations` override single calls."""

    kind: Literal["alaya"]
    endpoint: Address = "https://api.alayanew.com"
    path_prefix: str = ""
    auth: Literal["bearer", "hmac", "plain"] = "bearer"
    api_key: SecretStr | None = None
    access_key: str | None = None
    secret_key: SecretStr | None = None
    timezone: Zone = "Asia/Shanghai"
    jobs: Names = ()
    operations: dict[str, OperationSettings] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _has_credentials(self) -> "AlayaSettings":
        if self.auth == "bearer" and self.api_key is None:
            raise ValueError('auth = "bearer" needs api_key')
        if self.auth != "bearer" and (self.access_key is None or self.secret_key is None):
            raise ValueError(f'auth = "{self.auth}" needs access_key and secret_key')
        return self


class SysomSettings(_Cloud):
    """Alibaba SysOM. `jobs_in` names the clouds where this monitor's tasks run; `clusters` empty means all.

    `gpu_numbers_from` is the number that the monitor gives to a machine's first GPU; `page_cap` is how many pages of
    100 alarms one poll may read before the rest is left to the next.
    """

    kind: Literal["sysom"]
    endpoint: Address = "https://sysom.cn-hangzhou.aliyuncs.com"
    access_key: str
    secret_key: SecretStr
    security_token: SecretStr | None = None
    clusters: Names = ()
    jobs_in: Names = ()
    pace: Annotated[float, Field(gt=0, le=100)] = 20.0
    timezone: Zone = "Asia/Shanghai"
    gpu_numbers_from: Annotated[int, Field(ge=0, le=1)] = 0
    page_cap: Annotated[int, Field(ge=1, le=1000)] = 100


CloudSettings = Annotated[BaiduSettings | AlayaSettings | SysomSettings, Field(discriminator="kind")]


class AlarmSettings(Section):
    """`look_back` matters at a first start only; `failed_jobs` turns a failed job into an alarm of its own."""

    poll_every: Duration = timedelta(seconds=30)
    look_back: Duration = timedelta(minutes=15)
    overlap: Duration = timedelta(minutes=10)
    failed_jobs: bool = True


class UsageSettings(Section):
    """How often running jobs' use is read and judged."""

    judge_every: Duration = timedelta(minutes=1)


class LowUseSettings(Section):
    """A low-use rule; `gpu_below` is a ratio 0..1. `stop_after` is off until a rule may stop jobs by itself."""

    name: Name
    clouds: Names = ("*",)
    gpu_below: Ratio = 0.10
    window: Duration = timedelta(minutes=60)
    grace: Duration = timedelta(minutes=60)
    warn_again: DurationOrOff = timedelta(minutes=45)
    stop_after: DurationOrOff = None

    @field_validator("stop_after")
    @classmethod
    def _stops_nothing_yet(cls, value: timedelta | None) -> timedelta | None:
        if value is not None:
            raise ValueError('this version never stops a job by itself; write stop_after = "off"')
        return value


class RouteSettings(Section):
    """Alarms that match every key given here go to `channel`. The first route that matches wins."""

    channel: str
    kind: Names = ()
    cloud: Names = ()
    queue: Names = ()
    owner: Names = ()
    severity: Literal["info", "warning", "critical"] = "info"


class AccessSettings(Section):
    """Who may act: Slack user ids and user group ids. `people` maps a cloud's user to a Slack id or an e-mail."""

    operators: Names = ()
    owners_may_act: bool = True
    people: dict[str, str] = Field(default_factory=dict)

    @field_validator("operators")
    @classmethod
    def _are_slack_ids(cls, operators: tuple[str, ...]) -> tuple[str, ...]:
        for one in operators:
            if one[:1] not in "UWS" or not one.isalnum() or one != one.upper():
                raise ValueError(f"{one!r} is no Slack user id (U…, W…) or user group id (S…)")
        return operators
