"""Numbers at an address, for kernels that read many columns, since a list of arrays would have another type for each length."""

import ctypes
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from ftree._lib.jit import is_disabled


def _pointer_to(_typing: Any, _address: Any, like: Any) -> Any:
    """The numbers from an address on, with the type of a number; `[i]` is the i-th. Their existence is not checked."""

    def point(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    pointer: Any = types.CPointer  # numba declares no types
    return pointer(like)(types.int64, like), point


def _pointer_in_python(address: int, like: Any) -> Any:
    """The same without machine code."""
    c_type: Any = np.ctypeslib.as_ctypes_type(np.asarray(like).dtype)
    return ctypes.cast(int(address), ctypes.POINTER(c_type))


pointer_to: Any = _pointer_in_python if is_disabled() else intrinsic(_pointer_to)
