"""Which channel an alarm goes to."""

from bot.domain.alarm import SOURCE_BLIND, Severity
from bot.domain.routing import Route, router
from tests import make

ROUTES = [
    Route("#nccl", kind=("nccl*",)),
    Route("#urgent", severity_from=Severity.CRITICAL, cloud=("beijing",)),
    Route("#batch", queue=("batch",), owner=("ops-*",)),
]
route = router(ROUTES, "#gpu-alerts", "#gpu-ops")


def test_the_first_route_that_matches_wins_without_regard_to_case() -> None:
    assert "#nccl" == route(make.alarm(kind="NCCL HANG", job=make.job()))


def test_every_field_of_a_route_must_match() -> None:
    assert "#batch" == route(
        make.alarm(kind="x", severity=Severity.WARNING, job=make.job(queue="batch", owner="ops-batch"))
    )
    assert "#gpu-alerts" == route(
        make.alarm(kind="x", severity=Severity.WARNING, job=make.job(queue="batch", owner="li.wei"))
    )


def test_a_route_by_severity_takes_that_severity_and_worse() -> None:
    assert "#urgent" == route(make.alarm(kind="x", severity=Severity.CRITICAL, job=make.job()))
    assert "#gpu-alerts" == route(make.alarm(kind="x", severity=Severity.WARNING, job=make.job()))


def test_an_alarm_without_a_job_matches_no_route_by_queue() -> None:
    assert "#gpu-alerts" == route(make.alarm(kind="x", severity=Severity.WARNING))


def test_what_the_bot_says_about_itself_goes_to_its_operators() -> None:
    assert "#gpu-ops" == route(make.alarm(kind=SOURCE_BLIND))
