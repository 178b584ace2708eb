"""Intervals by minimum description length: published cut points, large tables and least weights; `testing` has the recursion."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from ftree import ID3, Dataset, Feature, Leaf, Schema, accuracy, grow
from ftree.criteria import gain
from ftree.splitters import c45_min_branch, intervals, multiway, worth_its_description
from ftree.stop import max_depth
from ftree.testing import datasets
from ftree.tree import Intervals

# Classes in long stretches of values, so that there is something to cut.
stretches = st.lists(st.tuples(st.integers(0, 2), st.integers(1, 15)), min_size=1, max_size=8).map(
    lambda parts: list(enumerate(label for label, times in parts for _ in range(times)))
)


def column(cases, kind="numeric"):
    feature = Feature("x", kind, range(10) if kind == "ordinal" else ())
    values = np.array([value for value, _ in cases])
    labels = np.array([label for _, label in cases])
    return Dataset(Schema([feature], "y", range(4)), [values.astype(float) if kind == "numeric" else values], labels)


def cut(dataset, **options):
    """The cuts of the only feature; none if it is not split."""
    root = grow(dataset, evolve(ID3, splits=(intervals(**options),), stop=max_depth(1))).root
    return () if isinstance(root, Leaf) else root.split.cuts


def test_the_first_few_cuts_are_those_that_take_off_most():
    """Two of the three stretches of one class are long."""
    cases = list(enumerate([0] * 60 + [1] * 50 + [0] * 40 + [1] * 15))
    assert cut(column(cases)) == (59.5, 109.5, 149.5)
    assert cut(column(cases), at_most=2) == (59.5, 109.5)
    assert cut(column(cases), at_most=1) == (59.5,)


@pytest.mark.parametrize(
    ("feature", "cuts"),
    [(0, (5.55, 6.15)), (1, (2.95, 3.35)), (2, (2.45, 4.75)), (3, (0.8, 1.75))],
    ids=load_iris().feature_names,
)
def test_iris_is_cut_where_it_is_published_to_be(feature, cuts):
    """The result of R's package discretization, function mdlp (Kim 2012)."""
    iris = load_iris()
    assert cut(Dataset.from_rows(iris.data[:, [feature]], iris.target)) == pytest.approx(cuts)


def test_iris_grows_a_tree_of_intervals():
    iris = load_iris()
    data = Dataset.from_rows(iris.data, iris.target)
    tree = grow(data, evolve(ID3, splits=(intervals(),)))
    assert (tree.root.split.feature, *tree.root.split.cuts) == pytest.approx((3, 0.8, 1.75))
    assert accuracy(tree, data) > 0.95


def test_a_cut_of_few_cases_is_worth_it_only_if_it_tells_all_apart():
    assert worth_its_description(np.array([[4, 0], [0, 4]]))
    assert not worth_its_description(np.array([[3, 1], [1, 3]]))
    assert worth_its_description(np.array([[300, 100], [100, 300]]))


def test_what_is_told_apart_already_is_not_cut():
    assert not worth_its_description(np.array([[5, 0], [5, 0]])).any()
    assert cut(column([(0, 1), (1, 1), (2, 1)])) == ()
    assert cut(column([(3, 0), (3, 1)])) == ()


def test_a_thousand_classes_have_a_description():
    sides = np.zeros((2, 1000))
    sides[0, :500] = sides[1, 500:] = 50
    assert worth_its_description(sides)


def test_fractions_of_cases_describe_where_they_are_for_nothing_at_least():
    """log2(n - 1) is undefined up to one case, and negative up to two."""
    assert worth_its_description(np.array([[0.3, 0.0], [0.0, 0.3]])).tolist() is False
    assert np.isfinite(gain([[0.3, 0.0], [0.0, 0.3]]))


def test_more_cuts_within_cuts_than_python_s_stack_is_deep():
    """The first cut is always next to the last one: each round cuts one stretch off the rest."""
    labels = np.arange(60_000) // 50 % 2
    data = Dataset(Schema([Feature("x", "numeric")], "y", (0, 1)), [np.arange(60_000.0)], labels)
    assert cut(data) == tuple(np.arange(49.5, 59_950, 50))


def test_a_least_weight_is_kept_on_both_sides_of_every_cut():
    cases = list(enumerate([0] * 3 + [1] * 30 + [2] * 30))
    assert cut(column(cases)) == (2.5, 32.5)
    assert cut(column(cases), min_cases=4) == (3.5, 32.5)
    assert cut(column(cases), min_cases=31) != cut(column(cases), min_cases=32) == ()
    assert cut(column(cases), min_cases=c45_min_branch(32)) == ()
    root = grow(column(cases), evolve(ID3, splits=(intervals(min_cases=4),), stop=max_depth(1))).root
    assert all(sum(child.counts) >= 4 for child in root.children)


@given(datasets(weighted=True, missing=True), st.sampled_from([None, 1, 2]))
def test_no_more_cuts_are_made_than_allowed(dataset, at_most):
    levels = []
    grow(dataset, evolve(ID3, splits=(intervals(at_most=at_most), multiway())), trace=levels.append)
    made = [split for level in levels for split in level.splits if isinstance(split, Intervals)]
    assert all(at_most is None or len(split.cuts) <= at_most for split in made)
