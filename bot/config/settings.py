"""The settings as a whole: how file and environment come together, and what is said when they are wrong."""

import os
import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, Field, ValidationError, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from bot.config.environment import ConfigError, overlay, variable_at
from bot.config.sections import (
    AccessSettings,
    AlarmSettings,
    AlayaSettings,
    BaiduSettings,
    CloudSettings,
    LowUseSettings,
    RouteSettings,
    SlackSettings,
    StoreSettings,
    SysomSettings,
    UsageSettings,
    WebSettings,
)

__all__ = ["ConfigError", "Settings", "load"]


class Settings(BaseSettings):
    """Everything the operator decides."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    language: Literal["en", "zh"] = "en"
    slack: SlackSettings
    store: StoreSettings = StoreSettings()
    web: WebSettings = WebSettings()
    clouds: tuple[CloudSettings, ...] = Field(min_length=1)
    alarms: AlarmSettings = AlarmSettings()
    usage: UsageSettings = UsageSettings()
    low_use: tuple[LowUseSettings, ...] = ()
    routes: tuple[RouteSettings, ...] = ()
    access: AccessSettings = AccessSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what `load` hands over: the stock environment source ignores misspelt names silently."""
        return (init_settings,)

    @model_validator(mode="after")
    def _names_fit_together(self) -> "Settings":
        names = [cloud.name for cloud in self.clouds]
        _refuse_twins("clouds", names)
        _refuse_twins("low_use", [rule.name for rule in self.low_use])
        runs_jobs = [cloud.name for cloud in self.clouds if not isinstance(cloud, SysomSettings)]
        for cloud in self.clouds:
            for place in cloud.jobs_in if isinstance(cloud, SysomSettings) else ():
                if place not in runs_jobs:
                    known = ", ".join(runs_jobs) or "none"
                    raise ValueError(
                        f"clouds.{cloud.name}.jobs_in: {place!r} is no cloud that runs jobs; known: {known}"
                    )
        return self


def load(path: Path, environment: Mapping[str, str] | None = None) -> Settings:
    """Read the file and lay the environment over it.

    Raises `ConfigError` whose lines each name a place, what is wrong there, and what would be right. No line
    contains a value, so no secret can show.
    """
    environment = os.environ if environment is None else environment
    tables = overlay(_read(path), environment, Settings)
    try:
        return Settings(**tables)
    except ValidationError as error:
        problems = [one for one in error.errors(include_url=False) if not _is_echo(one, tables)]
        raise ConfigError([_line(problem, tables, environment) for problem in problems]) from None


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError([f"{path}: there is no such file; gpubot.example.toml shows one"]) from None
    except OSError as error:
        raise ConfigError([f"{path}: {error.strerror}"]) from None
    except UnicodeDecodeError:
        raise ConfigError([f"{path}: is not UTF-8 text"]) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError([f"{path}: {error}"]) from None


def _refuse_twins(table: str, names: Sequence[str]) -> None:
    twins = sorted({name for name in names if names.count(name) > 1})
    if twins:
        raise ValueError(f"{table}: two entries are named {twins[0]!r}; names must differ")


_KINDS: dict[str, type[BaseModel]] = {"baidu": BaiduSettings, "alaya": AlayaSettings, "sysom": SysomSettings}


def _is_echo(problem: Any, tables: Mapping[str, Any]) -> bool:
    """Whether the list is called empty only because all of its entries were refused."""
    return problem["type"] == "too_short" and bool(tables.get(problem["loc"][0]))


def _line(problem: Any, tables: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    place = _place(problem["loc"], tables)
    place = variable_at(place, environment) or place
    if problem["type"] == "too_short":
        return f"{place}: needs at least one [[{place}]] table"
    if problem["type"] == "extra_forbidden":
        return f"{place}: unknown key{_nearest(problem['loc'])}"
    if problem["type"] == "missing":
        return f"{place}: is missing"
    message = problem["msg"].removeprefix("Value error, ")
    return f"{place}: {message}" if place else message


def _place(location: Sequence[int | str], tables: Mapping[str, Any]) -> str:
    """The key's address as a person writes it: list entries by their name, without the union's tag."""
    parts: list[str] = []
    here: Any = tables
    for step in location:
        if isinstance(step, int):
            here = here[step] if isinstance(here, list) and step < len(here) else None
            parts.append(str(here.get("name", step)) if isinstance(here, Mapping) else str(step))
        elif not (step in _KINDS and isinstance(here, Mapping) and here.get("kind") == step):
            parts.append(step)
            here = here.get(step) if isinstance(here, Mapping) else None
    return ".".join(parts)


def _nearest(location: Sequence[int | str]) -> str:
    known = _fields(location[:-1])
    close = get_close_matches(str(location[-1]), known, n=1)
    return f"; did you mean {close[0]}?" if close else f"; known: {', '.join(sorted(known))}" if known else ""


def _fields(location: Sequence[int | str]) -> list[str]:
    """The keys of the table at the location, found by walking the models."""
    model: Any = Settings
    for step in location:
        if step in _KINDS:
            model = _KINDS[str(step)]
        elif isinstance(step, str) and isinstance(model, type) and issubclass(model, BaseModel):
            field = model.model_fields.get(step)
            model = _model_in(field.annotation) if field else None
    return list(model.model_fields) if isinstance(model, type) and issubclass(model, BaseModel) else []


def _model_in(annotation: Any) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)
