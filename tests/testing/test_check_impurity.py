"""The battery for impurities detects impurities that break a law."""

import numpy as np
import pytest

from ftree.criteria.impurity import entropy, gini, misclassification, proportions
from ftree.testing import check_impurity

pytestmark = pytest.mark.usefixtures("unshrunk")


def doubling(counts):
    """An impurity that changes its counts."""
    counts *= 2
    return gini(counts)


def of_the_level(counts):
    """The largest impurity of a level, for each of its nodes."""
    return np.full(np.shape(counts)[:-1], np.max(gini(counts)))


@pytest.mark.parametrize(
    ("wrong", "law"),
    [
        (np.sum, "an impurity is one number for each node"),
        (of_the_level, "a level's results are its nodes' results"),
        (lambda counts: np.full(np.shape(counts)[:-1], np.inf), "an impurity is finite"),
        (lambda counts: -entropy(counts), "an impurity is never negative"),
        (lambda counts: 1 - (proportions(counts) ** 2).sum(axis=-1), "of a pure or empty node is 0"),
        (lambda counts: misclassification(counts) ** 2, "gain is never negative for a concave impurity"),
        (lambda counts: gini(counts) * np.sum(counts, axis=-1), "nodes with the same shares are equally impure"),
        (lambda counts: gini(counts) * (1 + proportions(counts)[..., 0]), "the order of classes does not matter"),
        (lambda counts: gini(counts) / np.shape(counts)[-1], "a class without cases does not matter"),
        (lambda counts: 0 * gini(counts), "a node of two classes is impure"),
        (lambda counts: proportions(counts).prod(axis=len(np.shape(counts)) // 2), "may have any number of axes|pure or empty"),
        (doubling, "an impurity does not change its counts"),
    ],
)
def test_an_impurity_that_breaks_a_law_is_caught(wrong, law):
    with pytest.raises(AssertionError, match=law):
        check_impurity(wrong)


def test_an_impurity_need_not_be_concave():
    check_impurity(lambda counts: misclassification(counts) ** 2, exempt={"concave"})


def test_an_impurity_that_is_not_its_formula_is_caught_with_both_values_and_the_counts():
    def formula(counts):
        return 1 - sum((n / sum(counts)) ** 2 for n in counts) if any(counts) else 0

    with pytest.raises(AssertionError, match=r"that of the oracle: got 1\.0, must be 0\.5, for counts = \[1, 1\]"):
        check_impurity(lambda counts: 2 * gini(counts), oracle=formula)
    check_impurity(gini, oracle=formula)


@pytest.mark.parametrize(
    ("wrong", "shown"),
    [
        (np.sum, r"got .*\(\).*, for counts = \[\["),
        (of_the_level, r"got .*, must be .*, for counts = \[\["),
        (lambda counts: -entropy(counts), r"got -\S+, for counts = \["),
        (lambda counts: gini(counts) * np.sum(counts, axis=-1), r"got .*, must be .*, for counts = \[.*, like = \["),
    ],
)
def test_a_broken_law_is_told_with_the_answer_and_the_counts(wrong, shown):
    with pytest.raises(AssertionError, match=shown):
        check_impurity(wrong)


def test_laws_that_are_exempt_are_not_asked_for():
    everything = {"concave", "mixed", "scale", "symmetric", "absent"}
    check_impurity(lambda counts: np.zeros(np.shape(counts)[:-1]), exempt=everything)
