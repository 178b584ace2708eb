"""A user's objective for optimal trees: the root of the lesser price. Source: Kearns & Mansour 1996 (the root criterion)."""

from itertools import product

import numpy as np
from attrs import frozen
from hypothesis import given

from ftree import ID3, Feature, Schema, grow, optimal
from ftree.exact import tree_cost
from ftree.testing import datasets

SCHEMA = Schema([Feature(name, "nominal", ("a", "b")) for name in "xyz"], "class", ("no", "yes"))


@frozen
class risk:
    """A leaf costs the root of the price of its misses or of its false alarms, whichever is less."""

    miss: float
    alarm: float
    least = 0.0

    def __call__(self, counts):
        no, yes = np.moveaxis(np.asarray(counts, dtype=float), -1, 0)
        return np.sqrt(np.minimum(self.miss * yes, self.alarm * no))


@given(datasets(schema=SCHEMA, min_rows=4))
def test_no_grown_tree_costs_less(dataset):
    for miss, alarm in product((1, 5), repeat=2):
        own = risk(miss, alarm)
        best = optimal(dataset, max_depth=2, objective=own)
        grown = grow(dataset, ID3.stopping(lambda frontier: frontier.depth >= 2))
        assert best.proved
        assert best.cost <= tree_cost(grown, objective=own) + 1e-9
        assert abs(best.cost - tree_cost(best.tree, objective=own)) < 1e-9
