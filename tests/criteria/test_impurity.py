"""Impurities and scores: worked numbers, laws, and users' functions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree import (
    CART,
    datasets,
    entropy,
    evolve,
    gain,
    gain_ratio,
    gini,
    grow,
    importances,
    misclassification,
    prune,
    stop,
)
from ftree.criteria import dkm, hellinger, kl_divergence, poisson, proportions, split_information, variance, without_rounding
from ftree.routing import laplace, m_estimate
from ftree.tree import numbers

count_tables = st.integers(1, 4).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 20), min_size=k, max_size=k), min_size=1, max_size=5)
)


@given(count_tables)
def test_gain_is_the_mean_divergence_of_the_children_from_their_parent(children):
    table = np.array(children)
    divergence = kl_divergence(table, table.sum(axis=0))
    assert gain(children) == pytest.approx((proportions(table.sum(axis=1)) * divergence).sum(), abs=1e-9)


def test_divergence_is_infinite_where_the_reference_has_no_case():
    assert kl_divergence([1, 1], [1, 0]) == np.inf
    assert kl_divergence([0, 2], [1, 1]) == 1.0


def test_nothing_negative_leaks_from_rounding():
    assert without_rounding(-1e-13) == 0
    assert without_rounding(-1e-3) == -1e-3
    assert np.copysign(1, entropy([4, 0])) == 1, "an entropy of 0 is not -0"
    assert np.signbit(without_rounding([-0.0, -1e-16, 0.0])).tolist() == [False] * 3


@pytest.mark.parametrize("impurity", [misclassification, gini, entropy, dkm])
def test_nodes_of_no_classes_are_pure(impurity):
    assert impurity(np.zeros((2, 0))).tolist() == [0, 0]


def test_probabilities_are_estimated_as_published():
    assert proportions([15, 1])[0] == 0.9375
    assert laplace([15, 1])[0] == pytest.approx(0.888889, abs=5e-7)
    assert m_estimate(2, prior=(0.6, 0.4))([15, 1])[0] == pytest.approx(0.9)
    for m in (0, 0.25, 1):
        assert m_estimate(m, prior=[0.6, 0.4])([15, 1]) == pytest.approx([(15 + 0.6 * m) / (16 + m), (1 + 0.4 * m) / (16 + m)])
    assert hash(m_estimate(2, prior=[0.6, 0.4])) == hash(m_estimate(2, prior=(0.6, 0.4)))


@pytest.mark.parametrize(("m", "prior"), [(-1, (0.5, 0.5)), (2, (0.5, 0.6)), (2, (1.5, -0.5)), (2, ())])
def test_an_estimate_refuses_a_prior_that_is_no_distribution(m, prior):
    with pytest.raises(ValueError, match=r"m must be a finite number of at least 0|prior must be numbers from 0 that sum to 1"):
        m_estimate(m, prior)


@pytest.mark.parametrize("estimate", [laplace, m_estimate(2, prior=(0.6, 0.4))])
def test_an_estimate_of_many_nodes_is_that_of_each(estimate):
    level = [[[15, 1], [0, 0]], [[2, 3], [1, 7]]]
    assert estimate(level).tolist() == [[estimate(counts).tolist() for counts in nodes] for nodes in level]


@pytest.mark.parametrize(
    "ask",
    [
        lambda: entropy([3, -1]),
        lambda: gini(3),
        lambda: laplace(-1),
        lambda: laplace("ab"),
        lambda: laplace([-0.5, 3]),
        lambda: m_estimate(2, (0.5, 0.5))(["a", "b"]),
        lambda: m_estimate(2, (0.5, 0.5))([[1, 2], [3]]),
    ],
)
def test_counts_are_numbers_from_0_with_classes_on_an_axis(ask):
    with pytest.raises(ValueError, match="classes on the last axis"):
        ask()


@pytest.mark.parametrize("score", [gain, gain_ratio, split_information])
def test_a_score_is_told_of_children_and_not_of_one_node(score):
    with pytest.raises(ValueError, match="one list for each child"):
        score([9, 5])


two_by_two = st.lists(st.lists(st.integers(0, 30), min_size=2, max_size=2), min_size=2, max_size=2)


@given(two_by_two, st.integers(1, 9))
def test_hellinger_distance_does_not_depend_on_the_size_of_a_class(children, times):
    more = [[first, second * times] for first, second in children]
    assert hellinger(more) == pytest.approx(hellinger(children), abs=1e-12)


RIDES = datasets.weather()
OF_CLASSES = {
    "grow": lambda impurity: grow(RIDES, evolve(CART, impurity=impurity)),
    "grow level by level": lambda impurity: grow(RIDES, evolve(CART, impurity=impurity), engine="plain"),
    "importances": lambda impurity: importances(grow(RIDES), impurity=impurity),
    "trim": lambda impurity: prune.trim(stop.min_gain(0.1), impurity=impurity)(grow(RIDES)),
    "critical_value": lambda impurity: prune.critical_value(0.1, impurity=impurity)(grow(RIDES)),
    "cost_complexity": lambda risk: prune.cost_complexity(0.1, risk=risk)(grow(RIDES)),
    "cost_complexity_path": lambda risk: list(prune.cost_complexity_path(grow(RIDES), risk=risk)),
}


@pytest.mark.parametrize("ask", OF_CLASSES.values(), ids=OF_CLASSES)
@pytest.mark.parametrize("impurity", [variance, poisson, variance.relative_to([2, 2, 4], numbers())])
def test_an_impurity_of_sums_would_take_class_counts_for_sums(ask, impurity):
    ask(gini)
    with pytest.raises(ValueError, match=r"^(impurity|risk) must be a function of class counts, such as gini, for a tree of cl"):
        ask(impurity)
