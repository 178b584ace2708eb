"""The protocol of splits: what every split must provide, the library's own and those of users; and its form in tables.

A split holds numbers only: feature numbers, codes of nominal and ordinal values, thresholds. It holds no names and no
data. Splits are open: a frozen class with these four members is a split, and nothing needs to be registered. Optional
methods of splits are in `ftree.tree.splits.optional`.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ftree.tree.conditions import Condition

Columns: TypeAlias = "tuple[npt.NDArray[Any], ...]"
Integers: TypeAlias = npt.NDArray[np.intp]
# The child number for a value that is missing, or that the split does not know.
UNKNOWN = -1
_REQUIRED = "features", "n_children", "child", "conditions"


class Split(Protocol):
    """A division of rows among two or more children, such as `Threshold` or a user's frozen class.

    It must be hashable, and equal to its copies. Source: the protocol follows partykit's split (Hothorn & Zeileis 2015).
    """

    @property
    def features(self) -> tuple[int, ...]:
        """Numbers of the features that the split uses, at least one; `child` takes their columns in this order."""
        ...

    @property
    def n_children(self) -> int:
        """Number of children, at least one."""
        ...

    @property
    def conditions(self) -> Sequence[Condition]:
        """For each child, a condition that holds for exactly the rows that go there."""
        ...

    @property
    def child(self) -> Callable[..., npt.NDArray[Any]]:
        """A method that takes the columns of `features` and returns the child number of each row, (n,).

        It is -1 where a value is missing or not known to the split. A column has codes (n,), negative where missing, or
        floats (n,), NaN where missing; codes may come as floats.
        """
        ...


def is_split(value: object) -> bool:
    """Whether a value has the members of a split.

    >>> from ftree.tree import Threshold
    >>> is_split(Threshold(0, 0.5)), is_split(Threshold), is_split("x <= 0.5")
    (True, False, False)
    """
    # Members are looked up on the class, since this check runs for each new branch and `conditions` may take long to compute.
    own = type(value)
    return own is not type and all(hasattr(own, name) or name in getattr(value, "__dict__", ()) for name in _REQUIRED)


# Kinds of questions: none (a leaf), whether a number is above a threshold, which code, which interval, whether a sum is above
# a threshold, and a question that only the split itself can answer.
LEAF, ABOVE, CODE, BETWEEN, SUM, OPAQUE = range(-1, 5)


class TableForm(NamedTuple):  # a frozen class takes three times as long to make, and a tree has thousands of splits
    """A split in numbers.

    - ABOVE: whether the feature's number is above `at`.
    - CODE: which of `codes` the feature has; `children` has the child of each code, `other_child` that of all others.
    - BETWEEN: between which of the `numbers` the feature's number lies.
    - SUM: whether the sum of the features in `terms`, each times its number in `numbers`, is above `at`.
    - OPAQUE: the split's `child` decides; compiled code cannot call it.

    The `surrogates` are tried in turn for a row without an answer; a `reversed` one means the other child. A row that has
    no answer from any of them goes to `default_child`; without surrogates, only one whose value is missing does.
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
    surrogates: "tuple[TableForm, ...]" = ()
    default_child: int = UNKNOWN
