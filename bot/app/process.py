"""Names of processes, and whether the process behind a name is gone.

That can be known only for a process of the same boot and the same PID namespace: a container restarted on the same
host name has its own, and there the same number means somebody else.
"""

import hashlib
import os
import socket
import uuid
from pathlib import Path


def own_name() -> str:
    """Different for every call; `host/place/pid/random`."""
    return f"{socket.gethostname()}/{_place()}/{os.getpid()}/{uuid.uuid4().hex[:8]}"


def is_gone(name: str) -> bool:
    """Whether the named process certainly does not run any more. False where that cannot be known."""
    parts = name.rsplit("/", 3)
    if len(parts) != 4 or parts[1] != _place() or not parts[2].isdecimal():
        return False
    try:
        os.kill(int(parts[2]), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def _place() -> str:
    """The boot and the PID namespace; a word that equals nothing where the system does not tell them."""
    try:
        boot, namespace = Path("/proc/sys/kernel/random/boot_id").read_text(), os.readlink("/proc/self/ns/pid")
    except OSError:
        return uuid.uuid4().hex[:12]
    return hashlib.sha256(f"{boot}{namespace}".encode()).hexdigest()[:12]
