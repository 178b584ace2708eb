"""The battery for scores: every score of the library passes, and scores that break a law are caught."""

import numpy as np
import pytest

from ftree.criteria import (
    g_significance,
    gain,
    gain_ratio,
    hellinger,
    likelihood_ratio,
    normalised_gain,
    pearson,
    significance,
    split_information,
    twoing,
)
from ftree.testing import check_score

SCORES = [
    g_significance,
    gain,
    gain_ratio,
    hellinger,
    likelihood_ratio,
    normalised_gain,
    pearson,
    significance,
    split_information,
]


@pytest.mark.parametrize("score", SCORES)
def test_a_score_of_the_library_keeps_the_laws(score):
    check_score(score)


def test_a_score_of_two_children_keeps_them_for_two_children():
    check_score(twoing, n_children=2)
    with pytest.raises(ValueError, match="must have 2 children"):
        check_score(twoing)


def test_a_score_may_refuse_splits():
    check_score(lambda children, impurity: np.where(gain(children, impurity) > 0.1, gain(children, impurity), -np.inf))


def doubling(children, impurity):
    """A score that changes its counts."""
    children *= 2
    return gain(children, impurity)


def of_the_first_child(children, impurity):
    """A score that knows the first child only."""
    return np.where(gain(children, impurity) > 0, children[..., 0, :].sum(axis=-1), 0.0)


def mean_over_children(children, impurity):
    """A gain for each child that is there, cases or none."""
    return gain(children, impurity) / np.shape(children)[-2]


@pytest.mark.parametrize(
    ("wrong", "law"),
    [
        (doubling, "a score leaves its counts as they are"),
        (lambda children, _: np.sum(children), "a score is one number for each split"),
        (
            lambda children, _: np.full(np.shape(children)[:-2], np.sum(children)),
            "a level's answer is its splits' answers",
        ),
        (lambda children, impurity: gain(children, impurity) * np.inf, "a score is finite, or -inf"),
        (lambda children, impurity: -gain(children, impurity), "a score is never negative"),
        (lambda children, impurity: 1 + gain(children, impurity), "sends all cases to one child scores 0"),
        (of_the_first_child, "the order of children does not matter"),
        (mean_over_children, "a child without cases does not matter"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_score_that_breaks_a_law_is_caught(wrong, law):
    with pytest.raises(AssertionError, match=law):
        check_score(wrong)


def test_a_score_of_a_fixed_number_of_children_is_not_given_more():
    check_score(lambda children, impurity: gain_ratio(children, impurity) / np.shape(children)[-2], n_children=3)
