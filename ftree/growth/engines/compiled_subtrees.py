"""Whole subtrees of the compiled engine: small nodes grow to the end without objects.

Threads take groups of them, each of which one call grows. An idle thread is counted as idle, and at the end of a level another
thread leaves a part of the open nodes to it. What one call cannot grow, all threads grow together, level by level.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import Array, end_to_end, offsets, ranges, run_starts
from ftree._lib.machine import ThreadPool, has_room
from ftree.criteria.impurity_kernels import impurities_of
from ftree.growth.engines.compiled_moves import MOST_ENTRIES, follow, moved, nodes_between
from ftree.growth.engines.compiled_search import are_backed, described, found_surrogates, scored, with_found
from ftree.growth.engines.compiled_state import OpenRows, Spare, most_values, product
from ftree.growth.engines.engine import GrownSubtrees, StopLimits
from ftree.growth.kernels import grow_subtrees
from ftree.growth.kernels.records import (
    END,
    FEATURE,
    FIRST_CODE,
    LOWER,
    OWN,
    PARENT,
    PLACE,
    SCORE,
    START,
    EntryArrays,
    LeadingRows,
)
from ftree.growth.kernels.sorted_cuts import most_entries

# Nodes of up to `_SMALL` cells (entries times features) are grown to the end together, in groups of about `_GROUP` cells.
_SMALL, _GROUP = 2**18, 2**16
# From this many cells on, and this many entries a node, nodes that are grown by levels are left for an idle thread; with more
# idle threads, from fewer cells on. Levels of smaller nodes are many calls of little work, for which threads wait for each other.
_WORTH_IT, _MEAN_SIZE = 2**16, 32
# Of some nodes, in their order: class counts; kind, feature, values below and above a threshold, first child and number of listed
# values; the values listed; then the arrays of surrogates.
Tables: TypeAlias = tuple[Array, ...]
# The number of the table that has the first child of each node.
_FIRST = 5


@frozen(eq=False)
class GrownPart:
    """Nodes grown from one group: their tables, the group's nodes first, and how many it left open, which come last.

    `numbers` and `above` are those of the group; only its number is kept, since its entries take memory.
    """

    numbers: Array
    group: int
    above: "GrownPart | None"
    tables: Tables
    left: int


@frozen(eq=False)
class Group:
    """The `numbers` of some open nodes of one depth, among `rows`, that were left by `above` or are nodes of the level itself.

    `number` is that of their first group.
    """

    numbers: Array
    depth: int
    rows: OpenRows
    number: int
    above: GrownPart | None = None


# Grows a group until another thread is idle: the tables of nodes, the group's first, without any if the group is refused; then
# the depth and, if some nodes are left for that thread, their rows.
GrowGroup: TypeAlias = Callable[[Group, Array, Array], tuple[Tables, int, OpenRows | None]]

# Work in a group is not shared: it belongs to one thread.
_ALONE = ThreadPool(1)
# The tables of a group that could not be grown, and the types of those of surrogates.
_REFUSED: Tables = (np.empty(0),)
_KINDS: tuple[Any, ...] = np.int64, np.bool_, np.float64, np.uint64, np.uint64, np.float64, np.float64


def grown_subtrees(rows: OpenRows, depth: int, stop: StopLimits) -> GrownSubtrees | None:
    """The small open nodes, all at one depth, with all nodes below them; None if there are none."""
    fixed, cells = rows.fixed, rows.sizes * len(rows.fixed.values)
    (small,) = (cells <= _SMALL).nonzero()
    # Below a node of n entries are at most 2 n nodes, each with counts of all classes, in arrays that are copied as they grow.
    most = 48.0 * float(rows.sizes[small].sum()) * fixed.n_classes
    if not len(fixed.values) or not len(small) or not has_room(most):
        return None
    limits = np.array([stop.pure, stop.depth, stop.rows, stop.errors, stop.leaf, stop.gain], np.float64)
    is_counted = not len(rows.entries.weights) and fixed.surrogates is None and fixed.measure.impurity != OWN
    parts, left, each = list[GrownPart](), small, max(_GROUP, int(cells[small].sum()) // fixed.threads.n + 1)
    # By levels, large groups take fewer calls; a choice that is too close to call is then looked for in small ones.
    ways: list[tuple[GrowGroup, int]] = [(_grown_at_once, _GROUP), (_grown_by_levels, each), (_grown_by_levels, _GROUP)]
    for grow, size in ways[not is_counted :]:
        if len(left):
            groups = [Group(some, depth, rows, number) for number, some in enumerate(dealt(left, cells[left], size))]
            more, left = _grown_in_parts(grow, groups, limits)
            parts += more
    if not parts:
        return None
    nodes, places, first, tables = _joined(parts, len(cells))
    counts, kind, feature, lower, upper, _, width, codes, *surrogates = tables
    cuts = rows.cuts(kind, feature, (lower, upper), offsets(width), codes, lower)
    backed = are_backed(rows, cuts.kind, cuts.feature)
    if backed.any():
        cuts = with_found(rows, cuts, backed, surrogates)
    return GrownSubtrees(nodes, places, counts, cuts, first)


def dealt(nodes: Array, sizes: Array, each: int) -> list[Array]:
    """Divide nodes among groups whose sizes add up to about `each`.

    >>> [group.tolist() for group in dealt(np.arange(4), np.array([5, 1, 1, 1]), 4)]
    [[0], [1, 2, 3]]
    """
    middle = 2 * np.cumsum(sizes) - sizes
    return np.split(nodes, run_starts(middle // (2 * each))[1:]) if len(nodes) > 1 else [nodes]


def _grown_in_parts(grow: GrowGroup, groups: Sequence[Group], limits: Array) -> tuple[list[GrownPart], Array]:
    """Groups grown to the end, in parts, of which one comes before those that follow it; and the nodes of refused groups."""
    parts, refused, fixed = list[GrownPart](), set[int](), groups[0].rows.fixed

    def work(group: Group, idle: Array) -> list[Group]:
        if group.number in refused:
            return []
        tables, depth, left = grow(group, limits, idle)
        if not len(tables[0]):
            refused.add(group.number)
        part = GrownPart(group.numbers, group.number, group.above, tables, 0 if left is None else len(left.totals))
        parts.append(part)
        if left is None:
            return []
        each = int(left.nodes[END, -1]) // fixed.threads.n + 1
        handed = dealt(np.arange(part.left), left.sizes, each)
        return [Group(some, depth, left, group.number, above=part) for some in handed]

    cells = sum(int(group.rows.sizes[group.numbers].sum()) for group in groups) * len(fixed.values)
    fixed.threads.run_tasks(groups, work, cells)
    rest = np.concatenate([groups[0].numbers[:0], *(group.numbers for group in groups if group.number in refused)])
    return [part for part in parts if part.group not in refused], rest


def _grown_at_once(group: Group, limits: Array, idle: Array) -> tuple[Tables, int, OpenRows | None]:
    """The subtrees of a group of counted rows, by one call; it is refused if a choice is too close to call or a row is lost."""
    rows = _gathered(group.rows, group.numbers)
    columns, measure = rows.columns, rows.fixed.measure
    only_cuts = not len(columns.runs) and not len(columns.coded) and np.isnan(measure.slack)
    begin, run_sizes = np.append(rows.nodes[START], rows.nodes[END, -1]), None if only_cuts else most_values(group.rows)
    depth, counts, noted, listed, begin, totals, codes, of_class = grow_subtrees.grow_counted(
        begin, rows.totals, group.depth, columns, rows.entries, limits, measure, run_sizes, idle
    )
    tables: Tables = (counts, *noted, listed)
    if not len(totals):
        return tables, depth, None
    entries, lanes = rows.entries._replace(codes=codes, rows=of_class), -1 - rows.features[PLACE, rows.fixed.in_order]
    free = [row for row in range(len(entries.keys)) if row not in lanes]  # keys were moved in turns
    left = evolve(rows, entries=entries, nodes=nodes_between(begin), totals=totals, spare=Spare(rows.spare.codes, free))
    return tables, depth, left


def _grown_by_levels(group: Group, limits: Array, idle: Array) -> tuple[Tables, int, OpenRows | None]:
    """The subtrees of a group, by calls for each level; it is refused if a choice is too close to call or entries too many."""
    rows, depth, run_sizes = _gathered(group.rows, group.numbers), group.depth, most_values(group.rows)
    levels, surrogates, fixed, n_nodes = list[Tables](), list[Tables](), rows.fixed, 0
    most = min(MOST_ENTRIES, most_entries(rows.entries.keys.dtype, fixed.shift))
    begin, totals = np.append(rows.nodes[START], rows.nodes[END, -1]), rows.totals
    parents, divisible = rows.nodes[PARENT], rows.divisible
    if fixed.surrogates is not None:
        surrogates.append((np.empty(0, np.int8), *(np.empty((0, fixed.surrogates.at_most), kind) for kind in _KINDS)))
    while len(totals):
        if fixed.measure.impurity == OWN and _any_undefined(fixed.measure.own, totals):
            return _REFUSED, depth, None
        which, nodes, counts = grow_subtrees.open_nodes(begin, totals, parents, limits, depth)
        if not len(which):
            levels.append(_leaves(totals))
            return _joined_levels(levels, surrogates), depth, None
        rows = evolve(rows, nodes=nodes, totals=counts)
        scores = scored(rows, run_sizes, None if divisible is None else divisible[:, nodes[PARENT]])
        found, n_level = described(rows, scores, run_sizes), len(totals)
        moving, noted, listed, kind, child_at, below, parents = grow_subtrees.settle(
            which, n_level, n_nodes + n_level, counts, found, scores.score, rows.features, limits, depth, rows.measure
        )
        if moving < 0:
            return _REFUSED, depth, None
        divisible = scores.score[SCORE] != -np.inf if fixed.measure.plain and len(fixed.coded) else None
        if moving:
            splits, child = found.splits, np.empty(rows.entries.rows.shape[1], np.int32)
            follow(rows, LeadingRows(kind, splits[FEATURE, :-1], splits[LOWER, :-1], splits[FIRST_CODE], found.listed[0]), child)
            if fixed.surrogates is not None:
                surrogates.append(found_surrogates(rows, kind, splits[FEATURE, :-1], child_at, child, below))
            rows = moved(rows, kind, child_at, child, below)
            begin, below = np.append(rows.nodes[START], rows.nodes[END, -1]), rows.totals
            if begin[-1] >= most:
                return _REFUSED, depth, None
        levels.append((totals, *noted, listed))
        n_nodes, depth, totals = n_nodes + n_level, depth + 1, below
        if moving and _is_worth_leaving(rows, idle):
            left = evolve(rows, divisible=None if divisible is None else divisible[:, parents])
            return _joined_levels(levels, surrogates), depth, left
    return _joined_levels(levels, surrogates), depth, None


def _is_worth_leaving(rows: OpenRows, idle: Array) -> bool:
    """Whether idle threads are worth the open nodes; the largest one stays."""
    n, most = int(rows.nodes[END, -1]), int(rows.sizes.max())
    return int(idle[0]) * (n - most) * len(rows.fixed.values) >= _WORTH_IT and n >= _MEAN_SIZE * len(rows.totals)


def _gathered(rows: OpenRows, numbers: Array) -> OpenRows:
    """The entries of some nodes, numbered anew: sorted columns become rows of a block, and one to spare."""
    fixed, held, features = rows.fixed, rows.entries, rows.features.copy()
    starts, ends = rows.nodes[START, numbers], rows.nodes[END, numbers]
    begin = offsets(ends - starts)
    side_by_side = ends[-1] - starts[0] == begin[-1]
    entries: Any = slice(starts[0], ends[-1]) if side_by_side else ranges(starts, ends)
    keys = np.empty((len(fixed.in_order) + 1, begin[-1]), held.keys.dtype)
    grow_subtrees.gather_keys(numbers, begin, rows.nodes, held.keys, fixed.shift, fixed.in_order, rows.features, keys, features)
    times, fractions = held.times[entries] if len(held.times) else held.times, held.fractions
    fractions = fractions[entries] if len(fractions) else fractions
    # Codes are moved to and fro between two blocks, so a slice of the level's would be overwritten.
    codes, of_class = held.codes[entries].copy(), np.ascontiguousarray(held.rows[:, entries])
    nodes = nodes_between(begin)
    nodes[PARENT] = np.arange(len(numbers))
    return OpenRows(
        evolve(fixed, threads=_ALONE),
        features,
        EntryArrays(keys, codes, of_class, times, fractions, product(times, fractions)),
        nodes,
        rows.totals[numbers],
        Spare(np.empty_like(codes), [len(keys) - 1]),
        None if rows.divisible is None else rows.divisible[:, numbers],
    )


def _any_undefined(own: Any, totals: Array) -> bool:
    """Whether a user's impurity is NaN for a node; the NumPy engine raises the error."""
    answers = np.empty(len(totals))
    impurities_of(own, totals, answers)
    return bool(np.isnan(answers).any())


def _leaves(totals: Array) -> Tables:
    """The tables of a level of leaves."""
    noted = np.zeros((grow_subtrees.N_NOTED, len(totals)), np.int64)
    noted[1] = -1
    return (totals, *noted, np.empty(0, np.int64))


def _joined_levels(levels: Sequence[Tables], surrogates: Sequence[Tables]) -> Tables:
    """The tables of all levels in one, and those of their surrogates."""
    return (*map(end_to_end, zip(*levels, strict=True)), *map(end_to_end, zip(*surrogates, strict=True)))


def _joined(parts: Sequence[GrownPart], n_level: int) -> tuple[Array, Array, Array, Tables]:
    """The finished nodes of the level, the position of every grown node, that of its first child, and all tables in one.

    Positions number the level's nodes first.
    """
    places, starts = _places(parts, n_level)
    sizes = [len(part.tables[0]) for part in parts]
    tables = tuple(map(end_to_end, zip(*(part.tables for part in parts), strict=True)))
    done = end_to_end([part.numbers for part in parts if part.above is None])
    own = end_to_end([places[start : start + size] for start, size in zip(starts, sizes, strict=True)])
    return done, own, places[tables[_FIRST] + np.repeat(starts, sizes)], tables


def _places(parts: Sequence[GrownPart], behind: int) -> tuple[Array, list[int]]:
    """The positions of the nodes of one part after another, those left open last, and the start of each part's."""
    starts = offsets(np.array([len(part.tables[0]) + part.left for part in parts])).tolist()
    places, left_by = np.empty(starts[-1], np.int64), dict[GrownPart | None, Array]()
    left_by[None] = np.arange(behind)
    for part, start, end in zip(parts, starts[:-1], starts[1:], strict=True):
        below = start + len(part.numbers)
        places[start:below] = left_by[part.above][part.numbers]
        places[below:end] = np.arange(behind, behind + end - below)
        behind, left_by[part] = behind + end - below, places[end - part.left : end]
    return places, starts[:-1]
