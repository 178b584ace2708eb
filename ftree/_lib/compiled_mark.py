"""A mark beside numba's files that all kernels are compiled on this machine, so that nobody waits for a compiler unasked.

Reading it takes no numba, which takes longer to load than a small table takes to grow.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from ftree._lib.kernel_digest import kernel_digest


def is_marked() -> bool:
    """Whether a process has compiled all kernels, as they are now, for this processor."""
    return any((folder / mark_name()).is_file() for folder in mark_folders())


def mark() -> Path | None:
    """Leave the mark in the first folder that can be written to; None where there is none."""
    for folder in mark_folders():
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / mark_name()).touch()
            return folder / mark_name()
    return None


def mark_folders() -> Iterator[Path]:
    """Where numba may keep kernels: the folder that NUMBA_CACHE_DIR names, else beside their sources, else the user's."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        yield Path(chosen)
        return
    yield Path(__file__).parents[1] / "growth" / "kernels" / "__pycache__"
    with suppress(RuntimeError):  # a user without a home
        yield Path.home() / ".cache" / "ftree"


@cache
def mark_name() -> str:
    """A name made of all that machine code depends on: the kernels, the versions of numba and Python, the processor."""
    from llvmlite.binding import get_host_cpu_name  # noqa: PLC0415  # a large table loads it in any case

    known = kernel_digest(), version("numba"), sys.implementation.cache_tag, get_host_cpu_name()
    return f"ftree-{sha256(repr(known).encode()).hexdigest()[:16]}.compiled"
