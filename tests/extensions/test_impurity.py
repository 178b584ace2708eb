"""A user's impurity: Tsallis entropy, between entropy (q near 1) and Gini (q = 2). Source: Tsallis 1988."""

from ctypes import CFUNCTYPE, POINTER, c_double, c_int64

import numpy as np
from attrs import evolve, frozen

from ftree import ID3, gini
from ftree.criteria import compiled_impurity, proportions
from ftree.testing import check_impurity, check_policy


@frozen
class tsallis:
    """From class counts (..., K) to (...)."""

    q: float

    def __call__(self, counts):
        shares = proportions(counts)
        return (shares.sum(axis=-1) - (shares**self.q).sum(axis=-1)) / (self.q - 1)


def by_loop(counts):
    return 2 * (1 - sum((n / sum(counts)) ** 1.5 for n in counts)) if any(counts) else 0.0


def test_it_keeps_the_laws():
    check_impurity(tsallis(1.5), oracle=by_loop)
    check_policy(evolve(ID3, impurity=tsallis(1.5)))


def test_it_is_gini_for_two_and_may_be_a_function_of_c():
    of_c = CFUNCTYPE(c_double, POINTER(c_double), c_int64)(lambda counts, n: by_loop(counts[:n]))  # a compiler makes faster ones
    counts = [[3, 1, 0], [2, 2, 2], [0, 0, 0]]
    assert np.allclose(tsallis(2)(counts), gini(counts))
    assert np.allclose(compiled_impurity(of_c)(counts), tsallis(1.5)(counts))
