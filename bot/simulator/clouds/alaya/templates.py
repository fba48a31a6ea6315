"""Task templates: made and deleted as documented, listed as our reference proposes (Alaya reference §5.6
and §6). They are kept by the server; the world knows nothing of them."""

import json
from typing import Any

from aiohttp import web

from bot.simulator.clouds.alaya.dialect import envelope
from bot.simulator.clouds.dialect import Complaint
from bot.simulator.clouds.spelling import beijing, page_of, whole
from bot.simulator.world import World
from bot.simulator.world.chance import token

_REQUIRED = ("name", "aidcId", "trainingType", "imageType", "image", "resource")


class Templates:
    def __init__(self, world: World) -> None:
        self._world = world
        self._kept: dict[str, dict[str, Any]] = {}
        self._made = 0

    def routes(self, prefix: str) -> list[web.RouteDef]:
        root = f"{prefix}/v1/training/template"
        return [
            web.post(f"{root}/create", self._create),
            web.delete(f"{root}/{{id}}/delete", self._delete),
            web.get(f"{root}/list", self._list),
        ]

    async def _create(self, request: web.Request) -> web.Response:
        try:
            body = json.loads(await request.read())
        except ValueError:
            raise Complaint(200, "400", "the body is not JSON") from None
        missing = [key for key in _REQUIRED if not isinstance(body, dict) or not body.get(key)]
        if missing:
            raise Complaint(200, "400", f"missing: {', '.join(missing)}")
        self._made += 1
        identity = f"tpl_{token(20, 'template', self._made, letters='0123456789abcdef')}"
        self._kept[identity] = {"id": identity, **body, "createTime": beijing(self._world.now())}
        return envelope({"id": identity})

    async def _delete(self, request: web.Request) -> web.Response:
        if self._kept.pop(request.match_info["id"], None) is None:
            raise Complaint(200, "404", "template not found")
        return envelope({})

    async def _list(self, request: web.Request) -> web.Response:
        rows = list(reversed(self._kept.values()))
        number, size = whole(request.query, "pageNo", 1), whole(request.query, "pageSize", 10)
        return envelope({"records": page_of(rows, number, size), "totalRows": len(rows)})
