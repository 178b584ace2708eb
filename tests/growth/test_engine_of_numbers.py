"""The compiled engine of numbers grows the trees of the NumPy engine, to the last bit, whatever the rule that stops it."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import CART, Dataset, grow
from ftree.growth.engine_choice import started
from ftree.growth.engines.engine_of_numbers import CompiledNumbers
from ftree.growth.given_table import prepared_table
from ftree.growth.kernels.radix_sort import sort_by_digits
from ftree.growth.kernels.stored_columns import sort_column
from ftree.growth.levels import terms_of
from ftree.splitters import threshold
from ftree.stop import max_depth, max_leaves, min_best_child, min_gain, min_rows, never, no_gain, per_node, pure
from ftree.testing import datasets

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
    st.sampled_from([0, 2]),
    st.sampled_from(["midpoint", "observed"]),
    st.sampled_from(RULES),
)


def traced(table, policy, engine):
    levels = []
    tree = grow(table, policy, engine=engine, trace=levels.append)
    listed = [(level.counts, level.gain, level.impurity, level.n_children, level.keys) for level in levels]
    return tree, [level.splits for level in levels], [[array.tolist() for array in arrays] for arrays in listed]


def started_on(table, policy, engine):
    """The engine at the root of a table."""
    given = prepared_table(table, policy).table
    with started(given, policy, terms_of(policy, given), engine, 1) as (first, _):
        return first


@pytest.mark.in_python
@given(datasets(response="numbers", weighted=True, max_rows=12), st.sampled_from([1.0, 1e5, -1e9, 1e11]), POLICIES)
def test_both_engines_grow_the_same_tree_and_show_the_same_levels(dataset, far, policy):
    dataset = dataset.with_labels(np.where(np.arange(len(dataset)) == 0, far, 1.0) * dataset.target_column)
    assert grow(dataset, policy, engine="compiled") == grow(dataset, policy, engine="plain")
    assert repr(traced(dataset, policy, "compiled")) == repr(traced(dataset, policy, "plain"))  # NaN is not equal to itself


@pytest.mark.parametrize("rule", RULES, ids=repr)
@pytest.mark.parametrize("digits", [0, 2, 17])
def test_both_engines_grow_the_same_tree_of_many_rows(rule, digits):
    random = np.random.default_rng(digits)
    points, weights = random.normal(size=(2000, 5)).round(digits), random.integers(0, 4, 2000)
    numbers = (points[:, 0] + points[:, 1] * points[:, 2] + random.normal(size=2000)).round(digits) + 0.5
    for table in (Dataset.from_rows(points, numbers), Dataset.from_rows(points, numbers * 1e9 + 1e12, weights=weights)):
        policy = evolve(CART, splits=(threshold(min_cases=3 if digits else 0),), stop=rule | max_depth(12))
        wanted = grow(table, policy, engine="plain")
        assert grow(table, policy, engine="compiled", n_jobs=1) == wanted
        assert grow(table, policy, engine="compiled", n_jobs=3) == wanted


def test_threads_that_share_lanes_and_then_subtrees_grow_the_same_tree():
    random = np.random.default_rng(0)
    table = Dataset.from_rows(random.normal(size=(28_000, 10)), random.normal(size=28_000))
    policy = CART.stopping(max_depth(2))
    assert grow(table, policy, engine="compiled", n_jobs=2) == grow(table, policy, engine="plain")
    assert grow(table, CART, engine="compiled", n_jobs=2) == grow(table, CART, engine="compiled", n_jobs=1)


@pytest.mark.in_python
@given(datasets(response="numbers", weighted=True, max_rows=12))
def test_ties_of_far_and_near_numbers_are_those_of_numpy(dataset):
    far = dataset.with_labels(np.where(np.arange(len(dataset)) % 5 == 0, 1e6, 0) + dataset.target_column * 1e-4)
    policy = evolve(CART, splits=(threshold(),), stop=pure())
    assert grow(far, policy, engine="compiled") == grow(far, policy, engine="plain")


def test_counts_of_open_nodes_are_those_of_numpy():
    table = Dataset.from_rows(np.random.default_rng(0).integers(0, 5, (50, 3)).astype(float), np.arange(50) % 7 + 0.5)
    one, other = (started_on(table, evolve(CART, splits=(threshold(),)), engine) for engine in ("compiled", "plain"))
    for _ in range(2):
        found = one.best()
        for mine, theirs in ((one.count(), other.count()), (one.joint([0, 2]), other.joint([0, 2]))):
            assert (mine.node == theirs.node).all()
            assert mine.counts.tolist() == theirs.counts.tolist()
        one, other = one.advance(found.cuts, found.children), other.advance(found.cuts, found.children)
        assert one.totals().tolist() == other.totals().tolist()


def test_what_the_engine_does_not_know_is_grown_by_numpy():
    points, numbers = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) + 0.5
    table, gaps = Dataset.from_rows(points, numbers), points.copy()
    gaps[3, 1] = np.nan
    words = Dataset.from_columns({"x": points[:, 0], "word": ["a", "b", "c"] * 10, "y": numbers}, target="y")
    heavy = Dataset.from_rows(points, points[:, 0]).with_weights(np.full(30, 2**40))
    unknown = [Dataset.from_rows(gaps, numbers), table.with_weights(np.full(30, 0.3)), heavy, words]
    assert not any(isinstance(started_on(each, CART, "compiled"), CompiledNumbers) for each in unknown)
    assert isinstance(started_on(table, CART, "compiled"), CompiledNumbers)
    assert isinstance(started_on(words, evolve(CART, splits=(threshold(),)), "compiled"), CompiledNumbers)
    assert not isinstance(started_on(table, CART, "auto"), CompiledNumbers)  # the table is small


def test_words_that_no_splitter_takes_are_left_alone():
    words = Dataset.from_columns({"word": ["a", "b"] * 20, "x": np.arange(40.0) % 7, "y": np.arange(40) + 0.5}, target="y")
    policy = evolve(CART, splits=(threshold(),))
    assert grow(words, policy, engine="compiled") == grow(words, policy, engine="plain")


@pytest.mark.in_python
@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(2**50, 2**50 + 99), min_size=1), st.sampled_from([0, 2**63]))
def test_digits_sort_numbers_unless_too_many_are_alike(listed, far):
    numbers = np.array([*listed, far], np.uint64)
    done = sort_by_digits(numbers, np.empty_like(numbers))
    assert numbers.tolist() == sorted([*listed, far]) or not done


def test_numbers_that_are_too_close_together_for_digits_are_compared():
    random = np.random.default_rng(0)
    column = np.append(1 + random.random(1300) * 1e-9, 1e300)
    numbers = column.view(np.uint64).copy()
    assert not sort_by_digits(numbers, np.empty_like(numbers))
    keys = np.empty(1301, np.int32)
    sort_column(column, np.zeros(1301, np.int32), 2, keys, np.empty((2, 1301), np.uint64))
    assert (column[keys >> 2] == np.sort(column)).all()
