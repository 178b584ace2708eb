"""Trees in the texts that other programs print: Weka's trees, with counts or without, and the tables of a fit of R's rpart.

rpart sends x < cut to one side; a tree read from it has the largest number below the cut as its threshold, so it divides all
numbers in the same way.
"""

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from io import StringIO
from math import inf, isfinite, nextafter
from typing import Any

import numpy as np
from attrs import evolve, frozen

from ftree._lib.messages import joined, short_repr, type_of
from ftree.data.dataset import Dataset
from ftree.data.times import seconds, time_in_text
from ftree.exchange.others.readers import (
    among_codes,
    at_threshold,
    check_dataset,
    from_links,
    recounted,
    sums_of_numbers,
    whole_where_near,
)
from ftree.routing.missing_rules import heaviest, weighted
from ftree.tree.nodes import Counts, Tree, whole_numbers
from ftree.tree.schema import Feature, Schema, position
from ftree.tree.splits import Groups, Multiway, Subset, Surrogate, Threshold, WithSurrogates
from ftree.tree.splits.shared import code_of, number_of
from ftree.tree.splits.split import Split

_BAR = "|   "
_CASES = r"(?: \((?P<cases>\d++\.?+\d*+)(?:/(?P<errors>\d++\.?+\d*+))?\))?"
_LEAF = re.compile(rf"(?P<condition>.*?)(?:^|(?<=\S)): (?P<label>.*?){_CASES}")
_CONDITION = re.compile(r"(?P<name>.+?) (?:(?P<sign><=|>|=|!=) (?P<value>.+)|(?P<is>(?:not )?in) \{(?P<values>.*)\})")
_NUMERIC, _EACH, _ONE, _OF_VALUES = ("<=", ">"), "=", ("=", "!="), {"=", "in", "not in"}


def from_weka_text(text: str, schema: Schema | None = None, *, dataset: Dataset | None = None, target: str = "class") -> Tree:
    """The tree of Weka's text, with or without the lines around it, or of `text(tree, values=None)`.

    Without a schema, features compared with numbers are numeric, and values and classes are texts in the order of the lines. A
    leaf `(5.0/2.0)` has 5 cases, 2 of which are not of its class; if there are several other classes, the text does not say
    which, and they get equal parts. A leaf without cases in its line has one case. `dataset` gives a schema, and its rows are
    counted instead of the text's cases. A row with a missing value is divided among the children by their cases, as in Weka.

    Raises a ValueError for any other text, and a KeyError for a feature that the schema lacks.

    >>> print(from_weka_text('''
    ... age <= 17: no (5.0)
    ... age > 17
    ... |   sky = blue: yes (3.0/1.0)
    ... |   sky = grey: no (2.0)'''))
    age <= 17: no (5.0)
    age > 17
    |   sky = blue: yes (3.0/1.0)
    |   sky = grey: no (2.0)
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be the text that Weka prints, got {type_of(text)}.")
    if dataset is not None:
        check_dataset(dataset)
    lines = [_line(line) for line in _lines(text)]
    below = _below(lines)
    known = dataset.schema if dataset is not None else _schema_of(lines, target) if schema is None else schema
    root = from_links(
        lambda number: below[number],
        lambda number: _split(known, [lines[child] for child in below[number]]),
        lambda number: _counts(known, lines[number]),
    )
    return Tree(known, root, missing=weighted()) if dataset is None else recounted(root, dataset, weighted())


@frozen
class _Line:
    """A line of the text: its depth from 1, its condition, and the label and cases of a leaf. The first stands for the root."""

    depth: int
    name: str = ""
    sign: str = ""
    value: str = ""
    label: str | None = None
    cases: float = 1
    errors: float = 0


def _lines(text: str) -> list[str]:
    """The lines of the tree: those after a heading, and before the sizes. A tree of one leaf has one line."""
    listed = [line.rstrip() for line in text.strip("\n").splitlines()]
    rules = [number for number, line in enumerate(listed) if re.fullmatch("-{3,}", line)]
    ends = [number for number, line in enumerate(listed) if line.startswith("Number of Leaves")]
    found = [line for line in listed[rules[0] + 1 if rules else 0 : ends[0] if ends else None] if line]
    single = bool(found) and found[0].startswith(": ") and all(line.startswith("# ") for line in found[1:])  # advice follows
    return found[:1] if single else ["", *found]


def _line(line: str) -> _Line:
    stated = line.lstrip("| ")
    depth, odd = divmod(len(line) - len(stated), len(_BAR))
    leaf = _LEAF.fullmatch(stated)
    condition = _CONDITION.fullmatch(leaf["condition"] if leaf else stated)
    if odd or line[: depth * len(_BAR)] != _BAR * depth or (condition is None and line and not line.startswith(": ")):
        message = f"Each line of text must be bars and a condition, as in '|   age <= 17: no (5.0)', got {short_repr(line)}."
        raise ValueError(message)
    name, sign, value = [each for each in condition.groups() if each is not None] if condition else ("", "", "")
    depth += bool(condition)
    if leaf is None:
        return _Line(depth, name, sign, value)
    cases, errors = (float(leaf[key] or least) for key, least in (("cases", 1), ("errors", 0)))
    if not errors <= cases < inf:
        raise ValueError(f"Cases of a leaf must be a finite number, and as many as its errors, got {short_repr(line)}.")
    return _Line(depth, name, sign, value, leaf["label"], cases, errors)


def _below(lines: Sequence[_Line]) -> list[list[int]]:
    """The numbers of the lines below each line."""
    below: list[list[int]] = [[] for _ in lines]
    above = [0]
    for number, line in enumerate(lines[1:], start=1):
        if not 1 <= line.depth <= len(above) or lines[above[line.depth - 1]].label is not None:
            got = f"{short_repr(line.name)} at level {line.depth}"
            message = f"Each line of text must be at most one level below its branch, got {got}."
            raise ValueError(message)
        del above[line.depth :]
        below[above[-1]].append(number)
        above.append(number)
    open_lines = [line for line, kids in zip(lines, below, strict=True) if not kids and line.label is None]
    if open_lines:
        raise ValueError(
            f"Each line of text must be a leaf or have lines below it, got {short_repr(open_lines[0].name)} without either."
        )
    return below


def _schema_of(lines: Sequence[_Line], target: str) -> Schema:
    values: defaultdict[str, dict[str, None]] = defaultdict(dict)
    numeric = {line.name for line in lines if line.sign in _NUMERIC}
    for line in lines[1:]:
        values[line.name] |= dict.fromkeys(_listed(line))
    features = [Feature(name, "numeric") if name in numeric else Feature(name, "nominal", own) for name, own in values.items()]
    return Schema(features, target, dict.fromkeys(line.label for line in lines if line.label not in (None, "null")))


def _split(schema: Schema, lines: Sequence[_Line]) -> Split:
    """The split of a branch whose children have these lines."""
    names, signs, values = ([getattr(line, field) for line in lines] for field in ("name", "sign", "value"))
    number = position(schema, names[0])
    if len(set(names)) == 1:
        if tuple(signs) == _NUMERIC and values[0] == values[1]:
            return at_threshold(number, _at(schema.features[number], values[0]))
        if set(signs) == {_EACH}:
            return Multiway(number, [_code(schema.features[number], value) for value in values])
        if set(signs) <= _OF_VALUES:
            return Groups(number, [_codes(schema.features[number], line) for line in lines])
        if tuple(signs) == _ONE and values[0] == values[1]:
            return among_codes(number, [_code(schema.features[number], values[0])])
    stated = short_repr(joined(f"{line.name} {line.sign} {line.value}" for line in lines))
    wanted = "<= and > a number, = each value, = and != a value, or in {values}"
    raise ValueError(f"Lines below a branch must be {wanted}, got {stated}.")


def _listed(line: _Line) -> list[str]:
    """The values in a line."""
    if line.sign not in {"in", "not in"}:
        return [line.value]
    try:
        return next(csv.reader([line.value], skipinitialspace=True))
    except csv.Error as error:
        raise ValueError(
            f"Values in a line must be as in '{{grey, \"light, blue\"}}', got {short_repr(line.value)}: {error}."
        ) from None


def _codes(feature: Feature, line: _Line) -> list[int]:
    """The codes of the values that go to the child of a line."""
    codes = [_code(feature, value) for value in _listed(line)]
    return codes if line.sign != "not in" else [code for code in range(len(feature.values)) if code not in codes]


def _at(feature: Feature, text: str) -> float:
    """A number, or the seconds of a time; for an ordinal value, halfway between its code and the next one."""
    if feature.kind == "ordinal":
        return _code(feature, text) + 0.5
    try:
        return number_of(text) if feature.time is None else float(seconds(time_in_text(text.removesuffix("Z"))))
    except ValueError:
        raise ValueError(f"A threshold must be a number, got {short_repr(text)}.") from None


def _code(feature: Feature, text: str) -> int:
    """The code of the value with this text."""
    return code_of(feature, next((value for value in feature.values if str(value) == text), text))


def _counts(schema: Schema, line: _Line) -> Counts:
    if line.label == "null":  # Id3's leaf without rows
        return (0,) * len(schema.classes)
    found = next((number for number, label in enumerate(schema.classes) if str(label) == line.label), None)
    if found is None:
        raise ValueError(f"A label must be one of {joined(map(short_repr, schema.classes))}, got {short_repr(line.label)}.")
    others = line.errors / max(len(schema.classes) - 1, 1)
    counts = np.full(len(schema.classes), others)
    counts[found] = line.cases - line.errors
    return tuple(whole_numbers(counts))


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
