"""Trees and rows on which exports are tried: numbers at thresholds, gaps, unseen values, names to quote, and users' splits."""

from collections import defaultdict
from math import inf, nextafter
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from ftree._lib.fields import require_count
from ftree.tree.conditions import AllOf, AnyOf, Between, Condition, FirstKnown, Not, Opaque, SumBetween, Worded
from ftree.tree.fold import fold
from ftree.tree.nodes import Branch, Leaf, Node, Tree, check_tree, preorder
from ftree.tree.schema import Feature, Schema
from ftree.tree.splits import UNKNOWN, Threshold
from ftree.tree.splits.split import Integers

# A value of these rows that stands for infinity.
_LARGEST = 1e300
_UNSEEN_TEXT: dict[type, Any] = {str: "of no split, größer", int: 987654, float: 0.123}


def export_rows(tree: Tree, n: int = 10_000, *, seed: int = 0) -> list[list[Any]]:
    """Rows of values in the schema's order, None where a value is missing, to test an export of the tree.

    Numbers equal the tree's thresholds, or are the next float above or below, or are very large; other values are those of the
    schema, and one that it lacks. Half of the rows have no missing value.

    Raises a TypeError for anything but a Tree, a ValueError for an n that is not a whole number from 0.

    >>> from ftree.testing import chain
    >>> export_rows(chain(1), 5)
    [[1e+300], [0.0], [1.5], [0.5000000000000001], [0.5000000000000001]]
    """
    check_tree(tree)
    require_count("n", n, 0)
    random = np.random.default_rng(seed)
    pools = [_pool(feature, cuts) for feature, cuts in zip(tree.schema.features, _cuts(tree), strict=True)]
    columns = [random.integers(len(pool), size=n) for pool in pools]
    gaps = random.random((n, len(pools))) < random.choice([0.0, 0.0, 0.2, 0.6], size=(n, 1))
    chosen = [[pool[place] for place in places.tolist()] for pool, places in zip(pools, columns, strict=True)]
    return [
        [None if gap else cell for cell, gap in zip(row, missing, strict=True)]
        for row, missing in zip(zip(*chosen, strict=True), gaps.tolist(), strict=True)
    ]


def _cuts(tree: Tree) -> list[list[float]]:
    """The numbers in conditions, by feature; for a sum, the value of each feature if the others are 0."""
    found: defaultdict[Any, set[float]] = defaultdict(set)
    stack = _stated(tree)
    while stack:
        match stack.pop():
            case Between(feature, above, at_most):
                found[feature] |= {above, at_most}
            case SumBetween(features, weights, above, at_most):
                for feature, weight in zip(features, weights, strict=True):
                    found[feature] |= {above / weight, at_most / weight}
            case AllOf(conditions) | AnyOf(conditions):
                stack += conditions
            case Worded(condition) | Not(condition):
                stack.append(condition)
            case FirstKnown(pairs):
                stack += [each for pair in pairs for each in pair]
    return [sorted(found[number] - {inf, -inf}) for number in range(len(tree.schema.features))]


def _pool(feature: Feature, cuts: list[float]) -> list[Any]:
    """The values of a feature to choose from."""
    if feature.kind == "numeric":
        beside = [near for cut in cuts for near in (cut, nextafter(cut, -inf), nextafter(cut, inf), cut - 1, cut + 1)]
        return [*beside, 0.0, _LARGEST, -_LARGEST]
    unseen = [_UNSEEN_TEXT[kind] for kind in {type(value) for value in feature.values} & set(_UNSEEN_TEXT)]
    return [*feature.values, *unseen]


def with_infinities(tree: Tree, rows: list[list[Any]]) -> list[list[Any]]:
    """The rows with infinities instead of the largest numbers; none for a tree with sums, whose results would differ."""
    if any(isinstance(each, SumBetween) for each in _stated(tree)):
        return []
    swapped = {_LARGEST: inf, -_LARGEST: -inf}
    return [[swapped.get(cell, cell) if isinstance(cell, float) else cell for cell in row] for row in rows]


def _stated(tree: Tree) -> list[Condition]:
    return [each for node in preorder(tree) if isinstance(node, Branch) for each in node.split.conditions]


_UNSEEN = "of no split"
_AWKWARD = "{} 'größe\" \\ 100% {{東京}} -- <&>;"


@st.composite
def cases(draw: DrawFn, given_trees: SearchStrategy[Tree], *, awkward: bool) -> tuple[Tree, list[list[Any]], str]:
    """A tree, rows to predict, and "names" if the names need quoting, as in half of the cases, else ""."""
    given = draw(given_trees)
    tree = _with_thirds(given) if draw(st.booleans()) else given
    quoted = awkward and draw(st.booleans())
    named = with_awkward_names(tree) if quoted else tree
    features = named.schema.features
    drawn = draw(st.lists(st.tuples(*map(_cells, features)), min_size=1, max_size=6))
    # One row of each kind always, since a hundred draws may contain none.
    missing, unseen = [None] * len(features), [None if feature.kind == "numeric" else _UNSEEN for feature in features]
    rows = [*map(list, drawn), missing, unseen, *export_rows(named, 12, seed=draw(st.integers(0, 99)))]
    return named, rows, "names" if quoted else ""


def _with_thirds(tree: Tree) -> Tree:
    """The tree with thirds added to thresholds of numbers, which then take all digits of a float."""

    def longer(node: Branch, below: tuple[Node, ...]) -> Node:
        split = node.split
        if isinstance(split, Threshold) and tree.schema.features[split.feature].kind == "numeric":
            split = evolve(split, at=split.at + 1 / 3)
        return Branch(node.counts, split, below)

    return evolve(tree, root=fold(tree, lambda leaf: leaf, longer))


def _cells(feature: Feature) -> SearchStrategy[Any]:
    """Values of a feature, None, and, except for numbers, one value that the feature does not have."""
    if feature.kind == "numeric":
        return st.integers(-1, 10).map(lambda n: n / 2) | st.none()
    return st.sampled_from([*feature.values, None, _UNSEEN])


def with_awkward_names(tree: Tree) -> Tree:
    r"""The tree with names that programs must quote: quotes, backslashes, braces, non-ASCII letters; some differ in them only.

    >>> from ftree.testing import chain
    >>> print(with_awkward_names(chain(0)).schema.classes[0])
    even 'größe" \ 100% {東京} -- <&>;
    """
    schema = tree.schema
    features = [
        evolve(each, name=_awkward(f"f{' _-.'[number % 4]}{number // 4}"), values=[*map(_awkward, each.values)])
        for number, each in enumerate(schema.features)
    ]
    target, classes = _AWKWARD.format(schema.target), [*map(_awkward, schema.classes)]
    return evolve(tree, schema=evolve(schema, features=features, target=target, classes=classes))


def _awkward(value: Any) -> Any:
    return _AWKWARD.format(value) if isinstance(value, str) else value


@frozen
class Inside:
    """A user's split type whose conditions are in the algebra: above one number and at most another, or not."""

    features: tuple[int]
    low: float
    high: float
    n_children = 2

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """In the interval; outside it."""
        (feature,) = self.features
        outside = AnyOf((Between(feature, at_most=self.low), Between(feature, above=self.high)))
        return AllOf((Between(feature, above=self.low), Between(feature, at_most=self.high))), outside

    def child(self, column: npt.NDArray[Any]) -> Integers:
        """0 in the interval, 1 outside, -1 where the value is missing."""
        return np.where(np.isnan(column), UNKNOWN, ~((self.low < column) & (column <= self.high)))


@frozen
class Even:
    """A user's split type whose condition only the split can evaluate."""

    features: tuple[int]
    n_children = 2

    @property
    def conditions(self) -> tuple[Opaque, ...]:
        """Conditions that the split evaluates."""
        return Opaque(self, 0, "{0} is even"), Opaque(self, 1, "{0} is not even")

    def child(self, column: npt.NDArray[Any]) -> Integers:
        """0 for even numbers, 1 for others, -1 where the value is missing."""
        return np.where(np.isnan(column), UNKNOWN, column % 2 != 0)


def built_tree(split: Any) -> Tree:
    """A tree of one binary split of the feature x, and a threshold below it."""
    below = Branch((2, 3), Threshold(0, 0.5), (Leaf((2, 0)), Leaf((0, 3))))
    return Tree(Schema([Feature("x", "numeric")], "class", ("no", "yes")), Branch((3, 3), split, (Leaf((1, 0)), below)))
