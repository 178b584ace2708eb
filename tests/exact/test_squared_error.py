"""Optimal regression trees: no tree has less squared error, by brute force; the optima that another program proves."""

from itertools import islice, pairwise

import numpy as np
import pytest
from drawn_problems import nominal_of_numbers as words
from hypothesis import given
from hypothesis import strategies as st

from ftree import Dataset, look_ahead, n_leaves, optimal
from ftree.exact import Limits, best_trees, quantile_cuts, tree_cost
from ftree.splitters import DistinctValues


def least_error(table, deepest, penalty, min_leaf):
    """The least squared error of all trees by brute force, with a share of that of all rows for each leaf."""
    weights = np.ones(len(table)) if table.weights is None else table.weights
    sides = [table[each.name] == value for each in table.schema.features for value in each.values]

    def error(rows):
        y, own = table.target_column[rows], weights[rows]
        return (own * (y - np.average(y, weights=own)) ** 2).sum()

    price = penalty * error(np.arange(len(table)))

    def best(rows, deepest):
        if not len(rows):
            return 0.0
        leaf = error(rows) + price if weights[rows].sum() > min_leaf - 1e-9 else np.inf
        ways = [best(rows[side[rows]], deepest - 1) + best(rows[~side[rows]], deepest - 1) for side in sides if deepest]
        return min([leaf, *ways])

    return best(np.arange(len(table)), deepest)


@given(st.integers(0, 2**32 - 1), st.integers(0, 2), st.sampled_from([0.0, 0.02]), st.sampled_from([0, 1.5]))
def test_no_tree_has_less_squared_error(seed, deepest, penalty, min_leaf):
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 13))
    weights = [None, random.choice([1, 2], n), random.choice([1, 3, 0.3], n)][seed % 3]
    table = words(random.choice([0.1, 0.7, -5.0, 1e3], n) * random.random(n), random, 3, weights)
    min_leaf = min(min_leaf, table.n_cases)
    found = optimal(table, max_depth=deepest, leaf_penalty=penalty, limits=Limits(min_leaf=min_leaf))
    assert found.proved
    assert found.cost == tree_cost(found.tree, leaf_penalty=penalty)
    assert found.cost == pytest.approx(least_error(table, deepest, penalty, min_leaf), rel=1e-5, abs=1e-5)
    same = {"leaf_penalty": penalty, "limits": Limits(min_leaf=min_leaf), "max_depth": deepest}
    listed = [tree_cost(tree, leaf_penalty=penalty) for tree in islice(best_trees(table, **same), 9)]
    assert all(before <= after * (1 + 1e-5) + 1e-5 for before, after in pairwise(listed))
    ahead = look_ahead(table, steps=max(deepest, 1), **same)
    assert listed[0] == pytest.approx(found.cost, rel=1e-5, abs=1e-5) == tree_cost(ahead, leaf_penalty=penalty)


TABLE = words(np.random.default_rng(1).normal(size=70).round(2), np.random.default_rng(2))


def test_a_power_of_two_and_another_origin_change_no_cost_but_by_its_square():
    scaled = words(4 * TABLE.target_column - 8, np.random.default_rng(2))
    assert optimal(scaled, max_depth=4).cost == pytest.approx(16 * optimal(TABLE, max_depth=4).cost, rel=1e-14)


def test_few_thresholds_of_many_numbers_have_the_optimum_of_their_bins():
    x, y = np.arange(30.0), np.random.default_rng(4).normal(size=30)
    cuts = [split.at for split in quantile_cuts(3).candidates(DistinctValues(0, "x", x, np.ones(30)))]
    many, few = (Dataset.from_columns({"x": each, "y": y}, target="y") for each in (x, np.searchsorted(cuts, x).astype(float)))
    assert optimal(many, max_depth=2, splitters=(quantile_cuts(3),)).cost == pytest.approx(optimal(few, max_depth=2).cost)


def test_a_slack_counts_from_the_squared_error_and_not_from_that_beyond_the_groups_of_rows():
    trees = [tree_cost(tree) for tree in best_trees(TABLE, max_depth=1, slack=0.05)]
    every = [tree_cost(tree) for tree in best_trees(TABLE, max_depth=1)]
    assert len(trees) == sum(cost <= 1.05 * every[0] for cost in every) < len(every)


@pytest.mark.parametrize("factor", [1e-200, 1e200])
def test_equal_numbers_of_any_size_are_a_leaf(factor):
    assert n_leaves(optimal(words(np.full(70, factor), np.random.default_rng(2)), leaf_penalty=0.1).tree) == 1


# Costs and leaves of the trees that STreeD 1.4.0 (`STreeDRegressor`) proves optimal, by depth and price of a leaf.
STREED = {
    (2, 0.0): (267.765045700624, 4),
    (3, 0.0): (232.1430012347826, 8),
    (3, 0.01): (265.4746642406523, 6),
    (4, 0.0): (177.64058907316434, 16),
    (4, 0.01): (249.42418907879622, 14),
}


@pytest.mark.parametrize(("deepest", "penalty"), STREED)
def test_the_optima_are_those_that_streed_proves(deepest, penalty):
    random = np.random.default_rng(1)
    x = random.integers(0, 2, (200, 15))
    y = np.round(random.normal(size=200) + 2 * x[:, 0] * x[:, 1] - x[:, 2] + (x[:, 3] ^ x[:, 4]), 3)
    columns = {f"b{number}": np.array(["n", "y"])[x[:, number]] for number in range(15)}
    table = Dataset.from_columns({**columns, "y": y}, target="y", kinds=dict.fromkeys(columns, "nominal"))
    found = optimal(table, max_depth=deepest, leaf_penalty=penalty)
    assert (found.cost, n_leaves(found.tree)) == (pytest.approx(STREED[deepest, penalty][0]), STREED[deepest, penalty][1])
