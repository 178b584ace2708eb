"""How kernels are compiled: by numba's documented options, and kept on disk where numba can write; else they are Python."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ftree._lib.compilation import clear_stale_kernels

try:
    numba: Any = import_module("numba")
except ImportError:  # it is not installed, or not for this Python or NumPy
    numba = None


def is_disabled() -> bool:
    """Whether kernels are not compiled: NUMBA_DISABLE_JIT=1 asks for that, or there is no numba."""
    return numba is None or bool(getattr(numba.config, "DISABLE_JIT", False))  # numba declares no types


def kernel(function: Callable[..., Any], **options: Any) -> Any:
    """Compile at the first call; without a writable folder, each process compiles for itself.

    Kernels release Python's lock, and check divisors themselves, so numba need not check each division. If compilation is
    disabled, a kernel is the Python function; like machine code, it does not warn of overflow. `options` are
    further ones of numba's.
    """
    if is_disabled():
        return np.errstate(all="ignore")(function)
    try:
        compiled: Any = numba.njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True, **options)(function)
    except RuntimeError:  # numba found no place for its cache
        return numba.njit(nogil=True, error_model="numpy", **options)(function)
    _fresh(compiled.stats.cache_path)
    return compiled


def unwrapped(function: Callable[..., Any], **options: Any) -> Any:
    """Compile a kernel that only kernels call: a wrapper for Python often takes longer to compile than the kernel."""
    return kernel(function, no_cpython_wrapper=True, **options)


def inlined(function: Callable[..., Any], **options: Any) -> Any:
    """Make a short kernel's machine code a part of each caller's: counting references to arrays may take longer than its work."""
    return unwrapped(function, forceinline=True, **options)


def section(function: Callable[..., Any], **options: Any) -> Any:
    """Compile a section of a kernel as a part of it only, which saves a wrapper for Python; a long one compiles more slowly."""
    return kernel(function, inline="always", **options)


@cache
def _fresh(folder: str) -> None:
    """Clear a folder of kernels that other sources made; once for each folder."""
    clear_stale_kernels(Path(folder))
