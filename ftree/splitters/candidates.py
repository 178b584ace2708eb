"""Candidate splits of a column, known before growth, which `ftree.exact.optimal` requests from a splitter.

A splitter can have a method `candidates(column)` that takes `DistinctValues` and returns splits of that feature. It is optional:
greedy growth requests one best split at a time, and needs no list.
"""

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from attrs import frozen

from ftree._lib.arrays import Array
from ftree.tree.schema import Kind
from ftree.tree.splits.protocol import Split


@frozen(eq=False)
class DistinctValues:
    """The distinct known values of a column: `values` (V,) in order, codes or numbers, and the number of cases of each (V,).

    `feature` is the number of the feature in the schema, and `name` its name.

    >>> import numpy as np
    >>> from ftree import threshold
    >>> threshold().candidates(DistinctValues(0, "size", np.array([1.0, 2.0, 4.0]), np.array([5, 1, 3])))
    [Threshold(feature=0, at=1.5), Threshold(feature=0, at=3.0)]
    """

    feature: int
    name: str
    values: Array
    cases: Array


@runtime_checkable
class ListsCandidates(Protocol):
    """A splitter that can list the splits of a column; it needs no other method."""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of feature that it takes."""
        ...

    def candidates(self, column: DistinctValues, /) -> Sequence[Split]:
        """All splits of the column that it allows."""
        ...


def without_limits(splitter: Any, **limits: Any) -> None:
    """Raise a ValueError if a splitter has limits that a list of candidates cannot keep.

    >>> without_limits("threshold()", min_cases=5)
    Traceback (most recent call last):
    ValueError: min_cases must not be set where candidates are listed, got 5 for threshold(). optimal takes min_leaf.
    """
    for name, value in limits.items():
        if value:
            remedy = "optimal takes min_leaf."
            message = f"{name} must not be set where candidates are listed, got {value!r} for {splitter}. {remedy}"
            raise ValueError(message)
