"""The only place that imports httpx: one client for all clouds of a process, and what can happen to one request.

It knows no platform. Redirects are refused because signed headers must not travel, cookies are not kept, and what httpx
says about an error goes no further, for it may quote an address or a header.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx

from bot.clouds.answer import Answer, parse
from bot.domain.errors import CloudError, Refused, Rejected, Unreachable, Unreadable

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a cloud may take, how much it may say and how often it is asked. Times are seconds.

    `deadline` ends one attempt whatever drips in; `patience` is how long after its start a read may still be repeated,
    short enough that a call which ran into a time-out is not. `pace` is the least time between two requests' starts.
    """

    connect: float = 3.0
    read: float = 10.0
    write: float = 5.0
    pool: float = 1.0
    deadline: float = 15.0
    attempts: int = 3
    patience: float = 2.5
    longest_wait: float = 2.0
    concurrency: int = 8
    pace: float = 0.0
    max_body: int = 16_000_000
    first_pause: float = 5.0
    longest_pause: float = 300.0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a platform is. `host` is the text of the Host header, `prefix` a path before all others."""

    origin: str
    host: str
    prefix: str

    @classmethod
    def parse(cls, text: str) -> "Endpoint":
        """Raises ValueError for anything but an http or https address without user, query and fragment."""
        try:
            url = httpx.URL(text)
        except httpx.InvalidURL:
            raise ValueError("the endpoint is not an address") from None
        host = url.netloc.decode()
        if url.scheme not in ("http", "https") or not host or url.userinfo or url.query or url.fragment:
            raise ValueError("an endpoint is http:// or https:// with a host, and at most a path behind it")
        return cls(f"{url.scheme}://{host}", host, url.path.rstrip("/"))


@dataclass(frozen=True, slots=True)
class Call:
    """One signed request, ready to go."""

    method: str
    address: str
    headers: Mapping[str, str]
    body: bytes = b""


class Lost(Exception):
    """No answer came, or none that can be unpacked. It says what that is to the caller, and three things besides.

    `silent`: the platform said nothing at all. `ours`: the platform has no part in it. `sent`: it may have acted.
    """

    def __init__(
        self, kind: type[CloudError], detail: str, *, silent: bool = False, ours: bool = False, sent: bool = True
    ) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.silent = silent
        self.ours = ours
        self.sent = sent


class Http:
    """The process's one client. Build it once, close it with `aclose`; it needs no running loop to be built.

    Environment proxies are ignored; `proxy` is the only way to use one. A pool that twice in a row has no free
    connection has leaked them (cancelled calls can do that), so the client is replaced; its calls in flight end first.
    """

    def __init__(
        self, *, proxy: str | None = None, connections: int = 128, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        for name in ("httpx", "httpcore"):  # at INFO they write every address with its query
            logging.getLogger(name).setLevel(logging.WARNING)
        self._proxy = proxy
        self._connections = connections
        self._transport = transport
        self._pool_timeouts = 0
        self._current = self._build()
        self._retired: list[_Client] = []

    async def exchange(self, call: Call, limits: Limits) -> Answer:
        """Send once and read the whole answer, within the limits. Raises `Lost`."""
        try:
            async with asyncio.timeout(limits.deadline), self._stream(_request(call, limits)) as response:
                return await _read(response, limits.max_body)
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, TimeoutError) as error:
            raise _translated(error) from None

    async def aclose(self) -> None:
        for client in (*self._retired, self._current):
            await client.http.aclose()

    @asynccontextmanager
    async def _stream(self, request: httpx.Request) -> AsyncIterator[httpx.Response]:
        """Send and hand over the answer unread; counts what the pool refuses."""
        client = self._current
        client.busy += 1
        try:
            response = await client.http.send(request, stream=True)
            self._pool_timeouts = 0
            try:
                yield response
            finally:
                await response.aclose()
        except httpx.PoolTimeout:
            self._count_pool_timeout(client)
            raise
        finally:
            client.busy -= 1
            await self._close_idle()

    def _build(self) -> "_Client":
        http = httpx.AsyncClient(
            transport=self._transport,
            proxy=self._proxy,
            trust_env=False,
            follow_redirects=False,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
            limits=httpx.Limits(max_connections=self._connections, max_keepalive_connections=self._connections // 4),
        )
        return _Client(http)

    def _count_pool_timeout(self, client: "_Client") -> None:
        self._pool_timeouts += 1
        if self._pool_timeouts >= 2 and client is self._current:
            _log.warning("the connection pool gives nothing any more: replacing the HTTP client")
            self._pool_timeouts = 0
            self._retired.append(client)
            self._current = self._build()

    async def _close_idle(self) -> None:
        for client in [client for client in self._retired if not client.busy]:
            self._retired.remove(client)
            await client.http.aclose()


@dataclass(slots=True, eq=False)
class _Client:
    http: httpx.AsyncClient
    busy: int = 0


async def _read(response: httpx.Response, max_body: int) -> Answer:
    headers = dict(response.headers)
    content = bytearray()
    async for chunk in response.aiter_bytes():
        content += chunk
        if len(content) > max_body:
            return Answer(response.status_code, headers, None, f"the answer is longer than {max_body} bytes")
    return parse(response.status_code, headers, bytes(content))


def _request(call: Call, limits: Limits) -> httpx.Request:
    patient = limits.deadline * 0.8  # cutting calls off from outside may leak connections: let time-outs come first
    timeout = {
        "connect": min(limits.connect, patient),
        "read": min(limits.read, patient),
        "write": min(limits.write, patient),
        "pool": min(limits.pool, patient),
    }
    extensions = {"timeout": timeout}
    return httpx.Request(call.method, call.address, headers=call.headers, content=call.body, extensions=extensions)


def _translated(error: Exception) -> Lost:
    """The only place where foreign exceptions become ours; their own texts may quote an address or a header."""
    match error:
        case httpx.PoolTimeout():
            return Lost(Unreachable, "no free connection on our side", ours=True, sent=False)
        case httpx.ConnectTimeout():
            return Lost(Unreachable, "no connection in time", silent=True, sent=False)
        case httpx.ConnectError():
            return Lost(Unreachable, "no connection", silent=True, sent=False)
        case httpx.ProxyError():
            return Lost(Unreachable, "the proxy gave no connection", silent=True, sent=False)
        case httpx.TimeoutException() | TimeoutError():
            return Lost(Unreachable, "no answer in time", silent=True)
        case httpx.DecodingError():
            return Lost(Unreadable, "the answer cannot be unpacked")
        case httpx.LocalProtocolError() | UnicodeError():
            detail = "the credentials hold characters that no header can carry"
            return Lost(Refused, detail, ours=True, sent=False)
        case httpx.InvalidURL() | httpx.UnsupportedProtocol():
            return Lost(Rejected, "what is asked for makes too long an address", ours=True, sent=False)
        case _:
            return Lost(Unreachable, "the connection broke")
