"""Who may act on a job."""

import pytest

from bot.domain.access import Person, Policy, may, may_operate

POLICY = Policy(frozenset({"U05OMAR", "S01ONCALL"}))
OMAR = Person("U05OMAR")
CHEN = Person("U01CHEN", frozenset({"S01ONCALL"}))
LIWEI = Person("U02LIWEI")
GUEST = Person("U06GUEST")


@pytest.mark.parametrize("person", [OMAR, CHEN, LIWEI, GUEST])
@pytest.mark.parametrize("owner", ["U02LIWEI", None])
def test_nobody_may_act_until_operators_are_named(person: Person, owner: str | None) -> None:
    refusal = may(person, owner, Policy())
    assert refusal is not None
    assert "`access.operators`" in str(refusal)


@pytest.mark.parametrize("person", [OMAR, CHEN])
def test_operators_may_act_on_every_job_by_name_or_by_group(person: Person) -> None:
    assert may(person, "U02LIWEI", POLICY) is None
    assert may(person, None, POLICY) is None


def test_the_owner_may_act_on_the_own_job_only() -> None:
    assert may(LIWEI, "U02LIWEI", POLICY) is None
    refusal = may(LIWEI, "U03ANNA", POLICY)
    assert "Only the job's owner @U03ANNA and operators may do this: @S01ONCALL, @U05OMAR." == str(refusal)


def test_an_owner_may_not_act_where_the_setting_says_so() -> None:
    refusal = may(LIWEI, "U02LIWEI", Policy(POLICY.operators, owners_may_act=False))
    assert "Only operators may do this: @S01ONCALL, @U05OMAR." == str(refusal)


def test_a_guest_is_told_who_may() -> None:
    assert "Only operators may do this: @S01ONCALL, @U05OMAR." == str(may(GUEST, None, POLICY))
    assert may_operate(GUEST, POLICY) is not None


def test_a_group_that_is_no_operator_gives_nothing() -> None:
    assert may(Person("U09X", frozenset({"S09OTHER"})), None, POLICY) is not None


def test_a_group_of_which_the_policy_knows_nothing_is_not_asked_for() -> None:
    assert frozenset({"S01ONCALL"}) == POLICY.groups
