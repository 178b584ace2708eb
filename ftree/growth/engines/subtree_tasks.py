"""Small nodes grown to the end: groups that threads take in turn and hand over to each other, then put together.

A thread with nothing to do says so, and at the end of a level another one leaves it a part of the nodes that are open.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, end_to_end, run_starts
from ftree._lib.threads import ThreadPool

Tables: TypeAlias = tuple[Array, ...]

# Which of the tables tells the first child of a node.
_FIRST = 5


@frozen(eq=False)
class Group:
    """Open nodes of one depth, and the entries that they have among others: node k's from `start[k]` to `end[k]`.

    `number` is that of the group they began in, `above` that of the part they follow, -1 where they are of the level itself.
    """

    nodes: Array
    depth: int
    start: Array
    end: Array
    exact: Array
    entries: Tables
    number: int
    above: int = -1


@frozen(eq=False)
class Part:
    """What one call has grown of a group: tables of nodes, the group's first, and how many nodes it left open, which follow.

    `nodes` and `above` are those of the group, whose number and no more is kept: its entries take room.
    """

    nodes: Array
    group: int
    above: int
    tables: Tables
    left: int


def dealt(nodes: Array, sizes: Array, each: int) -> list[Array]:
    """Divide nodes among groups of about so much.

    >>> [group.tolist() for group in dealt(np.arange(4), np.array([5, 1, 1, 1]), 4)]
    [[0], [1, 2, 3]]
    """
    middle = 2 * np.cumsum(sizes) - sizes
    return np.split(nodes, run_starts(middle // (2 * each))[1:]) if len(nodes) > 1 else [nodes]


def grown_in_parts(
    groups: Sequence[Group], grow: Callable[[Group, Array], tuple[Tables, tuple[Any, ...]]], crew: ThreadPool, steps: int
) -> list[Part]:
    """All groups grown to the end, in parts; those that another follows come before it."""
    parts: dict[int, Part] = {}
    numbers, refused = count(), set[int]()

    def work(group: Group, idle: Array) -> list[Group]:
        if group.number in refused:
            return []
        tables, (depth, exact, begin, *entries) = grow(group, idle)
        number = next(numbers)
        if not len(tables[0]):
            refused.add(group.number)
        parts[number] = Part(group.nodes, group.number, group.above, tables, len(exact))
        if not len(exact):
            return []
        sizes, nodes = np.diff(begin), np.arange(len(exact))
        handed = dealt(nodes, sizes, max(1, -(-int(begin[-1]) // crew.n)))
        return [Group(some, depth, begin[:-1], begin[1:], exact, tuple(entries), group.number, above=number) for some in handed]

    crew.run_tasks(groups, work, steps)
    return [parts[number] for number in sorted(parts)]


def joined(parts: Sequence[Part], n_level: int) -> tuple[Array, Array, Array, Tables] | None:
    """The nodes of the level that are done, the place of every node grown, that of its first child, and all tables in one.

    Groups of which some part could not be grown are left out; None when that leaves nothing. Places count the level's
    nodes first.
    """
    refused = {part.group for part in parts if not len(part.tables[0])}
    sure = {number: part for number, part in enumerate(parts) if part.group not in refused}
    if not sure:
        return None
    places, starts = _places(sure, n_level)
    sizes = [len(part.tables[0]) for part in sure.values()]
    tables = tuple(map(end_to_end, zip(*(part.tables for part in sure.values()), strict=True)))
    done = end_to_end([part.nodes for part in sure.values() if part.above < 0])
    own = end_to_end([places[start : start + size] for start, size in zip(starts.values(), sizes, strict=True)])
    return done, own, places[tables[_FIRST] + np.repeat(list(starts.values()), sizes)], tables


def _places(parts: Mapping[int, Part], behind: int) -> tuple[Array, dict[int, int]]:
    """The places of the nodes of one part after another, those that each left open last, and where each part's begin."""
    rooms = {number: len(part.tables[0]) + part.left for number, part in parts.items()}
    places, starts, start = np.empty(sum(rooms.values()), np.int64), dict[int, int](), 0
    for number, part in parts.items():
        n, end, starts[number] = len(part.nodes), start + rooms[number], start
        left = starts[part.above] + len(parts[part.above].tables[0]) if part.above >= 0 else 0
        places[start : start + n] = places[left + part.nodes] if part.above >= 0 else part.nodes
        places[start + n : end] = np.arange(behind, behind + end - start - n)
        behind, start = behind + end - start - n, end
    return places, starts
