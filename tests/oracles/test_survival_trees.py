"""Trees of survival times by log-rank tests: scikit-survival's by their statistic, partykit's by their scores."""

import numpy as np
import peers
import pytest
from attrs import evolve
from test_ctree import grown_with_p_values

from ftree import CART, grow, n_leaves, predict
from ftree.responses import survival
from ftree.routing import apply
from ftree.splitters import threshold
from ftree.stop import max_depth, min_rows, pure
from ftree.study import Predictions, metrics

TREES = {name: peers.facts("survival_tree", name) for name in peers.tables("survival_tree")}
CTREES = {name: peers.facts("ctree_survival", name) for name in peers.tables("ctree_survival")}
# SurvivalTree's least cases of a node and of a leaf.
LIKE_SKSURV = evolve(CART, splits=(threshold(min_cases=3),), stop=pure() | min_rows(6) | max_depth(3))


def dataset(fact, **options):
    return peers.table(fact, response=survival("time", "died", **options), target="time", others=("died",))


def curves(fact, table):
    """The curve of each row by a written tree."""
    found = np.empty((len(table), len(fact["times"])))

    def down(node, rows):
        if len(node) == 2:
            found[rows] = node[1]
            return
        cells = table[node[1]][rows]
        down(node[3], rows[cells <= node[2]])
        down(node[4], rows[cells > node[2]])

    down(fact["tree"], np.arange(len(table)))
    return found


@pytest.mark.parametrize("name", TREES)
def test_trees_by_log_rank_are_those_of_scikit_survival(name):
    fact = TREES[name]
    table = dataset(fact, times=fact["times"], splits="log-rank")
    tree = grow(table, LIKE_SKSURV)
    assert np.allclose(predict(tree, table)[:, 1:], curves(fact, table), atol=1e-9)


@pytest.mark.parametrize("name", CTREES)
def test_leaves_and_p_values_by_log_rank_scores_are_those_of_ctree(name):
    fact = CTREES[name]
    table = dataset(fact, splits="scores")
    tree, adjusted = grown_with_p_values(table)
    pairs = set(zip(fact["leaves"], apply(tree, table).tolist(), strict=True))
    assert len(pairs) == len(set(fact["leaves"])) == n_leaves(tree)
    assert adjusted == pytest.approx(sorted(map(float, fact["p_values"])), rel=1e-6, abs=1e-300)


@pytest.mark.parametrize("name", TREES)
def test_metrics_are_those_of_scikit_survival(name):
    fact = TREES[name]
    table = dataset(fact, times=fact["times"])
    predictions = Predictions(lambda rows: np.column_stack([rows["x0"], curves(fact, rows)]), table)
    assert metrics.concordance(predictions) == pytest.approx(fact["concordance"], abs=1e-12)
    assert metrics.integrated_brier(predictions) == pytest.approx(fact["brier"], abs=1e-9)
