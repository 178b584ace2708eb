"""How kernels are compiled: they release Python's lock, and numba caches them on disk where it can write."""

from collections.abc import Callable
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

from numba import njit


def forget_older(folder: Path) -> None:
    """Delete cached kernels that are older than the latest change of any file with kernels.

    Numba itself looks only at the file of a kernel, and not at the files of the kernels that it calls.
    """
    sources = chain(folder.glob("*/kernels/*.py"), folder.glob("_lib/jit.py"))
    latest = max((source.stat().st_mtime for source in sources), default=0.0)  # none where modules come in an archive
    for index in folder.rglob("*.nbi"):
        with suppress(OSError):  # another process may have been faster, or nothing can be written
            if index.stat().st_mtime < latest:
                index.unlink()


def kernel(function: Callable[..., Any], **options: Any) -> Any:
    """Compile at the first call; without a folder that can be written to, each process compiles for itself."""
    # Kernels check divisors themselves, so numba need not check each division. C code calls no kernel.
    options = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True, **options}
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:  # numba found no place for its cache
        return njit(**options)(function)


def alloc_free(function: Callable[..., Any]) -> Any:
    """Compile a kernel that allocates no array, so that numba need not count references to its arguments.

    Counting takes a few nanoseconds for each argument and call, which is more than a small node takes. It also makes threads
    wait for each other, since they count references to the same arrays.
    """
    return kernel(function, _nrt=False)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile an allocation-free kernel into each of its callers: passing a dozen arrays takes as long as a small node."""
    return kernel(function, _nrt=False, forceinline=True)


def inlined_section(function: Callable[..., Any]) -> Any:
    """Compile a section of a long kernel as a part of it only; a section with many callers would be compiled for each."""
    return kernel(function, inline="always")


forget_older(Path(__file__).parents[1])
