"""What each failure of SysOM means, in both spellings of its keys (SysOM reference §10)."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from email.utils import format_datetime

import httpx
import pytest

from bot.domain.errors import (
    ClockSkew,
    CloudError,
    NotAvailable,
    NotFound,
    Refused,
    Rejected,
    Throttled,
    Unreachable,
    Unreadable,
)
from bot.domain.series import Window
from tests.clouds.canned import Canned
from tests.clouds.sayings import ALARMS_PATH, NOW, records, sysom_saying

WINDOW = Window(NOW - timedelta(hours=1), NOW)
Style = Callable[[str, str], Mapping[str, object]]


def gateway(code: str, message: str) -> Mapping[str, object]:
    return {
        "RequestId": "R-1",
        "HostId": "sysom.cn-hangzhou.aliyuncs.com",
        "Code": code,
        "Message": message,
        "Recommend": "https://api.aliyun.com/troubleshoot?q=x",
    }


def service(code: str, message: str) -> Mapping[str, object]:
    return {"code": code, "message": message, "requestId": "R-1", "data": [], "total": "0"}


STYLES = [gateway, service]
both_styles = pytest.mark.parametrize("style", STYLES, ids=["gateway", "service"])


async def error_of(answer: object) -> CloudError:
    with pytest.raises(CloudError) as caught:
        await sysom_saying(Canned({ALARMS_PATH: answer})).alarms(WINDOW)
    return caught.value


@pytest.mark.parametrize(
    ("status", "code", "error"),
    [
        (400, "Sysom.ServerError", Unreachable),
        (400, "Sysom.ACKClusterNotFound", NotFound),
        (400, "Sysom.InvalidParameter", Rejected),
        (400, "Sysom.TaskInProgress", Rejected),
        (403, "Sysom.PermissionDenied", Refused),
        (400, "Sysom.AuthenticationFailure", Refused),
        (400, "Sysom.SomethingNew", Unreachable),
        (400, "SignatureDoesNotMatch", Refused),
        (403, "SignatureDoesNotMatch", Refused),
        (404, "InvalidAccessKeyId.NotFound", Refused),
        (400, "InvalidAccessKeyId.Inactive", Refused),
        (400, "InvalidTimeStamp.Format", ClockSkew),
        (400, "InvalidTimeStamp.Expired", ClockSkew),
        (400, "SignatureNonceUsed", Unreachable),
        (400, "IncompleteSignature", Refused),
        (400, "MissingParameter", Rejected),
        (400, "MissingPageSize", Rejected),
        (404, "InvalidApi.NotFound", NotAvailable),
        (403, "Forbidden.RAM", Refused),
        (403, "Forbidden", Refused),
        (403, "NoPermission", Refused),
        (400, "Throttling", Throttled),
        (400, "Throttling.User", Throttled),
        (429, "Throttling.Api", Throttled),
        (429, "TooMany", Throttled),
        (500, "InternalError", Unreachable),
        (503, "ServiceUnavailable", Unreachable),
        (400, "Brandnew", Rejected),
        (403, "Brandnew", Refused),
        (500, "Brandnew", Unreachable),
    ],
)
@both_styles
async def test_the_code_decides_and_the_http_status_only_where_it_is_unknown(
    style: Style, status: int, code: str, error: type[CloudError]
) -> None:
    caught = await error_of(httpx.Response(status, json=style(code, "why")))
    assert error is type(caught)
    assert code in caught.detail
    assert "why" in caught.detail


@both_styles
@pytest.mark.parametrize(
    ("code", "error"),
    [("Sysom.ServerError", Unreachable), ("Throttling.User", Throttled), ("Sysom.InvalidParameter", Rejected)],
)
async def test_a_failure_next_to_http_200_is_no_empty_list(style: Style, code: str, error: type[CloudError]) -> None:
    """F102."""
    assert error is type(await error_of(httpx.Response(200, json=style(code, "why"))))


async def test_a_throttled_answer_carries_the_wait_that_came_in_milliseconds() -> None:
    headers = {"x-acs-retry-after": "2500"}
    caught = await error_of(httpx.Response(400, json=gateway("Throttling.User", "slow"), headers=headers))
    assert isinstance(caught, Throttled)
    assert 2.5 == caught.retry_after


async def test_a_throttled_answer_without_a_wait_names_none() -> None:
    caught = await error_of(httpx.Response(400, json=gateway("Throttling.User", "slow")))
    assert isinstance(caught, Throttled)
    assert caught.retry_after is None


async def test_a_clock_that_is_off_is_told_with_its_distance() -> None:
    date = format_datetime(NOW - timedelta(minutes=16), usegmt=True)
    answer = httpx.Response(400, json=gateway("InvalidTimeStamp.Expired", "expired"), headers={"date": date})
    caught = await error_of(answer)
    assert "our clock is 16 min ahead" in caught.detail


async def test_a_denied_permission_names_the_action_that_it_needs() -> None:
    denied = {
        **gateway("Forbidden.RAM", "no"),
        "AccessDeniedDetail": {"AuthAction": "sysom:GetGpuClusterListAlarmRecord"},
    }
    assert "needs sysom:GetGpuClusterListAlarmRecord" in (await error_of(httpx.Response(403, json=denied))).detail


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"", Unreadable),
        (b"[]", Unreadable),
        (b"null", Unreadable),
        (b'{"code": "Succ', Unreadable),
        ({"data": []}, Unreadable),
        (httpx.Response(200, text="<html>", headers={"content-type": "text/html"}), Unreadable),
        (httpx.Response(404, text="<html>", headers={"content-type": "text/html"}), Unreadable),
        (httpx.Response(502, text="<html>", headers={"content-type": "text/html"}), Unreachable),
        (httpx.Response(204), Unreadable),
    ],
    ids=range(9),
)
async def test_an_odd_answer_is_an_error_and_not_no_alarms(answer: object, error: type[CloudError]) -> None:
    assert error is type(await error_of(answer))


async def test_no_secret_gets_into_an_error() -> None:
    caught = await error_of(httpx.Response(400, json=gateway("SignatureDoesNotMatch", "key sk-of-the-tests is wrong")))
    assert "sk-of-the-tests" not in f"{caught} {caught!r}"


async def test_a_repeated_request_has_a_nonce_of_its_own() -> None:
    canned = Canned({ALARMS_PATH: [httpx.Response(503, json={}), records()]})
    await sysom_saying(canned).alarms(WINDOW)
    nonces = [request.headers["x-acs-signature-nonce"] for request in canned.requests]
    assert 2 == len(set(nonces))


async def test_a_temporary_key_sends_its_token_signed() -> None:
    canned = Canned({ALARMS_PATH: records()})
    await sysom_saying(canned, security_token="CAIS-token==").alarms(WINDOW)
    headers = canned.requests[0].headers
    assert ("CAIS-token==", "ak-1") == (headers["x-acs-security-token"], headers["x-acs-accesskey-id"])
    assert "x-acs-accesskey-id;" in headers["authorization"]
    assert "x-acs-security-token;" in headers["authorization"]
