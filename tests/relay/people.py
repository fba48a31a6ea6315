"""Who is who, for tests of the relay: a directory that holds what it was given."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.domain.access import Policy

CHEN, LIWEI, ANNA, OMAR, GUEST = "U01CHEN", "U02LIWEI", "U03ANNA", "U05OMAR", "U06GUEST"
POLICY = Policy(frozenset({OMAR, "S01ONCALL"}))


@dataclass
class Directory:
    owners: Mapping[str, str] = field(default_factory=lambda: {"li.wei": LIWEI, "anna.schmidt": ANNA})
    groups: Mapping[str, frozenset[str]] = field(default_factory=lambda: {"S01ONCALL": frozenset({CHEN})})

    async def slack_id(self, owner: str) -> str | None:
        return self.owners.get(owner)

    async def is_in_any(self, user: str, groups: frozenset[str]) -> bool:
        return any(user in self.groups.get(group, frozenset()) for group in groups)

    def owners_of(self, user: str) -> frozenset[str]:
        return frozenset(owner for owner, who in self.owners.items() if who == user)
