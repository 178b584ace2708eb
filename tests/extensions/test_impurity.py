"""A user's impurity: Tsallis entropy, between entropy (q near 1) and Gini (q = 2). Source: Tsallis 1988."""

import numpy as np
from attrs import evolve, frozen

from ftree import ID3, Dataset, gini, grow
from ftree.criteria import compiled_impurity, proportions
from ftree.testing import check_impurity, check_policy


@frozen
class tsallis:
    """From class counts (..., K) to (...)."""

    q: float

    def __call__(self, counts):
        shares = proportions(counts)
        return (shares.sum(axis=-1) - (shares**self.q).sum(axis=-1)) / (self.q - 1)


def test_it_keeps_the_laws():
    check_impurity(
        tsallis(1.5), oracle=lambda counts: 2 * (1 - sum((n / sum(counts)) ** 1.5 for n in counts)) if any(counts) else 0
    )
    check_policy(evolve(ID3, impurity=tsallis(1.5)))


def test_it_is_gini_for_two_and_may_be_compiled():
    def tsallis_of_one_node(counts):
        shares = counts / max(counts.sum(), 1.0)
        return (shares.sum() - (shares**1.5).sum()) / 0.5

    counts = np.array([[3, 1, 0], [2, 2, 2], [0, 0, 0]])
    assert np.allclose(tsallis(2)(counts), gini(counts))
    assert np.allclose(compiled_impurity(tsallis_of_one_node)(counts), tsallis(1.5)(counts))
    data = Dataset.from_rows([[1, 1], [1, 2], [2, 1], [2, 2]], list("aabb"))
    assert grow(data, evolve(ID3, impurity=tsallis(3))) == grow(data)
