"""Kernels that others call by their address: each is compiled apart from its callers, once, and only if it is needed.

A callee that is named in a kernel is compiled with it for every table, and optimised again in each of its callers. An address
is a number, so a caller is compiled once, whatever kernels it calls. With the address goes a digest of the types for which
the callee was compiled: a call with other types is refused, since it would read and write arbitrary memory.
"""

from collections.abc import Callable, Sequence
from typing import Any
from zlib import crc32

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.extending import intrinsic

from ftree._lib.arrays import Array
from ftree._lib.jit import is_disabled

# Kernels by their numbers, for use without machine code.
_IN_PYTHON: dict[int, Callable[..., Any]] = {}


def address_of(kernel: Any, arguments: tuple[Any, ...]) -> tuple[int, int]:
    """The address of a kernel, compiled for the types of some arguments; and the digest of its types."""
    if is_disabled():
        _IN_PYTHON[id(kernel)] = kernel
        return id(kernel), 0
    kinds = tuple(map(typeof, arguments))
    kernel.compile(kinds)
    made = kernel.overloads[kinds]
    return made.library.get_pointer_to_function(made.fndesc.llvm_func_name), _digest(made.signature.return_type, kinds)


def addresses(kernels: Sequence[tuple[int, int]]) -> Array:
    """Such pairs as an array for kernels, (n, 2)."""
    return np.array(kernels, np.int64).reshape(-1, 2)


def caller(returns: Any = types.none) -> Any:
    """A function for kernels, `call(addresses, number, arguments)`: the result, of one type, of the kernel with that number.

    A kernel of other types raises a RuntimeError. The arguments are a tuple without literals.
    """
    return _call_in_python if is_disabled() else intrinsic(_call_returning(returns))


def _call_in_python(table: Array, number: int, arguments: tuple[Any, ...]) -> Any:
    """The same without machine code."""
    return _IN_PYTHON[int(table[number, 0])](*arguments)


def _digest(returned: Any, kinds: Sequence[Any]) -> int:
    """A digest of types; a literal counts as any number of its type."""
    return crc32(repr((_unliteral(returned), *kinds)).encode())


def _unliteral(of: Any) -> Any:
    unliteral: Any = types.unliteral  # numba declares no types
    return unliteral(of)


def _call_returning(returns: Any) -> Callable[..., Any]:
    def call(_typing: Any, table: Any, number: Any, arguments: Any) -> Any:
        return returns(table, _unliteral(number), _unliteral(arguments)), _call

    return call


def _call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Call by address as numba's own calls do; a RuntimeError if the types are not those of the kernel."""
    (table, number, listed), conventions = arguments, context.call_conv
    kinds, returned, size = tuple(signature.args[2].types), signature.return_type, ir.IntType(64)
    data = context.make_array(signature.args[0])(context, builder, table).data
    row = builder.mul(context.cast(builder, number, signature.args[1], types.int64), ir.Constant(size, 2))
    address, digest = (builder.load(builder.gep(data, [builder.add(row, ir.Constant(size, place))])) for place in range(2))
    same = builder.icmp_signed("==", digest, ir.Constant(size, _digest(returned, kinds)))
    with builder.if_then(builder.not_(same), likely=False):
        conventions.return_user_exc(builder, RuntimeError, ("A kernel must be called with the types it was compiled for.",))
    function = builder.inttoptr(address, conventions.get_function_type(returned, kinds).as_pointer())
    each = [builder.extract_value(listed, place) for place in range(len(kinds))]
    status, value = conventions.call_function(builder, function, returned, kinds, each)
    with builder.if_then(status.is_error, likely=False):
        conventions.return_status_propagate(builder, status)
    return context.get_dummy_value() if returned == types.none else value
