"""What Baidu's refusals and failures become, by remedy; and what no error may say."""

from datetime import UTC, datetime

import httpx
import pytest

from bot.domain.errors import (
    ClockSkew,
    CloudError,
    NotFound,
    Refused,
    Rejected,
    Throttled,
    Uncertain,
    Unreachable,
    Unreadable,
)
from bot.domain.job import JobDefinition
from tests.clouds.canned import JOB_ID, JOB_PATH, Canned, baidu_saying, page
from tests.clouds.test_baidu_answers import fixture

JOBS = "/api/v1/aijobs"


def failing(status: int, code: object, message: str = "m", **headers: str) -> httpx.Response:
    return httpx.Response(status, json={"code": code, "message": message, "requestId": "r"}, headers=headers)


async def error_of(answer: httpx.Response | bytes) -> CloudError:
    with pytest.raises(CloudError) as caught:
        await baidu_saying(Canned({JOBS: answer})).jobs()
    return caught.value


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (403, "AccessDenied", Refused),
        (403, "InvalidAccessKeyId", Refused),
        (403, "OptInRequired", Refused),
        (400, "InvalidHTTPAuthHeader", Refused),
        (400, "SignatureDoesNotMatch", Refused),
        (403, "SomethingNew", Refused),
        (400, "RequestExpired", ClockSkew),
        (400, "cce.warning.GetAIJobByJobIdFailed", NotFound),
        (404, "cce.warning.GetAIJobByJobIdFailed", NotFound),
        (400, "cce.warning.GetResourcePoolFailed", NotFound),
        (400, "cce.warning.StopAIJobFailed", Rejected),
        (400, "InvalidParam", Rejected),
        (400, "MalformedJSON", Rejected),
        (400, "InappropriateJSON", Rejected),
        (412, "PreconditionFailed", Rejected),
        (400, "Throttling.User", Throttled),
        (429, "RequestLimitExceeded", Throttled),
        (429, "Anything", Throttled),
        (500, "InternalError", Unreachable),
        (500, "cce.warning.GetAIJobByJobIdFailed", Unreachable),
        (503, "ServiceUnavailable", Unreachable),
        (404, "InvalidURI", Unreadable),
        (404, "InvalidVersion", Unreadable),
        (410, "Gone", Unreadable),
    ],
)
async def test_each_code_becomes_the_error_with_its_remedy(status: int, code: str, kind: type[CloudError]) -> None:
    assert kind is type(await error_of(failing(status, code)))


async def test_a_job_that_is_unknown_is_not_found() -> None:
    answer = failing(400, "cce.warning.GetAIJobByJobIdFailed", f"get job by jobid failed, err: {JOB_ID} not found job")
    with pytest.raises(NotFound):
        await baidu_saying(Canned({JOB_PATH: answer})).job(JOB_ID)


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(404, text="<html>404</html>"),
        httpx.Response(404),
        failing(404, "InvalidURI"),
        failing(404, "InvalidVersion"),
        httpx.Response(410, text="gone"),
    ],
)
async def test_an_api_version_that_is_gone_is_said_to_be_gone_and_no_job_is_reported_missing(
    answer: httpx.Response,
) -> None:
    baidu = baidu_saying(Canned({JOBS: answer, JOB_PATH: answer}))
    with pytest.raises(Unreadable, match="API version may be gone"):
        await baidu.jobs()
    with pytest.raises(Unreadable, match="API version may be gone"):
        await baidu.job(JOB_ID)


async def test_a_skewed_clock_is_named_with_both_times() -> None:
    error = await error_of(failing(400, "RequestExpired", date="Tue, 16 Jul 2024 06:46:00 GMT"))
    assert isinstance(error, ClockSkew)
    assert "our clock says 2024-07-16 06:30:00 UTC, the platform's 2024-07-16 06:46:00 UTC" in error.detail


async def test_a_skew_without_a_readable_date_still_names_our_clock() -> None:
    error = await error_of(failing(400, "RequestExpired", date="soon"))
    assert "06:30:00 UTC, the platform's unknown" in error.detail


async def test_an_error_next_to_http_200_is_an_error_and_no_empty_list() -> None:
    assert isinstance(await error_of(failing(200, "AccessDenied")), Refused)
    assert isinstance(await error_of(failing(200, "InternalError")), Unreachable)


async def test_a_code_beside_a_result_is_no_error() -> None:
    assert [] == await baidu_saying(Canned({JOBS: {**page("jobs"), "code": "Success"}})).jobs()


async def test_a_platforms_own_reason_is_shown_where_it_said_no_without_secrets_and_addresses() -> None:
    error = await error_of(failing(400, "InvalidParam", "bad\nqueue for sk-1\tsee https://x/?token=abc " + "now" * 500))
    assert error.detail.startswith("bad queue for *** see *** ")
    assert len(error.detail) < 250


@pytest.mark.parametrize("code", ["<script>", "a b", "x" * 200, {"a": 1}, None, ["AccessDenied"]], ids=repr)
async def test_a_code_that_is_none_leaves_the_word_to_the_status(code: object) -> None:
    error = await error_of(failing(400, code))
    assert (Rejected, "HTTP 400 Bad Request") == (type(error), error.detail)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"", "empty answer"),
        (b"<html>ok</html>", "web page"),
        (b'{"result": {"jobs": [', "cut short"),
        (b'{"result": NaN}', "broken"),
        ('{"result": "编码"}'.encode("gb18030"), "not UTF-8"),
    ],
)
async def test_a_200_that_is_no_answer_says_what_it_is(answer: bytes, reason: str) -> None:
    """F103."""
    error = await error_of(answer)
    assert (Unreadable, True) == (type(error), reason in error.detail)


async def test_a_refused_stop_tells_the_platforms_reason() -> None:
    answers = {JOB_PATH: fixture("job"), f"{JOB_PATH}/stop": failing(400, "cce.warning.StopAIJobFailed", "is over")}
    with pytest.raises(Rejected, match="is over"):
        await baidu_saying(Canned(answers)).stop(JOB_ID)


async def test_a_stop_without_an_answer_is_uncertain_and_sent_once() -> None:
    canned = Canned({JOB_PATH: fixture("job"), f"{JOB_PATH}/stop": httpx.Response(502)})
    with pytest.raises(Uncertain):
        await baidu_saying(canned).stop(JOB_ID)
    assert 1 == sum(request.url.path.endswith("/stop") for request in canned.requests)


async def test_a_created_job_without_an_id_is_uncertain() -> None:
    definition = JobDefinition("n", "i", "c", 1, {})
    with pytest.raises(Uncertain):
        await baidu_saying(Canned({JOBS: {"requestId": "r"}})).create_job("cce-1", definition)


@pytest.mark.parametrize("name", ["", ".", ".."])
async def test_a_job_id_that_would_change_the_path_is_not_found_without_asking(name: str) -> None:
    canned = Canned({})
    with pytest.raises(NotFound):
        await baidu_saying(canned).job(name)
    assert [] == canned.requests


async def test_a_job_id_stays_one_segment_of_the_path() -> None:
    canned = Canned({"/api/v1/aijobs/a/b?c": fixture("job")})
    with pytest.raises(Unreadable, match="another job"):
        await baidu_saying(canned).job("a/b?c")
    assert b"/api/v1/aijobs/a%2Fb%3Fc?resourcePoolId=cce-ab12cd34" == canned.requests[0].url.raw_path


async def test_requests_are_signed_with_the_injected_clock() -> None:
    canned = Canned({JOBS: page("jobs")})
    await baidu_saying(canned, clock=lambda: datetime(2030, 1, 1, tzinfo=UTC)).jobs()
    assert (
        "bce-auth-v1/ak-1/2030-01-01T00:00:00Z/1800/content-type;host;x-bce-date/"
        in (canned.requests[0].headers["authorization"])
    )
