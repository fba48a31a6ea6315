"""Puts the parts of the simulated Alaya NeW together over one world."""

from collections.abc import Collection, Mapping
from contextlib import AbstractAsyncContextManager
from types import MappingProxyType
from typing import Literal

from bot.simulator.clouds.alaya.dialect import AlayaDialect
from bot.simulator.clouds.alaya.proposed import OPERATIONS, Proposed
from bot.simulator.clouds.alaya.signature import Door
from bot.simulator.clouds.alaya.templates import Templates
from bot.simulator.clouds.alaya.training import Training
from bot.simulator.clouds.serving import Serving, serve
from bot.simulator.world import World

PREFIXES = ("", "/api/osm")
BEARER_KEYS = ("alaya-sim-key",)
SECRETS = MappingProxyType({"alaya-ak": "alaya-sk"})


def serve_alaya(
    world: World,
    *,
    bearer_keys: Collection[str] = BEARER_KEYS,
    secrets: Mapping[str, str] = SECRETS,
    only_scheme: Literal["bearer", "hmac"] | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    job_list: bool = True,
    odd_samples: bool = False,
    proposed: Collection[str] = OPERATIONS,
    unknown_as_html: bool = False,
    html_for_docs_prefix: bool = False,
) -> AbstractAsyncContextManager[Serving]:
    """Serves the world's Alaya centres under both prefixes. `proposed`: which of the undocumented calls
    exist; the others give 404, or the web app's page with `unknown_as_html`. `html_for_docs_prefix`: the
    same for every path without /api/osm. `odd_samples`: some samples are no numbers."""
    parts = (
        Training(world, job_list=job_list, odd_samples=odd_samples),
        Templates(world),
        Proposed(world, proposed),
    )
    routes = [route for prefix in PREFIXES for part in parts for route in part.routes(prefix)]
    dialect = AlayaDialect(
        world,
        Door(bearer_keys, secrets, only_scheme),
        html_for_docs_prefix=html_for_docs_prefix,
        unknown_as_html=unknown_as_html or html_for_docs_prefix,
    )
    return serve(Serving(world, "alaya"), routes, dialect, host, port)
