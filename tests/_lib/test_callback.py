"""Functions and numbers at an address: what a kernel reads and calls, compiled and as plain Python."""

import runpy

import numpy as np
import pytest
from numba import config, njit
from numba.core.errors import TypingError

from ftree._lib.jit import is_disabled, kernel
from ftree._lib.kernels import callback, pointer
from ftree._lib.kernels.by_address import address_of, addresses, caller
from ftree._lib.kernels.callback import call_user_function, native, on_each_row
from ftree._lib.kernels.pointer import _pointer_in_python, pointer_to

ROWS = np.array([[1.0, 3.0], [0.0, 0.0], [2.0, 2.0]])
only_compiled = pytest.mark.skipif(is_disabled(), reason="Python checks types and bounds by itself")


@kernel
def read(address, number, like):
    return pointer_to(address, like)[number]


@pytest.mark.in_python
@pytest.mark.parametrize("numbers", [np.array([1.5, -2.5, 4.0]), np.array([7, -8, 9], np.int32)], ids=["floats", "integers"])
def test_numbers_at_an_address_are_those_of_the_array_and_have_its_type(numbers):
    like = numbers.dtype.type(0)
    assert [read(numbers.ctypes.data, number, like) for number in range(3)] == numbers.tolist()


@pytest.mark.in_python
def test_a_function_is_called_with_the_counts_of_each_row():
    assert on_each_row(native(lambda counts: counts[0] - 10 * counts[1] + len(counts)), ROWS).tolist() == [-27, 2, -16]


@pytest.mark.in_python
def test_a_function_that_raises_answers_NaN():
    def raising(counts):
        if counts[0] == 1:
            raise ValueError
        return counts[0]

    assert np.array_equal(on_each_row(native(raising), ROWS), [np.nan, 0, 2], equal_nan=True)


@pytest.mark.in_python
def test_a_class_number_out_of_range_is_an_error_and_reads_no_other_memory():
    assert np.isnan(on_each_row(native(lambda counts: counts[2]), ROWS[:, :2])).all()


def test_a_function_is_compiled_once_and_may_be_compiled_already():
    def first(counts):
        return counts[0]

    assert native(first) is native(first)
    compiled = njit(first)
    assert native(compiled).function is (first if is_disabled() else compiled)
    assert on_each_row(native(compiled), ROWS).tolist() == [1, 0, 2]


def test_a_function_that_answers_nothing_is_refused_when_it_is_compiled_and_in_python_answers_NaN():
    if is_disabled():
        assert np.isnan(on_each_row(native(lambda _: None), ROWS)).all()
    else:
        with pytest.raises(TypingError, match="float"):
            native(lambda _: None)


@only_compiled
def test_counts_of_another_type_are_refused_when_a_kernel_is_compiled():
    @kernel
    def ask(address, counts):
        return call_user_function(address, counts)

    address = native(lambda counts: counts[0]).address
    assert ask(address, np.ones(2)) == 1
    for counts in (np.ones(2, np.float32), np.ones(4)[::2], np.ones((1, 2))):
        with pytest.raises(TypingError):
            ask(address, counts)


@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.uint8])
def test_a_pointer_in_python_reads_what_stands_at_the_address(dtype):
    numbers = np.arange(5, dtype=dtype)
    pointer = _pointer_in_python(np.int64(numbers.ctypes.data), dtype(0))
    assert [pointer[place] for place in range(5)] == numbers.tolist()


def test_without_compilation_numbers_are_read_and_functions_called_as_plain_python(monkeypatch):
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    table = addresses([address_of(max, (1, 2)), address_of(min, (1, 2))])
    assert [caller()(table, number, (1, 2)) for number in range(2)] == [2, 1]
    numbers = runpy.run_path(pointer.__file__)["pointer_to"](ROWS.ctypes.data, ROWS[0, 0])
    assert [numbers[place] for place in range(6)] == ROWS.ravel().tolist()
    again = runpy.run_path(callback.__file__)
    assert again["call_user_function"](again["native"](np.ptp).address, ROWS[0]) == 2
