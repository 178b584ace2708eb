"""Trees in the texts that Weka prints, with counts or without."""

import csv
import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from itertools import chain
from math import inf
from typing import Any

import numpy as np
from attrs import frozen

from ftree._lib.messages import joined, short_repr, type_of
from ftree.data.dataset import Dataset
from ftree.data.times import seconds, time_in_text
from ftree.exchange.others.readers import check_dataset, from_links, recounted, value_in_text
from ftree.exchange.others.split_readers import among_codes, at_threshold
from ftree.routing.missing_rules import weighted
from ftree.tree.nodes import Tree
from ftree.tree.response import Counts, whole_numbers
from ftree.tree.schema import Feature, Schema, position, require_classes
from ftree.tree.splits import Groups, Multiway
from ftree.tree.splits.shared import code_of, number_of
from ftree.tree.splits.split import Split

_PAIR = 2
_BAR = "|   "
_CASES = r"(?: \((?P<cases>\d++\.?+\d*+)(?:/(?P<errors>\d++\.?+\d*+))?\))?"
_LEAF = re.compile(rf"(?P<condition>.*?)(?:^|(?<=\S)): (?P<label>.*?){_CASES}")
_CONDITION = re.compile(r"(?P<name>.+?) (?:(?P<sign><=|>|=|!=) (?P<value>.+)|(?P<is>(?:not )?in) \{(?P<values>.*)\})")
_NUMERIC, _EACH, _ONE, _OF_VALUES = ("<=", ">"), "=", ("=", "!="), {"=", "in", "not in"}


def from_weka_text(text: str, schema: Schema | None = None, *, dataset: Dataset | None = None, target: str = "class") -> Tree:
    """The tree of Weka's text, with or without the lines around it, or of `text(tree, values=None)`.

    Without a schema, features compared with numbers are numeric, and values and classes are texts in the order of the lines. A
    leaf `(5.0/2.0)` has 5 cases, 2 of which are not of its class; if there are several other classes, the text does not say
    which, and they get equal parts. A leaf without cases in its line has one case, and Id3's `null` has none. `dataset` gives a
    schema, and its rows are counted instead of the text's cases. A row with a missing value is divided among the children by
    their cases, as in Weka.

    Raises a ValueError for any other text, for errors of a leaf where there is no second class, as in a text of one label
    without a schema, and for a schema without classes; a KeyError for a feature that the schema lacks.

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
    require_classes(known, "from_weka_text", "a schema")
    if dataset is None:
        _check_errors(lines, known.classes)
    root = from_links(
        below.__getitem__,
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

    @property
    def is_null(self) -> bool:
        """Whether it is Id3's leaf without rows, `null`; a class of this name comes with its cases."""
        return self.label == "null" and not self.cases


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
    cases, errors = (float(leaf[key] or least) for key, least in (("cases", leaf["label"] != "null"), ("errors", 0)))
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
    return Schema(features, target, dict.fromkeys(line.label for line in lines if line.label is not None and not line.is_null))


def _check_errors(lines: Sequence[_Line], classes: Sequence[Any]) -> None:
    """Raise a ValueError for errors of a leaf where there is no class that they could be of."""
    wrong = next((line for line in lines if line.errors), None)
    if wrong is not None and len(classes) < _PAIR:
        got = f"only {joined(map(short_repr, classes))} for {wrong.cases:g} cases with {wrong.errors:g} errors"
        raise ValueError(f"schema must have a second class for the errors of a leaf, got {got}. Give one with all classes.")


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
        if feature.time is None:
            return number_of(text)
        return _duration(text) if feature.time == "duration" else float(seconds(time_in_text(text.removesuffix("Z"))))
    except ValueError:
        raise ValueError(f"A threshold must be a number, got {short_repr(text)}.") from None


# A duration as `format_time` prints it, such as -1 day 2:00:00.500000, which is 26 hours before 0.
_DURATION = re.compile(r"(?P<sign>-?)(?:(?P<days>\d+) days? )?(?P<hours>\d+):(?P<minutes>\d\d):(?P<seconds>\d\d(?:\.\d+)?)")


def _duration(text: str) -> float:
    """The seconds of a duration, or of a number of them. Raises a ValueError for any other text."""
    found = _DURATION.fullmatch(text)
    if found is None:
        return number_of(text)
    parts = {unit: float(found[unit] or 0) for unit in ("days", "hours", "minutes", "seconds")}
    return float(f"{found['sign']}1") * float(seconds(timedelta(**parts)))


def _code(feature: Feature, text: str) -> int:
    """The code of the value that a text stands for."""
    place = _place(feature.values, text)
    return code_of(feature, text) if place is None else place


def _place(values: Sequence[Any], text: str) -> int | None:
    """The place of the value with a text, or else of the number or truth value that it is: a file may have TRUE for True."""
    alike = (place for place, value in enumerate(values) if str(value) == text)
    equal = (place for place, value in enumerate(values) if _is_value(value, text))
    return next(chain(alike, equal), None)


def _is_value(value: Any, text: str) -> bool:
    try:
        return bool(value_in_text(type(value), text) == value)
    except ValueError:
        return False


def _counts(schema: Schema, line: _Line) -> Counts:
    if line.is_null:
        return (0,) * len(schema.classes)
    found = _place(schema.classes, str(line.label))
    if found is None:
        raise ValueError(f"A label must be one of {joined(map(short_repr, schema.classes))}, got {short_repr(line.label)}.")
    others = line.errors / max(len(schema.classes) - 1, 1)  # of one class, a dataset's rows will be counted
    counts = np.full(len(schema.classes), others)
    counts[found] = line.cases - line.errors
    return tuple(whole_numbers(counts))
