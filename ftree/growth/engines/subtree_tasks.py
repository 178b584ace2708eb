"""Subtrees as tasks for threads: groups of small nodes that are shared among threads, and the joining of the results.

An idle thread is counted as idle, and at the end of a level another thread leaves a part of the open nodes to it.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, end_to_end, run_starts
from ftree._lib.threads import ThreadPool

Tables: TypeAlias = tuple[Array, ...]

# The number of the table that has the first child of each node.
_FIRST = 5


@frozen(eq=False)
class Group:
    """The `numbers` of some open nodes of one depth, among `nodes` with these entries: both are records that kernels take.

    `number` is that of their first group, `above` that of the part that they follow, -1 for nodes of the level itself.
    """

    numbers: Array
    depth: int
    nodes: Any
    entries: Any
    number: int
    above: int = -1


@frozen(eq=False)
class Part:
    """Nodes grown by one kernel call: their tables, the group's nodes first, and how many it left open, which come last.

    `numbers` and `above` are those of the group; only its number is kept, since its entries take memory.
    """

    numbers: Array
    group: int
    above: int
    tables: Tables
    left: int


def dealt(nodes: Array, sizes: Array, each: int) -> list[Array]:
    """Divide nodes among groups whose sizes add up to about `each`.

    >>> [group.tolist() for group in dealt(np.arange(4), np.array([5, 1, 1, 1]), 4)]
    [[0], [1, 2, 3]]
    """
    middle = 2 * np.cumsum(sizes) - sizes
    return np.split(nodes, run_starts(middle // (2 * each))[1:]) if len(nodes) > 1 else [nodes]


def grown_in_parts(
    groups: Sequence[Group], grow: Callable[[Group, Array], tuple[Tables, int, Any, Any]], threads: ThreadPool, steps: int
) -> list[Part]:
    """All groups grown to the end, in parts; a part comes before those that follow it."""
    parts: dict[int, Part] = {}
    numbers, refused = count(), set[int]()

    def work(group: Group, idle: Array) -> list[Group]:
        if group.number in refused:
            return []
        tables, depth, left, entries = grow(group, idle)
        number, n_left = next(numbers), len(left.totals)
        if not len(tables[0]):
            refused.add(group.number)
        parts[number] = Part(group.numbers, group.number, group.above, tables, n_left)
        if not n_left:
            return []
        each = max(1, -(-int(left.end[-1]) // threads.n))
        handed = dealt(np.arange(n_left), left.end - left.start, each)
        return [Group(some, depth, left, entries, group.number, above=number) for some in handed]

    threads.run_tasks(groups, work, steps)
    return [parts[number] for number in sorted(parts)]


def join_parts(parts: Sequence[Part], n_level: int) -> tuple[Array, Array, Array, Tables] | None:
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


def _places(parts: Mapping[int, Part], behind: int) -> tuple[Array, dict[int, int]]:
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
