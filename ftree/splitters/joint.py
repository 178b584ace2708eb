"""Splitters of several features at once."""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from ftree._lib.arrays import Array
from ftree.splitters.base import Measure
from ftree.tree.schema import Kind
from ftree.tree.splits import Oblique, Split, Threshold


@runtime_checkable
class JointSplitter(Protocol):
    """A splitter of several features at once, such as `oblique()`: it finds the best split of one node's points."""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of feature that it takes."""
        ...

    def best(self, vector: Array, counts: Array, measure: Measure) -> "tuple[float, Oblique | Threshold, Array] | None":
        """Score, split and children's counts for distinct points (U, F) with counts (U, K); None where there is no split.

        `vector` has the features of these kinds, NaN where a value is missing; the split numbers features as its columns.
        """
        ...


def is_splitter(value: Any) -> bool:
    """Whether something is a splitter of single features, and not a class that was meant to be called first."""
    return callable(value) and hasattr(value, "kinds") and not isinstance(value, (type, JointSplitter))


def numbered(split: Oblique | Threshold, features: Sequence[int], n_features: int) -> Split:
    """The split with features numbered as those of a table, not as columns of `vector`.

    >>> numbered(Oblique((1, 2), 0.5), (1, 3), 4)
    Oblique(weights=(0.0, 1.0, 0.0, 2.0), at=0.5)
    """
    if isinstance(split, Threshold):
        return Threshold(features[split.feature], split.at)
    weights = dict(zip(features, split.weights, strict=True))
    return Oblique([weights.get(number, 0.0) for number in range(n_features)], split.at)
