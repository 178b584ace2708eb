"""The table form of a split: numbers by which compiled code finds the child of a row."""

from collections.abc import Sequence
from typing import NamedTuple

from ftree.tree.splits.protocol import UNKNOWN

# Kinds of questions: none (a leaf), whether a number is above a threshold, which code, which interval, whether a sum is above
# a threshold, and a question that only the split itself can answer.
LEAF, ABOVE, CODE, BETWEEN, SUM, OPAQUE = range(-1, 5)


class Question(NamedTuple):  # a frozen class takes three times as long to make, and a tree has thousands of splits
    """A split in numbers.

    - ABOVE: whether the feature's number is above `at`.
    - CODE: which of `codes` the feature has; `children` has the child of each code, `other_child` that of all others.
    - BETWEEN: between which of the `numbers` the feature's number lies.
    - SUM: whether the sum of the features in `terms`, each times its number in `numbers`, is above `at`.
    - OPAQUE: the split's `child` decides; compiled code cannot call it.

    The `surrogates` are tried in turn for a row without an answer; a `reversed` one means the other child. A row that has
    no answer from any of them goes to `default_child`.
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
