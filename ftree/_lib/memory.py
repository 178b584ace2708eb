"""Available memory, and a clear error before more is allocated: otherwise the system kills the process, or swaps for hours."""

import os
from contextlib import suppress
from math import inf
from pathlib import Path

# Less memory than this needs no check, since a check takes as long as growing a small level.
_LITTLE = 2**28


def require_memory(needed: float, purpose: str, remedy: str) -> None:
    """Raise a MemoryError, if too few bytes are available, that says how many are needed for what, and what to do.

    >>> require_memory(1000, "the counts of 2 classes", "Use fewer classes.")
    >>> require_memory(1e30, "the counts of 2 classes", "Use fewer classes.")
    Traceback (most recent call last):
    MemoryError: Memory must have room for the counts of 2 classes, 1e+21 GB, got ... GB. Use fewer classes.
    """
    if not has_room(needed):
        left = available_memory()
        message = f"Memory must have room for {purpose}, {needed / 1e9:.3g} GB, got {left / 1e9:.3g} GB. {remedy}"
        raise MemoryError(message)


def has_room(needed: float) -> bool:
    """Whether `needed` bytes are available.

    >>> has_room(1000), has_room(1e30)
    (True, False)
    """
    return needed < _LITTLE or needed <= available_memory()


def available_memory() -> float:
    """Bytes that this process may still allocate: what the machine or the process's limit leaves; infinite if both are unknown.

    >>> available_memory() > 0
    True
    """
    return min(_left_on_machine(), _left_below_limit())


def _left_on_machine() -> float:
    with suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return 1024.0 * int(next(line for line in lines if line.startswith("MemAvailable")).split()[1])
    return inf


def _left_below_limit() -> float:
    """Bytes left below the limit on the address space (ulimit -v)."""
    with suppress(ImportError, OSError, ValueError):  # Windows has no module `resource`
        import resource  # noqa: PLC0415  # as above

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
        return inf if limit == resource.RLIM_INFINITY else max(float(limit - taken), 0.0)
    return inf
