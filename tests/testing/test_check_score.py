"""The battery for scores detects scores that break a law; test_our_scores.py tests those of the library."""

import numpy as np
import pytest

from ftree.criteria import gain, gain_ratio, proportions, split_information
from ftree.testing import check_score

pytestmark = pytest.mark.usefixtures("unshrunk")


def test_a_score_may_refuse_splits():
    check_score(lambda children, impurity: np.where(gain(children, impurity) > 0.1, gain(children, impurity), -np.inf))


def doubling(children, impurity):
    """A score that changes its counts."""
    children *= 2
    return gain(children, impurity)


def of_the_first_child(children, impurity):
    """A score that uses only the first child."""
    return np.where(gain(children, impurity) > 0, children[..., 0, :].sum(axis=-1), 0.0)


def mean_over_children(children, impurity):
    """A gain for each child, with or without cases."""
    return gain(children, impurity) / np.shape(children)[-2]


def first_share(children):
    """The share of the first class."""
    return proportions(np.sum(children, axis=-2))[..., 0]


@pytest.mark.parametrize(
    ("wrong", "law"),
    [
        (doubling, "a score does not change its counts"),
        (lambda children, _: np.sum(children), "a score is one number for each split"),
        (
            lambda children, _: np.full(np.shape(children)[:-2], np.sum(children)),
            "a level's results are its splits' results",
        ),
        (lambda children, impurity: gain(children, impurity) * np.inf, "a score is finite, or -inf"),
        (lambda children, impurity: -gain(children, impurity), "a score is never negative"),
        (lambda children, impurity: 1 + gain(children, impurity), "sends all cases to one child scores 0"),
        (of_the_first_child, "the order of children does not matter|class shares score 0"),
        (mean_over_children, "a child without cases does not matter"),
        (split_information, "children with their parent's class shares score 0"),
        (
            lambda children, impurity: gain(children, impurity) * (1 + first_share(children)),
            "the order of classes does not matter",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_score_that_breaks_a_law_is_caught(wrong, law):
    with pytest.raises(AssertionError, match=law):
        check_score(wrong)


def test_a_score_of_a_fixed_number_of_children_is_not_given_more():
    check_score(lambda children, impurity: gain_ratio(children, impurity) / np.shape(children)[-2], n_children=3)


def test_a_score_that_is_not_its_formula_is_caught():
    with pytest.raises(AssertionError, match="a score is that of the oracle: got"):
        check_score(lambda children, impurity: gain(children, impurity) / 2, oracle=gain)


def test_a_score_of_one_class_only_is_exempt_from_symmetry():
    check_score(lambda children, _: 0.0 * children[..., 0].sum(axis=-1), exempt={"symmetric"})
