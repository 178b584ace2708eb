"""How kernels are compiled: they release Python's lock, and numba caches them on disk if it can write there."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
from numba import config, njit

from ftree._lib.gc_pause import gc_paused
from ftree._lib.kernel_cache import KernelCache
from ftree._lib.kernels import record_arguments as record_arguments  # noqa: PLC0414  # before any kernel is compiled


def is_disabled() -> bool:
    """Whether NUMBA_DISABLE_JIT=1 asks for kernels that are not compiled."""
    return bool(getattr(config, "DISABLE_JIT", False))  # numba declares no types


def kernel(function: Callable[..., Any], **options: Any) -> Any:
    """Compile at the first call; without a writable folder, each process compiles for itself.

    If compilation is disabled, a kernel is the Python function; like machine code, it does not warn of overflow.
    """
    if is_disabled():
        return np.errstate(all="ignore")(function)
    # Kernels check divisors themselves, so numba need not check each division. C code calls no kernel.
    options = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True, **options}
    dispatcher: Any = njit(**options)(function)
    with suppress(RuntimeError):  # numba found no place for its cache
        dispatcher._cache = KernelCache(function)  # noqa: SLF001  # as numba's enable_caching() does with a cache of its own
    # Searching numba's objects for cycles takes a seventh of the time of compilation.
    dispatcher.compile = gc_paused()(dispatcher.compile)
    return dispatcher


def alloc_free(function: Callable[..., Any]) -> Any:
    """Compile a kernel that allocates no array, so that numba need not count references to its arguments.

    Counting takes a few nanoseconds for each argument and call, which is more than a small node takes. It also makes threads
    wait for each other, since they count references to the same arrays.
    """
    return kernel(function, _nrt=False)


def internal(function: Callable[..., Any]) -> Any:
    """Compile an allocation-free kernel that only kernels call: it has no wrapper for Python, from which a call would crash.

    A wrapper takes as long to compile as a short kernel.
    """
    return kernel(function, _nrt=False, no_cpython_wrapper=True)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile an allocation-free kernel into each of its callers: passing a dozen arrays takes as long as a small node."""
    return kernel(function, _nrt=False, forceinline=True, no_cpython_wrapper=True)


def inlined_section(function: Callable[..., Any]) -> Any:
    """Compile a section of a long kernel as a part of it only; a section with many callers would be compiled for each."""
    return kernel(function, inline="always")
