"""A tree as the source of a Python module: tables, and a function that walks them in a loop."""

import ast
from collections.abc import Iterable, Iterator
from keyword import iskeyword
from typing import Any

from ftree._lib.arrays import NEARLY
from ftree._lib.faces import Text
from ftree.criteria.costs import LeastCost
from ftree.exchange.jumps import Program, Question, program
from ftree.exchange.neutral_form import ExportNodes, export_nodes
from ftree.exchange.plain_values import AnswerKind, check_identifier, least_cost_for, plain_labels, plain_values
from ftree.exchange.sums_of_nodes import Quotient
from ftree.routing.missing_rules import MissingRule
from ftree.tree.conditions import Between, Missing, OneOf
from ftree.tree.nodes import Tree, tree_of


def to_python(
    tree: Tree,
    *,
    name: str = "predict",
    missing: MissingRule | None = None,
    answer: AnswerKind = "label",
    threshold: float | None = None,
    costs: Iterable[Iterable[float]] | None = None,
) -> str:
    """A tree as the source of a module: a function `name(row, *, counts=False)`, and its tables.

    Of a regression tree or events, it is `name(row)`, which computes the number that `predict` computes. With `answer="proba"` it
    computes the probabilities of CLASSES. The label is the one of least expected cost with `costs`, or of two classes the
    second where its probability is at least `threshold`.

    A row is a list of values in the schema's order, or a dict; None and NaN are missing, words such as "?" are not. Dates, times
    of day and durations are those of Python or numbers of seconds, the first two also texts in ISO format; for these the module
    imports datetime, else nothing. The function computes `predict` and `predict_counts` by the rule `missing`, which may be any
    rule; None is the tree's own. Trees may be of any depth.

    Raises a TypeError for anything but a Tree. Raises a ValueError for a name that is not valid in Python, or that the source
    uses, such as `len`, for an opaque split, and for values and classes other than texts, finite numbers, booleans and None.

    >>> from ftree import Dataset, grow
    >>> source = to_python(grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"], features=["sky"])))
    >>> made = {}
    >>> exec(source, made)
    >>> made["predict"](["rainy"]), made["predict"]({"sky": "rainy"}, counts=True)
    ('stay', [0.0, 1.0])
    """
    check_identifier(name, _is_reserved, "Python has this name")
    listed = export_nodes(tree_of(tree), missing=missing)
    decision = least_cost_for(listed.schema, answer, threshold, costs)
    lines = _tables(listed, program(listed), plain_values(listed.schema, listed.used_features))
    of_times = any(listed.schema.features[number].time for number in listed.used_features)
    if listed.quotient is None:
        shown = "label" if answer == "label" else "probabilities of CLASSES"
        claim, last = f"The {shown} of a row, or with `counts` the counts of CLASSES.", _LABEL + _last(decision, answer)
        signature, channels = f"{name}(row, *, counts=False)", "CLASSES"
    else:
        claim, last = "The number that is predicted for a row.", _number(listed, listed.quotient)
        signature, channels = f"{name}(row)", "SUMS"
    number = "_seconds(known)" if of_times else "known"
    walk = _WALK.format(signature=signature, claim=claim, channels=channels, number=number) + last
    check_identifier(name, _names_used(_TIMES * of_times + walk).__contains__, "The source uses this name")
    return Text(_TIMES * of_times + "\n".join(lines) + walk)


def _is_reserved(name: str) -> bool:
    """Whether Python keeps a name for itself: a keyword, or a name between two underscores on each side."""
    return iskeyword(name) or (name.startswith("__") and name.endswith("__"))


def _names_used(source: str) -> set[str]:
    r"""The names of the module and of Python that functions use: all but those of arguments and variables.

    >>> sorted(_names_used("def f(x, *, y):\n    z = abs(x)\n    return max(y, z) + OFFSET"))
    ['OFFSET', 'abs', 'max']
    """
    nodes = list(ast.walk(ast.parse(source)))
    used = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    assigned = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return used - assigned - {node.arg for node in nodes if isinstance(node, ast.arg)}


def _last(decision: LeastCost | None, answer: AnswerKind) -> str:
    """The last lines of a function of classes, which answer by the counts."""
    if answer == "proba":
        return _SHARES
    if decision is None:
        return _LARGEST.format(tie=1 - NEARLY)
    most = float(max(map(max, decision.costs)))
    return _CHEAPEST.format(costs=decision.costs, order=decision.order, most=most, tie=1 - NEARLY)


def _number(listed: ExportNodes, quotient: Quotient) -> str:
    """The last lines of a function of numbers, which answer by the size and the total."""
    n = len(listed.channels)
    total = listed.known_total([f"total[{number}]" for number in range(n)], "cells[{}]".format) if listed.regressors else ""
    size, answer, empty = quotient.texts("size", "summed")
    return _TOTAL.format(total=total) * bool(total) + _NUMBER.format(size=size, answer=answer, empty=empty)


def _tables(listed: ExportNodes, made: Program, values: list[list[Any] | None]) -> Iterator[str]:
    schema = listed.schema
    codes = [None if values_of is None else {value: code for code, value in enumerate(values_of)} for values_of in values]
    yield f"FEATURES = {[feature.name for feature in schema.features]!r}"
    yield f"CLASSES = {plain_labels(schema)!r}" if listed.quotient is None else f"SUMS = {list(listed.channels)!r}"
    yield "# The code of each value; None for numbers; no values for features that no test asks."
    yield f"CODES = {codes!r}"
    yield "# Kind of test, feature, operand, target where it passes and where it fails; ~target is an end."
    yield "TESTS = ["
    yield from (f"    ({_test(jump.question)}, {jump.passes}, {jump.fails})," for jump in made.jumps)
    yield "]"
    yield "# Counts, whether they are those of a node above, the part of a row that ends, and where parts go on."
    yield "ENDS = ["
    yield from (f"    ({end.counts!r}, {end.inherited}, {end.stays!r}, {list(end.routes)!r})," for end in made.ends)
    yield "]"
    yield f"START = {made.start}"


def _test(asked: Question) -> str:
    """The kind of a test, its feature or the terms of its sum, and the operand."""
    match asked:
        case Between(feature, above):
            return f"'above', {feature}, {float(above)!r}"
        case OneOf(feature, codes):
            return f"'among', {feature}, {set(codes)!r}"
        case Missing(feature):
            return f"'missing', {feature}, None"
    return f"'sum', {list(zip(asked.features, asked.weights, strict=True))!r}, {float(asked.above)!r}"


_WALK = '''

def {signature}:
    """{claim}

    A row is a sequence of values in the order of FEATURES, or a dict. None and NaN are missing.
    """
    if isinstance(row, dict):
        row = [row.get(feature) for feature in FEATURES]
    if len(row) != len(FEATURES):
        raise ValueError(f"row must have {{len(FEATURES)}} values, got {{len(row)}}.")
    cells = []
    for value, codes in zip(row, CODES):
        known = None if value is None or value != value else value
        absent = float("nan") if known is None else -1
        cells.append(float("nan" if known is None else {number}) if codes is None else codes.get(known, absent))
    total, inherited = [0.0] * len({channels}), [0.0] * len({channels})
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
'''
_TIMES = '''\
from datetime import date, datetime, time, timedelta, timezone


def _seconds(value):
    """Seconds of a date, a time of day (both also as texts in ISO format) or a duration; anything else unchanged."""
    if isinstance(value, str):
        text = value.strip().replace("Z", "+00:00")
        if text[:4].isdigit() and text[4:5] == "-":
            value = datetime.fromisoformat(text)
        elif ":" in text:
            value = time.fromisoformat(text)
    if isinstance(value, time):
        value = datetime.combine(date.min, value) - datetime.min
    elif isinstance(value, date):
        value = value if isinstance(value, datetime) else datetime.combine(value, time())
        value -= datetime(1970, 1, 1, tzinfo=value.tzinfo and timezone.utc)
    return value / timedelta(seconds=1) if isinstance(value, timedelta) else value


'''
_LABEL = """\
    if not any(total):
        total = inherited
    if counts:
        return total
"""
_LARGEST = """\
    least = max(total) * (1 - {tie!r})
    return next(label for label, count in zip(CLASSES, total) if count >= least)
"""
_SHARES = """\
    return [count / (sum(total) or 1.0) for count in total]
"""
_CHEAPEST = """\
    cost = [sum(count * row[label] for count, row in zip(total, {costs!r})) for label in range(len(CLASSES))]
    least = min(cost) + sum(total) * {most!r} * {tie!r}
    return next(CLASSES[label] for label in {order!r} if cost[label] <= least)
"""
_TOTAL = """\
    total[1] = {total}
    if total[1] != total[1]:  # a feature is missing
        total[1] = total[-1]
"""
_NUMBER = """\
    size, summed = total[:2]
    return {answer} if {size} > 0 else {empty}
"""
