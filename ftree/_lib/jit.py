"""Compiling, in one place: kernels release Python's lock, and are kept on disk where there is a folder for them."""

from collections.abc import Callable
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

from numba import njit


def forget_older(folder: Path) -> None:
    """Forget kernels that are kept in a folder from before the latest change of any file that may have one.

    Numba itself looks only at the file of a kernel, and not at those of the kernels that it calls.
    """
    sources = chain(folder.glob("*/kernels/*.py"), folder.glob("_lib/jit.py"))
    latest = max((source.stat().st_mtime for source in sources), default=0.0)  # none where modules come in an archive
    for index in folder.rglob("*.nbi"):
        with suppress(OSError):  # another process may have been faster, or nothing can be written
            if index.stat().st_mtime < latest:
                index.unlink()


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Compile at the first call; without a folder that can be written to, each process compiles for itself."""
    # Nothing is divided by zero that is not asked before, so numba need not ask at every division.
    try:
        return njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True, **options)(function)
    except RuntimeError:  # numba found no place for its cache
        return njit(nogil=True, error_model="numpy", **options)(function)


def alloc_free(function: Callable[..., Any]) -> Any:
    """Compile a kernel that makes no array, so that numba need not count references to those it is given.

    Counting takes a few nanoseconds for each argument and call, which is more than a small node takes, and threads wait for
    each other there, since they count the same arrays.
    """
    return compiled(function, _nrt=False)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile such a kernel as a part of each that calls it: handing over a dozen arrays takes as long as a small node does."""
    return compiled(function, _nrt=False, forceinline=True)


def inlined_section(function: Callable[..., Any]) -> Any:
    """Compile a part of one long kernel as a part of it, and not once more for itself."""
    return compiled(function, inline="always")


forget_older(Path(__file__).parents[1])
