"""Trees of R's rpart, from the tables of a fit.

rpart sends x < cut to one side; a tree read from it has the largest number below the cut as its threshold, so it divides all
numbers in the same way.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from io import StringIO
from math import inf, isfinite, nextafter
from typing import Any

from attrs import evolve, frozen

from ftree._lib.messages import short_repr, type_of
from ftree.exchange.others.readers import from_links, sums_of_numbers, whole_where_near
from ftree.routing.missing_rules import heaviest
from ftree.tree.nodes import Tree
from ftree.tree.schema import Schema, position
from ftree.tree.splits import Groups, Subset, Surrogate, Threshold, WithSurrogates
from ftree.tree.splits.split import Split

_LEFT, _UNUSED = 1, 2


def from_rpart(frame: str, splits: str = "", csplit: str = "", *, schema: Schema) -> Tree:
    """The tree of a fit by method="class" or "anova": texts of `write.csv` for `fit$frame`, `fit$splits` and `fit$csplit`.

    The schema's features have the names of the fit's variables, and their values in the order of R's levels, as in
    `attr(fit, "xlevels")`; classes are in the order of `attr(fit, "ylevels")`. For method="anova" it has the response
    `ftree.tree.numbers()` in place of classes; that of the tree fits the numbers. Surrogates are included. A row that lacks all
    of a split's variables goes to the child with more cases by weight, the first of equal ones; rpart counts rows without
    weights, and stays at the branch if both children have equally many. Each node has the frame's counts. A level
    without cases at a split is missing there; if the split has surrogates, it goes to the second child instead.

    Raises a ValueError for other tables, a KeyError for a variable that the schema lacks.

    >>> from ftree import Feature
    >>> frame = '''"","var","n","wt","dev","yval","complexity","ncompete","nsurrogate","yval2.V1","yval2.V2","yval2.V3"
    ... "1","age",3,3,1,1,1,0,0,1,2,1
    ... "2","<leaf>",2,2,0,1,0,0,0,1,2,0
    ... "3","<leaf>",1,1,0,2,0,0,0,2,0,1'''
    >>> cuts = '''"","count","ncat","improve","index","adj"
    ... "age",3,-1,1,17.5,0'''
    >>> print(from_rpart(frame, cuts, schema=Schema([Feature("age", "numeric")], "ill", ("no", "yes"))))
    age <= 17.5: no (2.0)
    age > 17.5: yes (1.0)
    """
    if not isinstance(schema, Schema):
        raise TypeError(f"schema must be a Schema, such as dataset.schema, got {type_of(schema)}.")
    nodes = {each.number: each for each in _nodes(_table(frame, "frame"), schema)}
    if not nodes:
        raise ValueError("frame must have a line for each node, got none.")
    levels = [[_number(cell) for cell in row[1:]] for row in _table(csplit, "csplit")[1:]]
    made = _splits(nodes.values(), [_Cut.of(row) for row in _table(splits, "splits")[1:]], levels, schema)

    def children(number: int) -> Sequence[int]:
        if number not in nodes:
            raise ValueError(f"frame must have both children of each node, got none of the number {number}.")
        below = 2 * number, 2 * number + 1
        return () if number not in made else below[::-1] if made[number].swapped else below

    counts: Mapping[int, Sequence[float]] = {number: node.counts for number, node in nodes.items()}
    if not schema.has_classes:
        response, counts = sums_of_numbers({number: node.counts for number, node in nodes.items() if node.is_leaf})
        schema = evolve(schema, response=response)
    root = from_links(children, lambda number: made[number].split, counts.__getitem__, root=1, of_branch=counts.get)
    return Tree(schema, root, missing=heaviest())


@frozen
class _Node:
    """A line of the frame; the counts of numbers are cases, the mean and the deviance."""

    number: int
    is_leaf: bool
    n_compete: int
    n_surrogates: int
    counts: list[float]


@frozen
class _Cut:
    """A line of the splits: ncat is -1 if x < index goes left, 1 if it goes right, else the number of levels."""

    name: str
    ncat: int
    improve: float
    index: float
    adj: float

    @classmethod
    def of(cls, row: list[str]) -> "_Cut":
        if len(row) != 6:  # noqa: PLR2004  # name, count, ncat, improve, index, adj
            raise ValueError(f"splits must have the columns count, ncat, improve, index, adj, got {short_repr(row)}.")
        _, _, improve, index, adj = map(_number, row[1:])
        return cls(row[0], _whole_number(row[2], least=-1), improve, index, adj)


@frozen
class _Made:
    """A split, and whether its first child is rpart's right one."""

    split: Split
    swapped: bool


def _table(text: str, what: str) -> list[list[str]]:
    if not isinstance(text, str):
        raise TypeError(f"{what} must be the text of write.csv, got {short_repr(text)}.")
    try:
        return [row for row in csv.reader(StringIO(text), strict=True) if row]
    except csv.Error as error:
        raise ValueError(f"{what} must be the text of write.csv, got {short_repr(text)}: {error}.") from None


def _nodes(rows: list[list[str]], schema: Schema) -> Iterable[_Node]:
    n, of_classes = len(schema.classes), schema.has_classes
    for row in rows[1:]:
        if len(row) < 10 + n if of_classes else len(row) != 9:  # noqa: PLR2004  # var to nsurrogate
            yval2 = f"and yval2 of {n} classes, as that of a classification" if of_classes else "only, as that of method='anova'"
            raise ValueError(f"frame must have the columns var to nsurrogate {yval2} has, got {short_repr(row)}.")
        number, n_compete, n_surrogates = (_whole_number(row[place]) for place in (0, 7, 8))
        cells = row[10 : 10 + n] if of_classes else [row[place] for place in (3, 5, 4)]
        counts = list(map(_number, cells))
        yield _Node(number, row[1] == "<leaf>", n_compete, n_surrogates, whole_where_near(counts) if of_classes else counts)


def _splits(nodes: Iterable[_Node], cuts: list[_Cut], levels: list[list[float]], schema: Schema) -> dict[int, _Made]:
    """The split of each branch: the cuts have, for each branch in turn, its own, its competitors, and its surrogates."""
    made, start = {}, 0
    for node in nodes:
        if not node.is_leaf:
            end = start + 1 + node.n_compete + node.n_surrogates
            if end > len(cuts):
                message = f"splits must have a line for each split, competitor and surrogate of the frame, got {len(cuts)}."
                raise ValueError(message)
            made[node.number] = _with_surrogates(schema, cuts[start], cuts[end - node.n_surrogates : end], levels)
            start = end
    return made


def _with_surrogates(schema: Schema, cut: _Cut, others: list[_Cut], levels: list[list[float]]) -> _Made:
    own = _made(schema, cut, levels)
    if not others:
        return own
    backups = [(_made(schema, each, levels), each) for each in others]
    surrogates = [Surrogate(each.split, each.swapped != own.swapped, of.improve, of.adj) for each, of in backups]  # type: ignore[arg-type]
    split = own.split
    binary = Subset(split.feature, split.groups[0]) if isinstance(split, Groups) else split
    return _Made(WithSurrogates(binary, surrogates), own.swapped)  # type: ignore[arg-type]  # a threshold or a subset


def _made(schema: Schema, cut: _Cut, levels: list[list[float]]) -> _Made:
    feature = position(schema, cut.name)
    if abs(cut.ncat) == 1:
        return _Made(Threshold(feature, nextafter(cut.index, -inf)), cut.ncat == 1)
    row = int(cut.index) - 1
    if not 0 <= row < len(levels):
        raise ValueError(f"csplit must have the line {row + 1} that splits name, got {len(levels)} lines.")
    sides = levels[row][: cut.ncat]
    left, right = ([code for code, side in enumerate(sides) if side == asked] for asked in (_LEFT, 3))
    return _Made(Groups(feature, (left, right)) if _UNUSED in sides else Subset(feature, left), swapped=False)


def _whole_number(cell: Any, least: int = 0) -> int:
    number = int(_number(cell))
    if number != _number(cell) or number < least:
        raise ValueError(f"A cell must be a whole number from {least}, got {short_repr(cell)}.")
    return number


def _number(cell: Any) -> float:
    with suppress(ValueError):
        if isfinite(number := float(cell)):
            return number
    raise ValueError(f"A cell must be a number, got {short_repr(cell)}.")
