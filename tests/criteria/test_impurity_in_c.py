"""An impurity in machine code: which functions it takes, and what it answers with the native library and without."""

import pickle
import re
import subprocess
import sys
from copy import copy, deepcopy
from ctypes import CDLL, CFUNCTYPE, POINTER, PYFUNCTYPE, Structure, c_double, c_float, c_int32, c_int64, c_void_p, cast
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve, frozen
from c_functions import compiled, compiler, in_machine_code, roots, signature
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from ftree import ID3, datasets, entropy, grow
from ftree.criteria import compiled_impurity, dkm, proportions

PAGE = Path(__file__).parents[2] / "docs" / "how_to" / "own_impurity.md"


@in_machine_code
def weighted_sum(counts):
    return counts @ np.arange(1, len(counts) + 1)


@in_machine_code
def undefined(counts):
    return np.nan if counts[0] == 1 else 0.0


@signature
def changing(counts, _):
    counts[0] += 1.0
    return counts[0]


@frozen
class FromLibrary:
    """A function of a library, which each process loads."""

    library: str

    @property
    def address(self):
        return cast(CDLL(self.library).own, c_void_p).value


@pytest.fixture(params=["", "off"], ids=["native", "NumPy"])
def library(request, monkeypatch):
    """With the native library, where it is, and without it."""
    if request.param:
        monkeypatch.setenv("FTREE_NATIVE", request.param)


@pytest.mark.usefixtures("library")
@given(arrays(float, array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=3), elements=st.integers(0, 9)))
def test_counts_of_any_shape_are_answered_row_by_row(counts):
    answers = compiled_impurity(weighted_sum)(counts)
    assert np.array_equal(answers, counts @ np.arange(1, counts.shape[-1] + 1))
    assert np.shape(answers) == counts.shape[:-1]


def test_it_takes_counts_as_any_impurity_does():
    counts = np.random.default_rng(0).integers(0, 9, (4, 3, 2))
    assert compiled_impurity(roots)(counts.tolist()) == pytest.approx(dkm(counts))
    assert compiled_impurity(roots)(np.asfortranarray(counts)[::2, ::-1]) == pytest.approx(dkm(counts[::2, ::-1]))
    assert compiled_impurity(in_machine_code(len))([np.nan, 1]) == 2, "NaN is not taken for a changed count"
    with pytest.raises(ValueError, match="counts must be numbers from 0, with classes on the last axis"):
        compiled_impurity(roots)([-1, 2])


@pytest.mark.usefixtures("library")
def test_a_function_that_changes_its_counts_or_answers_nan_is_refused():
    given = np.ones((2, 2))
    with pytest.raises(ValueError, match=r"The function of compiled_impurity\(.*\) must not change its counts, .* copy"):
        compiled_impurity(changing)(given)
    assert (given == 1).all()
    with pytest.raises(
        ValueError, match=r"compiled_impurity\(undefined\) must return numbers, got NaN\. Return 0 for an empty node"
    ):
        compiled_impurity(undefined)([[2, 0], [1, 0]])


def unset(name):
    """A function of a library whose types nobody has set."""
    return getattr(CDLL(None) if sys.platform != "win32" else CDLL("msvcrt"), name)


class OfNumba:
    """As numba's functions of C are: with an address, and as a function of ctypes, which knows its types."""

    def __init__(self, function):
        self.ctypes, self.address = function, cast(function, c_void_p).value


class Texts(Structure):
    """Not a function, though of ctypes."""


@pytest.mark.parametrize(
    "function",
    [
        *[len, lambda counts: counts.min(), entropy, np.sum, compiled_impurity, None, 0, "entropy", np.ones(2), Texts()],
        *[unset("pow"), signature(0), CFUNCTYPE(c_double)(float), CFUNCTYPE(c_float, POINTER(c_double), c_int64)(len)],
        *[CFUNCTYPE(c_double, POINTER(c_float), c_int64)(len), CFUNCTYPE(c_double, POINTER(c_double), c_int32)(len)],
        *[CFUNCTYPE(c_double, POINTER(c_double))(len), CFUNCTYPE(c_double, POINTER(c_double), c_int64, c_int64)(len)],
        PYFUNCTYPE(c_double, POINTER(c_double), c_int64)(len),
        OfNumba(CFUNCTYPE(c_double, c_double)(abs)),
        *[type("NoNumber", (), {"address": address})() for address in (None, 0, -1, True, "0x7f", 1.5)],
    ],
)
def test_anything_but_a_c_function_of_the_signature_is_refused_at_once(function):
    words = r"function must be a C function `double f\(const double \*counts, int64_t n_classes\)`.*, got .*\. numba\.cfunc"
    with pytest.raises(TypeError, match=words):
        compiled_impurity(function)


def test_two_are_equal_if_they_call_the_same_machine_code():
    one, again = compiled_impurity(roots), compiled_impurity(cast(roots, signature))
    assert one == again == compiled_impurity(OfNumba(roots)) == compiled_impurity(one) != compiled_impurity(weighted_sum)
    assert len({one, again, compiled_impurity(weighted_sum)}) == 2
    assert one.address == cast(roots, c_void_p).value
    assert evolve(one, function=weighted_sum) == compiled_impurity(weighted_sum)
    assert repr(evolve(ID3, impurity=one)).startswith("Policy(impurity=compiled_impurity(roots), ")


def test_it_keeps_its_function_and_copies_are_itself():
    made = compiled_impurity(in_machine_code(sum))
    assert copy(made) is deepcopy(made) is made
    assert deepcopy(evolve(ID3, impurity=made)).impurity is made
    assert made([1, 2]) == 3


def test_an_address_of_this_process_is_not_pickled_and_the_remedy_is_named():
    for function in (roots, OfNumba(roots)):
        with pytest.raises(
            TypeError, match=r"must be an object that loads .* to be pickled, got .*\. Write a class whose `address`"
        ):
            pickle.dumps(evolve(ID3, impurity=compiled_impurity(function)))


def test_a_function_that_loads_its_library_goes_to_another_process(tmp_path):
    source = "double own(const double *counts, long long n_classes) { return counts[n_classes - 1]; }"
    library = compiled(source, tmp_path)
    made = compiled_impurity(FromLibrary(library._name))  # its path
    assert made([[1, 2, 3], [4, 5, 6]]).tolist() == [3, 6]
    assert pickle.loads(pickle.dumps(made)) == made  # noqa: S301  # made here
    library.own.argtypes, library.own.restype = [POINTER(c_double), c_int64], c_double
    assert compiled_impurity(library.own) == made
    assert repr(compiled_impurity(library.own)) == "compiled_impurity(own)"
    with get_context("spawn").Pool(1) as alone:
        assert alone.apply(made, ([[1, 2], [3, 4]],)).tolist() == [2, 4]


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def tree_of(code):
    """The tree that a policy of the page grows."""
    names = {}
    exec(code, names)  # noqa: S102  # our own page
    return grow(datasets.weather(), names["policy"])


def test_the_functions_that_the_page_compiles_grow_the_tree_of_its_function_in_numpy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (source,), (command,), (in_c, by_numba) = blocks("c"), blocks("sh"), blocks("python")
    compiler()
    Path("tsallis.c").write_text(source)
    subprocess.run(command, shell=True, check=True)  # noqa: S602  # our own page
    wanted = grow(datasets.weather(), evolve(ID3, impurity=lambda counts: 2 * (1 - (proportions(counts) ** 1.5).sum(axis=-1))))
    assert tree_of(in_c) == wanted
    if find_spec("numba"):
        assert tree_of(by_numba) == wanted
