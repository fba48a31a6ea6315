"""The only place that speaks HTTP to platforms: one client for all clouds of a process, one `Wire` for each cloud.

A wire knows addresses, deadlines, repetition and when a cloud is dead; what an answer means is its adapter's matter.
Signed headers never follow a redirect, a query goes out exactly as it was signed, and no address, header or body gets
into an error's text.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx
import stamina

from bot import __version__
from bot.clouds.answer import Answer, Body, parse, verdict
from bot.clouds.circuit import Circuit
from bot.clouds.signing import Draft, Query, encoded, query_string
from bot.domain.errors import CloudError, NotFound, Refused, Rejected, Throttled, Uncertain, Unreachable, Unreadable

Sign = Callable[[Draft], Mapping[str, str]]
Judge = Callable[[Answer], CloudError | None]

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

    @asynccontextmanager
    async def stream(self, request: httpx.Request) -> AsyncIterator[httpx.Response]:
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

    async def aclose(self) -> None:
        for client in (*self._retired, self._current):
            await client.http.aclose()

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


class Wire:
    """One cloud's line. `read` repeats what is worth repeating, `write` never repeats and says when it cannot know.

    `sign` gives the headers for each request sent (anew for each attempt); `judge` knows the platform's own codes and
    is asked about every answer first, also about those that are no JSON; what it leaves open the HTTP status decides.
    """

    def __init__(
        self,
        name: str,
        endpoint: str,
        http: Http,
        *,
        sign: Sign,
        judge: Judge,
        clock: Callable[[], datetime],
        limits: Limits | None = None,
    ) -> None:
        self.name = name
        self.limits = limits = limits or Limits()
        self._http = http
        self._sign = sign
        self._judge = judge
        self._base = httpx.URL(endpoint)
        self._timeout = httpx.Timeout(connect=limits.connect, read=limits.read, write=limits.write, pool=limits.pool)
        self._slots = asyncio.Semaphore(limits.concurrency)
        self._next_start = 0.0
        self._circuit = Circuit(
            name, clock, timedelta(seconds=limits.first_pause), timedelta(seconds=limits.longest_pause)
        )

    @property
    def next_try(self) -> datetime | None:
        """When a cloud that gave no answer will be asked again; None while it answers."""
        return self._circuit.next_try

    def path(self, *parts: str) -> str:
        """Join a fixed beginning and encoded segments. Raises `NotFound` for a segment that would change the path."""
        first, *rest = parts
        if any(part in ("", ".", "..") for part in rest):
            raise NotFound(self.name, "an empty name cannot be looked up")
        return "/".join((first.rstrip("/"), *map(encoded, rest)))

    async def read(
        self, path: str, query: Query | None = None, *, method: str = "GET", body: Body | None = None
    ) -> Body:
        """Ask for something that can be asked twice. Raises `CloudError`."""
        draft = self._draft(method, path, query or {}, body)
        async with self._turn() as age:
            async for attempt in self._repetition():
                with attempt:
                    outcome = await self._exchange(draft, age)
                    if isinstance(outcome, _Failure):
                        raise outcome.error
                    return outcome
        raise AssertionError("the repetition ends with an answer or an error")

    async def write(self, method: str, path: str, query: Query | None = None, body: Body | None = None) -> Body:
        """Ask for something to happen, once. Raises `Uncertain` where it was sent and no usable answer came back."""
        draft = self._draft(method, path, query or {}, body)
        async with self._turn() as age:
            outcome = await self._exchange(draft, age)
        if not isinstance(outcome, _Failure):
            return outcome
        if outcome.may_have_happened:
            detail = f"the request went out, then: {outcome.error.detail}; whether it was carried out is not known"
            raise Uncertain(self.name, detail)
        raise outcome.error

    def _draft(self, method: str, path: str, query: Query, body: Body | None) -> Draft:
        content = (
            b"" if body is None else json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
        )
        headers = {"content-type": "application/json"} if body is not None else {}
        address = self._base.path.rstrip("/") + path
        return Draft(method, self._base.netloc.decode(), address, query_string(query), headers, content)

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[int]:
        """Wait for a slot in front of the pool, never in it; ask the circuit only then, it may have opened."""
        async with self._slots:
            with self._circuit.call() as age:
                yield age

    def _repetition(self) -> AsyncIterator[stamina.Attempt]:
        limits = self.limits
        context = stamina.retry_context(
            on=self._worth_repeating,
            attempts=limits.attempts,
            timeout=limits.patience,
            wait_initial=0.1,
            wait_max=limits.longest_wait,
            wait_jitter=0.2,
        )
        return aiter(context.with_name(f"read from {self.name}", (), {}))

    def _worth_repeating(self, error: Exception) -> bool | float:
        if isinstance(error, Throttled):
            wait = error.retry_after
            return wait if wait is not None and wait <= self.limits.longest_wait else False
        return isinstance(error, Unreachable)

    async def _exchange(self, draft: Draft, age: int) -> "Body | _Failure":
        """One request and what came of it."""
        try:
            request = self._request(draft)
            await self._keep_pace()
            async with asyncio.timeout(self.limits.deadline):
                answer = await self._send(request)
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError, TimeoutError) as error:
            if not isinstance(error, _OURS):
                self._circuit.failed(age, silent=isinstance(error, _SILENCE))
            return _Failure(_translated(self.name, error), not isinstance(error, _NEVER_SENT))
        if answer.status in _GATEWAY:
            self._circuit.failed(age, silent=False)
        else:
            self._circuit.answered()
        failure = self._judge(answer) or verdict(self.name, answer)
        if failure is None and answer.body is not None:
            return answer.body
        failure = failure or Unreadable(self.name, "empty answer")
        return _Failure(failure, answer.status < 300 or answer.status >= 500)

    def _request(self, draft: Draft) -> httpx.Request:
        """Sign anew and put the address together by hand, so that the wire carries exactly what was signed."""
        address = f"{self._base.scheme}://{draft.host}{draft.path}" + (f"?{draft.query}" if draft.query else "")
        headers = {
            "host": draft.host,
            "accept": "application/json",
            "user-agent": f"gpubot/{__version__}",
            **draft.headers,
            **self._sign(draft),
        }
        extensions = {"timeout": self._timeout.as_dict()}
        return httpx.Request(draft.method, address, headers=headers, content=draft.body, extensions=extensions)

    async def _keep_pace(self) -> None:
        now = asyncio.get_running_loop().time()
        start = max(now, self._next_start)
        self._next_start = start + self.limits.pace
        if start > now:
            await asyncio.sleep(start - now)

    async def _send(self, request: httpx.Request) -> Answer:
        async with self._http.stream(request) as response:
            headers = dict(response.headers)
            content = bytearray()
            async for chunk in response.aiter_bytes():
                content += chunk
                if len(content) > self.limits.max_body:
                    return Answer(response.status_code, headers, None, f"more than {self.limits.max_body} bytes")
            return parse(response.status_code, headers, bytes(content))


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why there is nothing to return. `sent` says that the platform may have acted all the same."""

    error: CloudError
    sent: bool

    @property
    def may_have_happened(self) -> bool:
        return self.sent and isinstance(self.error, Unreachable | Unreadable)


_GATEWAY = frozenset({502, 503, 504})
_NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.LocalProtocolError,
    httpx.UnsupportedProtocol,
    httpx.InvalidURL,
    UnicodeError,
)
_OURS = (httpx.PoolTimeout, httpx.LocalProtocolError, httpx.UnsupportedProtocol, httpx.InvalidURL, UnicodeError)
_SILENCE = (httpx.ConnectError, httpx.TimeoutException, httpx.ProxyError, TimeoutError)


def _translated(cloud: str, error: Exception) -> CloudError:
    """The only place where foreign exceptions become ours; their own texts may quote an address or a header."""
    match error:
        case httpx.PoolTimeout():
            return Unreachable(cloud, "no free connection on our side")
        case httpx.ConnectTimeout():
            return Unreachable(cloud, "no connection in time")
        case httpx.ConnectError():
            return Unreachable(cloud, "no connection")
        case httpx.ProxyError():
            return Unreachable(cloud, "the proxy gave no connection")
        case httpx.TimeoutException() | TimeoutError():
            return Unreachable(cloud, "no answer in time")
        case httpx.DecodingError():
            return Unreadable(cloud, "the answer cannot be unpacked")
        case httpx.LocalProtocolError() | UnicodeError():
            return Refused(cloud, "the credentials hold characters that no header can carry")
        case httpx.InvalidURL() | httpx.UnsupportedProtocol():
            return Rejected(cloud, "the address is too long or not an HTTP address")
        case _:
            return Unreachable(cloud, "the connection broke")
