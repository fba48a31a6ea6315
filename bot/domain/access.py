"""Who may act on a job: its owner and the operators, and nobody at all until operators are named."""

from dataclasses import dataclass

from bot.domain.wording import Mention, Sentence, mention, say


@dataclass(frozen=True, slots=True)
class Policy:
    """`operators` are Slack ids of users (U…, W…) and user groups (S…), as in the setting `access.operators`."""

    operators: frozenset[str] = frozenset()
    owners_may_act: bool = True

    @property
    def groups(self) -> frozenset[str]:
        return frozenset(one for one in self.operators if one.startswith("S"))


@dataclass(frozen=True, slots=True)
class Person:
    """A Slack user, and those of the policy's groups to which they belong. A guest is somebody whom nobody named."""

    id: str
    groups: frozenset[str] = frozenset()


def is_operator(person: Person, policy: Policy) -> bool:
    return person.id in policy.operators or bool(person.groups & policy.groups)


def may(person: Person, owner: str | None, policy: Policy) -> Sentence | None:
    """None where the person may act on a job whose owner has the Slack id `owner`, else the refusal to show."""
    if not policy.operators:
        return say(
            "Nobody may act yet, because no operators are named. "
            "Name Slack users or user groups in the setting `access.operators`."
        )
    if is_operator(person, policy):
        return None
    if owner is not None and policy.owners_may_act:
        return None if person.id == owner else _owner_and_operators(owner, policy)
    return say("Only operators may do this: {operators}.", operators=_named(policy))


def may_operate(person: Person, policy: Policy) -> Sentence | None:
    """The same for an act that concerns no job: it is for operators."""
    return may(person, None, policy)


def may_submit(person: Person, is_cloud_user: bool, policy: Policy) -> Sentence | None:
    """The same for submitting a job: for operators, and where owners may act for everybody who can own one."""
    if is_cloud_user and policy.operators and policy.owners_may_act:
        return None
    refusal = may_operate(person, policy)
    if refusal is None or not policy.operators or not policy.owners_may_act:
        return refusal
    return say(
        "Only operators and people whose name on a cloud is known here may submit jobs: {operators}. "
        "Yours is missing in the setting `access.people`.",
        operators=_named(policy),
    )


def _owner_and_operators(owner: str, policy: Policy) -> Sentence:
    return say(
        "Only the job's owner {owner} and operators may do this: {operators}.",
        owner=mention(owner),
        operators=_named(policy),
    )


def _named(policy: Policy) -> Mention:
    return mention(*sorted(policy.operators))
