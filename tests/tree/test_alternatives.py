"""A split whose child takes alternatives is read rightly beside other conditions."""

import numpy as np
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from ftree import Branch, Feature, Leaf, Schema, Tree, compare_trees, explain_row, path_of, predict, rules
from ftree.show import AnyOf, Between
from ftree.tree import Threshold, replace_at


@frozen
class Arc:
    """Directions from one to another, clockwise: 300 to 45 holds north."""

    feature: int
    begin: float
    end: float
    n_children = 2

    @property
    def features(self):
        return (self.feature,)

    @property
    def conditions(self):
        after, before = Between(self.feature, above=self.begin), Between(self.feature, at_most=self.end)
        return AnyOf((before, after)), Between(self.feature, above=self.end, at_most=self.begin)

    def child(self, column):
        return np.where(np.isnan(column), -1, (column > self.end) & (column <= self.begin))


def test_alternatives_are_in_parentheses_beside_other_conditions():
    north = Branch((2, 2), Arc(0, 300, 45), [Leaf((2, 0)), Leaf((0, 2))])
    both = Branch((2, 3), Threshold(1, 5), [Leaf((0, 1)), north])
    tree = Tree(Schema([Feature("wind", "numeric"), Feature("speed", "numeric")], "class", ("no", "yes")), both)
    told = "speed > 5 and (wind <= 45 or wind > 300)"
    assert str(path_of(tree, [310, 9])) == f"{told} -> no"
    assert str(rules(tree)[1]).startswith(f"if {told} then")
    (difference,) = compare_trees(tree, replace_at(tree, (1, 0), Leaf((0, 2)))).differences[-1:]
    assert str(difference).startswith(told)


@given(st.floats(0, 360), st.floats(0, 20))
def test_the_nearest_other_answer_is_found_behind_alternatives(wind, speed):
    north = Branch((2, 2), Arc(0, 300, 45), [Leaf((2, 0)), Leaf((0, 2))])
    tree = Tree(
        Schema([Feature("wind", "numeric"), Feature("speed", "numeric")], "class", ("no", "yes")),
        Branch((2, 3), Threshold(1, 5), [Leaf((0, 1)), north]),
    )
    found = explain_row(tree, [wind, speed]).other
    to_arc = 0 if wind <= 45 or wind > 300 else min(wind - 45, 300 - wind) + 1e-9
    assert found.label != predict(tree, [wind, speed])
    assert len(found.changes) == (2 if speed <= 5 and to_arc else 1)
