"""Quantiles and moments of the rows in each leaf: NumPy's, by weight, and refused for classes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree import CART, Dataset, apply, evolve, grow, predict, recount, stop, study
from ftree.datasets import weather
from ftree.routing import leaf_moments, leaf_quantiles
from ftree.testing import datasets


@given(datasets(response="numbers", weighted=True, missing=True), st.data())
def test_quantiles_of_leaves_are_those_of_their_rows_as_often_as_they_weigh(table, data):
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(table), max_size=len(table)).filter(any))
    tree, shares = grow(table, evolve(CART, stop=stop.max_depth(2))), (0.0, 0.1, 0.5, 0.7, 1.0)
    found, leaf = leaf_quantiles(tree, table.with_weights(weights), shares), apply(tree, table)
    for number, own in enumerate(found):
        numbers = np.repeat(table.target_column, weights)[np.repeat(leaf, weights) == number]
        assert (
            own.tolist() == np.quantile(numbers, shares, method="inverted_cdf").tolist() if len(numbers) else np.isnan(own).all()
        )


@given(st.sampled_from(["numbers", "events"]).flatmap(lambda kind: datasets(response=kind, weighted=True)))
def test_moments_of_leaves_are_those_of_their_rows(table):
    tree = grow(table, evolve(CART, stop=stop.max_depth(2)))
    leaf, found = apply(tree, table), leaf_moments(tree)
    assert found[leaf, 0].tolist() == predict(tree, table).tolist()
    assert found[:, 2].tolist() == np.bincount(leaf, table.weights).tolist()
    lost = found[:, 2] @ found[:, 1] ** 2 / sum(table.weights)
    assert lost == pytest.approx(study.metrics.deviance(study.Predictions(tree, table)), rel=1e-9, abs=1e-9)


def test_a_leaf_without_cases_has_the_moments_of_its_nearest_ancestor():
    rows = Dataset.from_rows([[1.0], [9.0]], [0.5, 2.5])
    tree = recount(grow(rows, CART), rows.take([0]))
    assert leaf_moments(tree).tolist() == [[0.5, 0.0, 1.0], [0.5, 0.0, 0.0]]


def test_a_share_that_weights_reach_but_for_rounding_is_reached():
    rows = Dataset.from_rows([[1]] * 3, [0.5, 1.5, 2.5]).with_weights([0.1, 0.2, 0.3])
    assert leaf_quantiles(grow(rows, CART), rows, (0.5,)).tolist() == [[1.5]]


def test_quantiles_are_of_numbers_and_of_shares():
    cars = Dataset.from_rows([[1.0], [2.0]], [0.5, 2.5])
    with pytest.raises(ValueError, match="leaf_quantiles must be given a regression tree, got a classification tree"):
        leaf_quantiles(grow(weather()), weather())
    with pytest.raises(
        ValueError, match="leaf_moments must be given a regression tree or one of events, got a classification tree"
    ):
        leaf_moments(grow(weather()))
    with pytest.raises(ValueError, match="quantiles must be a probability between 0 and 1, got 5"):
        leaf_quantiles(grow(cars, CART), cars, (0.5, 5))
