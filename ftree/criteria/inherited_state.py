"""Inherited state: values that parts of a policy compute from each node to its children, while a tree grows.

A splitter, a choice between features or a stopping rule that needs to know what was decided above has two methods: `at_root`
gives its value at the root, and `below`, a pure function, takes the value of a node, its split and its children's class counts
to the children's values. It reads them by `runs.inherited(self)`, `candidates.inherited(self)` or `frontier.inherited(self)`.
A part without these methods costs nothing.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from attrs import frozen
from toolz import concat

from ftree._lib.arrays import Array
from ftree._lib.fields import name_of
from ftree.tree.schema import Feature
from ftree.tree.splits.split import Split


@runtime_checkable
class HasInheritedState(Protocol):
    """A part of a policy with inherited state.

    >>> from ftree.splitters import interactions, threshold
    >>> part = interactions([["age", "dose"]], (threshold(),))
    >>> isinstance(part, HasInheritedState), isinstance(threshold(), HasInheritedState)
    (True, False)
    """

    def at_root(self, features: Sequence[Feature], /) -> Any:
        """The value at the root of a tree with these features."""
        ...

    def below(self, value: Any, split: Split, children: Array, /) -> Sequence[Any]:
        """The values of a node's children, given that of the node, its split and the children's class counts (V, K)."""
        ...


@frozen(eq=False)
class InheritedState:
    """The values of some parts at the nodes of a level: `values` (m, P), objects in the order of the `parts`.

    >>> from ftree.splitters import interactions, threshold
    >>> from ftree.tree import Threshold
    >>> part = interactions([], (threshold(),))
    >>> root = state_of_root([part], ())
    >>> root.of(part).tolist(), root.below([Threshold(1, 0.5)], [np.array([[2, 0], [0, 1]])]).of(part).tolist()
    ([frozenset()], [frozenset({1}), frozenset({1})])
    """

    parts: tuple[HasInheritedState, ...]
    values: Array

    def of(self, part: Any) -> Any:
        """A part's values (m,), or its value at one node."""
        number = next((number for number, each in enumerate(self.parts) if each is part or each == part), None)
        if number is None:
            wanted = "methods at_root and below, and belong to the growing policy"
            raise TypeError(f"A part must have {wanted}, to have inherited state, got {name_of(part)}.")
        return self.values[..., number][()]  # the object itself at one node, and not an array around it

    def __getitem__(self, nodes: Any) -> "InheritedState":
        """The values of one node, or of those that a mask marks."""
        return InheritedState(self.parts, self.values[nodes])

    def below(self, splits: Iterable[Split | None], children: Iterable[Array]) -> "InheritedState":
        """The values of all children, node after node; `children` are the class counts (V, K) of each split's."""
        counts = iter(children)
        there = [(row, split, next(counts)) for row, split in zip(self.values, splits, strict=True) if split is not None]
        columns = [
            concat(_checked_below(part, row[number], split, below) for row, split, below in there)
            for number, part in enumerate(self.parts)
        ]
        return InheritedState(self.parts, _objects(columns))


def parts_with_state(parts: Iterable[Any]) -> tuple[HasInheritedState, ...]:
    """Those of some parts that have inherited state.

    >>> from ftree.splitters import interactions, threshold
    >>> len(parts_with_state([threshold(), interactions([], ())]))
    1
    """
    return tuple(part for part in parts if isinstance(part, HasInheritedState))


def state_of_root(parts: Sequence[HasInheritedState], features: Sequence[Feature]) -> InheritedState | None:
    """The values of parts at the root; None without a part.

    >>> state_of_root((), ()) is None
    True
    """
    return InheritedState(tuple(parts), _objects([[part.at_root(features)] for part in parts])) if parts else None


def _checked_below(part: HasInheritedState, value: Any, split: Split, children: Array) -> Sequence[Any]:
    values = part.below(value, split, children)
    if len(values) != len(children):
        raise ValueError(f"below of {name_of(part)} must return {len(children)} values, one a child, got {len(values)}.")
    return values


def _objects(columns: Sequence[Iterable[Any]]) -> Array:
    """Columns of objects as an array (m, P), whatever the objects are."""
    listed = [list(column) for column in columns]
    array = np.empty((len(listed[0]), len(listed)), object)
    for number, column in enumerate(listed):
        array[:, number] = np.fromiter(column, object, len(column))
    return array
