"""A file beside numba's cache which says that all kernels are compiled on this machine, so that nobody waits unannounced.

Reading it does not load numba, which takes longer to load than a small tree takes to grow.
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
    """Whether a process has compiled all kernels, in their present version, for this processor."""
    return any((folder / mark_name()).is_file() for folder in mark_folders())


def mark() -> Path | None:
    """Write the mark to the first writable folder; None where no folder is writable."""
    for folder in mark_folders():
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / mark_name()).touch()
            return folder / mark_name()
    return None


def mark_folders() -> Iterator[Path]:
    """Folders where numba may keep kernels: that of NUMBA_CACHE_DIR, else beside their sources, else the user's cache."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        yield Path(chosen)
        return
    yield Path(__file__).parents[1] / "growth" / "kernels" / "__pycache__"
    with suppress(RuntimeError):  # a user without a home
        yield Path.home() / ".cache" / "ftree"


@cache
def mark_name() -> str:
    """A name made of everything that machine code depends on: the kernels, the versions of numba and Python, the processor."""
    from llvmlite.binding import get_host_cpu_name  # noqa: PLC0415  # a large table loads llvmlite in any case

    known = kernel_digest(), version("numba"), sys.implementation.cache_tag, get_host_cpu_name()
    return f"ftree-{sha256(repr(known).encode()).hexdigest()[:16]}.compiled"
