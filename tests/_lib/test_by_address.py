"""Kernels that are called by their address: the types of arguments are checked before anything is called."""

import numpy as np
import pytest
from numba import float64, int64, typeof, types
from numba.core.errors import TypingError

from ftree._lib.jit import kernel
from ftree._lib.kernels.by_address import address_of, caller

FLOATS = typeof(np.zeros(1))


@kernel
def double(array, n):
    for i in range(n):
        array[i] *= 2


call = caller(lambda given: given == (FLOATS, int64))


@kernel
def through(address, array, n):
    call(address, (array, n))


@pytest.mark.in_python
def test_a_kernel_is_called_by_its_address():
    array = np.arange(3.0)
    through(address_of(double, (FLOATS, types.int64)), array, 2)
    assert array.tolist() == [0.0, 2.0, 2.0]


def test_arguments_of_other_types_are_refused_when_the_caller_is_compiled():
    address = address_of(double, (FLOATS, int64))
    with pytest.raises(TypingError, match="No implementation"):
        through(address, np.arange(3), 2)
    with pytest.raises(TypingError):
        through.compile((int64, FLOATS, float64))
