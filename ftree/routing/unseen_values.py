"""Unseen values, which have no code in the schema. They are not missing: a split has no answer for them, or a child.

Among the columns of rows, these values have the codes after those of the schema. A split with a method `child_of_unseen`, such as
one that asks for a prefix, has a child for the values themselves. To a split of several features they are missing.
"""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen

from ftree._lib.arrays import Array
from ftree._lib.messages import short_repr
from ftree.data.labelled import Unseen
from ftree.data.rows import cells_of, unknown_among
from ftree.data.values import in_order
from ftree.routing.flat import flat
from ftree.tree.conditions import Condition
from ftree.tree.edit import with_children
from ftree.tree.fold import fold
from ftree.tree.nodes import Branch, Node, Tree
from ftree.tree.schema import Feature, Schema, codes_of_values
from ftree.tree.splits.split import CODE, UNKNOWN, Columns, Integers, TableForm, answers_unseen, child_of, tells_unseen


def with_unseen(tree: Tree, rows: Any, columns: Columns, unseen: Unseen) -> tuple[Tree, Columns]:
    """The tree and the columns of rows with codes for the values that the schema lacks; the same if it makes no difference.

    Where `unseen` is "missing", only splits that ask for these values see them; to others they are None, if it is a value.

    >>> from ftree import grow
    >>> from ftree.datasets import weather
    >>> with_unseen(grow(weather()), ["stormy", "hot", "high", False], (), "rule")[1]
    ()
    """
    questions, own = flat(tree).questions, tree.schema.features
    asked = questions.asks_unseen | (questions.tells_unseen if unseen != "missing" else frozenset())
    gaps = [each.values.index(None) if unseen == "missing" and None in each.values else UNKNOWN for each in own]
    filled = [
        column if gap == UNKNOWN or number in asked else np.where(column < 0, gap, column)
        for number, (column, gap) in enumerate(zip(columns, gaps, strict=False))
    ]
    features, coded = _with_codes(tree.schema, rows, filled, asked)
    unseen_of = [new.values[len(old.values) :] for old, new in zip(own, features, strict=True)]
    if not any(unseen_of):
        return tree, tuple(coded)

    def seeing(branch: Branch, below: tuple[Node, ...]) -> Node:
        if not any(unseen_of[number] for number in branch.split.features):
            return with_children(branch, below)
        return Branch(branch.counts, _seeing(branch.split, own, unseen_of, gaps, unseen), below)

    root = fold(tree, lambda leaf: leaf, seeing)
    return evolve(tree, schema=evolve(tree.schema, features=features), root=root), tuple(coded)


def _with_codes(schema: Schema, rows: Any, columns: Sequence[Array], asked: Collection[int]) -> tuple[list[Feature], list[Array]]:
    """The features with the unseen values of rows after their own, and the columns with the codes of these; of some features."""
    features, coded = list(schema.features), list(columns)
    lacking = [number for number in asked if features[number].kind != "numeric" and columns[number].min(initial=0) < 0]
    cells = cells_of(schema, rows, lacking)[0] if lacking else []
    for number in lacking:
        feature, lost = features[number], np.flatnonzero(columns[number] < 0)
        values = [cells[number][row] for row in lost.tolist()]
        features[number] = evolve(feature, values=[*feature.values, *in_order(unknown_among(feature, values))])
        coded[number] = columns[number].astype(np.intp)
        coded[number][lost] = [codes_of_values(features[number]).get(value, UNKNOWN) for value in values]
    return features, coded


def _seeing(
    split: Any, features: Sequence[Feature], unseen_of: Sequence[tuple[Any, ...]], gaps: Sequence[int], unseen: Unseen
) -> "_Seeing":
    """The split for columns in which unseen values, those of each feature, have codes after those of the features."""
    told = answers_unseen(split) or (unseen != "missing" and tells_unseen(split))
    used: tuple[int, ...] = tuple(split.features)
    known = tuple([np.inf if features[number].kind == "numeric" else len(features[number].values) for number in used])
    values = unseen_of[used[0]] if told else ()
    return _Seeing(split, values, known, tuple([gaps[number] for number in used]), used, split.n_children, split.conditions)


@frozen
class _Seeing:
    """A split to which codes from `known` of each feature on are its gap, or are `values`, for which it may have a child."""

    split: Any
    values: tuple[Any, ...]
    known: tuple[float, ...]
    gaps: tuple[int, ...]
    features: tuple[int, ...]
    n_children: int
    conditions: Sequence[Condition]

    def child(self, *columns: npt.NDArray[Any]) -> Integers:
        """The child that the split gives to codes, and to the values that have none."""
        child = child_of(self.split, *map(_up_to, columns, self.known, self.gaps))
        if not self.values:
            return child
        answers = np.full(len(self.values), UNKNOWN)
        if answers_unseen(self.split):
            answers = np.asarray(self.split.child_of_unseen(self.values))
        if answers.shape != (len(self.values),) or answers.dtype.kind not in "biu":
            wanted = f"one integer for each of {len(self.values)} values"
            raise TypeError(f"{short_repr(self.split)}.child_of_unseen must return {wanted}, got {short_repr(answers.tolist())}.")
        unseen, child = np.flatnonzero(columns[0] >= self.known[0]), child.copy()
        child[unseen] = answers[columns[0][unseen].astype(np.intp) - int(self.known[0])]
        return child

    def tables(self) -> TableForm | None:
        """The question which code the feature has; None for a split of several features."""
        if len(self.features) != 1:
            return None
        n = int(self.known[0]) + (len(self.values) or 1)  # without values, all codes from `known` on have one child
        missing, *children = child_of(self, np.arange(UNKNOWN, n)).tolist()
        own = TableForm(CODE, self.features[0], codes=range(n), children=children, default_child=missing)
        return own if self.values else own._replace(other_child=children[-1])


def _up_to(column: npt.NDArray[Any], n: float, gap: int) -> npt.NDArray[Any]:
    """The column with codes from n on, and missing ones, as a gap's code; numbers have no codes, and stay."""
    if np.isinf(n):
        return column
    return np.where((column >= 0) & (column < n), column, np.nan if column.dtype.kind == "f" and gap == UNKNOWN else gap)
