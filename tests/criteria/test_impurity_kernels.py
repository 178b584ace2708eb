"""A user's impurity as kernels call it, compiled and as plain Python."""

import runpy

import numpy as np
import pytest

from ftree._lib.jit import is_disabled, kernel
from ftree.criteria import impurity_kernels
from ftree.criteria.impurity_kernels import impurity_of, native, on_each_row

numba = pytest.importorskip("numba", reason="kernels need numba")
config, njit, TypingError = numba.config, numba.njit, numba.core.errors.TypingError

ROWS = np.array([[1.0, 3.0], [0.0, 0.0], [2.0, 2.0]])
only_compiled = pytest.mark.skipif(is_disabled(), reason="Python checks types and bounds by itself")


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
    def ask(own, counts):
        return impurity_of(own, counts)

    entry = native(lambda counts: counts[0]).entry
    assert ask(entry, np.ones(2)) == 1
    with pytest.raises((TypingError, ValueError)):
        ask(entry, np.ones(2, np.float32))


def test_without_compilation_functions_are_called_as_plain_python(monkeypatch):
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    again = runpy.run_path(impurity_kernels.__file__)
    assert again["on_each_row"](again["native"](np.ptp), ROWS).tolist() == [2, 0, 0]
