"""From the settings' cloud sections to adapters. A new platform is one more branch here and a section beside it."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

from bot.clouds.alaya import Alaya
from bot.clouds.baidu import Baidu
from bot.clouds.http import Http, Limits
from bot.clouds.sysom import Sysom
from bot.config import AlayaSettings, BaiduSettings, CloudSettings, SysomSettings
from bot.relay.fleet import Fleet

Clock = Callable[[], datetime]
Platform = Baidu | Alaya | Sysom
Platforms = Mapping[str, Platform]


class HttpClients:
    """One client per proxy in use, which is nearly always one for all clouds."""

    def __init__(self) -> None:
        self._clients: dict[str | None, Http] = {}

    def through(self, proxy: str | None) -> Http:
        if proxy not in self._clients:
            self._clients[proxy] = Http(proxy=proxy)
        return self._clients[proxy]

    async def aclose(self) -> None:
        for client in self._clients.values():
            await client.aclose()


@asynccontextmanager
async def cloud_side(sections: Sequence[CloudSettings], clock: Clock) -> AsyncIterator[tuple[Platforms, Fleet]]:
    """The adapters by their configured name, in the order of the settings, and the fleet over them."""
    clients = HttpClients()
    clouds = build_clouds(sections, clients, clock)
    fleet = Fleet(clouds)
    try:
        yield clouds, fleet
    finally:
        await fleet.close()
        await clients.aclose()


def build_clouds(sections: Sequence[CloudSettings], clients: HttpClients, clock: Clock) -> Platforms:
    return {section.name: build_cloud(section, clients.through(section.proxy), clock) for section in sections}


def build_cloud(section: CloudSettings, http: Http, clock: Clock) -> Platform:
    """Raises ValueError for settings that cannot work."""
    match section:
        case BaiduSettings():
            return _baidu(section, http, clock)
        case AlayaSettings():
            return _alaya(section, http, clock)
        case SysomSettings():
            return _sysom(section, http, clock)


def _baidu(section: BaiduSettings, http: Http, clock: Clock) -> Baidu:
    return Baidu(
        section.name,
        section.endpoint,
        section.access_key,
        section.secret_key.get_secret_value(),
        section.session_token.get_secret_value() if section.session_token else None,
        section.resource_pools,
        http=http,
        clock=clock,
        limits=_limits(section),
    )


def _alaya(section: AlayaSettings, http: Http, clock: Clock) -> Alaya:
    return Alaya(
        section.name,
        section.endpoint,
        http=http,
        clock=clock,
        path_prefix=section.path_prefix,
        auth=section.auth,
        api_key=section.api_key.get_secret_value() if section.api_key else "",
        access_key=section.access_key or "",
        secret_key=section.secret_key.get_secret_value() if section.secret_key else "",
        timezone=section.timezone,
        jobs=section.jobs,
        operations={name: given.model_dump(exclude_none=True) for name, given in section.operations.items()},
        limits=_limits(section),
    )


def _sysom(section: SysomSettings, http: Http, clock: Clock) -> Sysom:
    return Sysom(
        section.name,
        section.endpoint,
        section.access_key,
        section.secret_key.get_secret_value(),
        section.security_token.get_secret_value() if section.security_token else None,
        clusters=section.clusters,
        jobs_in=section.jobs_in,
        timezone=section.timezone,
        gpu_numbers_from=section.gpu_numbers_from,
        page_cap=section.page_cap,
        http=http,
        clock=clock,
        limits=_limits(section),
    )


def _limits(section: CloudSettings) -> Limits:
    return Limits(deadline=section.deadline.total_seconds(), concurrency=section.concurrency, pace=1 / section.pace)
