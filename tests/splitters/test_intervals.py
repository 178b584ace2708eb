"""Intervals by minimum description length: against plain recursion, and the cut points published for iris."""

from collections import Counter
from heapq import heappop, heappush
from itertools import pairwise
from math import log2

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from ftree import ID3, Dataset, Feature, Leaf, Schema, accuracy, grow
from ftree.criteria import gain, gini, split_information
from ftree.splitters import c45_min_branch, intervals, multiway, worth_its_description
from ftree.stop import max_depth
from ftree.testing import datasets
from ftree.tree import Intervals

# (value, class) of up to 30 cases, in few values so that ties happen.
samples = st.integers(2, 4).flatmap(
    lambda k: st.lists(st.tuples(st.integers(0, 9), st.integers(0, k - 1)), min_size=1, max_size=30)
)
# Classes in long stretches of values, so that there is something to cut.
stretches = st.lists(st.tuples(st.integers(0, 2), st.integers(1, 15)), min_size=1, max_size=8).map(
    lambda parts: list(enumerate(label for label, times in parts for _ in range(times)))
)


# By recursion ---------------------------------------------------------------------------------------------------


def entropy(cases):
    return -sum(n / len(cases) * log2(n / len(cases)) for n in Counter(label for _, label in cases).values())


def best_cut(cases, least=0):
    """Gain in bits, cut and sides, the first of equal ones; None if no cut leaves enough cases."""
    tried = []
    for low, high in pairwise(sorted({value for value, _ in cases})):
        sides = [case for case in cases if case[0] <= low], [case for case in cases if case[0] > low]
        if min(map(len, sides)) >= least:
            left = sum(len(side) / len(cases) * entropy(side) for side in sides)
            tried.append((entropy(cases) - left, (low + high) / 2, sides))
    most = max((gained for gained, *_ in tried), default=None)
    return next((one for one in tried if one[0] >= most - 1e-9), None)


def accepted(cases, gained, sides):
    """The criterion in Fayyad and Irani's form."""
    k, k1, k2 = (len({label for _, label in part}) for part in (cases, *sides))
    delta = log2(3**k - 2) - (k * entropy(cases) - k1 * entropy(sides[0]) - k2 * entropy(sides[1]))
    return gained > log2(len(cases) - 1) / len(cases) + delta / len(cases)


def cuts_of(cases, least=0):
    """Every cut, by plain recursion."""
    found = best_cut(cases, least)
    if found is None or not accepted(cases, found[0], found[2]):
        return []
    _, at, sides = found
    return [*cuts_of(sides[0], least), at, *cuts_of(sides[1], least)]


def best_first(cases, at_most):
    """At most `at_most` cuts, each the one that reduces entropy most among those open."""
    cuts, waiting = [], []

    def wait(part):
        found = best_cut(part)
        if found is not None and accepted(part, found[0], found[2]):
            heappush(waiting, (-round(found[0] * len(part), 9), part[0], found))

    wait(sorted(cases))
    while waiting and len(cuts) < at_most:
        _, at, sides = heappop(waiting)[2]
        cuts.append(at)
        for side in sides:
            wait(side)
    return sorted(cuts)


def column(cases, kind="numeric"):
    feature = Feature("x", kind, range(10) if kind == "ordinal" else ())
    values = np.array([value for value, _ in cases])
    labels = np.array([label for _, label in cases])
    return Dataset(Schema([feature], "y", range(4)), [values.astype(float) if kind == "numeric" else values], labels)


def cut(dataset, **options):
    """The cuts of the only feature; none if it is not split."""
    root = grow(dataset, evolve(ID3, splits=(intervals(**options),), stop=max_depth(1))).root
    return () if isinstance(root, Leaf) else root.split.cuts


# Intervals ------------------------------------------------------------------------------------------------------


@given(st.one_of(samples, stretches), st.sampled_from([0, 2, 5]))
def test_cuts_are_those_of_recursion(cases, least):
    assert cut(column(cases), min_cases=least) == tuple(cuts_of(cases, least))


@given(samples)
def test_ordinal_features_are_cut_between_their_values_present(cases):
    assert cut(column(cases, "ordinal")) == tuple(cuts_of(cases))


@given(stretches, st.integers(1, 4))
def test_a_few_cuts_are_those_of_best_first_division(cases, at_most):
    taken = best_first(cases, at_most)
    assert len(cut(column(cases), at_most=at_most)) == len(taken) == min(at_most, len(cuts_of(cases)))
    assert set(cut(column(cases), at_most=at_most)) <= set(cuts_of(cases))


def test_the_first_few_cuts_are_those_that_take_off_most():
    """Two of the three stretches of one class are long."""
    cases = list(enumerate([0] * 60 + [1] * 50 + [0] * 40 + [1] * 15))
    assert cut(column(cases)) == (59.5, 109.5, 149.5)
    assert cut(column(cases), at_most=2) == tuple(best_first(cases, 2))
    assert cut(column(cases), at_most=1) == tuple(best_first(cases, 1))


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


@given(stretches, st.sampled_from([gain, split_information]), st.sampled_from([gini, ID3.impurity]))
def test_intervals_score_together_as_the_policy_says(cases, score, impurity):
    data = column(cases)
    policy = evolve(ID3, splits=(intervals(),), score=score, impurity=impurity, stop=max_depth(1))
    levels = []
    root = grow(data, policy, trace=levels.append).root
    if not isinstance(root, Leaf):
        assert levels[0].gain[0] == pytest.approx(gain([child.counts for child in root.children], impurity))
        assert root.split.cuts == tuple(cuts_of(cases))


# Description ----------------------------------------------------------------------------------------------------


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


# Large and odd --------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("at_most", [0, -1, 1.5, "few"])
def test_a_number_of_cuts_that_is_none_is_refused(at_most):
    with pytest.raises(ValueError, match="at_most must be a whole number of cuts from 1"):
        intervals(at_most=at_most)


def test_a_negative_number_of_cases_is_refused():
    with pytest.raises(ValueError, match="min_cases must be a finite number of cases from 0"):
        intervals(min_cases=-1)
