"""The battery for impurities catches impurities that break a law."""

import numpy as np
import pytest

from ftree.criteria.impurity import entropy, gini, misclassification, proportions
from ftree.testing import check_impurity


def of_the_level(counts):
    """The largest impurity of a level, for each of its nodes."""
    return np.full(np.shape(counts)[:-1], np.max(gini(counts)))


@pytest.mark.parametrize(
    ("wrong", "law"),
    [
        (np.sum, "an impurity is one number for each node"),
        (of_the_level, "a level's answer is its nodes' answers"),
        (lambda counts: np.full(np.shape(counts)[:-1], np.inf), "an impurity is finite"),
        (lambda counts: -entropy(counts), "an impurity is never negative"),
        (lambda counts: 1 - (proportions(counts) ** 2).sum(axis=-1), "of a pure or empty node is 0"),
        (lambda counts: misclassification(counts) ** 2, "gain is never negative for a concave impurity"),
    ],
)
def test_an_impurity_that_breaks_a_law_is_caught(wrong, law):
    with pytest.raises(AssertionError, match=law):
        check_impurity(wrong)


def test_an_impurity_need_not_be_concave():
    check_impurity(lambda counts: misclassification(counts) ** 2, concave=False)
