"""The splits of a level as arrays: a fast engine returns them, and they become `Split` objects only when needed.

A node's cut is a threshold (`at`), or codes (a multiway split's values, a subset's members), or nothing. A split of any
other type has no array form, and is kept as an object; those with surrogates have one, if the native library found these.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise, repeat
from typing import Any

import numpy as np
from attrs import evolve, fields, frozen

from ftree._lib.arrays import Array, Floats, distinct, largest_up_to, offsets, ranges
from ftree._lib.objects import exhaust, is_exactly
from ftree.tree.splits import Groups, Multiway, Subset, Threshold
from ftree.tree.splits.split import Split

# Kinds of splits, as the native library numbers them too; there also the way in which a feature divides a node, where one value
# apart from others is a subset.
NONE, THRESHOLD, MULTIWAY, SUBSET, OBJECT = range(5)
ONE_VALUE = OBJECT
# From this many splits on, equal ones become one object; they are found by a number with one bit for each of up to `_KEY` codes.
_MANY, _KEY = 5_000, 32
_FAMILIES: dict[int, Any] = {THRESHOLD: Threshold, MULTIWAY: Multiway, SUBSET: Subset}


@frozen(eq=False)
class Cuts(Sequence["Split | None"]):
    """A sequence of splits, None where a node has none; node i's codes are `codes[first[i]:first[i + 1]]`.

    The splits become objects when one is asked for. `objects` are those without array form, node after node; `feature` is -1
    there. The other splits may have surrogates.

    >>> from ftree.tree import Intervals
    >>> cuts = Cuts.of([Threshold(1, 0.5), None, Multiway(0, (0, 2)), Intervals(1, (1, 2))])
    >>> cuts[0], cuts.arity.tolist(), list(cuts)[3]
    (Threshold(feature=1, at=0.5), [2, 0, 2, 3], Intervals(feature=1, cuts=(1.0, 2.0)))
    """

    kind: Array
    feature: Array
    at: Array
    first: Array
    codes: Array
    objects: "tuple[Split, ...]" = ()
    surrogates: "SurrogateArrays | None" = None

    @staticmethod
    def of_thresholds(feature: Array, at: Array) -> "Cuts":
        """Thresholds in features; -1 where a node has none.

        >>> list(Cuts.of_thresholds(np.array([1, -1]), np.array([0.5, 0.0])))
        [Threshold(feature=1, at=0.5), None]
        """
        kind, no_codes = np.where(feature >= 0, THRESHOLD, NONE).astype(np.int8), np.zeros(len(feature) + 1, np.int64)
        return Cuts(kind, feature, at, no_codes, np.zeros(0, np.int64))

    @property
    def are_bare_arrays(self) -> bool:
        """Whether the arrays of cuts have all there is: no split is an object, and none has surrogates."""
        return not self.objects and self.surrogates is None

    @staticmethod
    def of(splits: "Iterable[Split | None]") -> "Cuts":
        """The arrays of given splits."""
        listed = list(splits)
        kind = np.array([_kind(split) for split in listed], dtype=np.int8)
        feature = np.array(
            [split.feature if is_exactly(split, Threshold, Multiway, Subset) else -1 for split in listed], dtype=np.int32
        )
        at = np.array([split.at if is_exactly(split, Threshold) else 0.0 for split in listed])
        codes = [_codes(split) for split in listed]
        first = np.cumsum([0, *map(len, codes)], dtype=np.int64)
        flat = np.array([code for some in codes for code in some], dtype=np.int64)
        objects: Any = tuple(listed[node] for node in np.flatnonzero(kind == OBJECT).tolist())
        return Cuts(kind, feature, at, first, flat, objects)

    @property
    def arity(self) -> Array:
        """Number of children of each node, 0 without a split."""
        sizes = np.where(self.kind == MULTIWAY, np.diff(self.first), np.where(self.kind == NONE, 0, 2))
        if self.objects:
            sizes[self.kind == OBJECT] = [split.n_children for split in self.objects]
        return sizes

    def __len__(self) -> int:
        """Number of nodes."""
        return len(self.kind)

    def __getitem__(self, number: Any) -> Any:
        """One split, or a list of some."""
        return self._made[number]

    def __iter__(self) -> "Iterator[Split | None]":
        """All splits."""
        return iter(self._made)

    @cached_property
    def _made(self) -> "list[Split | None]":
        splits: list[Split | None] = [None] * len(self)
        for node, split in zip(np.flatnonzero(self.kind).tolist(), self.present(), strict=True):
            splits[node] = split
        return splits

    def present(self) -> "list[Split]":
        """The splits of the nodes that have one, as objects."""
        splits, surrogates = self._without_surrogates(), self.surrogates
        if surrogates is not None:
            places = (np.cumsum(self.kind != NONE) - 1)[surrogates.node].tolist()
            for place, split in zip(places, surrogates.added_to([splits[place] for place in places]), strict=True):
                splits[place] = split
        return splits

    def _without_surrogates(self) -> list[Any]:
        splits: list[Any] = [None] * int(np.count_nonzero(self.kind))
        kinds = self.kind[self.kind != NONE]
        for kind in (*_FAMILIES, OBJECT) if self.objects else _FAMILIES:
            (nodes,) = (self.kind == kind).nonzero()
            if not len(nodes):
                continue
            made = self._all_of(kind, nodes)
            if len(made) == len(splits):
                return made
            for place, split in zip(np.flatnonzero(kinds == kind).tolist(), made, strict=True):
                splits[place] = split
        return splits

    def _all_of(self, kind: int, nodes: Array) -> list[Any]:
        """The splits of nodes with one kind of split; if they list codes and are many, equal ones are one object."""
        if kind == OBJECT:
            return list(self.objects)
        if kind == THRESHOLD or len(nodes) < _MANY or self.codes.max() >= _KEY:
            return unchecked(_FAMILIES[kind], self.feature[nodes].tolist(), self._tests(kind, nodes))
        bits = offsets(1 << self.codes)  # codes of a split differ, so sums of their bits identify sets
        sets = bits[self.first[nodes + 1]] - bits[self.first[nodes]]
        one, which = distinct(sets * (1 + self.feature.max()) + self.feature[nodes])
        made = unchecked(_FAMILIES[kind], self.feature[nodes[one]].tolist(), self._tests(kind, nodes[one]))
        return list(map(made.__getitem__, which.tolist()))

    def _tests(self, kind: int, nodes: Array) -> list[Any]:
        """The data of splits of a kind besides their feature: a threshold, or codes."""
        if kind == THRESHOLD:
            return self.at[nodes].tolist()  # type: ignore[no-any-return]  # a list, since there is an axis
        codes = tuple(self.codes.tolist())  # slices of a tuple are tuples
        return list(map(codes.__getitem__, map(slice, self.first[nodes].tolist(), self.first[nodes + 1].tolist())))

    def at_values(self, values: "Sequence[Floats | None]") -> "Cuts":
        """The cuts with thresholds at the given values of features, as `ftree.routing.counting` moves those of trees.

        Splits that are objects stay as they are.

        >>> list(Cuts.of([Threshold(1, 0.5), None]).at_values([None, np.array([0.0, 1.0])]))
        [Threshold(feature=1, at=0.0), None]
        """
        at = self.at.copy()
        for feature in np.unique(self.feature[self.kind == THRESHOLD]).tolist():
            nodes, own = (self.kind == THRESHOLD) & (self.feature == feature), values[feature]
            at[nodes] = at[nodes] if own is None else largest_up_to(own, at[nodes])
        return evolve(self, at=at)

    def in_order(self, order: Array) -> "Cuts":
        """The cuts of nodes in an order of all nodes; there must be no objects.

        >>> list(Cuts.of([Threshold(1, 0.5), None, Subset(0, (2,))]).in_order(np.array([2, 0, 1])))
        [Subset(feature=0, members=(2,)), Threshold(feature=1, at=0.5), None]
        """
        start, end = self.first[order], self.first[order + 1]
        surrogates = None if self.surrogates is None else self.surrogates.in_order(order)
        codes = self.codes[ranges(start, end)]
        return Cuts(self.kind[order], self.feature[order], self.at[order], offsets(end - start), codes, surrogates=surrogates)

    def beginning_with(self, given: "Cuts") -> "Cuts":
        """Put the given cuts at the first nodes, wherever one is given; these nodes have none of their own.

        >>> list(Cuts.of([None, Threshold(0, 0.5)]).beginning_with(Cuts.of([Multiway(1, (0, 2))])))
        [Multiway(feature=1, values=(0, 2)), Threshold(feature=0, at=0.5)]
        """
        (own,) = (given.kind != NONE).nonzero()
        kind, feature, at = self.kind.copy(), self.feature.copy(), self.at.copy()
        kind[own], feature[own], at[own] = given.kind[own], given.feature[own], given.at[own]
        start, end = len(given.codes) + self.first[:-1], len(given.codes) + self.first[1:]
        start[own], end[own] = given.first[own], given.first[own + 1]
        codes = np.append(given.codes, self.codes)[ranges(start, end)]
        objects = (*given.objects, *self.objects)
        return evolve(self, kind=kind, feature=feature, at=at, first=offsets(end - start), codes=codes, objects=objects)


@frozen(eq=False)
class GrownTree:
    """All nodes of a tree that grew depth first: counts (n, K), splits, and the number of each one's first child (n,)."""

    counts: Array
    splits: Cuts
    first: Array


def _kind(split: Split | None) -> int:
    if split is None:
        return NONE
    return next((number for number, family in _FAMILIES.items() if is_exactly(split, family)), OBJECT)


def _codes(split: Split | None) -> tuple[int, ...]:
    if is_exactly(split, Multiway):
        return split.values
    return split.members if is_exactly(split, Subset) else ()


# Surrogates as arrays, as the native library returns them


@frozen(eq=False)
class SurrogateArrays:
    """Surrogates of some nodes (N,) by number, the best first: those of node i are `found[first[i]:first[i + 1]]`.

    Each is a record of `native.STAND_IN`: a feature, with a threshold `at` or the codes that go to child 0 (`low`) and to child 1
    (`high`) as bits, whether child 0 means child 1 of the split, and the agreement. `coded` marks those that test codes.
    `default_child` (N,) is the larger child of each node.

    >>> from ftree import native
    >>> found = np.array([native.record(native.STAND_IN, feature=1, at=0.5, reversed=1, agreement=0.9)], native.STAND_IN)
    >>> one = SurrogateArrays(np.array([4]), np.array([1]), np.array([0, 1]), found, np.array([False]))
    >>> one.added_to([Threshold(0, 2.5)])[0].stand_ins
    (Surrogate(split=Threshold(feature=1, at=0.5), reversed=True, agreement=0.9, adjusted=0.0),)
    """

    node: Array
    default_child: Array
    first: Array
    found: Array
    coded: Array

    def added_to(self, splits: Sequence[Split]) -> "list[Split]":
        """The splits of the nodes with their surrogates."""
        from ftree.tree.splits import Surrogate, WithSurrogates  # noqa: PLC0415  # most trees have no surrogates

        is_reversed, agreement, adjusted = (self.found[name].tolist() for name in ("reversed", "agreement", "adjusted"))
        listed = unchecked(Surrogate, self._each(), list(map(bool, is_reversed)), agreement, adjusted)
        surrogates = [tuple(listed[start:end]) for start, end in pairwise(self.first.tolist())]
        return unchecked(WithSurrogates, splits, surrogates, self.default_child.tolist())

    def in_order(self, order: Array) -> "SurrogateArrays":
        """The same surrogates where the nodes are numbered by their places in an order of all nodes."""
        number = np.empty(len(order), np.int64)
        number[order] = np.arange(len(order))
        node = number[self.node]
        by_node = np.argsort(node)
        some = ranges(self.first[by_node], self.first[by_node + 1])
        first = offsets(np.diff(self.first)[by_node])
        return SurrogateArrays(node[by_node], self.default_child[by_node], first, self.found[some], self.coded[some])

    def _each(self) -> list[Any]:
        """The splits of the surrogates, one after another; equal groups are one object."""
        made = np.empty(len(self.found), object)
        cuts, groups = self.found[~self.coded], self.found[self.coded]
        made[~self.coded] = unchecked(Threshold, cuts["feature"].tolist(), cuts["at"].tolist())
        made[self.coded] = list(map(_groups, *(groups[name].tolist() for name in ("feature", "low", "high"))))
        return made.tolist()


# The codes of a side are bits of an integer.
_BITS = 64


@lru_cache(maxsize=4096)
def _groups(feature: int, low: int, high: int) -> Groups:
    return Groups(feature, (_surrogate_codes(low), _surrogate_codes(high)))


def _surrogate_codes(bits: int) -> list[int]:
    return [code for code in range(_BITS) if bits >> code & 1]


# Many objects of a frozen class at once, without the checks of its constructor.


def unchecked(family: Any, *columns: Sequence[Any]) -> list[Any]:
    """Objects of a frozen class, made from one column of values for each field; the values must be valid and converted.

    Slots are set through their descriptors, as attrs itself does.

    >>> from ftree.tree import Threshold
    >>> unchecked(Threshold, [1, 2], [0.5, 1.5])
    [Threshold(feature=1, at=0.5), Threshold(feature=2, at=1.5)]
    """
    made = list(map(object.__new__, repeat(family, len(columns[0]))))
    for field, column in zip(fields(family), columns, strict=False):
        exhaust(map(getattr(family, field.name).__set__, made, column))
    return made
