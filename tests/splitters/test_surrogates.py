"""Surrogate splits in growth: which are found, in which order, and where cases with a missing value go."""

from functools import partial

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import CART, ID3, Dataset, accuracy, grow, recount
from ftree.growth import by_definition
from ftree.splitters import by_gain_ratio, multiway, per_feature, surrogates, threshold
from ftree.stop import max_depth
from ftree.testing import datasets
from ftree.tree import Branch, preorder, walk
from ftree.tree.splits import Multiway, Surrogate, Threshold, WithSurrogates

EVERYWHERE = evolve(CART, missing=surrogates(everywhere=True))
STUMP = evolve(EVERYWHERE, stop=max_depth(1))


def table(rows, labels, **options):
    return Dataset.from_rows(rows, labels, **options)


def test_the_surrogate_that_agrees_most_comes_first():
    rows = [[1, 1, 1], [2, 2, 1], [3, 3, 1], [4, 4, 2], [5, 1, 2], [6, 6, 2], [7, 7, 2]]
    split = grow(table(rows, [0, 0, 0, 1, 1, 1, 1]), STUMP).root.split
    assert split == WithSurrogates(
        Threshold(0, 3.5),
        [
            Surrogate(Threshold(2, 1.5), reversed=False, agreement=1.0, adjusted=1.0),
            Surrogate(Threshold(1, 3.5), reversed=False, agreement=6 / 7, adjusted=(6 / 7 - 4 / 7) / (3 / 7)),
        ],
        default_child=1,
    )


def test_what_is_no_better_than_the_majority_is_no_surrogate():
    rows = [[1, 5], [2, 5], [3, 5], [4, 5]]
    assert grow(table(rows, [0, 0, 1, 1]), STUMP).root.split == WithSurrogates(Threshold(0, 2.5), (), default_child=0)
    lonely = [[1, 1], [2, 2], [3, 2], [4, 2]]
    assert grow(table(lonely, [0, 1, 1, 1]), STUMP).root.split.surrogates == (), "one case on a side is too few"


def test_so_many_surrogates_are_kept():
    rows = [[value] * 8 for value in range(6)]
    kept = grow(table(rows, [0, 0, 0, 1, 1, 1]), STUMP).root.split.surrogates
    assert [surrogate.split.feature for surrogate in kept] == [1, 2, 3, 4, 5], "of equals the lowest features"
    none = evolve(STUMP, missing=surrogates(at_most=0, everywhere=True))
    assert grow(table(rows, [0, 0, 0, 1, 1, 1]), none).root.split.surrogates == ()


def test_only_splits_of_features_with_gaps_have_surrogates_unless_everywhere():
    complete = table([[1, 1], [2, 2], [3, 3], [4, 4]], [0, 0, 1, 1])
    assert grow(complete, CART).root.split == Threshold(0, 2.5)
    gap_elsewhere = table([[1, 1], [2, 2], [3, None], [4, 4]], [0, 0, 1, 1])
    assert grow(gap_elsewhere, CART).root.split == Threshold(0, 2.5)
    gap = table([[1, 1], [2, 1], [None, 3], [4, 4]], [0, 0, 1, 1])
    assert isinstance(grow(gap, evolve(CART, splits=(per_feature({"x0": threshold()}),))).root.split, WithSurrogates)


def test_splits_into_many_have_no_surrogates_and_divide_cases_in_fractions():
    data = table([["a", 1], ["b", 2], [None, 2]], ["x", "y", "y"])
    tree = grow(data, evolve(STUMP, splits=(multiway(),)))
    assert tree.root.split == Multiway(0, (0, 1))
    assert [child.counts for child in tree.root.children] == [(1, 0.5), (0, 1.5)]


MISSING = st.sampled_from(["ignore", "heaviest", "as_value", "as_branch", surrogates(), surrogates(everywhere=True)])
POLICIES = st.builds(lambda policy, missing: evolve(policy, missing=missing), st.sampled_from([CART, ID3]), MISSING)
POLICIES |= st.just(evolve(ID3, choose=by_gain_ratio(), missing=surrogates()))
# Weights over nine orders of magnitude, and equal ones.
IMPORTANCES = st.floats(-6, 3).map(lambda digits: 10.0**digits) | st.sampled_from([0.1, 1 / 3])
GROWN = st.sampled_from([by_definition, *[partial(grow, engine=engine) for engine in ("plain", "compiled")]])


@given(datasets(missing=True, max_rows=24), POLICIES, GROWN, st.integers(-40, 40), st.data())
def test_a_power_of_two_in_all_importances_changes_no_tree(dataset, policy, grown, power, data):
    weights = np.array(data.draw(st.lists(IMPORTANCES, min_size=len(dataset), max_size=len(dataset))))
    one, scaled = (grown(evolve(dataset, weights=each), policy) for each in (weights, weights * 2.0**power))
    assert splits_of(scaled) == splits_of(one)
    assert [node.counts for node in preorder(scaled)] == [tuple(np.array(node.counts) * 2.0**power) for node in preorder(one)]


@given(datasets(missing=True, max_rows=24), GROWN, IMPORTANCES)
def test_equal_importances_grow_the_tree_of_no_weights(dataset, grown, weight):
    equal = evolve(dataset, weights=np.full(len(dataset), weight))
    assert [path for path, _ in walk(grown(equal, EVERYWHERE))] == [path for path, _ in walk(grown(dataset, EVERYWHERE))]


def splits_of(tree):
    return [node.split for node in preorder(tree) if isinstance(node, Branch)]


@pytest.mark.parametrize(("least", "n"), [(0, 1), (1, 1), (1.5, 0), (None, 0)])
@pytest.mark.parametrize("engine", ["plain", "compiled"])
def test_a_surrogate_sends_so_many_cases_each_way(least, n, engine):
    lonely = table([[1, 1], [2, 2], [3, 2], [4, 2]], [0, 1, 1, 1])
    policy = evolve(STUMP, missing=surrogates(everywhere=True, min_cases=least))
    assert len(grow(lonely, policy, engine=engine).root.split.surrogates) == n


@given(datasets(missing=True, weighted=True))
def test_every_case_goes_where_its_split_says(dataset):
    tree = grow(dataset, EVERYWHERE)
    assert recount(tree, dataset) == tree
    assert all(float(count).is_integer() for node in preorder(tree) for count in node.counts)


@given(datasets(missing=True))
def test_trees_without_gaps_are_those_without_surrogates(dataset):
    full = dataset.complete()
    if len(full):
        backed, bare = grow(full, EVERYWHERE), grow(full, evolve(CART, missing="ignore"))
        assert [node.counts for node in preorder(backed)] == [node.counts for node in preorder(bare)]
        assert accuracy(backed, full) == accuracy(bare, full)
        splits = [node.split.split for node in preorder(backed) if isinstance(node, Branch)]
        assert splits == [node.split for node in preorder(bare) if isinstance(node, Branch)]


def test_an_engine_that_cannot_count_sides_is_refused():
    class Scanning:
        def __init__(self, engine):
            self.engine = engine

        def totals(self):
            return self.engine.totals()

        def keep(self, nodes):
            return Scanning(self.engine.keep(nodes))

        def count(self):
            return self.engine.count()

        def joint(self, features):
            return self.engine.joint(features)

        def advance(self, splits, child_counts):
            return Scanning(self.engine.advance(splits, child_counts))

    from ftree.growth.engines import plain  # noqa: PLC0415  # next to its only use

    data = table([[1, 1], [2, 2], [None, 3], [4, 4]], [0, 0, 1, 1])
    start = lambda rows, setup: Scanning(plain(rows, setup))  # noqa: E731  # a start in one line
    with pytest.raises(TypeError, match="engine must count sides for surrogates"):
        grow(data, EVERYWHERE, engine=start)
    assert grow(data, evolve(CART, missing="ignore"), engine=start) == grow(data, evolve(CART, missing="ignore"))


def test_a_feature_that_no_known_case_has_is_no_surrogate():
    data = table([[1, None], [2, None], [3, None], [4, None], [None, "a"]], [0, 0, 1, 1, 0], kinds={"x1": "nominal"})
    assert grow(data, STUMP).root.split == WithSurrogates(Threshold(0, 2.5), (), default_child=0)


def test_thresholds_with_surrogates_can_stand_at_observed_values_too():
    data = table([[1, 10], [2, 20], [3, 30], [4, 40]], [0, 0, 1, 1])
    middle, observed = (grow(data, evolve(STUMP, splits=(threshold(at=at),))).root.split for at in ("midpoint", "observed"))
    assert (middle.split, observed.split) == (Threshold(0, 2.5), Threshold(0, 2.0))
    assert middle.surrogates == observed.surrogates
