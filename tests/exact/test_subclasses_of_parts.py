"""A subclass of an objective or a splitter is asked itself: the library knows only the parts of the package."""

import numpy as np
import pytest

from ftree import Dataset, leaves, optimal
from ftree.exact import Limits, costs, tree_cost
from ftree.splitters import threshold


class Dearer(costs):
    """Costs of which each leaf adds one more."""

    def __call__(self, counts):
        return super().__call__(counts) + 1.0


class NoCuts(threshold):
    """A threshold without candidates."""

    def candidates(self, column):
        return super().candidates(column)[:0]


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 6, (60, 3)).astype(float)
    return Dataset.from_rows(x.tolist(), (x[:, 0] + x[:, 1] > 5).tolist(), kinds="numeric")


def test_an_objective_is_asked_itself(table):
    matrix = [[0, 1], [3, 0]]
    plain, dearer = (optimal(table, max_depth=2, objective=own(matrix), splitters=(threshold(),)) for own in (costs, Dearer))
    by_leaves = sum(float(Dearer(matrix)(np.array(leaf.counts, float))) for leaf in leaves(dearer.tree))
    assert by_leaves == pytest.approx(dearer.cost) == pytest.approx(tree_cost(dearer.tree, objective=Dearer(matrix)))
    assert plain.cost + 1 <= dearer.cost


def test_a_splitter_lists_its_own_candidates(table):
    assert optimal(table, max_depth=2, splitters=(NoCuts(),), limits=Limits()).tree.root.counts == table.class_counts()
    assert optimal(table, max_depth=2, splitters=(threshold(),)).cost < sum(table.class_counts()) - max(table.class_counts())
