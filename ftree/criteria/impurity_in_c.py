"""A user's impurity in machine code: any C function of one signature, whatever compiled it."""

from ctypes import CFUNCTYPE, POINTER, PYFUNCTYPE, c_double, c_int64, c_void_p, cast
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import Factory, field, frozen

from ftree import native
from ftree._lib.arrays import Floats
from ftree._lib.fields import ConstructorRepr
from ftree._lib.messages import short_repr
from ftree.criteria.impurity import checked, checked_counts

# double impurity(const double *counts, int64_t n_classes)
_SIGNATURE = CFUNCTYPE(c_double, POINTER(c_double), c_int64)
_ANY_SIGNATURE: Any = _SIGNATURE.__base__
# The bit in the flags of functions that need Python's lock, which the native library does not hold.
_NEEDS_LOCK = vars(PYFUNCTYPE(None))["_flags_"] & ~vars(CFUNCTYPE(None))["_flags_"]


@frozen
class compiled_impurity(ConstructorRepr):  # named like a function
    """A user's impurity as machine code: a C function `double impurity(const double *counts, int64_t n_classes)` of one node.

    `function` is a function of ctypes with these types, or an object with the `address` of one, as `numba.cfunc` returns. It must
    return a number, the same for the same counts, and neither change the counts nor raise an error. The impurity takes counts
    (..., K) like any other. Two are equal if their addresses are.

    Raises a TypeError for any other function, and where one is pickled whose address another process does not have. A call raises
    a ValueError for a function that changes the counts or returns NaN.

    >>> from ctypes import CFUNCTYPE, POINTER, c_double, c_int64
    >>> @CFUNCTYPE(c_double, POINTER(c_double), c_int64)
    ... def at_odds(counts, n_classes):
    ...     n = sum(counts[:n_classes])
    ...     return 1 - max(counts[:n_classes]) / n if n else 0
    >>> compiled_impurity(at_odds)([[3, 1], [2, 2]]).tolist()
    [0.25, 0.5]
    """

    function: Any = field(eq=False)
    # The address of the machine code, which the native library takes.
    address: int = field(init=False, repr=False, default=Factory(lambda self: address_of(self.function), takes_self=True))

    @function.validator
    def _check(self, _: Any, function: Any) -> None:
        if self.address == 0:
            wanted = "a C function `double f(const double *counts, int64_t n_classes)`, of ctypes or an object with an `address`"
            python = 'numba.cfunc("float64(CPointer(float64), int64)") and ctypes.CFUNCTYPE(c_double, POINTER(c_double), c_int64)'
            remedy = f"{python} make one of a Python function. An impurity in NumPy needs no compiled_impurity."
            raise TypeError(f"function must be {wanted}, got {short_repr(function)}. {remedy}")

    def __call__(self, counts: npt.ArrayLike) -> Any:
        """Call the function for each row of counts (..., K)."""
        weights = checked_counts(counts)
        shape = weights.shape[:-1]
        rows = np.ascontiguousarray(weights).reshape(prod(shape), weights.shape[-1])
        given = rows.copy()
        answers = _answers(self.address, given)
        if (given.view(np.int64) != rows.view(np.int64)).any():  # bits, of which those of NaN are equal
            raise ValueError(f"The function of {self!r} must not change its counts, got changed counts. Write to a copy of them.")
        return checked(self, answers.reshape(shape), shape)[()]

    def __copy__(self) -> "compiled_impurity":
        """Itself, since it never changes."""
        return self

    def __deepcopy__(self, _: Any) -> "compiled_impurity":
        """Itself; a function of ctypes has no copies."""
        return self

    def __reduce__(self) -> Any:
        """The call that makes it again in any process."""
        if isinstance(code_of(self.function), _ANY_SIGNATURE):
            wanted = "function must be an object that loads its machine code in any process to be pickled"
            remedy = "Write a class whose `address` is a property that loads a library."
            raise TypeError(f"{wanted}, got {short_repr(self.function)}, which has an address in this process only. {remedy}")
        return compiled_impurity, (self.function,)


def address_of(function: Any) -> int:
    """The address of a C function of the signature; 0 for anything else.

    >>> address_of(len), address_of(CFUNCTYPE(c_double)(float)), address_of(_SIGNATURE(0))
    (0, 0, 0)
    """
    code = code_of(function)
    if isinstance(code, _ANY_SIGNATURE):
        fits = code.restype is c_double and tuple(code.argtypes or ()) == (POINTER(c_double), c_int64)
        return (cast(code, c_void_p).value or 0) if fits and not code._flags_ & _NEEDS_LOCK else 0
    address = getattr(function, "address", 0)
    return address if type(address) is int and address > 0 else 0


def code_of(function: Any) -> Any:
    """The function of ctypes that an object of numba has, which knows its types; any other object itself."""
    return getattr(function, "ctypes", function)


def _answers(address: int, rows: Floats) -> Floats:
    """The results (n,) of the function at an address for each row of counts (n, K)."""
    answers = np.empty(len(rows))
    if native.is_here():
        native.call("impurities", address, rows, answers)
        return answers
    function = _SIGNATURE(address)
    for number, row in enumerate(rows):
        answers[number] = function(row.ctypes.data_as(POINTER(c_double)), len(row))
    return answers
