"""Calls by address that check the types of their arguments when they are made."""

import numpy as np
import pytest

from ftree._lib.jit import is_disabled, kernel
from ftree._lib.kernels.checked_calls import addresses, checked_address, checked_caller

call = checked_caller(9)


@kernel
def add(one, two, three, four, five, six, seven, eight, into):  # noqa: PLR0917  # as kernels have them
    into[0] += one + two + three + four + five + six + seven + eight


@kernel
def through(rows, into):
    for number in range(len(rows)):
        one = np.int64(1)
        call(rows[number], one, one, one, one, one, one, one, one, into)


@pytest.mark.in_python
def test_each_kernel_of_a_list_is_called():
    into = np.zeros(1)
    row = checked_address(add, (*range(8), into))
    through(addresses([row, row]), into)
    assert into[0] == 16
    through(addresses([]), into)
    assert into[0] == 16


@pytest.mark.skipif(is_disabled(), reason="Python code takes arguments of any type")
def test_a_kernel_that_was_compiled_for_other_types_is_refused():
    with pytest.raises(RuntimeError, match="types it was compiled for"):
        through(addresses([checked_address(add, (*range(8), np.zeros(1, np.int32)))]), np.zeros(1))
