"""Values that no code of the schema stands for, handed to splits that ask about the values themselves, such as a prefix.

Such a split has a method `child_of_unseen`. Among the columns of rows, these values have the codes after those of the schema;
every other split is told that they are missing.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen

from ftree._lib.messages import short_repr
from ftree.data.dataset import Dataset
from ftree.data.rows import cells_of, unknown_among
from ftree.data.values import in_order
from ftree.routing.flat import flat
from ftree.tree.conditions import Condition
from ftree.tree.fold import fold
from ftree.tree.nodes import Branch, Node, Tree, with_children
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.split import UNKNOWN, Columns, Integers


def with_unseen(tree: Tree, rows: Any, columns: Columns) -> tuple[Tree, Columns]:
    """The tree and the columns of rows with codes for the values that the schema lacks; the same if no split asks for them.

    >>> from ftree import grow
    >>> from ftree.datasets import weather
    >>> with_unseen(grow(weather()), ["stormy", "hot", "high", False], ())[1]
    ()
    """
    asked = flat(tree).questions.asks_unseen
    if not asked:
        return tree, columns
    cells, _, _ = cells_of(tree.schema, rows)
    coded, known, unseen = list(columns), dict[int, int](), dict[int, tuple[Any, ...]]()
    for number in asked:
        feature, lost = tree.schema.features[number], np.flatnonzero(columns[number] < 0)
        own = [cells[number][row] for row in lost.tolist()]
        known[number], unseen[number] = len(feature.values), tuple(in_order(unknown_among(feature, own)))
        codes = {value: known[number] + place for place, value in enumerate(unseen[number])}
        coded[number] = columns[number].astype(np.intp)
        coded[number][lost] = [codes.get(value, UNKNOWN) for value in own]

    def seeing(branch: Branch, below: tuple[Node, ...]) -> Node:
        split: Any = branch.split
        if not any(map(unseen.get, split.features)):
            return with_children(branch, below)
        values = unseen[split.features[0]] if hasattr(split, "child_of_unseen") else ()
        codes = tuple([known.get(number, np.inf) for number in split.features])
        return Branch(branch.counts, _Seeing(split, values, codes, split.features, split.n_children, split.conditions), below)

    features = [evolve(each, values=[*each.values, *unseen.get(n, ())]) for n, each in enumerate(tree.schema.features)]
    schema = evolve(tree.schema, features=features)
    return evolve(tree, schema=schema, root=fold(tree, lambda leaf: leaf, seeing)), tuple(coded)


def recoded_for(tree: Tree, dataset: Dataset) -> tuple[Tree, Dataset]:
    """The same for a dataset, as a dataset in the codes of the tree."""
    data = dataset.recoded(tree.schema)
    seeing, columns = with_unseen(tree, dataset, data.columns)
    return seeing, data if seeing is tree else evolve(data, schema=seeing.schema, columns=columns)


@frozen
class _Seeing:
    """A split to which codes from `known` of each feature on are missing, or are `values`, if it asks for them."""

    split: Any
    values: tuple[Any, ...]
    known: tuple[float, ...]
    features: tuple[int, ...]
    n_children: int
    conditions: Sequence[Condition]

    def child(self, *columns: npt.NDArray[Any]) -> Integers:
        """The child that the split gives to codes, and to the values that have none."""
        child = child_of(self.split, *map(_up_to, columns, self.known))
        if not self.values:
            return child
        unseen, answers = np.flatnonzero(columns[0] >= self.known[0]), np.asarray(self.split.child_of_unseen(self.values))
        if answers.shape != (len(self.values),) or answers.dtype.kind not in "biu":
            wanted = f"one integer for each of {len(self.values)} values"
            raise TypeError(f"{short_repr(self.split)}.child_of_unseen must return {wanted}, got {short_repr(answers.tolist())}.")
        child = child.copy()
        child[unseen] = answers[columns[0][unseen].astype(np.intp) - int(self.known[0])]
        return child


def _up_to(column: npt.NDArray[Any], n: float) -> npt.NDArray[Any]:
    """The column with codes from n on missing; infinity is not above numbers without codes."""
    return np.where(column > n - 1, np.nan if column.dtype.kind == "f" else UNKNOWN, column)
