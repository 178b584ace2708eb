"""The battery for impurities."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from ftree._lib.fields import require_function
from ftree.criteria.impurity import Impurity
from ftree.criteria.scores import gain
from ftree.testing.strategies import ONE


def check_impurity(impurity: Impurity, *, concave: bool = True) -> None:
    """Check an impurity: it broadcasts, is 0 for pure and empty nodes, and never negative; if concave, gains are not.

    >>> from ftree import entropy
    >>> check_impurity(lambda counts: entropy(counts) ** 0.5)
    """
    require_function("impurity", impurity)
    counted = st.integers(1, 4).flatmap(
        lambda k: st.lists(st.lists(st.integers(0, 9), min_size=k, max_size=k), min_size=1, max_size=4)
    )

    @ONE
    @given(counted)
    @example([[1, 1], [1, 0]])  # it finds most impurities that are not concave
    def laws(nodes: list[list[int]]) -> None:
        level = np.asarray(impurity(np.array(nodes)))
        assert level.shape == (len(nodes),), "an impurity is one number for each node"
        assert np.allclose(level, [impurity(np.array(node)) for node in nodes]), "a level's answer is its nodes' answers"
        assert np.isfinite(level).all(), "an impurity is finite"
        assert (level >= 0).all(), "an impurity is never negative"
        one_class = [sum(1 for count in node if count) <= 1 for node in nodes]
        assert np.allclose(level[one_class], 0), "the impurity of a pure or empty node is 0"
        assert not concave or gain(np.array(nodes), impurity) >= 0, "gain is never negative for a concave impurity"

    laws()
