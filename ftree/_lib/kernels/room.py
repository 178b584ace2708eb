"""Memory for kernels that allocate none: they take arrays from a block made by Python, and count no references.

Counting references to the arrays of a growth was four fifths of the machine code of the kernel that grows subtrees.
"""

import ctypes
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array
from numba.np.numpy_support import carray

from ftree._lib.arrays import Array
from ftree._lib.jit import is_disabled

# Of type Any, since numba declares no types.
_types: Any = types
_cgutils: Any = cgutils
_populate: Any = populate_array
# The element types of arrays, as kernels name them: numbers and booleans.
FLOAT, WHOLE, SMALL, BYTE, MARK = np.float64(0), np.int64(0), np.int32(0), np.int8(0), np.bool_(0)
_FULL = ("The block that kernels take arrays from must have room for all of them.",)
# Each array begins at a multiple of this many bytes, a line of a processor's cache.
_LINE = 64


class Room(NamedTuple):
    """A part of a block at an address: `free` (3,) says where its free bytes begin and end, counted from there.

    Last stands where they begin when nothing is taken.
    """

    address: Any
    free: Any


def room_in(block: Array, begin: int, end: int) -> Room:
    """The bytes of a block from one place to another."""
    return Room(block.ctypes.data, np.array([begin, end, begin], np.int64))


def _taking(*, zeros: bool) -> Any:
    """A function that takes an array of a shape from a room, with the type of `like`, filled with zeros or uninitialised.

    It raises a MemoryError if the room is too small.
    """

    def take(_typing: Any, room: Any, shape: Any, like: Any) -> Any:
        dtype = like.dtype if isinstance(like, types.Array) else like
        made = _types.Array(dtype, len(shape), "C")

        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            size, (address, listed) = ir.IntType(64), (builder.extract_value(arguments[0], place) for place in range(2))
            free = context.make_array(signature.args[0][1])(context, builder, listed).data
            sides = _cgutils.unpack_tuple(builder, arguments[1], len(shape))
            data_type, steps = context.get_data_type(dtype), list[Any]()
            each = context.get_abi_sizeof(data_type)
            n_bytes = ir.Constant(size, each)
            for side in reversed(sides):
                steps.insert(0, n_bytes)
                n_bytes = builder.mul(n_bytes, side)
            begin, most = builder.load(free), builder.load(builder.gep(free, [ir.Constant(size, 1)]))
            lines = builder.and_(builder.add(n_bytes, ir.Constant(size, _LINE - 1)), ir.Constant(size, -_LINE))
            end = builder.add(begin, lines)
            with builder.if_then(builder.icmp_signed(">", end, most), likely=False):
                context.call_conv.return_user_exc(builder, MemoryError, _FULL)
            builder.store(end, free)
            data = builder.inttoptr(builder.add(address, begin), data_type.as_pointer())
            if zeros:
                _cgutils.memset(builder, data, n_bytes, 0)
            array = context.make_array(made)(context, builder)
            _populate(array, data=data, shape=sides, strides=steps, itemsize=ir.Constant(size, each), meminfo=None)
            return array._getvalue()  # noqa: SLF001  # as numba's own code does

        return made(room, _types.UniTuple(_types.int64, len(shape)), like), build

    return take


def _taken_in_python(room: Room, shape: tuple[int, ...], like: Any) -> Array:
    """The same without machine code."""
    dtype, begin = np.asarray(like).dtype, int(room.free[0])
    room.free[0] = begin + -(-int(np.prod(shape)) * dtype.itemsize // _LINE) * _LINE
    if room.free[0] > room.free[1]:
        raise MemoryError(*_FULL)
    c_type: Any = np.ctypeslib.as_ctypes_type(dtype)
    pointer = ctypes.cast(int(room.address) + begin, ctypes.POINTER(c_type))
    array: Array = carray(pointer, tuple(map(int, shape)))
    return array


def _zeros_in_python(room: Room, shape: tuple[int, ...], like: Any) -> Array:
    array = _taken_in_python(room, shape, like)
    array[...] = 0
    return array


taken: Any = _taken_in_python if is_disabled() else intrinsic(_taking(zeros=False))
zeros: Any = _zeros_in_python if is_disabled() else intrinsic(_taking(zeros=True))
