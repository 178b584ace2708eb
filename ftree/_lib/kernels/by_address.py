"""Kernels that others call by their address: each is compiled apart from its callers, and only where it is needed.

A callee that is named in a kernel is compiled with it for every table. An address is a number, so that a kernel which may
call one is compiled once, whether there is something to call or not.
"""

from collections.abc import Callable, Sequence
from typing import Any

from numba import types
from numba.extending import intrinsic

from ftree._lib.jit import is_disabled

# Functions by their addresses, where there is no machine code.
_IN_PYTHON: dict[int, Callable[..., None]] = {}


def address_of(function: Any, types_of_arguments: Sequence[Any]) -> int:
    """Where the machine code of a kernel is that takes arguments of these types and returns nothing; it is compiled here."""
    if is_disabled():
        _IN_PYTHON[id(function)] = function
        return id(function)
    signature = tuple(types_of_arguments)
    function.compile(signature)
    compiled = function.overloads[signature]
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


def caller(accepts: Callable[[tuple[Any, ...]], bool]) -> Any:
    """A function for kernels, `call(address, arguments)`, that takes a tuple of those types which `accepts` allows.

    The types are checked when the calling kernel is compiled: code called with others would read any memory.
    """
    if is_disabled():
        return _call_in_python

    def call(_typing: Any, _address: Any, arguments: Any) -> Any:
        given = tuple(arguments.types)
        return (types.none(types.int64, arguments), _call_of(given)) if accepts(given) else None

    return intrinsic(call)


def _call_of(types_of_arguments: tuple[Any, ...]) -> Any:
    """How machine code calls a function of these types, as numba's own calls do."""

    def call(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        address, listed = arguments
        each = [builder.extract_value(listed, number) for number in range(len(types_of_arguments))]
        function = context.call_conv.get_function_type(types.none, types_of_arguments).as_pointer()
        callee = builder.inttoptr(address, function)
        context.call_conv.call_function(builder, callee, types.none, types_of_arguments, each)
        return context.get_dummy_value()

    return call


def _call_in_python(address: int, arguments: tuple[Any, ...]) -> None:
    """The same without machine code."""
    _IN_PYTHON[address](*arguments)
