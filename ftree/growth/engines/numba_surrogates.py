"""Surrogates of the compiled engine: a kernel finds them, for a level or inside a subtree, and this file makes splits of them."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from ftree._lib.arrays import Array, offsets
from ftree.growth.engines.fused import SurrogateSearch
from ftree.growth.engines.numba_partition import known_children
from ftree.growth.engines.numba_state import State
from ftree.growth.kernels.surrogates import (
    Backing,
    FoundSurrogates,
    SurrogateTables,
    find_surrogates,
)
from ftree.growth.split_arrays import MULTIWAY, NONE, OBJECT, Cuts
from ftree.growth.surrogate_splits import SurrogateSplits
from ftree.splitters.surrogate_arrays import SurrogateArrays
from ftree.tree.schema import Feature


def surrogate_tables(
    features: Sequence[Feature], values: Sequence[Array], coded: Collection[int], search: SurrogateSearch | None
) -> SurrogateTables:
    """The kernel's data about a table; `values` are by code for coded features, else by row. Empty without a search."""
    if search is None:
        return _NO_TABLES
    at, begin, in_order = np.zeros(len(values), np.int64), 0, [f for f in range(len(values)) if f not in coded]
    for f in coded:
        at[f], begin = begin, begin + len(values[f])
    at[in_order] = np.arange(len(in_order))
    numbers = np.empty((len(in_order), len(values[in_order[0]]) if in_order else 0))
    for row, f in enumerate(in_order):
        numbers[row] = values[f] if values[f].dtype.kind == "f" else np.where(values[f] < 0, np.nan, values[f])
    backed = np.isin(np.arange(len(values)), list(search.features))
    nominal = np.array([feature.kind == "nominal" for feature in features], np.bool_)
    flat = np.concatenate([values[f] for f in coded]).astype(np.float64) if coded else np.zeros(0)
    return SurrogateTables(backed, nominal, at, flat, numbers)


_NO_TABLES = SurrogateTables(np.zeros(0, np.bool_), np.zeros(0, np.bool_), np.zeros(0, np.int64), np.zeros(0), np.zeros((1, 0)))


def backing(state: State, n: int) -> Backing:
    """The data of a kernel that grows subtrees, with room for the surrogates of n splits."""
    search = state.fixed.surrogates
    return Backing(state.fixed.surrogate_tables, _NO_ROOM if search is None else _room(n, search.at_most))


def _room(n: int, at_most: int) -> FoundSurrogates:
    of_type: Any = [np.int64, np.bool_, np.float64, np.uint64, np.uint64, np.float64, np.float64]
    arrays = [np.empty((n, at_most), each) for each in of_type]
    return FoundSurrogates(np.zeros(1, np.int64), np.empty(n, np.int8), *arrays)


# Growth without surrogates writes nothing to it.
_NO_ROOM = _room(0, 0)


def found_so_far(found: FoundSurrogates) -> tuple[Array, ...]:
    """The arrays of all surrogates found, without the unused room; none if none are searched."""
    return () if found is _NO_ROOM else tuple(array[: found.size[0]] for array in found[1:])


def cuts_with_surrogates(state: State, cuts: Cuts) -> Cuts:
    """The splits of the open nodes, with surrogates for the features that get them."""
    backed, search = is_backed(state, cuts), state.fixed.surrogates
    if search is None or not backed.any():
        return cuts
    child_at = offsets(cuts.arity)
    found, totals = _room(int(backed.sum()), search.at_most), np.zeros((child_at[-1], state.fixed.n_classes))
    given = child_at, cuts.feature.astype(np.int64), state.nodes, state.fixed.features, state.entries
    find_surrogates(cuts.kind, *given, known_children(state, cuts), totals, state.fixed.surrogate_tables, found)
    return with_found(state, cuts, backed, found[1:])


def is_backed(state: State, cuts: Cuts) -> Array:
    """Which splits get surrogates."""
    if state.fixed.surrogates is None:
        return np.zeros(len(cuts), np.bool_)
    in_two = (cuts.kind != NONE) & (cuts.kind != MULTIWAY) & (cuts.kind != OBJECT)
    marked: Array = in_two & np.append(state.fixed.surrogate_tables.backed, False)[cuts.feature]
    return marked


def with_found(state: State, cuts: Cuts, backed: Array, found: Sequence[Array]) -> Cuts:
    """The splits, with the found surrogates, in order, at those that a mask marks."""
    splits = SurrogateSplits(cuts, backed, SurrogateArrays(*found), state.fixed.surrogate_tables.nominal)
    return cuts.replaced(backed, splits)
