"""Trees in the form that Weka prints: J48's with counts, and those of Id3 and others without."""

import re
from collections import defaultdict
from collections.abc import Sequence
from math import inf

from attrs import frozen

from ftree._lib.messages import joined, short_repr, type_of
from ftree.data.dataset import Dataset
from ftree.exchange.others.readers import among_codes, at_threshold, check_dataset, from_links, recounted
from ftree.routing.missing_rules import weighted
from ftree.tree.nodes import Counts, Tree
from ftree.tree.schema import Feature, Schema, position
from ftree.tree.splits import Multiway
from ftree.tree.splits.shared import code_of, number_of
from ftree.tree.splits.split import Split

_BAR = "|   "
_CASES = r"(?: \((?P<cases>\d+\.?\d*)(?:/(?P<errors>\d+\.?\d*))?\))?"
_LEAF = re.compile(rf"(?P<condition>.*?)(?:^|(?<=\S)): (?P<label>.*?){_CASES}")
_CONDITION = re.compile(r"(?P<name>.+?) (?P<sign><=|>|=|!=) (?P<value>.+)")
_NUMERIC, _EACH, _ONE = ("<=", ">"), "=", ("=", "!=")


def from_weka_text(text: str, schema: Schema | None = None, *, dataset: Dataset | None = None, target: str = "class") -> Tree:
    """The tree of Weka's text, with or without the lines around it.

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
    return found if len(found) == 1 and found[0].startswith(": ") else ["", *found]


def _line(line: str) -> _Line:
    stated = line.lstrip("| ")
    depth, odd = divmod(len(line) - len(stated), len(_BAR))
    leaf = _LEAF.fullmatch(stated)
    condition = _CONDITION.fullmatch(leaf["condition"] if leaf else stated)
    if odd or line[: depth * len(_BAR)] != _BAR * depth or (condition is None and line and not line.startswith(": ")):
        message = f"Each line of text must be bars and a condition, as in '|   age <= 17: no (5.0)', got {short_repr(line)}."
        raise ValueError(message)
    name, sign, value = condition.groups() if condition else ("", "", "")
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
            message = f"Each line of text must be at most one level below its branch, got {line.name!r} at level {line.depth}."
            raise ValueError(message)
        del above[line.depth :]
        below[above[-1]].append(number)
        above.append(number)
    open_lines = [line for line, kids in zip(lines, below, strict=True) if not kids and line.label is None]
    if open_lines:
        raise ValueError(f"Each line of text must be a leaf or have lines below it, got {open_lines[0].name!r} without either.")
    return below


def _schema_of(lines: Sequence[_Line], target: str) -> Schema:
    values: defaultdict[str, dict[str, None]] = defaultdict(dict)
    numeric = {line.name for line in lines if line.sign in _NUMERIC}
    for line in lines[1:]:
        values[line.name][line.value] = None
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
        if tuple(signs) == _ONE and values[0] == values[1]:
            return among_codes(number, [_code(schema.features[number], values[0])])
    stated = joined(f"{line.name} {line.sign} {line.value}" for line in lines)
    raise ValueError(f"Lines below a branch must be <= and > a number, = each value, or = and != a value, got {stated}.")


def _at(feature: Feature, text: str) -> float:
    """A number; for an ordinal value, halfway between its code and the next one."""
    if feature.kind == "ordinal":
        return _code(feature, text) + 0.5
    try:
        return number_of(text)
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
    return tuple([_whole(line.cases - line.errors if number == found else others) for number in range(len(schema.classes))])


def _whole(count: float) -> float:
    return int(count) if count == int(count) else count
