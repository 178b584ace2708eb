"""A tree as Python source: tables, and a plain function that walks them in a loop, without imports."""

from collections.abc import Iterator
from typing import Any

from ftree._lib.arrays import NEARLY
from ftree.exchange.jumps import Jump, Program, Question, program
from ftree.exchange.plain_values import check_identifier, plain_labels, plain_values
from ftree.exchange.step_list import steps
from ftree.routing.missing_rules import MissingRule
from ftree.tree.nodes import Tree
from ftree.tree.schema import Schema

_FUNCTION = '''

def {name}(row, *, counts=False):
    """The label of a row, or with `counts` the counts of CLASSES.

    A row is a sequence of values in the order of FEATURES, or a dict. None, NaN and values that are not in CODES are missing.
    """
    if isinstance(row, dict):
        row = [row.get(feature) for feature in FEATURES]
    if len(row) != len(FEATURES):
        raise ValueError(f"row must have {{len(FEATURES)}} values, got {{len(row)}}.")
    cells = []
    for value, codes in zip(row, CODES):
        known = None if value is None or value != value else value
        cells.append(float("nan" if known is None else known) if codes is None else codes.get(known, float("nan")))
    total, inherited = [0.0] * len(CLASSES), [0.0] * len(CLASSES)
    parts = [(START, 1.0)]
    while parts:
        target, part = parts.pop()
        while target >= 0:
            kind, feature, operand, passes, fails = TESTS[target]
            if kind == "above":
                true = cells[feature] > operand
            elif kind == "among":
                true = cells[feature] in operand
            elif kind == "missing":
                true = cells[feature] != cells[feature]
            else:
                summed = 0.0
                for number, weight in feature:
                    summed += weight * cells[number]
                true = summed > operand
            target = passes if true else fails
        answer, is_inherited, stays, routes = ENDS[~target]
        for number, count in enumerate(answer if stays else ()):
            if is_inherited:
                inherited[number] = max(inherited[number], part * stays * count)
            else:
                total[number] += part * stays * count
        parts.extend((entry, part * share) for entry, share in routes)
    if not any(total):
        total = inherited
    if counts:
        return total
    least = max(total) * (1 - {tie!r})
    return next(label for label, count in zip(CLASSES, total) if count >= least)
'''


def to_python(tree: Tree, *, name: str = "predict", missing: MissingRule | None = None) -> str:
    """A tree as the source of a module without imports: a function `name(row, *, counts=False)`, and its tables.

    A row is a list of values in the schema's order, or a dict; None, NaN and values that the schema lacks are missing. Times
    are numbers of seconds. The function computes `predict` and `predict_counts` by the rule `missing`, which may be any rule;
    None is the tree's own. Trees may be of any depth.

    Raises a TypeError for anything but a Tree. Raises a ValueError for a name that is not valid in Python, for an opaque
    split, and for values and classes other than texts, finite numbers, booleans and None.

    >>> from ftree import Dataset, grow
    >>> source = to_python(grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"], features=["sky"])))
    >>> made = {}
    >>> exec(source, made)
    >>> made["predict"](["rainy"]), made["predict"]({"sky": "rainy"}, counts=True)
    ('stay', [0.0, 1.0])
    """
    check_identifier(name)
    listed = steps(tree, missing=missing)
    return "\n".join(
        _lines(listed.schema, program(listed), plain_values(listed.schema, listed.used_features))
    ) + _FUNCTION.format(name=name, tie=1 - NEARLY)


def _lines(schema: Schema, made: Program, values: list[list[Any] | None]) -> Iterator[str]:
    codes = [None if values_of is None else {value: code for code, value in enumerate(values_of)} for values_of in values]
    yield f"FEATURES = {[feature.name for feature in schema.features]!r}"
    yield f"CLASSES = {plain_labels(schema)!r}"
    yield "# The code of each value; None for numbers; no values for features that no test asks."
    yield f"CODES = {codes!r}"
    yield "# Kind of test, feature, operand, target where it passes and where it fails; ~target is an end."
    yield "TESTS = ["
    yield from map(_test, made.jumps)
    yield "]"
    yield "# Counts, whether they are those of a node above, the part of a row that ends, and where parts go on."
    yield "ENDS = ["
    yield from (f"    ({end.counts!r}, {end.inherited}, {end.stays!r}, {list(end.routes)!r})," for end in made.ends)
    yield "]"
    yield f"START = {made.start}"


def _test(jump: Jump) -> str:
    return f"    ({jump.question.kind!r}, {_operands(jump.question)}, {jump.passes}, {jump.fails}),"


def _operands(asked: Question) -> str:
    if asked.kind == "sum":
        return f"{list(zip(asked.features, asked.weights, strict=True))!r}, {float(asked.at)!r}"
    operand = {"above": repr(float(asked.at)), "among": repr(set(asked.codes) or ()), "missing": "None"}
    return f"{asked.features[0]}, {operand[asked.kind]}"
