"""How bad each kind of alarm is. Kinds are the platform's own words and stay open: an unknown one is a warning."""

import re

from bot.domain.alarm import Severity

# Folded parts of the platform's words, the first that fits decides (SysOM reference §14). What stops a whole job or
# takes a card away is critical; what is a program's own fault, or only makes it slow, is a warning.
_KNOWN: tuple[tuple[str, Severity], ...] = (
    ("hang", Severity.CRITICAL),
    ("挂起", Severity.CRITICAL),
    ("card drop", Severity.CRITICAL),
    ("gpu drop", Severity.CRITICAL),
    ("gpu lost", Severity.CRITICAL),
    ("掉卡", Severity.CRITICAL),
    ("uncorrectable", Severity.CRITICAL),
    ("oom", Severity.WARNING),
    ("cuda error", Severity.WARNING),
    ("访问越界", Severity.WARNING),
    ("slow node", Severity.WARNING),
    ("慢节点", Severity.WARNING),
    ("latency", Severity.WARNING),
    ("延迟", Severity.WARNING),
)

# As a driver writes it, the card's address in brackets stands before the code: `Xid (PCI:0000:5d:00): 79`.
_XID = re.compile(r"xid\s*(?:\([^)]{0,40}\))?\D{0,24}?(\d{1,3})(?!\d)", re.IGNORECASE | re.ASCII)
# Faults of the card, its memory or its links, after which it must be reset or replaced (NVIDIA's XID catalogue);
# the others (13, 31, 43, 45 and so on) are faults of the program on it.
_FATAL_XIDS = frozenset({46, 48, 61, 62, 64, 74, 79, 92, 95, 109, 110, 119, 120, 136, 140, 143, 145, 149, 154})


def severity_of(kind: str, log: str = "") -> Severity:
    """By the kind; for an XID by its code, which may stand only in the log."""
    folded = " ".join(kind.casefold().split())
    if "xid" in folded:
        code = _XID.search(folded) or _XID.search(log)
        return Severity.CRITICAL if code and int(code[1]) in _FATAL_XIDS else Severity.WARNING
    return next((severity for word, severity in _KNOWN if word in folded), Severity.WARNING)
