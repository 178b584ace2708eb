"""The search among all cuts finds the least cost of all trees, by the plain search; it stops when asked to, with a bound that holds."""

from functools import partial

import numpy as np
import pytest
from attrs import evolve
from drawn_problems import BINARY, examine_all, objectives, problem_for, tables
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ftree import Dataset, depth, native
from ftree.exact import Limits, costs, errors, optimal, quantiles, tree_cost
from ftree.exact.problem import tree_of
from ftree.exact.sorted_columns import best_sorted, leaf_of, sorted_columns
from ftree.splitters import as_branch, multiway, one_value, threshold
from ftree.tree import preorder

pytestmark = pytest.mark.skipif(not native.is_here(), reason="the search is the native library's")
WITHOUT_END = {"report": str, "deadline": np.inf, "max_states": np.inf}


def columns_for(table, splitters=BINARY, **options):
    """The columns of a table, however few its cuts are."""
    usual = {"objective": errors(), "missing": as_branch(), "leaf_penalty": 0, "feature_costs": None, "min_leaf": 0, "most": 999}
    return sorted_columns(table, splitters, **usual | {"fewest": -1} | options)


def numeric(random, n=40, features=3, classes=2, values=12, gaps=0.0):
    """A table of numbers, some of them equal."""
    columns = {f"x{i}": random.integers(0, values, n).astype(float) for i in range(features)}
    for column in columns.values():
        column[random.random(n) < gaps] = np.nan
    labels = np.array(list("pqrstuv"))[random.integers(0, classes, n)]
    kinds = dict.fromkeys(columns, "numeric")
    return Dataset.from_columns({**columns, "class": labels}, target="class", kinds=kinds, classes=list("pqrstuv")[:classes])


@given(tables(), st.data())
@settings(max_examples=60)  # the plain twin looks at every tree
def test_the_least_cost_is_that_of_looking_at_every_tree(table, data):
    options = {
        "objective": data.draw(st.sampled_from([each for each in objectives(table)[:4] if hasattr(each, "class_weights") or 1])),
        "leaf_penalty": data.draw(st.sampled_from([0.0, 0.01, 0.1])),
        "feature_costs": data.draw(st.sampled_from([None, {"x": 0.03}])),
    }
    splitters = data.draw(st.sampled_from([BINARY, (threshold(),), (one_value(), quantiles(1)), (threshold(at="observed"),)]))
    deepest = data.draw(st.integers(0, 4))
    columns = columns_for(table, splitters, **options)
    assume(columns is not None)
    least = examine_all(problem_for(table, splitters, **options), deepest)[1]
    wanted = tree_cost(tree_of(problem_for(table, splitters, **options), least), **options)
    known = tree_cost(leaf_of(columns), **options)
    found = best_sorted(columns, deepest, known, **WITHOUT_END)
    tree = found.tree or leaf_of(columns)
    assert found.proved
    assert depth(tree) <= deepest
    assert tree_cost(tree, **options) == pytest.approx(wanted, rel=1e-6, abs=1e-9)
    assert found.bound == pytest.approx(wanted, rel=1e-6, abs=1e-9)
