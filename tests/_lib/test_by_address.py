"""Kernels that are called by their address: the types of arguments are checked before anything is called."""

import numpy as np
import pytest
from numba import boolean, int64, types

from ftree._lib.jit import is_disabled, kernel
from ftree._lib.kernels.by_address import address_of, addresses, caller

call, call_for_number, call_for_two = caller(), caller(int64), caller(types.Tuple((int64, boolean)))


@kernel
def add(one, two, three, four, five, six, seven, eight, into):  # noqa: PLR0917  # as kernels have them
    into[0] += one + two + three + four + five + six + seven + eight


@kernel
def double(array, n):
    for i in range(n):
        array[i] *= 2


@kernel
def last(array, n):
    return n - 1 + 0 * len(array)


@kernel
def always_two(array):
    return 2, len(array) > 0


@kernel
def through_for_two(table, array):
    return call_for_two(table, 0, (array,))


@kernel
def through(table, into):
    for number in range(len(table)):
        one = np.int64(1)
        call(table, number, (one, one, one, one, one, one, one, one, into))


@kernel
def through_one(table, array, n):
    call(table, 0, (array, n))


@kernel
def through_for_number(table, array, n):
    return call_for_number(table, 0, (array, n)) + 1


@pytest.mark.in_python
def test_each_kernel_of_a_list_is_called():
    into = np.zeros(1)
    row = address_of(add, (*range(8), into))
    through(addresses([row, row]), into)
    assert into[0] == 16
    through(addresses([]), into)
    assert into[0] == 16


@pytest.mark.in_python
def test_a_kernel_is_called_by_its_address():
    array = np.arange(3.0)
    through_one(addresses([address_of(double, (array, 2))]), array, 2)
    assert array.tolist() == [0.0, 2.0, 2.0]


@pytest.mark.in_python
def test_a_kernel_may_return_a_value():
    array = np.arange(3.0)
    assert through_for_number(addresses([address_of(last, (array, 2))]), array, 2) == 2


@pytest.mark.in_python
def test_a_literal_is_returned_as_any_number():
    array = np.zeros(1)
    assert through_for_two(addresses([address_of(always_two, (array,))]), array) == (2, True)


@pytest.mark.skipif(is_disabled(), reason="Python code takes arguments of any type")
def test_a_kernel_that_was_compiled_for_other_types_is_refused():
    with pytest.raises(RuntimeError, match="types it was compiled for"):
        through(addresses([address_of(add, (*range(8), np.zeros(1, np.int32)))]), np.zeros(1))
    with pytest.raises(RuntimeError, match="types it was compiled for"):
        through_one(addresses([address_of(double, (np.zeros(1), 2))]), np.arange(3), 2)


@pytest.mark.skipif(is_disabled(), reason="as above")
def test_a_kernel_that_returns_something_else_is_refused():
    array = np.zeros(1)
    with pytest.raises(RuntimeError, match="types it was compiled for"):
        through_for_number(addresses([address_of(double, (array, 1))]), array, 1)
    assert array.tolist() == [0.0]
