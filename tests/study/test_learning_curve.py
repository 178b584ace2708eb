"""Short studies of one learner by their definitions: learning curves, root features, importances by permutation."""

from collections import Counter

import numpy as np
import pytest

from ftree import CART, ID3, Dataset, Leaf, Tree, accuracy, cross_validate, evolve, grow, learning_curve
from ftree.datasets import monks, weather
from ftree.stop import max_depth
from ftree.study import Predictions, metrics, permutation_importances, root_feature_counts
from ftree.tree import describe

STUMP = evolve(ID3, stop=max_depth(1))
RANDOM = np.random.default_rng(3)
CELLS = RANDOM.integers(0, 5, (40, 3)).astype(float)
NOISY = Dataset.from_rows(CELLS, ((CELLS[:, 0] + CELLS[:, 1] > 4) ^ (RANDOM.random(40) < 0.2)).tolist())


def shuffled(seed, times):
    random = np.random.default_rng(seed)
    return [random.permutation(40) for _ in range(times)]


def test_a_learning_curve_learns_from_the_first_rows_of_random_orders_and_is_tested_on_the_others():
    orders = shuffled(4, 6)
    curve = learning_curve(NOISY, STUMP, sizes=[30, 10], repeats=3, seed=4, metrics=("accuracy", "leaves"))
    for trial, size, mine in zip(curve, (30, 10), (orders[:3], orders[3:]), strict=True):
        assert trial == cross_validate(
            NOISY, STUMP, folds=[(order[:size], order[size:]) for order in mine], metrics=("accuracy", "leaves")
        )


def test_root_features_are_counted_over_the_first_rows_of_random_orders_the_most_frequent_first():
    trees = [grow(NOISY.take(order[:12]), STUMP) for order in shuffled(1, 20)]
    counted = Counter(describe.tested_expression(tree.schema, tree.root.split) for tree in trees)
    found = root_feature_counts(NOISY, STUMP, size=12, repeats=20, seed=1)
    assert found == dict(counted)
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert len(found) > 1
    assert root_feature_counts(NOISY, evolve(ID3, stop=max_depth(0)), size=20, repeats=5) == {None: 5}


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


def test_of_metrics_where_lower_is_better_importances_are_what_rises(table):
    assert min(permutation_importances(grow(table), table, metric="brier", repeats=2)["x"]) > 0
    assert max(permutation_importances(grow(table), table, metric=lambda each: -metrics.accuracy(each), repeats=2)["x"]) < 0


def test_studies_of_counts_are_those_of_copies(table):
    counts = table.with_weights(np.random.default_rng(1).integers(0, 4, len(table)))
    copies, tree = evolve(counts, weights=None).take(counts.cases()), grow(table, STUMP)
    for study in (
        lambda rows: permutation_importances(tree, rows, repeats=3),
        lambda rows: learning_curve(rows, sizes=[250, 20], repeats=3, metrics=("accuracy", "leaves")),
        lambda rows: root_feature_counts(rows, size=10, repeats=20),
    ):
        assert study(counts) == study(copies)
    with pytest.raises(ValueError, match=f"sizes must be from 1 to {len(copies) - 1}"):
        learning_curve(counts, sizes=[len(copies)])


def test_features_of_the_first_monk_rank_as_its_formula():
    known, new = monks(1).split(0.7, seed=0)
    found = permutation_importances(grow(known, CART), new, repeats=5)
    assert {name for name, values in found.items() if np.mean(values) > 0.1} == {"head_shape", "body_shape", "jacket_color"}


def test_a_leaf_gives_no_feature_importance_and_a_frame_will_do(table):
    pandas = pytest.importorskip("pandas")
    leaf = Tree(table.schema, Leaf((1, 1)))
    frame = pandas.DataFrame({"x": [0.1, 0.9], "idle": [0.0, 0.0], "high": [False, True]})
    assert permutation_importances(leaf, frame, repeats=1) == {"x": (0.0,), "idle": (0.0,)}


def test_a_function_is_asked_for_every_feature(table):
    tree = grow(table)
    by_function = permutation_importances(lambda rows: Predictions(tree, rows).labels, table, repeats=2)
    assert by_function == permutation_importances(tree, table, repeats=2)


def test_a_truth_value_is_no_size():
    with pytest.raises(ValueError, match="sizes must be from 1 to 13, so that rows remain for testing, got True"):
        learning_curve(weather(), sizes=[True])
    with pytest.raises(ValueError, match="size must be from 1 to 14, so that there are as many rows, got True"):
        root_feature_counts(weather(), size=True)
