"""The wire: what is repeated and what never, what a dead cloud costs, and what no error may tell."""

import asyncio
import gzip
import logging
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta

import httpx
import pytest
import stamina
from hypothesis import given
from hypothesis import strategies as st

from bot.clouds.answer import Answer, decode
from bot.clouds.circuit import Circuit
from bot.clouds.http import Http, Limits, Wire
from bot.clouds.signing import Draft
from bot.clouds.transport import Endpoint
from bot.domain.errors import (
    CloudError,
    NotAvailable,
    NotFound,
    Refused,
    Rejected,
    Throttled,
    Uncertain,
    Unreachable,
    Unreadable,
)

NOW = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
SECRET = "s3cr3t-signature"
QUICK = Limits(connect=0.3, read=0.2, write=0.2, pool=0.2, deadline=0.4)

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


class Script:
    """Answers one request after the other; the last answer is repeated."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self._answers = list(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def sign(draft: Draft) -> Mapping[str, str]:
    return {"authorization": f"{SECRET} {draft.method} {draft.path}"}


def no_opinion(answer: Answer) -> CloudError | None:
    return None


def wire_to(script: Script, clock: Callable[[], datetime] | None = None, limits: Limits = QUICK) -> Wire:
    http = Http(transport=httpx.MockTransport(script))
    return Wire("c", "https://api.example", http, sign=sign, judge=no_opinion, clock=clock or Clock(), limits=limits)


def ok(**body: object) -> httpx.Response:
    return httpx.Response(200, json=body)


@asynccontextmanager
async def serving(handle: Handler) -> AsyncIterator[str]:
    """A raw TCP server, for what no HTTP server would do. Every connection is closed before it ends."""
    connections: set[asyncio.Task[None]] = set()

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        try:
            await handle(reader, writer)
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            pass
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    server = await asyncio.start_server(connection, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections)


def line_to(url: str, http: Http, clock: Callable[[], datetime] | None = None, limits: Limits = QUICK) -> Wire:
    return Wire("c", url, http, sign=sign, judge=no_opinion, clock=clock or Clock(), limits=limits)


# -- what is sent


async def test_the_query_goes_out_as_it_was_signed() -> None:
    script = Script(ok())
    await wire_to(script).read("/p", {"q": "训练 a+b*c~/", "none": None})
    assert b"/p?q=%E8%AE%AD%E7%BB%83%20a%2Bb%2Ac~%2F" == script.requests[0].url.raw_path


async def test_each_attempt_is_signed_anew() -> None:
    seen: list[str] = []

    def counting(draft: Draft) -> Mapping[str, str]:
        seen.append(draft.path)
        return {"authorization": str(len(seen))}

    script = Script(httpx.Response(503), ok())
    http = Http(transport=httpx.MockTransport(script))
    await Wire("c", "http://h", http, sign=counting, judge=no_opinion, clock=Clock(), limits=QUICK).read("/p")
    assert ["1", "2"] == [request.headers["authorization"] for request in script.requests]


async def test_a_path_before_the_platforms_paths_is_kept_and_signed() -> None:
    script = Script(ok())
    http = Http(transport=httpx.MockTransport(script))
    await Wire("c", "https://h:443/api/osm/", http, sign=sign, judge=no_opinion, clock=Clock()).read("/v1/x")
    request = script.requests[0]
    assert ("https://h/api/osm/v1/x", "h", f"{SECRET} GET /api/osm/v1/x") == (
        str(request.url),
        request.headers["host"],
        request.headers["authorization"],
    )


@pytest.mark.parametrize("name", ["", ".", ".."])
async def test_a_name_that_would_change_the_path_is_not_looked_up(name: str) -> None:
    with pytest.raises(NotFound):
        wire_to(Script(ok())).path("/jobs", name, "stop")


@pytest.mark.parametrize("endpoint", ["ftp://h", "h:80", "https://", "https://u:p@h", "https://h?x=1", "http://h:port"])
def test_an_endpoint_that_is_none_is_refused_without_quoting_it(endpoint: str) -> None:
    with pytest.raises(ValueError, match="endpoint"):
        Endpoint.parse(endpoint)


async def test_no_cookie_of_one_cloud_is_kept() -> None:
    script = Script(httpx.Response(200, json={}, headers={"set-cookie": "session=1; Path=/"}), ok())
    wire = wire_to(script)
    await wire.read("/p")
    await wire.read("/p")
    assert "cookie" not in script.requests[1].headers


# -- what is repeated


@pytest.mark.parametrize("status", [500, 502, 503, 504])
async def test_a_read_is_repeated_after_a_server_error(status: int) -> None:
    script = Script(httpx.Response(status), ok(a=1))
    assert {"a": 1} == await wire_to(script).read("/p")


async def test_a_read_is_repeated_when_the_server_closed_the_connection() -> None:
    script = Script(httpx.RemoteProtocolError("Server disconnected"), ok(a=1))
    assert {"a": 1} == await wire_to(script).read("/p")


async def test_a_read_gives_up_after_three_attempts() -> None:
    script = Script(httpx.Response(503))
    with pytest.raises(Unreachable, match="HTTP 503"):
        await wire_to(script).read("/p")
    assert 3 == len(script.requests)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409])
async def test_a_read_is_not_repeated_when_the_answer_would_be_the_same(status: int) -> None:
    script = Script(httpx.Response(status))
    with pytest.raises(CloudError):
        await wire_to(script).read("/p")
    assert 1 == len(script.requests)


@pytest.mark.parametrize("headers", [{"retry-after": "0"}, {"x-acs-retry-after": "20"}])
async def test_a_short_wait_that_the_platform_asks_for_is_kept(headers: dict[str, str]) -> None:
    script = Script(httpx.Response(429, headers=headers), ok(a=1))
    assert {"a": 1} == await wire_to(script).read("/p")


@pytest.mark.parametrize("headers", [{"retry-after": "60"}, {}, {"retry-after": "soon"}])
async def test_a_long_or_unknown_wait_is_the_callers_matter(headers: dict[str, str]) -> None:
    script = Script(httpx.Response(429, headers=headers))
    with pytest.raises(Throttled) as caught:
        await wire_to(script).read("/p")
    assert (1, 60.0 if headers.get("retry-after") == "60" else None) == (
        len(script.requests),
        caught.value.retry_after,
    )


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(500),
        httpx.Response(502, text="<html>"),
        httpx.Response(503),
        httpx.Response(200, text="<html>"),
        httpx.Response(200, text=""),
        httpx.ReadTimeout("t"),
        httpx.WriteTimeout("t"),
        httpx.ReadError("r"),
        httpx.RemoteProtocolError("cut"),
    ],
)
async def test_a_write_whose_outcome_is_unknown_is_said_to_be_so_and_not_repeated(
    answer: httpx.Response | Exception,
) -> None:
    script = Script(answer)
    with pytest.raises(Uncertain):
        await wire_to(script).write("POST", "/stop")
    assert 1 == len(script.requests)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (httpx.ConnectError("c"), Unreachable),
        (httpx.ConnectTimeout("c"), Unreachable),
        (httpx.PoolTimeout("p"), Unreachable),
        (httpx.Response(400), Rejected),
        (httpx.Response(403), Refused),
        (httpx.Response(404), NotFound),
        (httpx.Response(405), NotAvailable),
        (httpx.Response(429), Throttled),
        (httpx.Response(307, headers={"location": "https://other.example/x"}), Unreadable),
    ],
)
async def test_a_write_that_certainly_did_not_happen_says_why(
    answer: httpx.Response | Exception, error: type[CloudError]
) -> None:
    with pytest.raises(CloudError) as caught:
        await wire_to(Script(answer)).write("POST", "/stop")
    assert error is type(caught.value)


# -- what an answer may be


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (b"<!doctype html><title>token=abc</title>", "web page"),
        (b'{"a": 1, "b": [', "cut short"),
        (b'{"a": NaN}', "broken"),
        (b'{"a": Infinity}', "broken"),
        (b'{"a": 1e999}', "broken"),
        (b'{"a": ' + b"9" * 5000 + b"}", "broken"),
        (b"[" * 100_000, "broken"),
        (b"[1]", "not a JSON object"),
        (b"null", "not a JSON object"),
        ('{"名": 1}'.encode("gb18030"), "UTF-8"),
        (b"token=abc", "not JSON"),
    ],
)
def test_an_unreadable_answer_says_why_and_quotes_nothing(content: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason) as caught:
        decode(content)
    assert "abc" not in str(caught.value)


async def test_json_is_utf8_whatever_the_charset_says() -> None:
    """F18."""
    body = '{"名": "训练"}'.encode()
    script = Script(httpx.Response(200, content=body, headers={"content-type": "application/json; charset=gbk"}))
    assert {"名": "训练"} == await wire_to(script).read("/p")


def test_a_byte_order_mark_is_no_flaw() -> None:
    assert {"a": 1} == decode(b'\xef\xbb\xbf{"a": 1}')


@given(st.binary())
def test_any_bytes_are_either_an_object_or_a_reason(content: bytes) -> None:
    try:
        value = decode(content)
    except ValueError:
        return
    assert isinstance(value, dict)


async def test_a_redirect_is_refused_and_named_by_its_host_alone() -> None:
    script = Script(httpx.Response(302, headers={"location": f"https://login.example/{SECRET}?t={SECRET}"}))
    with pytest.raises(Unreadable, match=r"redirected to login\.example") as caught:
        await wire_to(script).read("/p")
    assert (1, False) == (len(script.requests), SECRET in str(caught.value))


async def test_an_answer_beyond_the_cap_is_not_read_to_its_end() -> None:
    limits = Limits(max_body=1000)
    packed = gzip.compress(b'{"a": "' + b"x" * 1_000_000 + b'"}')
    script = Script(httpx.Response(200, content=packed, headers={"content-encoding": "gzip"}))
    with pytest.raises(Unreadable, match="longer than 1000 bytes"):
        await wire_to(script, limits=limits).read("/p")


async def test_an_answer_that_cannot_be_unpacked_is_unreadable(http: Http) -> None:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\noops")

    async with serving(handle) as url:
        with pytest.raises(Unreadable, match="unpacked"):
            await line_to(url, http).read("/p")


async def test_an_answer_cut_on_the_way_is_unreachable_and_not_half_an_answer(http: Http) -> None:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"a": 1}')

    async with serving(handle) as url:
        with pytest.raises(Unreachable, match="the connection broke"):
            await line_to(url, http).read("/p")


# -- deadlines


async def test_a_server_that_drips_is_ended_by_the_deadline(http: Http) -> None:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n")
        for _ in range(100):
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.1)

    async with serving(handle) as url, asyncio.timeout(2):
        with pytest.raises(Unreachable, match="no answer in time"):
            await line_to(url, http, limits=Limits(read=1.0, deadline=0.3, attempts=1, patience=0.1)).read("/p")


async def _silence(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()


async def test_a_silent_cloud_costs_one_time_out_and_then_nothing_until_its_next_try(http: Http) -> None:
    stamina.set_testing(False)  # testing knows no patience
    clock = Clock()
    limits = Limits(read=0.15, patience=0.1, first_pause=10, longest_pause=60)
    async with serving(_silence) as url:
        wire = line_to(url, http, clock, limits)
        with pytest.raises(Unreachable, match="no answer in time"):
            await wire.read("/p")
        assert NOW + timedelta(seconds=10) == wire.next_try
        with pytest.raises(Unreachable, match="no answer in time") as again:
            async with asyncio.timeout(0.05):
                await wire.read("/p")
        assert 10 == again.value.retry_after


async def test_a_cloud_that_answers_again_is_asked_as_before() -> None:
    clock = Clock()
    script = Script(httpx.ConnectTimeout("c"), httpx.ConnectTimeout("c"), httpx.ConnectTimeout("c"), ok(a=1))
    wire = wire_to(script, clock)
    with pytest.raises(Unreachable):
        await wire.read("/p")
    clock.now += timedelta(seconds=6)
    assert ({"a": 1}, None) == (await wire.read("/p"), wire.next_try)


async def test_no_more_requests_run_at_once_than_the_limit_says() -> None:
    running = most = 0

    async def handle(request: httpx.Request) -> httpx.Response:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.005)
        running -= 1
        return ok()

    http = Http(transport=httpx.MockTransport(handle))
    limits = Limits(concurrency=3)
    wire = Wire("c", "http://h", http, sign=sign, judge=no_opinion, clock=Clock(), limits=limits)
    await asyncio.gather(*(wire.read("/p") for _ in range(20)))
    assert 3 == most


async def test_requests_keep_the_pace() -> None:
    starts: list[float] = []

    def handle(request: httpx.Request) -> httpx.Response:
        starts.append(asyncio.get_running_loop().time())
        return ok()

    http = Http(transport=httpx.MockTransport(handle))
    wire = Wire("c", "http://h", http, sign=sign, judge=no_opinion, clock=Clock(), limits=Limits(pace=0.03))
    await asyncio.gather(*(wire.read("/p") for _ in range(3)))
    assert starts[2] - starts[0] >= 0.05


async def test_calls_cut_off_by_their_caller_leave_a_client_that_works(http: Http) -> None:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readuntil(b"\r\n\r\n"):
            await asyncio.sleep(0.02)
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")

    async def impatient(wire: Wire) -> None:
        try:
            async with asyncio.timeout(0.01):
                await wire.read("/p")
        except (TimeoutError, CloudError):
            pass

    async with serving(handle) as url:
        wire = line_to(url, http, limits=Limits(concurrency=4))
        await asyncio.gather(*(impatient(wire) for _ in range(60)))
        assert {} == await wire.read("/p")


class Leaky(httpx.AsyncBaseTransport):
    """A pool that gives nothing any more; closing it is noted."""

    def __init__(self, error: Exception) -> None:
        self._error = error
        self.asked = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        raise self._error


async def test_the_second_pool_time_out_in_a_row_replaces_the_client(caplog: pytest.LogCaptureFixture) -> None:
    http = Http(transport=Leaky(httpx.PoolTimeout("p")))
    wire = Wire("c", "http://h", http, sign=sign, judge=no_opinion, clock=Clock(), limits=QUICK)
    with pytest.raises(Unreachable, match="on our side"):
        await wire.write("POST", "/p")
    assert "" == caplog.text
    with pytest.raises(Unreachable):
        await wire.write("POST", "/p")
    assert "replacing the HTTP client" in caplog.text


async def test_our_own_full_pool_is_no_reason_to_call_the_cloud_dead() -> None:
    wire = wire_to(Script(httpx.PoolTimeout("p")))
    with pytest.raises(Unreachable):
        await wire.read("/p")
    assert wire.next_try is None


# -- the circuit


def test_pauses_double_up_to_the_longest() -> None:
    clock = Clock()
    circuit = Circuit("c", clock, timedelta(seconds=5), timedelta(seconds=30))
    pauses = []
    for _ in range(5):
        with circuit.call() as age:
            circuit.failed(age, silent=True)
        assert circuit.next_try is not None
        pauses.append((circuit.next_try - clock.now).total_seconds())
        clock.now = circuit.next_try
    assert [5, 10, 20, 30, 30] == pauses


def test_calls_that_fail_together_count_as_one_failure() -> None:
    clock = Clock()
    circuit = Circuit("c", clock, timedelta(seconds=5), timedelta(seconds=60))
    with circuit.call() as first, circuit.call() as second:
        circuit.failed(first, silent=True)
        circuit.failed(second, silent=True)
    assert NOW + timedelta(seconds=5) == circuit.next_try


def test_only_one_call_tries_a_cloud_whose_pause_is_over() -> None:
    clock = Clock()
    circuit = Circuit("c", clock, timedelta(seconds=5), timedelta(seconds=60))
    with circuit.call() as age:
        circuit.failed(age, silent=True)
    clock.now += timedelta(seconds=5)
    with circuit.call(), pytest.raises(Unreachable, match="no answer"), circuit.call():
        pass


def test_a_probe_that_was_cut_off_leaves_room_for_the_next() -> None:
    clock = Clock()
    circuit = Circuit("c", clock, timedelta(seconds=5), timedelta(seconds=60))
    with circuit.call() as age:
        circuit.failed(age, silent=True)
    clock.now += timedelta(seconds=5)
    with pytest.raises(asyncio.CancelledError), circuit.call():
        raise asyncio.CancelledError
    with circuit.call():
        circuit.answered()
    assert circuit.next_try is None


def test_failing_gateways_open_the_circuit_only_after_three_in_a_row() -> None:
    circuit = Circuit("c", Clock(), timedelta(seconds=5), timedelta(seconds=60))
    opened = []
    for _ in range(3):
        with circuit.call() as age:
            circuit.failed(age, silent=False)
        opened.append(circuit.next_try is not None)
    assert [False, False, True] == opened


def test_a_clock_set_back_does_not_lock_a_cloud_out() -> None:
    clock = Clock()
    circuit = Circuit("c", clock, timedelta(seconds=5), timedelta(seconds=60))
    with circuit.call() as age:
        circuit.failed(age, silent=True)
    clock.now -= timedelta(hours=8)
    with circuit.call():
        circuit.answered()
    assert circuit.next_try is None


# -- secrets


@pytest.mark.parametrize(
    "answer",
    [
        httpx.ConnectError(f"to https://h/?Signature={SECRET}"),
        httpx.LocalProtocolError(f"Illegal header value b'{SECRET}'"),
        httpx.ReadTimeout(SECRET),
        httpx.Response(403, text=SECRET),
        httpx.Response(200, text=f"<html>{SECRET}"),
    ],
)
async def test_no_error_tells_a_header_an_address_or_a_body(answer: httpx.Response | Exception) -> None:
    with pytest.raises(CloudError) as caught:
        await wire_to(Script(answer)).read("/p", {"Signature": SECRET})
    shown = "".join(traceback.format_exception(caught.value, limit=0)) + str(caught.value)
    assert SECRET not in shown


async def test_a_key_that_no_header_can_carry_is_refused_without_showing_it() -> None:
    http = Http(transport=httpx.MockTransport(Script(ok())))
    wire = Wire("c", "http://h", http, sign=lambda _: {"authorization": "密钥"}, judge=no_opinion, clock=Clock())
    with pytest.raises(Refused, match="characters"):
        await wire.read("/p")


async def test_the_log_holds_no_query_even_when_everything_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")

    http = Http()
    async with serving(handle) as url:
        await line_to(url, http).read("/p", {"Signature": SECRET})
    await http.aclose()
    assert SECRET not in caplog.text
