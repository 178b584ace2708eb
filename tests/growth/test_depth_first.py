"""Depth-first growth by the native library: the trees of NumPy, by any number of threads, in calls of any length."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from sizes import sized

from ftree import CART, Dataset, entropy, gini, grow
from ftree._lib.machine import ThreadPool
from ftree.growth.given_table import prepared_table
from ftree.growth.lanes_of_classes import lanes_of_classes
from ftree.growth.levels import terms_of
from ftree.splitters import threshold
from ftree.stop import max_depth, min_best_child, min_errors, min_gain, min_rows, never, no_gain, pure
from ftree.testing import datasets, schemas

# A gain of 0.5 is within rounding of this least one.
EDGE = 0.5 + 1e-9
POLICIES = st.builds(
    lambda least, impurity, stop: evolve(CART, splits=(threshold(min_cases=least),), impurity=impurity, stop=stop),
    st.sampled_from([0, 2, 2.5]),
    st.sampled_from([gini, entropy]),
    st.sampled_from(
        [
            *(pure() | no_gain(), never | max_depth(3), min_rows(3) | pure(), min_best_child(2) | min_gain(0.01) | pure()),
            *(min_errors(2) | pure(), min_gain(EDGE) | pure(), min_gain(EDGE / 2) | pure()),
        ]
    ),
)
TABLES = schemas(kinds=("numeric",), response="classes").flatmap(lambda schema: datasets(schema=schema, max_rows=40))


def lanes_for(table, policy):
    """The lanes of a table, None if the library does not know it or the policy."""
    given = prepared_table(table, policy).table
    return lanes_of_classes(given, policy, terms_of(policy, given), ThreadPool(1))


@given(TABLES, POLICIES, st.integers(1, 2), st.sampled_from([1, 100, 2**26]))
def test_the_library_grows_the_trees_of_numpy(dataset, policy, n_jobs, call):
    with sized(steps=0, call=call):
        assert grow(dataset, policy, engine="compiled", n_jobs=n_jobs) == grow(dataset, policy, engine="plain")


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("least", [0.4, EDGE, EDGE + 5e-13, 0.6])
def test_numpy_decides_where_rounding_could(least, n_jobs):
    """At the root, which all threads divide together, and below it."""
    x = np.arange(32.0)
    for labels in (x < 16, x // 8 % 2 * 2 + x // 16):
        dataset, policy = (
            Dataset.from_rows(x[:, None], labels),
            evolve(CART, splits=(threshold(),), stop=min_gain(least) | pure()),
        )
        assert grow(dataset, policy, engine="compiled", n_jobs=n_jobs) == grow(dataset, policy, engine="plain")


def test_what_the_library_does_not_know_has_no_lanes():
    rows, labels = np.random.default_rng(0).normal(size=(30, 2)), np.arange(30) % 3
    table, policy, gaps = Dataset.from_rows(rows, labels), evolve(CART, splits=(threshold(),)), rows.copy()
    gaps[3, 1] = np.nan
    assert len(lanes_for(table, policy).keys) == 2
    for other in (
        Dataset.from_rows(gaps, labels),
        table.with_weights(labels + 1),
        Dataset.from_rows([["a"], ["b"]] * 15, labels),
    ):
        assert lanes_for(other, policy) is None
    for splitters in ((threshold(mdl=True),), (threshold(), threshold(min_cases=2))):
        assert lanes_for(table, evolve(policy, splits=splitters)) is None
    assert lanes_for(table, evolve(policy, stop=~pure())) is None
