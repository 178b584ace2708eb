"""Surrogates of compiled growth: the same as those of the plain engine."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from test_compiled_engine import check_equal, kinds_of_weights, weighed

from ftree import CART, Branch, Dataset, Feature, Schema, grow
from ftree.splitters import intervals, multiway, subset, surrogates, threshold
from ftree.stop import max_depth, never
from ftree.testing import datasets
from ftree.tree import WithSurrogates, preorder

SETTINGS = [surrogates(), surrogates(everywhere=True), surrogates(at_most=1, everywhere=True), surrogates(at_most=0)]


def table(n=250, seed=0, *, n_values=6):
    """Columns that mostly agree with each other and miss a fifth of their values."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=n)
    numbers = [np.round(base + rng.normal(size=n), digits) * sign for digits, sign in ((6, 1), (6, -1), (0, 1))]
    codes = [np.digitize(base + rng.normal(size=n), np.linspace(-2, 2, n_values - 1)) for _ in range(3)]
    gone = rng.random((6, n)) < 0.2
    columns = [np.where(hole, np.nan if c.dtype.kind == "f" else -1, c) for hole, c in zip(gone, numbers + codes, strict=True)]
    kinds = ["numeric"] * 3 + ["nominal", "ordinal", "nominal"]
    features = [Feature(f"x{i}", kind, range(n_values) if i > 2 else ()) for i, kind in enumerate(kinds)]
    return Dataset(Schema(features, "y", (0, 1, 2)), columns, np.digitize(base, [-0.5, 0.5]))


@given(datasets(missing=True, weighted=True, max_rows=24), st.sampled_from(SETTINGS), kinds_of_weights)
def test_surrogates_equal_those_of_the_plain_engine(dataset, missing, weights):
    check_equal(weighed(dataset, weights), evolve(CART, missing=missing, stop=never))


@pytest.mark.parametrize("n_values", [64, 65])
def test_a_feature_may_have_as_many_codes_as_an_integer_has_bits_or_more(n_values):
    data, rng = table(), np.random.default_rng(1)
    number = np.where(rng.random(len(data)) < 0.2, np.nan, rng.integers(0, n_values, len(data)).astype(float))
    code = np.where(rng.random(len(data)) < 0.2, -1, rng.integers(0, n_values, len(data)))
    features = [*data.schema.features, Feature("number", "numeric"), Feature("code", "ordinal", range(n_values))]
    data = Dataset(Schema(features, "y", (0, 1, 2)), [*data.columns, number, code], data.target_column)
    check_equal(data, evolve(CART, missing=surrogates(everywhere=True)))


@pytest.mark.parametrize("missing", SETTINGS, ids=str)
@pytest.mark.parametrize("jobs", [1, 2])
def test_larger_tables_with_gaps_grow_equal_trees(missing, jobs):
    tree = check_equal(table(), evolve(CART, missing=missing), [jobs])
    found = [len(node.split.surrogates) for node in preorder(tree) if isinstance(node, Branch)]
    assert max(found) == min(missing.at_most, 3), "the other columns agree less than the larger child"


def test_a_value_between_those_that_set_a_threshold_is_compared_with_it():
    """Rows that miss the split's value may have values of the surrogate that no other row has."""
    rows = [[1, 10], [1, 10], [2, 20], [2, 20], [None, 14], [None, 15], [None, 16], [None, None]]
    many = [[x, y, None if y is None else y + i / 100] for i, (x, y) in enumerate(rows * 20)]
    data = Dataset.from_rows(many, [0, 0, 1, 1, 0, 1, 1, 0] * 20)
    check_equal(data, evolve(CART, stop=max_depth(1)))


def test_splits_without_array_form_stay_among_those_that_get_surrogates():
    check_equal(table(), evolve(CART, splits=(subset(), intervals()), stop=max_depth(4)))
    check_equal(table(), evolve(CART, splits=(multiway(), threshold())))


def test_a_nominal_feature_may_have_very_many_values():
    check_equal(table(n_values=70), CART)


class FollowAll:
    """Surrogates under another name, as a user's policy would find them."""

    everywhere = False

    def back(self, splits, engine, features, backed):
        return surrogates().back(splits, engine, features, backed)


def test_a_policy_of_ones_own_finds_surrogates_in_either_engine():
    data = table()
    tree = check_equal(data, evolve(CART, missing=FollowAll()))
    assert tree == grow(data, CART)
    assert isinstance(tree.root.split, WithSurrogates)
