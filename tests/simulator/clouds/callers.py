"""Small signed callers of the simulated clouds. They sign with the simulator's own arithmetic, which the
signature tests tie to published vectors; what they show is how the servers answer."""

import hashlib
import uuid
from typing import Any
from urllib.parse import quote

import httpx

from bot.simulator.clouds import Serving
from bot.simulator.clouds.alaya import signature as alaya_signature
from bot.simulator.clouds.baidu import signature as baidu_signature
from bot.simulator.clouds.sysom import signature as sysom_signature
from bot.simulator.world.roster import POOL_A

ALARMS = ("GetGpuClusterListAlarmRecord", "/api/v1/aiTopology/topology/listAlarmRecord")


def raw_query(params: dict[str, Any]) -> str:
    return "&".join(sorted(f"{quote(name, safe='~')}={quote(str(value), safe='~')}" for name, value in params.items()))


async def send(
    cloud: Serving,
    method: str,
    target: str,
    headers: dict[str, str],
    body: Any = None,
    seconds: float = 5,
) -> httpx.Response:
    async with httpx.AsyncClient(timeout=seconds, trust_env=False) as client:
        return await client.request(method, cloud.url + target, headers=headers, json=body)


def baidu_headers(cloud: Serving, method: str, path: str, query: str) -> dict[str, str]:
    stamp = cloud.world.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    headers = {"host": cloud.endpoint, "x-bce-date": stamp}
    prefix = f"bce-auth-v1/ak-sim/{stamp}/1800"
    text = baidu_signature.canonical_request(method, path, query, headers, ("host", "x-bce-date"))
    headers["authorization"] = f"{prefix}/host;x-bce-date/{baidu_signature.sign('sk-sim', prefix, text)}"
    return headers


async def baidu(
    cloud: Serving, method: str, path: str, body: Any = None, *, seconds: float = 5, **params: Any
) -> httpx.Response:
    """A call of the Baidu API; jobs are looked up in pool A unless the caller says otherwise."""
    if path.startswith("/api/v1/aijobs"):
        params = {"resourcePoolId": POOL_A, **params}
    path, query = quote(path, safe="/~"), raw_query(params)
    target = f"{path}?{query}" if query else path
    return await send(cloud, method, target, baidu_headers(cloud, method, path, query), body, seconds)


async def alaya(
    cloud: Serving,
    method: str,
    path: str,
    body: Any = None,
    *,
    prefix: str = "/api/osm",
    hmac: bool = True,
    **params: Any,
) -> httpx.Response:
    path, query = quote(prefix + path, safe="/~"), raw_query(params)
    authorization = "Bearer alaya-sim-key"
    if hmac:
        stamp = str(int(cloud.world.now().timestamp() * 1000))
        signature = alaya_signature.sign("alaya-sk", stamp, method, path)
        authorization = f"{alaya_signature.SCHEME} alaya-ak:{stamp}:{signature}"
    return await send(cloud, method, f"{path}?{query}" if query else path, {"authorization": authorization}, body)


def sysom_headers(cloud: Serving, action: str, path: str, query: str) -> dict[str, str]:
    headers = {
        "host": cloud.endpoint,
        "x-acs-action": action,
        "x-acs-version": "2023-12-30",
        "x-acs-date": cloud.world.now().strftime("%Y-%m-%dT%H:%M:%SZ"),
        "x-acs-signature-nonce": uuid.uuid4().hex,
        "x-acs-content-sha256": hashlib.sha256(b"").hexdigest(),
    }
    listed = tuple(sorted(headers))
    text = sysom_signature.canonical_request("GET", path, query, headers, listed)
    signature = sysom_signature.sign("sysom-sk", text)
    credential = f"Credential=sysom-ak,SignedHeaders={';'.join(listed)},Signature={signature}"
    return headers | {"authorization": f"ACS3-HMAC-SHA256 {credential}"}


async def sysom(cloud: Serving, call: tuple[str, str] = ALARMS, **params: Any) -> httpx.Response:
    """A call of SysOM; alarm records by default, the first hundred of them."""
    action, path = call
    if call == ALARMS:
        params = {"current": 1, "pageSize": 100, **params}
    query = raw_query(params)
    return await send(cloud, "GET", f"{path}?{query}", sysom_headers(cloud, action, path, query))
