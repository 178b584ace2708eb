"""Splitters of several features at once."""

from typing import Any, Protocol, runtime_checkable

from ftree._lib.arrays import Array
from ftree.splitters.base import Measure
from ftree.tree.schema import Kind
from ftree.tree.splits.protocol import Split


@runtime_checkable
class JointSplitter(Protocol):
    """A splitter of several features at once, such as `oblique()`: it finds the best split of one node's points."""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of feature that it takes."""
        ...

    def best(self, vector: Array, counts: Array, measure: Measure) -> "tuple[float, Split, Array] | None":
        """Score, split and children's counts for distinct points (U, F) with counts (U, K); None if there is no split.

        `vector` has the features of these kinds, NaN where a value is missing; the split numbers features as its columns.
        """
        ...


def is_splitter(value: Any) -> bool:
    """Whether a value is a splitter of single features, and not a class that must be called first.

    >>> from ftree.splitters.threshold import threshold
    >>> is_splitter(threshold()), is_splitter(threshold)
    (True, False)
    """
    return callable(value) and hasattr(value, "kinds") and not isinstance(value, (type, JointSplitter))
