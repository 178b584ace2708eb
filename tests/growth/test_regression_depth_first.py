"""The native library grows the regression trees of the NumPy engine, to the last bit, whatever the rule that stops it."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from sizes import QUEUES, always_idle, sized
from test_depth_first import presorted

from ftree import CART, Dataset, grow, n_leaves
from ftree._lib.arrays import TIE
from ftree.splitters import threshold
from ftree.stop import max_depth, max_leaves, min_best_child, min_gain, min_rows, never, no_gain, per_node, pure
from ftree.testing import datasets

# Steps of a call of the library: a node, some, or all.
CALLS = st.sampled_from([1, 100, 2**26])
RULES = [
    pure() | no_gain(),
    never | max_depth(3),
    min_rows(3) | pure() | no_gain(),
    min_best_child(2) | min_gain(0.01) | pure(),
    max_leaves(3) | no_gain(),
    per_node(lambda node: bool(node.score < 0.05 or node.gain <= 0)),
]
POLICIES = st.builds(
    lambda least, at, stop: evolve(CART, splits=(threshold(min_cases=least, at=at),), stop=stop),
    st.sampled_from([0, 2 + 1e-7]),
    st.sampled_from(["midpoint", "observed"]),
    st.sampled_from(RULES),
)


@given(
    datasets(response="numbers", weighted=True, max_rows=40),
    st.sampled_from([1.0, 1e5, -1e9, 1e11]),
    POLICIES,
    st.integers(1, 2),
    CALLS,
    st.sampled_from(QUEUES),
)
def test_both_engines_grow_the_same_tree(dataset, far, policy, n_jobs, call, queue):
    dataset = dataset.with_labels(np.where(np.arange(len(dataset)) == 0, far, 1.0) * dataset.target_column)
    with sized(steps=0, call=call, worth_it=1, queue=queue):
        assert grow(dataset, policy, engine="compiled", n_jobs=n_jobs) == grow(dataset, policy, engine="plain")


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("digits", [0, 2, 17])
def test_both_engines_grow_the_same_tree_of_many_rows(rule, digits):
    random, n = np.random.default_rng(digits), 1200
    points, weights = random.normal(size=(n, 5)).round(digits), random.integers(1, 4, n)
    numbers = (points[:, 0] + points[:, 1] * points[:, 2] + random.normal(size=n)).round(digits) + 0.5
    both = dict(zip("pqrstyz", [*points.T, numbers, points[:, 3] - numbers], strict=True))
    for table in (
        Dataset.from_rows(points, numbers * 1e9 + 1e12, weights=weights),
        Dataset.from_columns(both, target=["y", "z"], weights=weights if digits else None),
    ):
        policy = evolve(CART, splits=(threshold(min_cases=3 if digits else 0),), stop=rule | max_depth(12))
        wanted = grow(table, policy, engine="plain")
        assert grow(table, policy, engine="compiled", n_jobs=3) == wanted
        with sized(call=1, worth_it=1, queue=always_idle):  # all nodes are handed over
            assert grow(table, policy, engine="compiled", n_jobs=1) == wanted


@pytest.mark.parametrize("times", [1, 9])
def test_a_later_cut_is_chosen_that_ties_with_the_best_one_if_the_first_does_not(times):
    """Each of three cuts gains 0.6 of a tie more than the one before it."""
    sums = (3 * 10**10 * np.sqrt([1, 4 / 3 * (1 + 0.6 * TIE), 1 + 1.2 * TIE])).round()
    numbers = np.diff(sums, prepend=0, append=0) + 0.5  # whole numbers would be classes
    table = Dataset.from_rows(np.repeat(np.arange(4.0), times)[:, None], np.repeat(numbers, times))
    policy = CART.stopping(max_depth(1))
    tree = grow(table, policy, engine="compiled")
    assert tree.root.split.at == 1.5
    assert tree == grow(table, policy, engine="plain")


def test_a_least_gain_of_0_divides_nodes_in_which_no_split_gains():
    table = Dataset.from_rows([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0.5, 1.5, 1.5, 0.5])
    policy = evolve(CART, splits=(threshold(),), stop=pure() | min_gain(0))
    tree = grow(table, policy, engine="compiled")
    assert n_leaves(tree) == 4
    assert tree == grow(table, policy, engine="plain")


def test_threads_that_share_sorted_columns_grow_the_same_tree():
    random = np.random.default_rng(0)
    table = Dataset.from_rows(random.normal(size=(28_000, 10)), random.normal(size=28_000))
    policy = CART.stopping(max_depth(2))
    assert grow(table, policy, engine="compiled", n_jobs=2) == grow(table, policy, engine="plain")
    assert grow(table, CART, engine="compiled", n_jobs=2) == grow(table, CART, engine="compiled", n_jobs=1)


@given(datasets(response="numbers", weighted=True, max_rows=40))
def test_ties_of_far_and_near_numbers_are_those_of_numpy(dataset):
    far = dataset.with_labels(np.where(np.arange(len(dataset)) % 5 == 0, 1e6, 0) + dataset.target_column * 1e-4)
    policy = evolve(CART, splits=(threshold(),), stop=pure())
    assert grow(far, policy, engine="compiled") == grow(far, policy, engine="plain")


def test_what_the_engine_does_not_know_is_grown_by_numpy():
    points, numbers = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) + 0.5
    table, gaps = Dataset.from_rows(points, numbers), points.copy()
    gaps[3, 1] = np.nan
    words = Dataset.from_columns({"x": points[:, 0], "word": ["a", "b", "c"] * 10, "y": numbers}, target="y")
    heavy = Dataset.from_rows(points, points[:, 0]).with_weights(np.full(30, 2**40))
    unknown = [Dataset.from_rows(gaps, numbers), table.with_weights(np.full(30, 0.3)), heavy, words]
    assert [presorted(each, CART) for each in unknown] == [None] * 4
    assert presorted(table, evolve(CART, splits=(threshold(), threshold(min_cases=2)))) is None
    assert len(presorted(table, CART).keys) == 3
    assert presorted(words, evolve(CART, splits=(threshold(),))).features.tolist() == [0]
    assert grow(table, CART) == grow(table, CART, engine="compiled"), "NumPy grows small trees"
