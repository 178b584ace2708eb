"""Whole subtrees of the compiled engine: small nodes grow to the end without objects.

Threads take groups of them, each of which one call grows. An idle thread is counted as idle, and at the end of a level another
thread leaves a part of the open nodes to it. What one call cannot grow, all threads grow together, level by level.
"""

from collections.abc import Mapping, Sequence
from itertools import count
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
# Of some nodes, in their order: class counts; kind, feature, values below and above a threshold, first child and number of listed
# values; the values listed; then the arrays of surrogates.
Tables: TypeAlias = tuple[Array, ...]
# The number of the table that has the first child of each node.
_FIRST = 5


@frozen(eq=False)
class Group:
    """The `numbers` of some open nodes of one depth, among `rows`.

    `number` is that of their first group, `above` that of the part that they follow, -1 for nodes of the level itself.
    """

    numbers: Array
    depth: int
    rows: OpenRows
    number: int
    above: int = -1


@frozen(eq=False)
class GrownPart:
    """Nodes grown from one group: their tables, the group's nodes first, and how many it left open, which come last.

    `numbers` and `above` are those of the group; only its number is kept, since its entries take memory.
    """

    numbers: Array
    group: int
    above: int
    tables: Tables
    left: int


# Work in a group is not shared: it belongs to one thread.
_ALONE = ThreadPool(1)
# The tables of a group that could not be grown, and of no surrogates.
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
    groups = [Group(numbers, depth, rows, number) for number, numbers in enumerate(dealt(small, cells[small], _GROUP))]
    limits = np.array([stop.pure, stop.depth, stop.rows, stop.errors, stop.leaf, stop.gain], np.float64)
    is_counted = not len(rows.entries.weights) and fixed.surrogates is None and fixed.measure.impurity != OWN
    parts, rest = _grown_in_parts(groups, limits, int(cells[small].sum())) if is_counted else ([], groups)
    if (found := _joined(parts + _grown_together(rest, limits), len(cells))) is None:
        return None
    nodes, places, first, tables = found
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


def _grown_in_parts(groups: Sequence[Group], limits: Array, steps: int) -> tuple[list[GrownPart], list[Group]]:
    """Groups grown to the end, in parts, of which one comes before those that follow it; and the groups with a lost row."""
    parts: dict[int, GrownPart] = {}
    numbers, refused, lost, threads = count(), set[int](), set[int](), groups[0].rows.fixed.threads

    def work(group: Group, idle: Array) -> list[Group]:
        if group.number in refused:
            return []
        tables, depth, left, is_lost = _grown_at_once(group, limits, idle)
        number, n_left = next(numbers), 0 if left is None else len(left.totals)
        if not len(tables[0]):
            refused.add(group.number)
            lost.update([group.number] if is_lost else [])
        parts[number] = GrownPart(group.numbers, group.number, group.above, tables, n_left)
        if left is None:
            return []
        each = max(1, -(-int(left.nodes[END, -1]) // threads.n))
        handed = dealt(np.arange(n_left), left.sizes, each)
        return [Group(some, depth, left, group.number, above=number) for some in handed]

    threads.run_tasks(groups, work, steps)
    return [parts[number] for number in sorted(parts)], [groups[number] for number in sorted(lost)]


def _grown_at_once(group: Group, limits: Array, idle: Array) -> tuple[Tables, int, OpenRows | None, bool]:
    """The subtrees of a group, its nodes first; then the depth and, if some nodes are left for another thread, their rows.

    There are no nodes if a choice is too close to call or, which comes last, if a split has no answer for a row.
    """
    rows = _gathered(group.rows, group.numbers, _ALONE)
    columns, measure = rows.columns, rows.fixed.measure
    only_cuts = not len(columns.runs) and not len(columns.coded) and np.isnan(measure.slack)
    begin, run_sizes = np.append(rows.nodes[START], rows.nodes[END, -1]), None if only_cuts else most_values(group.rows)
    depth, counts, noted, listed, begin, totals, codes, of_class, is_lost = grow_subtrees.grow_counted(
        begin, rows.totals, group.depth, columns, rows.entries, limits, measure, run_sizes, idle
    )
    tables: Tables = (counts, *noted, listed)
    if not len(totals):
        return tables, depth, None, is_lost
    entries, lanes = rows.entries._replace(codes=codes, rows=of_class), -1 - rows.features[PLACE, rows.fixed.in_order]
    free = [row for row in range(len(entries.keys)) if row not in lanes]  # keys were moved in turns
    left = evolve(rows, entries=entries, nodes=nodes_between(begin), totals=totals, spare=Spare(rows.spare.codes, free))
    return tables, depth, left, False


def _grown_together(groups: Sequence[Group], limits: Array) -> list[GrownPart]:
    """Groups grown level by level, in one part, or each in its own where a choice is too close to call."""

    def grown(numbers: Array, group: Group) -> GrownPart:
        rows = _gathered(group.rows, numbers, group.rows.fixed.threads)
        tables = _grown_by_levels(rows, group.depth, limits, most_values(group.rows))
        return GrownPart(numbers, ~group.number, -1, tables, 0)

    parts = [grown(end_to_end([group.numbers for group in groups]), group) for group in groups[:1]]
    refused = len(groups) > 1 and not len(parts[0].tables[0])
    return [grown(group.numbers, group) for group in groups] if refused else parts


def _grown_by_levels(rows: OpenRows, depth: int, limits: Array, run_sizes: tuple[int, int]) -> Tables:
    """The subtrees of some nodes, these first; there are none if a choice is too close to call or entries are too many."""
    levels, surrogates, fixed, n_nodes = list[Tables](), list[Tables](), rows.fixed, 0
    most = min(MOST_ENTRIES, most_entries(rows.entries.keys.dtype, fixed.shift))
    begin, totals, parents, divisible = np.append(rows.nodes[START], rows.nodes[END, -1]), rows.totals, rows.nodes[PARENT], None
    if fixed.surrogates is not None:
        surrogates.append(_no_surrogates(fixed.surrogates.at_most))
    while len(totals):
        if fixed.measure.impurity == OWN and _any_undefined(fixed.measure.own, totals):
            return _REFUSED
        which, nodes, counts = grow_subtrees.open_nodes(begin, totals, parents, limits, depth)
        if not len(which):
            levels.append(_leaves(totals))
            break
        rows = evolve(rows, nodes=nodes, totals=counts)
        scores = scored(rows, run_sizes, None if divisible is None else divisible[:, nodes[PARENT]])
        found, n_level = described(rows, scores, run_sizes), len(totals)
        moving, noted, listed, kind, child_at, below, parents = grow_subtrees.settle(
            which, n_level, n_nodes + n_level, counts, found, scores.score, rows.features, limits, depth, rows.measure
        )
        if moving < 0:
            return _REFUSED
        divisible = scores.score[SCORE] != -np.inf if fixed.measure.plain and len(fixed.coded) else None
        if moving:
            splits, child = found.splits, np.empty(rows.entries.rows.shape[1], np.int32)
            follow(rows, LeadingRows(kind, splits[FEATURE, :-1], splits[LOWER, :-1], splits[FIRST_CODE], found.listed[0]), child)
            if fixed.surrogates is not None:
                surrogates.append(found_surrogates(rows, kind, splits[FEATURE, :-1], child_at, child, below))
            rows = moved(rows, kind, child_at, child, below)
            begin, below = np.append(rows.nodes[START], rows.nodes[END, -1]), rows.totals
            if begin[-1] >= most:
                return _REFUSED
        levels.append((totals, *noted, listed))
        n_nodes, depth, totals = n_nodes + n_level, depth + 1, below
    return _joined_levels(levels, surrogates)


def _gathered(rows: OpenRows, numbers: Array, threads: ThreadPool) -> OpenRows:
    """The entries of some nodes, numbered anew: sorted columns become rows of a block, with one to spare for each thread."""
    fixed, held, features = rows.fixed, rows.entries, rows.features.copy()
    starts, ends = rows.nodes[START, numbers], rows.nodes[END, numbers]
    begin = offsets(ends - starts)
    side_by_side = ends[-1] - starts[0] == begin[-1]
    entries: Any = slice(starts[0], ends[-1]) if side_by_side else ranges(starts, ends)
    keys = np.empty((len(fixed.in_order) + threads.n, begin[-1]), held.keys.dtype)
    grow_subtrees.gather_keys(numbers, begin, rows.nodes, held.keys, fixed.shift, fixed.in_order, rows.features, keys, features)
    times, fractions = held.times[entries] if len(held.times) else held.times, held.fractions
    fractions = fractions[entries] if len(fractions) else fractions
    # Codes are moved to and fro between two blocks, so a slice of the level's would be overwritten.
    codes, of_class = held.codes[entries].copy(), np.ascontiguousarray(held.rows[:, entries])
    nodes = nodes_between(begin)
    nodes[PARENT] = 0
    return OpenRows(
        evolve(fixed, threads=threads),
        features,
        EntryArrays(keys, codes, of_class, times, fractions, product(times, fractions)),
        nodes,
        rows.totals[numbers],
        Spare(np.empty_like(codes), list(range(len(fixed.in_order), len(keys)))),
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


def _no_surrogates(at_most: int) -> Tables:
    """The tables of no surrogates."""
    return (np.empty(0, np.int8), *(np.empty((0, at_most), kind) for kind in _KINDS))


def _joined_levels(levels: Sequence[Tables], surrogates: Sequence[Tables]) -> Tables:
    """The tables of all levels in one, and those of their surrogates."""
    return (*map(end_to_end, zip(*levels, strict=True)), *map(end_to_end, zip(*surrogates, strict=True)))


def _joined(parts: Sequence[GrownPart], n_level: int) -> tuple[Array, Array, Array, Tables] | None:
    """The finished nodes of the level, the position of every grown node, that of its first child, and all tables in one.

    Groups of which some part could not be grown are omitted; None if no group is left. Positions number the level's
    nodes first.
    """
    refused = {part.group for part in parts if not len(part.tables[0])}
    sure = {number: part for number, part in enumerate(parts) if part.group not in refused}
    if not sure:
        return None
    places, starts = _places(sure, n_level)
    sizes = [len(part.tables[0]) for part in sure.values()]
    tables = tuple(map(end_to_end, zip(*(part.tables for part in sure.values()), strict=True)))
    done = end_to_end([part.numbers for part in sure.values() if part.above < 0])
    own = end_to_end([places[start : start + size] for start, size in zip(starts.values(), sizes, strict=True)])
    return done, own, places[tables[_FIRST] + np.repeat(list(starts.values()), sizes)], tables


def _places(parts: Mapping[int, GrownPart], behind: int) -> tuple[Array, dict[int, int]]:
    """The positions of the nodes of one part after another, those left open last, and the start of each part's."""
    rooms = {number: len(part.tables[0]) + part.left for number, part in parts.items()}
    places, starts, start = np.empty(sum(rooms.values()), np.int64), dict[int, int](), 0
    for number, part in parts.items():
        n, end, starts[number] = len(part.numbers), start + rooms[number], start
        left = starts[part.above] + len(parts[part.above].tables[0]) if part.above >= 0 else 0
        places[start : start + n] = places[left + part.numbers] if part.above >= 0 else part.numbers
        places[start + n : end] = np.arange(behind, behind + end - start - n)
        behind, start = behind + end - start - n, end
    return places, starts
