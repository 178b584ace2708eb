"""Whole subtrees in one call of a kernel, as plain Python (NUMBA_DISABLE_JIT=1): the parts that replace NumPy."""

import numpy as np
import pytest
from attrs import evolve

from ftree import ID3, Dataset, grow, n_nodes
from ftree._lib.jit import is_disabled
from ftree._lib.machine import thread_pool
from ftree.criteria import compiled_impurity, entropy, gini, misclassification
from ftree.growth.engine_choice import criterion_of
from ftree.growth.engines import EngineSetup, compiled_moves, compiled_state, compiled_subtrees
from ftree.growth.engines.compiled_engine import compiled
from ftree.growth.engines.engine import stop_limits
from ftree.growth.search import Terms

pytestmark = [
    pytest.mark.in_python,
    pytest.mark.skipif(not is_disabled(), reason="plain Python is what this looks at; tests/_lib runs such files"),
]


@compiled_impurity
def squares(counts):
    """Gini, written as a user would."""
    n = counts.sum()
    return 1.0 - ((counts / n) ** 2).sum() if n > 0 else 0.0


def test_what_another_thread_may_take_is_all_but_the_largest_node():
    levels = [0, 2, 7, 8], [0, 9], [0], [0, 1, 2, 6]
    assert [compiled_subtrees._outside_the_largest(np.array(begin)) for begin in levels] == [3, 0, 0, 2]


@pytest.mark.parametrize("few", [0, 64], ids=["sorted", "coded"])
@pytest.mark.parametrize("impurity", [entropy, gini, misclassification, squares], ids=["entropy", "gini", "errors", "own"])
def test_where_no_two_cuts_are_equal_one_call_grows_the_whole_tree(impurity, few, monkeypatch):
    monkeypatch.setattr(compiled_state, "_FEW", few)
    cells = np.random.default_rng(3).normal(size=(24, 2))
    data = Dataset.from_rows(cells, (cells[:, 0] + cells[:, 1] > 0).tolist())
    policy = evolve(ID3, impurity=impurity)
    criterion = criterion_of(data.schema.features, Terms(policy.splits, impurity), 2)
    with thread_pool(1) as threads:
        found = compiled(data, EngineSetup("ignore", criterion, threads)).finish(0, stop_limits(policy.stop))
    assert found is not None
    assert len(found.counts) == n_nodes(grow(data, policy, engine="plain"))


def test_pure_nodes_whose_entries_are_gone_are_leaves():
    """Such nodes may be all that a thread leaves to another one."""
    cells = np.random.default_rng(3).normal(size=(600, 2))  # too many values for codes
    data = Dataset.from_rows(cells, (cells[:, 0] > 0).tolist())
    criterion, stop = criterion_of(data.schema.features, Terms(ID3.splits), 2), stop_limits(ID3.stop)
    limits = np.array([stop.pure, stop.depth, stop.rows, stop.errors, stop.leaf, stop.gain], np.float64)
    with thread_pool(1) as threads:
        root = compiled(data, EngineSetup("ignore", criterion, threads)).rows
        totals = np.array([[3, 0], root.totals[0]], root.totals.dtype)
        rows = evolve(root, nodes=compiled_moves.nodes_between(np.array([0, 0, 600])), totals=totals)
        group = compiled_subtrees.Group(np.array([0]), 1, rows, 0)
        tables, _, left = compiled_subtrees._grown(group, limits, np.zeros(1, np.int64))
    assert left is None
    assert tables[0].tolist() == [[3, 0]]
