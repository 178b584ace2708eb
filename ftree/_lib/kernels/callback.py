"""A user's function of class counts as machine code, which kernels call by its address.

An address is a number like any other: kernels are compiled once, whatever functions they are to call, and are kept on
disk. A function that raises returns NaN here, since no caller in machine code could catch the error; callers check for NaN.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from attrs import frozen
from llvmlite import ir
from numba import cfunc, njit, types
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic
from numba.np.numpy_support import carray

from ftree._lib.jit import is_disabled, kernel

# Functions by their addresses, where there is no machine code.
_IN_PYTHON: dict[int, Callable[[Any], Any]] = {}


@frozen(eq=False)
class Native:
    """The function as numba compiled it, and its way in for kernels, whose `address` is good while this lives.

    With NUMBA_DISABLE_JIT=1 there is no machine code: the function is itself, and its number in Python is the address.
    """

    function: Any
    entry: Any

    @property
    def address(self) -> int:
        """Where the machine code is."""
        return id(self.function) if self.entry is None else int(self.entry.address)


@cache
def native(function: Callable[[Any], Any]) -> Native:
    """Compile a function of one node's class counts (K,); once for each function, and kept as long as the process lives."""
    if is_disabled():
        _IN_PYTHON[id(function)] = function
        return Native(function, None)
    # Bounds are checked, so that a class number out of range is an IndexError, and no other memory is read.
    jitted: Any = function if isinstance(function, CPUDispatcher) else njit(boundscheck=True)(function)

    def entry(counts, n):  # compiled for the types below
        try:
            return float(jitted(carray(counts, n)))  # None is no float, and this must not surface in a kernel
        except Exception:  # noqa: BLE001  # numba knows no other
            return np.nan

    return Native(jitted, cfunc("float64(CPointer(float64), int64)")(entry))


def _call_user_function(_typing: Any, _address: Any, counts: Any) -> Any:
    """Call the function at an address with class counts, a contiguous array of floats."""

    def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[1])(context, builder, arguments[1])
        number, size = ir.DoubleType(), ir.IntType(64)
        function = ir.FunctionType(number, [number.as_pointer(), size]).as_pointer()
        return builder.call(builder.inttoptr(arguments[0], function), [array.data, builder.extract_value(array.shape, 0)])

    if counts != types.Array(types.float64, 1, "C"):
        return None
    return types.float64(types.int64, counts), call


def _call_in_python(address: int, counts: Any) -> float:
    """The same without machine code: what the compiled way in does."""
    try:
        return float(_IN_PYTHON[address](counts))
    except Exception:  # noqa: BLE001  # as above
        return np.nan


call_user_function: Any = _call_in_python if is_disabled() else intrinsic(_call_user_function)


@kernel
def call_on_each_row(rows: Any, address: Any, answers: Any) -> None:
    """Call the function at an address with each row of counts."""
    for row in range(len(rows)):
        answers[row] = call_user_function(address, rows[row])


def on_each_row(code: Native, rows: Any) -> Any:
    """What a function returns for each row of counts (n, K)."""
    answers = np.empty(len(rows))
    call_on_each_row(rows, code.address, answers)
    return answers
