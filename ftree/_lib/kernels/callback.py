"""A user's function of class counts as machine code, which kernels call by its address.

An address is a plain number: kernels are compiled once, whatever functions they call, and are kept on
disk. A function that raises an error returns NaN here, since machine code cannot catch the error; callers check for NaN.
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

# Functions by their addresses, for use without machine code.
_IN_PYTHON: dict[int, Callable[[Any], Any]] = {}


@frozen(eq=False)
class Native:
    """The function as numba compiled it, and its entry point for kernels, whose `address` is valid while this object lives.

    With NUMBA_DISABLE_JIT=1 there is no machine code: the function itself is called, and its Python id is the address.
    """

    function: Any
    entry: Any

    @property
    def address(self) -> int:
        """The address of the machine code."""
        return id(self.function) if self.entry is None else int(self.entry.address)


@cache
def native(function: Callable[[Any], Any]) -> Native:
    """Compile a function of one node's class counts (K,); once for each function, and kept until the process ends."""
    if is_disabled():
        _IN_PYTHON[id(function)] = function
        return Native(function, None)
    # Bounds are checked, so that a class number out of range is an IndexError and does not read other memory.
    jitted: Any = function if isinstance(function, CPUDispatcher) else njit(boundscheck=True)(function)

    def entry(counts, n):  # compiled for the types below
        try:
            return float(jitted(carray(counts, n)))  # float(None) raises here, not in a kernel
        except Exception:  # noqa: BLE001  # numba supports no other exception class
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
    """Call the function like the compiled entry point, without machine code."""
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
    """The results of a function for each row of counts (n, K)."""
    answers = np.empty(len(rows))
    call_on_each_row(rows, code.address, answers)
    return answers
