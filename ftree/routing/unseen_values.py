"""Values that no code of the schema stands for, handed to splits that ask about the values themselves, such as a prefix.

Such a split has a method `child_of_unseen`. In the columns of rows, the first of these values has the code -2, the next one -3:
codes below 0 are missing for every other split.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen

from ftree._lib.messages import short_repr
from ftree.data.rows import cells_of, unknown_among
from ftree.data.values import in_order
from ftree.routing.flat import flat
from ftree.tree.conditions import Condition
from ftree.tree.fold import fold
from ftree.tree.nodes import Branch, Node, Tree
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.split import UNKNOWN, Columns, Integers

# The code of the first of these values.
_FIRST = UNKNOWN - 1


def with_unseen(tree: Tree, rows: Any, columns: Columns) -> tuple[Tree, Columns]:
    """The tree and the columns of rows for which splits see the values that the schema lacks; the same if no split asks for them.

    >>> from ftree import grow
    >>> from ftree.datasets import weather
    >>> with_unseen(grow(weather()), ["stormy", "hot", "high", False], ())[1]
    ()
    """
    asked = flat(tree.root).questions.asks_unseen
    if not asked:
        return tree, columns
    cells, _, _ = cells_of(tree.schema, rows)
    coded, unseen = list(columns), dict[int, tuple[Any, ...]]()
    for number in asked:
        lost = np.flatnonzero(columns[number] < 0)
        own = [cells[number][row] for row in lost.tolist()]
        unseen[number] = tuple(in_order(unknown_among(tree.schema.features[number], own)))
        codes = {value: _FIRST - place for place, value in enumerate(unseen[number])}
        coded[number] = columns[number].astype(np.intp)
        coded[number][lost] = [codes.get(value, UNKNOWN) for value in own]

    def knowing(branch: Branch, below: tuple[Node, ...]) -> Node:
        split: Any = branch.split
        values = unseen.get(split.features[0], ()) if hasattr(split, "child_of_unseen") else ()
        known = (split.features, split.n_children, tuple(split.conditions))
        return Branch(branch.counts, _Knowing(split, values, *known) if values else split, below)

    return evolve(tree, root=fold(tree, lambda leaf: leaf, knowing)), tuple(coded)


@frozen
class _Knowing:
    """A split of one feature that knows the values of the codes below -1."""

    split: Any
    values: tuple[Any, ...]
    features: tuple[int, ...]
    n_children: int
    conditions: tuple[Condition, ...]

    def child(self, column: npt.NDArray[Any]) -> Integers:
        """The child that the split gives to codes, and to the values that have none."""
        child, unseen = child_of(self.split, column).copy(), np.flatnonzero(column <= _FIRST)
        answers = np.asarray(self.split.child_of_unseen(self.values))
        if answers.shape != (len(self.values),) or answers.dtype.kind not in "biu":
            wanted = f"one integer for each of {len(self.values)} values"
            raise TypeError(f"{short_repr(self.split)}.child_of_unseen must return {wanted}, got {short_repr(answers.tolist())}.")
        child[unseen] = answers[_FIRST - column[unseen]]
        return child
