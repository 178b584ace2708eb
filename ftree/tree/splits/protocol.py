"""The protocol of splits: what every split must provide, the library's own and those of users.

A split holds numbers only: feature numbers, codes of nominal and ordinal values, thresholds. It holds no names and no
data. Splits are open: a frozen class with these four members is a split, and nothing needs to be registered. Optional
methods of splits are in `ftree.tree.splits.optional`.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

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

    >>> from ftree import Threshold
    >>> is_split(Threshold(0, 0.5)), is_split(Threshold), is_split("x <= 0.5")
    (True, False, False)
    """
    # Members are looked up on the class, since this check runs for each new branch and `conditions` may take long to compute.
    own = type(value)
    return own is not type and all(hasattr(own, name) or name in getattr(value, "__dict__", ()) for name in _REQUIRED)
