"""A user's split type: child 0 where one feature is at most another one. CONTRIBUTING has the recipe."""

import numpy as np
from attrs import frozen
from hypothesis import strategies as st

from ftree import Feature, Schema
from ftree.show import SumBetween
from ftree.testing import check_split


@frozen
class Compare:
    a: int
    b: int
    n_children = 2

    @property
    def features(self):
        return self.a, self.b

    @property
    def conditions(self):
        difference = self.features, (1.0, -1.0)
        return SumBetween(*difference, at_most=0.0), SumBetween(*difference, above=0.0)

    def child(self, left, right):
        return np.where(np.isnan(left) | np.isnan(right), -1, left > right)

    def renumbered(self, features, _):
        return Compare(features[self.a], features[self.b])


SCHEMA = Schema([Feature(name, "numeric") for name in "xyz"], "class", ("no", "yes"))
PAIRS = st.permutations(range(3)).map(lambda order: Compare(*order[:2]))


def test_a_split_type_of_ones_own_is_as_good_as_ours():
    check_split(PAIRS, SCHEMA)
