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


def test_importances_by_brier_are_its_rises_and_rows_without_a_value_go_by_the_rule(table):
    tree, order = grow(table), np.random.default_rng(0).permutation(len(table))
    shuffled = evolve(table, columns=(table.columns[0][order], table.columns[1]))
    rise = metrics.brier(Predictions(tree, shuffled)) - metrics.brier(Predictions(tree, table))
    assert permutation_importances(tree, table, metric="brier", repeats=1)["x"] == (rise,)
    x = np.where(np.arange(200) % 3 == 0, np.nan, table.columns[0])
    gaps, found = evolve(table, columns=(x, table.columns[1])), []
    for rule in ("heaviest", "stop_here"):
        shuffled = evolve(gaps, columns=(x[order], gaps.columns[1]))
        wanted = accuracy(tree, gaps, missing=rule) - accuracy(tree, shuffled, missing=rule)
        found.append(permutation_importances(tree, gaps, repeats=1, missing=rule)["x"])
        assert found[-1] == (wanted,)
    uneven = Tree(table.schema, evolve(tree.root, counts=(0, 2), children=(Leaf((2, 0)), Leaf((0, 1)))))
    ways = [permutation_importances(uneven, gaps, repeats=2, missing=rule, metric="brier") for rule in ("heaviest", "stop_here")]
    assert ways[0] != ways[1]


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
