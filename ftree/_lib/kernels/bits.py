"""Sets of up to 64 small integers as the bits of one integer, for kernels that visit only the members of a set."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from ftree._lib.jit import inlined, is_disabled

_types: Any = types  # numba declares no types
_ONE, _LAST = np.uint64(1), np.uint64(63)


@inlined
def bit_of(member):
    """The set of one member, taken modulo 64."""
    return _ONE << (np.uint64(member) & _LAST)


@inlined
def without_lowest(members):
    """The set without its lowest member; the empty set stays empty."""
    return members & (members - _ONE)


def _lowest(_typing: Any, members: Any) -> Any:
    """The lowest member of a set, which must not be empty."""

    def count(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return _types.uint64(members), count


def _lowest_in_python(members: int) -> Any:
    """The same without machine code."""
    return np.uint64((int(members) & -int(members)).bit_length() - 1)


lowest: Any = _lowest_in_python if is_disabled() else intrinsic(_lowest)
