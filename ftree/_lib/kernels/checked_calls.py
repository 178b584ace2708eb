"""Calls by address that check the types of their arguments: a caller learns only from its own arguments which kernels it calls.

With the address, as `by_address` has it, goes a digest of the types that a kernel was compiled for; other arguments are refused.
So a kernel is compiled apart from its callers, only where it is needed, and for whatever types.
"""

from collections.abc import Callable
from typing import Any
from zlib import crc32

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.extending import intrinsic

from ftree._lib.arrays import Array
from ftree._lib.jit import is_disabled

# Kernels by their numbers, where there is no machine code.
_IN_PYTHON: dict[int, Callable[..., Any]] = {}


def checked_address(kernel: Any, arguments: tuple[Any, ...]) -> tuple[int, int]:
    """The address of a kernel that returns nothing, compiled for the types of some arguments; and the digest of these."""
    if is_disabled():
        _IN_PYTHON[id(kernel)] = kernel
        return id(kernel), 0
    kinds = tuple(map(typeof, arguments))
    kernel.compile(kinds)
    made = kernel.overloads[kinds]
    return made.library.get_pointer_to_function(made.fndesc.llvm_func_name), _digest(kinds)


def addresses(kernels: list[tuple[int, int]]) -> Array:
    """Such pairs as kernels take them, (n, 2)."""
    return np.array(kernels, np.int64).reshape(-1, 2)


def _digest(kinds: tuple[Any, ...]) -> int:
    return crc32(repr(kinds).encode())


def checked_caller(n: int) -> Any:
    """A function for kernels: it calls a kernel by its row of `addresses` with n arguments."""
    return _call_in_python if is_disabled() else intrinsic(_DEFINITIONS[n])


def _call_in_python(row: Array, *arguments: Any) -> None:
    _IN_PYTHON[int(row[0])](*arguments)


def _signature(row: Any, *arguments: Any) -> tuple[Any, Callable[..., Any]]:
    return types.none(row, *map(types.unliteral, arguments)), _call


def _call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Call by address; a RuntimeError where the types are not those of the kernel, since it would write anywhere."""
    conventions, kinds = context.call_conv, signature.args[1:]
    row = context.make_array(signature.args[0])(context, builder, arguments[0])
    address, digest = (builder.load(builder.gep(row.data, [ir.Constant(ir.IntType(64), place)])) for place in range(2))
    same = builder.icmp_signed("==", digest, ir.Constant(ir.IntType(64), _digest(kinds)))
    with builder.if_then(builder.not_(same), likely=False):
        conventions.return_user_exc(builder, RuntimeError, ("A kernel must be called with the types it was compiled for.",))
    function = builder.inttoptr(address, conventions.get_function_type(types.none, kinds).as_pointer())
    conventions.call_function(builder, function, types.none, kinds, arguments[1:])
    return context.get_dummy_value()


# Numba takes no intrinsic with any number of arguments.
_DEFINITIONS: dict[int, Callable[..., Any]] = {
    9: lambda _, row, a, b, c, d, e, f, g, h, i: _signature(row, a, b, c, d, e, f, g, h, i),
    12: lambda _, row, a, b, c, d, e, f, g, h, i, j, k, m: _signature(row, a, b, c, d, e, f, g, h, i, j, k, m),
}
