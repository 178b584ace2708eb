"""The table form of a split: numbers by which compiled code finds the child of a row."""

from collections.abc import Sequence
from typing import NamedTuple

from ftree.tree.splits.protocol import UNKNOWN

# Kinds of questions: none (a leaf), is the number above a threshold, which code, which interval, is a sum above a threshold,
# and one that only the split itself can answer.
LEAF, ABOVE, CODE, BETWEEN, SUM, OPAQUE = range(-1, 5)


class Question(NamedTuple):  # made in a third of the time that a frozen class takes: a tree has thousands
    """A split in numbers.

    - ABOVE: is the feature's number above `at`.
    - CODE: which of `codes` is the feature's value; `children` has the child of each code, `other_child` that of all others.
    - BETWEEN: between which `numbers` is the feature's number.
    - SUM: is the sum of the features in `terms`, each times its number in `numbers`, above `at`.
    - OPAQUE: what the split's `child` returns; compiled code cannot ask it.

    A row without an answer is asked the `surrogates` in turn; a `reversed` one means the other child. A row without any
    answer goes to `default_child`.
    """

    kind: int = LEAF
    feature: int = 0
    at: float = 0.0
    codes: Sequence[int] = ()
    children: Sequence[int] = ()
    other_child: int = UNKNOWN
    numbers: Sequence[float] = ()
    terms: Sequence[int] = ()
    reversed: bool = False
    surrogates: "tuple[Question, ...]" = ()
    default_child: int = UNKNOWN
