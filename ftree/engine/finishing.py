"""Small nodes grown to the end: groups that threads take in turn and hand over to each other, then put together.

A thread with nothing to do says so, and at the end of a level another one leaves it a part of the nodes that are open.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen

from ftree._crew import Crew
from ftree._kernels import end_to_end, run_starts
from ftree.frontier import Array

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
    """What one call has grown of a group: a table of nodes, the group's first, and how many nodes it left open, which follow."""

    group: Group
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
    groups: Sequence[Group], grow: Callable[[Group, Array], tuple[Tables, tuple[Any, ...]]], crew: Crew, steps: int
) -> list[Part]:
    """All groups grown to the end, in parts; those that another follows come before it."""
    parts: dict[int, Part] = {}
    numbers = count()

    def work(group: Group, idle: Array) -> list[Group]:
        tables, (depth, exact, begin, *entries) = grow(group, idle)
        number = next(numbers)
        parts[number] = Part(group, tables, len(exact))
        if not len(exact):
            return []
        sizes, nodes = np.diff(begin), np.arange(len(exact))
        handed = dealt(nodes, sizes, max(1, -(-int(begin[-1]) // crew.n)))
        return [Group(some, depth, begin[:-1], begin[1:], exact, tuple(entries), group.number, above=number) for some in handed]

    crew.drain(groups, work, steps)
    return [parts[number] for number in sorted(parts)]


def joined(parts: Sequence[Part], n_level: int) -> tuple[Array, Array, Array, Tables] | None:
    """The nodes of the level that are done, the place of every node grown, that of its first child, and all tables in one.

    Groups of which some part could not be grown are left out; None when that leaves nothing. Places count the level's
    nodes first.
    """
    refused = {part.group.number for part in parts if not len(part.tables[0])}
    sure = {number: part for number, part in enumerate(parts) if part.group.number not in refused}
    if not sure:
        return None
    places = _places(sure, n_level)
    done = [part.group.nodes for part in sure.values() if part.group.above < 0]
    own = [places[number][: len(part.tables[0])] for number, part in sure.items()]
    first = [places[number][part.tables[_FIRST]] for number, part in sure.items()]
    tables = zip(*(part.tables for part in sure.values()), strict=True)
    return end_to_end(done), end_to_end(own), end_to_end(first), tuple(map(end_to_end, tables))


def _places(parts: Mapping[int, Part], behind: int) -> dict[int, Array]:
    """The places of the nodes of each part, those that it left open last."""
    places: dict[int, Array] = {}
    for number, part in parts.items():
        group, above = part.group, part.group.above
        own = group.nodes if above < 0 else places[above][group.nodes - parts[above].left]
        below = len(part.tables[0]) - len(own) + part.left
        places[number] = np.append(own, np.arange(behind, behind + below))
        behind += below
    return places
