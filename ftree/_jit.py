"""Compiling, in one place: kernels release Python's lock, and are kept on disk where there is a folder for them."""

from collections.abc import Callable
from typing import Any

from numba import njit


def compiled(function: Callable[..., Any]) -> Any:
    """Compile at the first call; without a folder that can be written to, each process compiles for itself."""
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError:  # numba found no place for its cache
        return njit(nogil=True)(function)
