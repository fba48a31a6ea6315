"""The bot's settings: one TOML file, overridden by the environment, read once, frozen, refused when anything is wrong.

`load` is the only door. What it returns is handed down in slices: a cloud gets its own section, not the settings.
"""

from bot.config.sections import (
    AccessSettings,
    AlarmSettings,
    AlayaSettings,
    BaiduSettings,
    CloudSettings,
    LowUseSettings,
    OperationSettings,
    RouteSettings,
    SlackSettings,
    StoreSettings,
    SysomSettings,
    UsageSettings,
    WebSettings,
)
from bot.config.settings import ConfigError, Settings, load

__all__ = [
    "AccessSettings",
    "AlarmSettings",
    "AlayaSettings",
    "BaiduSettings",
    "CloudSettings",
    "ConfigError",
    "LowUseSettings",
    "OperationSettings",
    "RouteSettings",
    "Settings",
    "SlackSettings",
    "StoreSettings",
    "SysomSettings",
    "UsageSettings",
    "WebSettings",
    "load",
]
