"""Compiling, in one place: kernels release Python's lock, and are kept on disk where there is a folder for them."""

from collections.abc import Callable
from typing import Any

from numba import njit


def compiled(function: Callable[..., Any]) -> Any:
    """Compile at the first call; without a folder that can be written to, each process compiles for itself."""
    # Nothing is divided by zero that is not asked before, so numba need not ask at every division.
    try:
        return njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:  # numba found no place for its cache
        return njit(nogil=True, error_model="numpy")(function)
