"""All trees in the order of their costs: complete, each once, the best one first."""

from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ftree import Dataset, multiway, one_value, optimal
from ftree.exact import best_trees, errors, tree_cost
from ftree.exact.plain import divided, tree_of
from ftree.exact.problem import problem_of
from ftree.missing import as_branch


def every_plan(problem, rows, depth):
    """All plans for rows, by enumeration."""
    yield None
    for number in range(len(problem.splits) if depth else 0):
        parts = divided(problem, rows, number)
        if sum(len(part) > 0 for part in parts) > 1:
            below = [list(every_plan(problem, part, depth - 1 if len(part) else 0)) for part in parts]
            combined = [()]
            for plans in below:
                combined = [(*some, plan) for some in combined for plan in plans]
            yield from ((number, each) for each in combined)


@given(
    st.integers(0, 2**32 - 1), st.integers(0, 2), st.sampled_from([0.0, 0.05]), st.sampled_from([(one_value(),), (multiway(),)])
)
@settings(max_examples=15)
def test_the_trees_are_all_that_there_are_in_the_order_of_costs(seed, depth, penalty, splitters):
    random = np.random.default_rng(seed)
    columns = {"u": random.choice(["a", "b"], 8), "v": random.choice(["a", "b", "c"], 8)}
    table = Dataset.from_columns({**columns, "class": random.choice(["p", "q"], 8)}, target="class", kinds="nominal")
    options = {"objective": errors(), "leaf_penalty": penalty, "feature_costs": None}
    problem = problem_of(table, splitters, missing=as_branch(), min_leaf=0, most=99, **options)
    expected = [tree_of(problem, plan) for plan in every_plan(problem, np.arange(8), depth)]
    found = list(best_trees(table, max_depth=depth, leaf_penalty=penalty, splitters=splitters))
    assert len(found) == len(expected)
    assert set(found_keys(found)) == set(found_keys(expected))
    listed = [tree_cost(tree, leaf_penalty=penalty) for tree in found]
    assert all(before <= after + 1e-9 for before, after in pairwise(listed))
    assert listed[0] == pytest.approx(optimal(table, max_depth=depth, leaf_penalty=penalty, splitters=splitters).cost)


def found_keys(trees):
    return [tree.root for tree in trees]


def test_a_slack_ends_the_list_and_bad_ones_are_refused():
    table = Dataset.from_rows([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]] * 5, list("pqqqpqqpppqqpqqqpqqp"))
    least = optimal(table, max_depth=2).cost
    some = list(best_trees(table, max_depth=2, slack=0.25))
    *same, beyond = islice(best_trees(table, max_depth=2), len(some) + 1)
    assert some == same
    assert {tree_cost(tree) <= 1.25 * least for tree in some} == {True}
    assert tree_cost(beyond) > 1.25 * least > 1.25, "a share of the least cost, which is not 1"
    for wrong in (-1, np.inf, np.nan, "few"):
        with pytest.raises(ValueError, match=f"slack must be a finite number of at least 0, got {wrong!r}"):
            best_trees(table, slack=wrong)
    assert len(list(best_trees(table, max_depth=1, min_leaf=11))) == 1


def test_a_slack_counts_from_the_least_cost_where_it_is_negative():
    table = Dataset.from_rows([["a"], ["a"], ["b"], ["b"]], list("pqqq"))
    same = list(best_trees(table, max_depth=1, slack=0.1, objective=lambda counts: -np.sum(counts, axis=-1)))
    assert len(same) == 2


def test_trees_come_in_the_order_of_prices_above_all_errors():
    table = Dataset.from_rows([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]], list("pqqq"))
    prices = {"x0": 70.0, "x1": 50.0}
    costs = [tree_cost(tree, feature_costs=prices) for tree in best_trees(table, max_depth=1, feature_costs=prices)]
    assert costs == [1, 201, 281]
