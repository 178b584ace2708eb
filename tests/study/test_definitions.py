"""Studies by their definitions: the rows drawn, the order of results, and the number of decimals printed."""

from collections import Counter

import numpy as np
import pytest

from ftree import ID3, Dataset, cross_validate, evolve, grow, learning_curve, permutation_importances, root_feature_counts
from ftree.stop import max_depth
from ftree.study import Comparison, FoldResult, Trial
from ftree.study.spread import mean_and_error, short_number
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


def test_a_column_is_shuffled_ten_times_unless_told_otherwise_and_in_the_same_ten_orders_for_each_feature():
    tree = grow(NOISY, STUMP)
    assert permutation_importances(tree, NOISY) == permutation_importances(tree, NOISY, repeats=10, seed=0, metric="accuracy")
    twice = evolve(NOISY, columns=[NOISY.columns[0]] * 3)
    found = permutation_importances(lambda rows: list(rows.columns[0] + rows.columns[1] + rows.columns[2] > 6), twice, repeats=4)
    assert found["x0"] == found["x1"] == found["x2"]


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0.12345, "0.123"), (1.0, "1.000"), (1.004, "1.00"), (9.994, "9.99"), (10, "10.0"), (-0.5, "-0.500"), (-10, "-10.0")],
)
def test_a_number_has_three_decimals_up_to_1_two_below_10_and_else_one_whatever_its_sign(number, shown):
    assert short_number(number) == shown
    assert mean_and_error((number, number))[0] == shown


def test_a_column_has_as_many_decimals_as_suit_its_largest_size():
    def compared(*means, datasets=("one",)):
        trials = [[Trial(["profit"], [FoldResult(8, 2, [mean], 0.5)]) for _ in datasets] for mean in means]
        return repr(Comparison([str(number) for number in range(len(means))], datasets, ["profit"], trials)).splitlines()

    assert [line.split()[1] for line in compared(-12.5, 0.25)[2:]] == ["-12.5", "0.2"]
    assert [line.split()[1] for line in compared(-2.5, 0.25)[2:]] == ["-2.50", "0.25"]
    assert compared(-12.5, 0.25, datasets=("one", "two"))[2].split() == ["one", "-12.5", "0.250"], "learners are columns here"
