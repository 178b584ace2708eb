"""A user's impurity as machine code that kernels call: `numba.cfunc`, with one signature whatever the function.

So kernels are compiled once, whatever functions they call, and are kept on disk. A function that raises an error returns
NaN here, since machine code cannot catch the error; callers check for NaN. This file loads numba.
"""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from attrs import frozen

from ftree._lib.jit import is_disabled, kernel, numba, unwrapped


@frozen(eq=False)
class Native:
    """A function of class counts as numba compiled it, its machine `code`, and the `entry`, which kernels take and call.

    An entry is a function of ctypes, which a kernel receives in a tenth of the time of a `cfunc`. With NUMBA_DISABLE_JIT=1, or
    without numba, there is no machine code: all are in Python.
    """

    function: Any
    code: Any
    entry: Any


@cache
def native(function: Callable[[Any], Any]) -> Native:
    """Compile a function of one node's class counts (K,); once for each function, and kept until the process ends."""
    if is_disabled():
        return Native(function, None, _in_python(function))
    # Bounds are checked, so that a class number out of range is an IndexError and does not read other memory.
    jitted: Any = function if hasattr(function, "py_func") else numba.njit(boundscheck=True)(function)

    def entry(counts: Any, n: int) -> float:  # compiled for the types below
        try:
            return float(jitted(numba.carray(counts, n)))  # float(None) raises here, not in a kernel
        except Exception:  # noqa: BLE001  # numba supports no other exception class
            return np.nan

    code = numba.cfunc("float64(CPointer(float64), int64)")(entry)
    return Native(jitted, code, code.ctypes)


def _in_python(function: Callable[[Any], Any]) -> Callable[[Any, int], float]:
    """An entry without machine code."""

    def entry(counts: Any, n: int) -> float:
        try:
            return float(function(np.ctypeslib.as_array(counts.data_as(_POINTER), (n,))))
        except Exception:  # noqa: BLE001  # as above
            return np.nan

    return entry


_POINTER: Any = ctypes.POINTER(ctypes.c_double)
# The entry of no function: kernels take an entry whatever the impurity, so that they are compiled once.
NO_ENTRY: Any = ctypes.CFUNCTYPE(ctypes.c_double, _POINTER, ctypes.c_int64)(lambda _, __: np.nan)


@unwrapped
def impurity_of(own: Any, counts: Any) -> Any:
    """A user's impurity of class counts (K,), floats side by side."""
    return own(counts.ctypes, len(counts))


@kernel
def impurities_of(own: Any, rows: Any, answers: Any) -> None:
    """Fill in a user's impurity of each row of counts (n, K)."""
    for row in range(len(rows)):
        answers[row] = impurity_of(own, rows[row])


def on_each_row(code: Native, rows: Any) -> Any:
    """The results of a function for each row of counts (n, K)."""
    answers = np.empty(len(rows))
    impurities_of(code.entry, rows, answers)
    return answers
