"""Users' splits by arcs of a circle and by distance from a point. Source: Lund 2002, trees for directional data."""

import numpy as np
from attrs import frozen
from hypothesis import strategies as st

from ftree import Branch, Feature, Leaf, Schema, Tree, explain_row, path_of
from ftree.show import AllOf, AnyOf, Between, Opaque, Worded
from ftree.testing import check_split

SKY = Schema([Feature("wind", "numeric"), Feature("speed", "numeric")], "ride", ("no", "yes"))


@frozen
class Arc:
    start: float
    end: float
    features, n_children = (0,), 2

    @property
    def conditions(self):
        inside = AnyOf((Between(0, above=self.start), Between(0, at_most=self.end)))
        outside = AllOf((Between(0, at_most=self.start), Between(0, above=self.end)))
        return Worded(inside, f"{{0}} from {self.start:g} to {self.end:g}"), Worded(outside, "another {0}")

    def child(self, column):
        return np.where(np.isnan(column), -1, (column <= self.start) & (column > self.end))


@frozen
class Within:
    radius: float
    features, n_children = (0, 1), 2

    @property
    def conditions(self):
        return Opaque(self, 0, "({0}, {1}) is near"), Opaque(self, 1, "({0}, {1}) is far")

    def child(self, x, y):
        return np.where(np.isnan(x) | np.isnan(y), -1, np.hypot(x, y) > self.radius)


def test_they_keep_the_laws_and_are_explained():
    check_split(st.sampled_from([Arc(3.0, 1.0), Within(2.0)]), SKY)
    tree = Tree(SKY, Branch((2, 1), Arc(300, 45), [Leaf((2, 0)), Branch((0, 1), Within(200), [Leaf((0, 1)), Leaf((0, 0))])]))
    assert str(path_of(tree, [100, 2])) == "another wind and (wind, speed) is near -> yes"
    assert str(explain_row(tree, [100.0, 2.0])).endswith("no if wind <= 45 (now 100): 2 no, 0 yes"), "the nearer end"
