"""Trees and rows for the battery for exports: names that need quoting, a user's split type, an opaque one."""

from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ftree.testing.export_rows import export_rows
from ftree.tree.conditions import AllOf, AnyOf, Between, Condition, Opaque, SumBetween
from ftree.tree.nodes import Branch, Leaf, Tree, preorder
from ftree.tree.schema import Feature, Schema
from ftree.tree.splits import UNKNOWN, Threshold
from ftree.tree.splits.protocol import Integers

# A value of the rows below that stands for infinity.
LARGEST = 1e300
_UNSEEN = "of no split"
_AWKWARD = "{} 'größe\" \\ 100% {{東京}} -- <&>;"


@st.composite
def cases(draw: DrawFn, given_trees: SearchStrategy[Tree], *, awkward: bool) -> tuple[Tree, list[list[Any]]]:
    """A tree, in half of the cases with names that need quoting, and rows to predict."""
    tree = draw(given_trees)
    named = with_awkward_names(tree) if awkward and draw(st.booleans()) else tree
    features = named.schema.features
    drawn = draw(st.lists(st.tuples(*map(_cells, features)), min_size=1, max_size=6))
    # One row of each kind always, since a hundred draws may contain none.
    missing, unseen = [None] * len(features), [None if feature.kind == "numeric" else _UNSEEN for feature in features]
    return named, [*map(list, drawn), missing, unseen, *export_rows(named, 12, seed=draw(st.integers(0, 99)))]


def _cells(feature: Feature) -> SearchStrategy[Any]:
    """Values of a feature, None, and, except for numbers, one value that the feature does not have."""
    if feature.kind == "numeric":
        return st.integers(-1, 10).map(lambda n: n / 2) | st.none()
    return st.sampled_from([*feature.values, None, _UNSEEN])


def with_awkward_names(tree: Tree) -> Tree:
    r"""The tree with names, texts and classes that programs must quote: quotes, backslashes, braces, non-ASCII letters.

    >>> from ftree.testing import chain
    >>> print(with_awkward_names(chain(0)).schema.classes[0])
    even 'größe" \ 100% {東京} -- <&>;
    """
    schema = tree.schema
    features = [evolve(each, name=_AWKWARD.format(each.name), values=[*map(_awkward, each.values)]) for each in schema.features]
    return evolve(tree, schema=Schema(features, _AWKWARD.format(schema.target), [*map(_awkward, schema.classes)]))


def _awkward(value: Any) -> Any:
    return _AWKWARD.format(value) if isinstance(value, str) else value


def with_infinities(tree: Tree, rows: list[list[Any]]) -> list[list[Any]]:
    """The rows with infinities instead of the largest numbers; none for a tree with sums, whose results would differ."""
    if any(isinstance(each, SumBetween) for each in _stated(tree)):
        return []
    swapped = {LARGEST: inf, -LARGEST: -inf}
    return [[swapped.get(cell, cell) if isinstance(cell, float) else cell for cell in row] for row in rows]


def _stated(tree: Tree) -> list[Condition]:
    return [each for node in preorder(tree) if isinstance(node, Branch) for each in node.split.conditions]


@frozen
class Inside:
    """A user's split type whose conditions are in the algebra: above one number and at most another, or not."""

    feature: int
    low: float
    high: float
    n_children = 2

    @property
    def features(self) -> tuple[int, ...]:
        """The feature."""
        return (self.feature,)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """In the interval; outside it."""
        outside = AnyOf((Between(self.feature, at_most=self.low), Between(self.feature, above=self.high)))
        return AllOf((Between(self.feature, above=self.low), Between(self.feature, at_most=self.high))), outside

    def child(self, column: npt.NDArray[Any]) -> Integers:
        """0 in the interval, 1 outside, -1 where the value is missing."""
        return np.where(np.isnan(column), UNKNOWN, ~((self.low < column) & (column <= self.high)))


@frozen
class Even:
    """A user's split type whose condition only the split can evaluate."""

    feature: int
    n_children = 2

    @property
    def features(self) -> tuple[int, ...]:
        """The feature."""
        return (self.feature,)

    @property
    def conditions(self) -> tuple[Opaque, ...]:
        """Conditions that the split evaluates."""
        return Opaque(self, 0, "{0} is even"), Opaque(self, 1, "{0} is not even")

    def child(self, column: npt.NDArray[Any]) -> Integers:
        """0 for even numbers, 1 for others, -1 where the value is missing."""
        return np.where(np.isnan(column), UNKNOWN, column % 2 != 0)


def tree_of(split: Any) -> Tree:
    """A tree of one binary split of the feature x, and a threshold below it."""
    below = Branch((2, 3), Threshold(0, 0.5), (Leaf((2, 0)), Leaf((0, 3))))
    return Tree(Schema([Feature("x", "numeric")], "class", ("no", "yes")), Branch((3, 3), split, (Leaf((1, 0)), below)))
