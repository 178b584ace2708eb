"""Importances by permutation: the metric before and after a column is shuffled."""

import numpy as np
import pytest
from attrs import evolve

from ftree import CART, Dataset, Leaf, Schema, Tree, accuracy, grow, permutation_importances
from ftree.datasets import monks
from ftree.study import metrics
from ftree.study.predictions import Predictions


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    x, idle = random.random((2, 200))
    return Dataset.from_columns({"x": x, "idle": idle, "high": x > 0.5}, target="high")


def test_importances_are_what_shuffling_costs_by_the_definition(table):
    tree = grow(table)
    found = permutation_importances(tree, table, repeats=3, seed=7)
    random = np.random.Generator(np.random.PCG64(7))
    for shuffle in range(3):
        order = random.permutation(len(table))
        shuffled = evolve(table, columns=(table.columns[0][order], table.columns[1]))
        assert found["x"][shuffle] == accuracy(tree, table) - accuracy(tree, shuffled)
    assert 0.4 < np.mean(found["x"]) < 0.6
    assert found["idle"] == (0.0, 0.0, 0.0)


def test_a_function_is_asked_for_every_feature(table):
    tree = grow(table)
    by_function = permutation_importances(lambda rows: Predictions(tree, rows).labels, table, repeats=2)
    assert by_function == permutation_importances(tree, table, repeats=2)


def test_of_metrics_where_lower_is_better_importances_are_what_rises(table):
    assert min(permutation_importances(grow(table), table, metric="brier", repeats=2)["x"]) > 0
    assert max(permutation_importances(grow(table), table, metric=lambda each: -metrics.accuracy(each), repeats=2)["x"]) < 0


def test_features_of_the_first_monk_rank_as_its_formula():
    known, new = monks(1).split(0.7, seed=0)
    found = permutation_importances(grow(known, CART), new, repeats=5)
    assert {name for name, values in found.items() if np.mean(values) > 0.1} == {"head_shape", "body_shape", "jacket_color"}


def test_a_leaf_gives_no_feature_importance_and_a_frame_will_do(table):
    pandas = pytest.importorskip("pandas")
    leaf = Tree(table.schema, Leaf((1, 1)))
    frame = pandas.DataFrame({"x": [0.1, 0.9], "idle": [0.0, 0.0], "high": [False, True]})
    assert permutation_importances(leaf, frame, repeats=1) == {"x": (0.0,), "idle": (0.0,)}


def test_what_cannot_be_measured_is_refused(table):
    with pytest.raises(TypeError, match="tree must be a Tree, got an int"):
        permutation_importances(3, table)
    with pytest.raises(ValueError, match="repeats must be a whole number from 1, got 0"):
        permutation_importances(grow(table), table, repeats=0)
    with pytest.raises(ValueError, match="metrics must be among"):
        permutation_importances(grow(table), table, metric="beauty")
    with pytest.raises(ValueError, match="rows without one"):
        permutation_importances(Tree(Schema((), "high", (False, True)), Leaf((1, 1))), table.take([]))
