"""How Alaya is spoken to: credentials, the table of operations, pages, and what each refusal means."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from bot.clouds.alaya.operations import OPERATIONS, configured
from bot.domain.errors import (
    ClockSkew,
    CloudError,
    NotAvailable,
    NotFound,
    Rejected,
    Throttled,
    Uncertain,
    Unreachable,
    Unreadable,
)
from bot.domain.job import Job, JobKey, JobState
from bot.domain.ports import Can
from tests.clouds.canned import Canned
from tests.clouds.sayings import CHECK_PATH, JOB_ID, JOB_PATH, LIST_PATH, POD, WEB_PAGE, alaya_saying, envelope

Call = Callable[[], Awaitable[object]]

STOP_PATH = f"{JOB_PATH}/stop"
STOP_ON = {"stop": {"enabled": True}}
PODS_PATH = f"{JOB_PATH}/pods"
JOB = Job(JobKey("alaya", JOB_ID), "pretrain", JobState.RUNNING, "Running")


def refusing(status: int) -> httpx.Response:
    return httpx.Response(status, json=envelope({}, status=status, message="no"))


def listing(*ids: str, total: object = None) -> dict[str, object]:
    return envelope({"records": [{"id": each} for each in ids], "totalRows": len(ids) if total is None else total})


def page_of(first: int, count: int, total: int) -> dict[str, object]:
    return listing(*(f"j-{number}" for number in range(first, first + count)), total=total)


# -- credentials


async def test_a_bearer_key_goes_along_as_it_is() -> None:
    canned = Canned({CHECK_PATH: envelope(True)})
    assert "training is enabled" == await alaya_saying(canned, api_key="open-api-key").ping()
    assert "Bearer open-api-key" == canned.requests[0].headers["authorization"]


async def test_hmac_signs_milliseconds_method_and_path_without_the_query() -> None:
    path = "/api/osm/v1/training/instance/list"
    canned = Canned({path: listing("j-1")})
    at = datetime.fromtimestamp(1756030585, UTC)
    alaya = alaya_saying(
        canned,
        clock=lambda: at,
        auth="hmac",
        access_key="ak",
        secret_key="sk_test_secret",
        path_prefix="/api/osm",
    )
    await alaya.jobs()
    signature = "f71e846381d49db734c06268504bb9e5ac73c1556eedad01d936ff36460d69ad"
    assert f"alayanew-HMAC-SHA256 ak:1756030585000:{signature}" == canned.requests[0].headers["authorization"]
    assert {"pageNo": "1", "pageSize": "100"} == canned.query()


async def test_the_plain_scheme_of_the_older_family_can_be_chosen() -> None:
    canned = Canned({CHECK_PATH: envelope(False)})
    said = await alaya_saying(canned, auth="plain", access_key="ak", secret_key="sk").ping()
    assert "plain Credential=ak,Signature=sk" == canned.requests[0].headers["authorization"]
    assert "not enabled" in said


@pytest.mark.parametrize(
    "settings",
    [{"auth": "digest"}, {"auth": "bearer", "api_key": ""}, {"auth": "hmac", "access_key": "ak"}, {"auth": "plain"}],
    ids=["unknown", "bearer", "hmac", "plain"],
)
def test_a_scheme_without_its_credentials_is_refused_when_built(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="auth"):
        alaya_saying(Canned({}), **settings)


@pytest.mark.parametrize("prefix", ["/api/osm", "api/osm", "/api/osm/"])
async def test_the_prefix_is_put_in_front_however_its_slashes_are_written(prefix: str) -> None:
    canned = Canned({f"/api/osm{CHECK_PATH}": envelope(True)})
    assert await alaya_saying(canned, path_prefix=prefix).ping()


async def test_a_clock_that_is_off_is_named_as_such() -> None:
    with pytest.raises(ClockSkew, match="clocks"):
        await alaya_saying(Canned({CHECK_PATH: envelope({}, status=40002)})).ping()


async def test_a_secret_that_the_platform_repeats_is_masked() -> None:
    failing = Canned(
        {CHECK_PATH: envelope({}, status=40006, message="no key open-api-key, see https://x.example/?k=1")}
    )
    with pytest.raises(CloudError) as caught:
        await alaya_saying(failing, api_key="open-api-key").ping()
    assert "no key ***, see *** (status 40006)" == caught.value.detail


# -- the table of operations


def test_writes_are_off_until_somebody_switches_them_on() -> None:
    assert {"stop", "delete", "restart"} == {name for name, one in OPERATIONS.items() if not one.enabled}
    assert {"stop", "delete", "restart"} == {name for name, one in OPERATIONS.items() if one.writes}
    assert Can.STOP not in alaya_saying(Canned({})).abilities


async def test_a_stop_that_is_off_is_not_sent_and_says_which_setting_it_is() -> None:
    canned = Canned({})
    with pytest.raises(NotAvailable, match=r"operations\.stop\.enabled"):
        await alaya_saying(canned).stop(JOB_ID)
    assert [] == canned.requests


async def test_a_stop_that_is_on_is_posted_once() -> None:
    canned = Canned({STOP_PATH: envelope({})})
    alaya = alaya_saying(canned, operations=STOP_ON)
    await alaya.stop(JOB_ID)
    assert Can.STOP in alaya.abilities
    assert [("POST", STOP_PATH)] == [(request.method, request.url.path) for request in canned.requests]


async def test_method_and_path_of_an_operation_are_settings() -> None:
    canned = Canned({f"/v2/jobs/{JOB_ID}/halt": envelope({})})
    change = {"stop": {"method": "put", "path": "/v2/jobs/{id}/halt", "enabled": True}}
    await alaya_saying(canned, operations=change).stop(JOB_ID)
    assert "PUT" == canned.requests[0].method


async def test_delete_and_restart_go_where_the_table_says() -> None:
    canned = Canned({f"{JOB_PATH}/delete": envelope({}), f"{JOB_PATH}/restart": envelope({})})
    alaya = alaya_saying(canned, operations={"delete": {"enabled": True}, "restart": {"enabled": True}})
    await alaya.delete_job(JOB_ID)
    await alaya.restart_job(JOB_ID)
    assert ["DELETE", "POST"] == [request.method for request in canned.requests]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"halt": {"enabled": True}}, "halt"),
        ({"stop": {"verb": "POST"}}, "verb"),
        ({"stop": {"method": "FETCH"}}, "stop"),
        ({"stop": {"path": "/v1/{job}/stop"}}, "{id}"),
        ({"stop": {"path": "v1/{id}/stop"}}, "begin with /"),
        ({"stop": {"enabled": "yes"}}, "enabled"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_named(change: dict[str, dict[str, object]], named: str) -> None:
    with pytest.raises(ValueError, match="operation") as caught:
        configured(change)
    assert named in str(caught.value)


@pytest.mark.parametrize(
    ("switched_off", "lost"),
    [
        ("jobs", Can.LIST_JOBS),
        ("pods", Can.TERMINAL),
        ("metrics", Can.METRICS),
        ("pod", Can.POD_DETAIL),
        ("logs", Can.LOGS),
        ("events", Can.EVENTS),
    ],
)
def test_abilities_follow_the_table(switched_off: str, lost: Can) -> None:
    full = alaya_saying(Canned({})).abilities
    assert lost in full
    assert lost not in alaya_saying(Canned({}), operations={switched_off: {"enabled": False}}).abilities


@pytest.mark.parametrize("answer", [refusing(404), refusing(405), WEB_PAGE, httpx.Response(404)], ids=range(4))
@pytest.mark.parametrize("operation", ["stop", "logs", "events"])
async def test_an_assumed_operation_that_is_missing_is_not_available_here(
    operation: str, answer: httpx.Response
) -> None:
    paths = (STOP_PATH, f"{JOB_PATH}/{POD}/logs", f"{JOB_PATH}/events")
    alaya = alaya_saying(Canned(dict.fromkeys(paths, answer)), operations=STOP_ON)
    calls: dict[str, Call] = {
        "stop": lambda: alaya.stop(JOB_ID),
        "logs": lambda: alaya.logs(JOB_ID, POD, 5),
        "events": lambda: alaya.events(JOB),
    }
    with pytest.raises(NotAvailable, match="not available at this deployment") as caught:
        await calls[operation]()
    assert NotAvailable is type(caught.value)


@pytest.mark.parametrize(
    "answer",
    [envelope({}, status=500, message="Internal Server Error"), refusing(502), b"", b'{"status": 2'],
    ids=["500", "502", "empty", "cut"],
)
async def test_a_stop_without_a_usable_answer_is_uncertain_and_not_repeated(answer: object) -> None:
    canned = Canned({STOP_PATH: answer})
    with pytest.raises(Uncertain):
        await alaya_saying(canned, operations=STOP_ON).stop(JOB_ID)
    assert 1 == len(canned.requests)


async def test_a_stop_that_is_understood_and_declined_is_rejected() -> None:
    declined = Canned({STOP_PATH: envelope({}, status=400, message="the task has ended")})
    with pytest.raises(Rejected, match="the task has ended"):
        await alaya_saying(declined, operations=STOP_ON).stop(JOB_ID)


# -- what the platform may answer to any read


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (refusing(404), NotFound),
        (envelope({}, status=404), NotFound),
        (httpx.Response(404, text="404 page not found"), Unreadable),
        (httpx.Response(404, json={"status": 404, "error": "Not Found", "path": PODS_PATH}), Unreadable),
        (httpx.Response(429, headers={"retry-after": "7"}, json={}), Throttled),
        (envelope({}, status=429), Throttled),
        (httpx.Response(503, json={}), Unreachable),
        (httpx.Response(502, text="<html>bad gateway</html>", headers={"content-type": "text/html"}), Unreachable),
        (envelope({}, status=50012, message="busy"), Unreachable),
        (envelope({}, status=40900), Rejected),
        ({"message": "OK", "data": []}, Unreadable),
        (envelope([], status=True), Unreadable),
        (envelope([], status="OK"), Unreadable),
        (b"", Unreadable),
        (b"[]", Unreadable),
        (httpx.Response(302, headers={"location": "https://login.example.com/?next=1"}), Unreadable),
    ],
    ids=range(16),
)
async def test_each_refusal_has_its_remedy(answer: object, error: type[CloudError]) -> None:
    with pytest.raises(CloudError) as caught:
        await alaya_saying(Canned({PODS_PATH: answer})).pods(JOB_ID)
    assert error is type(caught.value)


async def test_a_throttled_answer_carries_the_seconds_to_wait() -> None:
    with pytest.raises(Throttled) as caught:
        await alaya_saying(Canned({PODS_PATH: httpx.Response(429, headers={"retry-after": "7"}, json={})})).pods(JOB_ID)
    assert 7.0 == caught.value.retry_after


@pytest.mark.parametrize("job_id", ["", ".", "..", "..."])
async def test_an_id_that_would_change_the_path_is_not_found_without_asking(job_id: str) -> None:
    canned = Canned({})
    with pytest.raises(NotFound):
        await alaya_saying(canned).pods(job_id)
    assert [] == canned.requests


async def test_an_id_is_percent_encoded_once() -> None:
    canned = Canned({"/v1/training/instance/训练/a b%2F/pods": envelope([])})
    await alaya_saying(canned).pods("训练/a b%2F")
    encoded = b"/v1/training/instance/%E8%AE%AD%E7%BB%83%2Fa%20b%252F/pods"
    assert encoded == canned.requests[0].url.raw_path


# -- the job list


async def test_all_pages_are_read_until_the_total() -> None:
    canned = Canned({LIST_PATH: [page_of(0, 100, 230), page_of(100, 100, 230), page_of(200, 30, 230)]})
    jobs = await alaya_saying(canned).jobs()
    assert [f"j-{number}" for number in range(230)] == [job.id for job in jobs]
    assert ["1", "2", "3"] == [canned.query(number)["pageNo"] for number in range(3)]


@pytest.mark.parametrize("last", [page_of(0, 0, 230), page_of(0, 100, 230)], ids=["empty", "repeated"])
async def test_an_empty_or_repeated_page_before_the_total_is_an_error_and_no_part(last: dict[str, object]) -> None:
    with pytest.raises(Unreadable, match="page 2"):
        await alaya_saying(Canned({LIST_PATH: [page_of(0, 100, 230), last]})).jobs()


async def test_a_list_without_an_end_is_left_after_a_hundred_pages() -> None:
    pages = [page_of(number * 100, 100, 99_999) for number in range(101)]
    canned = Canned({LIST_PATH: pages})
    with pytest.raises(Unreadable, match="100 pages"):
        await alaya_saying(canned).jobs()
    assert 100 == len(canned.requests)


async def test_a_list_that_shifts_while_it_is_read_is_read_again() -> None:
    shifted = [page_of(0, 100, 150), page_of(101, 49, 149), page_of(1, 100, 149), page_of(101, 49, 149)]
    jobs = await alaya_saying(Canned({LIST_PATH: shifted})).jobs()
    assert {f"j-{number}" for number in range(1, 150)} == {job.id for job in jobs}


async def test_a_list_that_never_holds_still_is_unreachable_rather_than_partial() -> None:
    pages = [page for turn in range(9) for page in (page_of(0, 100, 150 + turn), page_of(100, 60, 151 + turn))]
    with pytest.raises(Unreachable, match="changed"):
        await alaya_saying(Canned({LIST_PATH: pages})).jobs()


async def test_a_total_that_is_missing_ends_the_list_at_a_short_page() -> None:
    full = envelope({"records": [{"id": f"j-{number}"} for number in range(100)]})
    canned = Canned({LIST_PATH: [full, envelope({"records": [{"id": "j-100"}]})]})
    assert 101 == len(await alaya_saying(canned).jobs())


async def test_one_bad_record_is_skipped_and_the_rest_used(caplog: pytest.LogCaptureFixture) -> None:
    rows = [{"id": "j-1"}, None, {"name": "without id"}, "text", {"id": "j-2", "resource": 5, "status": []}]
    canned = Canned({LIST_PATH: envelope({"records": rows, "totalRows": 5})})
    assert ["j-1", "j-2"] == [job.id for job in await alaya_saying(canned).jobs()]
    assert "3 job records" in caplog.text


# -- where there is no list


@pytest.mark.parametrize("answer", [refusing(404), WEB_PAGE], ids=["404", "page"])
async def test_without_a_list_the_watched_jobs_are_told_by_their_pods(answer: httpx.Response) -> None:
    pods = [
        {"podName": "a", "status": "running", "createdTime": "2025-09-10 12:00:00"},
        {"podName": "b", "status": "Pending", "createdTime": "2025-09-10 12:05:00"},
    ]
    [job] = await alaya_saying(Canned({LIST_PATH: answer, PODS_PATH: envelope(pods)}), jobs=[JOB_ID]).jobs()
    assert (JOB_ID, JobState.RUNNING, "from its pods: 1 Pending, 1 running") == (
        job.name,
        job.state,
        job.platform_state,
    )
    assert (2, datetime(2025, 9, 10, 4, tzinfo=UTC)) == (job.replicas, job.started_at)


@pytest.mark.parametrize(
    ("words", "state"),
    [
        (["running", "failed"], JobState.RUNNING),
        (["pending", "failed"], JobState.STARTING),
        (["succeeded", "failed"], JobState.FAILED),
        (["succeeded", "succeeded"], JobState.SUCCEEDED),
        (["succeeded", "odd"], JobState.UNKNOWN),
        ([], JobState.UNKNOWN),
    ],
)
async def test_a_watched_jobs_state_follows_from_its_pods(words: list[str], state: JobState) -> None:
    pods = [{"podName": f"p-{place}", "status": word} for place, word in enumerate(words)]
    off = {"jobs": {"enabled": False}}
    [job] = await alaya_saying(Canned({PODS_PATH: envelope(pods)}), jobs=[JOB_ID], operations=off).jobs()
    assert state is job.state


async def test_a_watched_job_that_is_gone_is_left_out_while_the_api_is_there() -> None:
    canned = Canned({LIST_PATH: refusing(404), PODS_PATH: refusing(404), CHECK_PATH: envelope(True)})
    assert [] == await alaya_saying(canned, jobs=[JOB_ID]).jobs()


async def test_a_watched_job_that_cannot_be_read_is_an_error_and_no_part() -> None:
    canned = Canned({LIST_PATH: refusing(404), PODS_PATH: refusing(503)})
    with pytest.raises(Unreachable):
        await alaya_saying(canned, jobs=[JOB_ID]).jobs()


async def test_without_list_and_watched_jobs_the_way_out_is_told() -> None:
    canned = Canned({LIST_PATH: refusing(404), CHECK_PATH: envelope(True)})
    with pytest.raises(NotAvailable, match="setting jobs"):
        await alaya_saying(canned).jobs()


async def test_a_job_is_found_by_detail_else_in_the_list_else_by_its_pods() -> None:
    detail = Canned({JOB_PATH: envelope({"id": JOB_ID, "name": "by detail"})})
    listed = Canned({JOB_PATH: refusing(404), LIST_PATH: envelope({"records": [{"id": JOB_ID, "name": "by list"}]})})
    pods = Canned({JOB_PATH: WEB_PAGE, LIST_PATH: refusing(404), PODS_PATH: envelope([{"podName": POD}])})
    names = [(await alaya_saying(canned).job(JOB_ID)).name for canned in (detail, listed, pods)]
    assert ["by detail", "by list", JOB_ID] == names


async def test_a_job_that_the_list_does_not_hold_is_not_found() -> None:
    with pytest.raises(NotFound):
        await alaya_saying(Canned({JOB_PATH: refusing(404), LIST_PATH: listing("other")})).job(JOB_ID)


# -- logs and events in whatever shape


@pytest.mark.parametrize("data", [{"lines": ["a", "b", "c"]}, ["a", "b", "c"], "a\nb\nc", {"content": "a\nb\nc\n"}])
async def test_logs_are_read_in_each_likely_shape(data: object) -> None:
    canned = Canned({f"{JOB_PATH}/{POD}/logs": envelope(data)})
    log = await alaya_saying(canned).logs(JOB_ID, POD, 2)
    assert (("b", "c"), True) == (log.lines, log.cut)
    assert {"tail": "3"} == canned.query()


async def test_events_come_newest_first_and_empty_ones_are_left_out() -> None:
    rows = [
        {"type": "Normal", "reason": "Started", "lastTime": "2025-09-10 12:00:00"},
        {"type": "Warning", "reason": "BackOff", "message": "重启", "count": "3", "lastTime": "2025-09-10 13:00:00"},
        {},
        None,
    ]
    events = await alaya_saying(Canned({f"{JOB_PATH}/events": envelope(rows)})).events(JOB)
    assert [("BackOff", True, 3), ("Started", False, 1)] == [(one.reason, one.warning, one.count) for one in events]
