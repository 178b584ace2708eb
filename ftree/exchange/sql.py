"""A tree as an SQL expression: nested CASE expressions, and sums over the leaves for rows that are divided among several."""

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from ftree._lib.messages import short_repr
from ftree._lib.ties import NEARLY
from ftree.exchange.checks import plain_labels, plain_values
from ftree.exchange.sql_dialect import DialectName, Writer, as_dialect, literal
from ftree.exchange.step_list import Step, Steps, steps
from ftree.routing.rule_names import Missing
from ftree.tree.nodes import Tree, majority

# If rows are divided, texts grow with the square of the depth, and databases take long to read them.
DEEPEST = 200


def to_sql(
    tree: Tree,
    *,
    dialect: DialectName = "ansi",
    missing: Missing | None = None,
    count_of: Any = None,
    columns: Mapping[str, str] | None = None,
) -> str:
    """A tree as an SQL expression of a row's label, or of the count of one class with `count_of`.

    `dialect` is "ansi", "sqlite", "duckdb" or "postgres". A feature is the column of its name, or the expression that `columns`
    gives for it; a time is a number of seconds. NULL, NaN and values that the schema lacks are missing. The expression computes
    `predict` or `predict_counts` by the rule `missing`, which may be any rule; None is the tree's own. A rule that divides rows
    among several leaves needs a database that allows WITH in a subquery, as all of these do.

    Raises a TypeError for anything but a Tree. Raises a ValueError for a tree with more than 200 splits on a path, for an opaque
    split, for values and classes other than texts, finite numbers and booleans, and for a class that does not exist.

    >>> from ftree import Dataset, grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"], features=["sky"]))
    >>> print(to_sql(tree, missing="stop_here"))
    CASE
      WHEN "sky" = 'rainy' THEN 'stay'
      WHEN "sky" = 'sunny' THEN 'play'
      ELSE 'play'
    END
    """
    listed = steps(tree, missing=missing)
    _check_depth(listed)
    chosen = as_dialect(dialect)
    if not (columns is None or isinstance(columns, Mapping)):
        message = f"columns must be a mapping of features' names to expressions, got {short_repr(columns)}."
        raise TypeError(message)
    writer = Writer(listed.schema, plain_values(listed.schema, listed.used_features), columns or {}, chosen)
    labels = _labels(listed)
    answer = _Labels(writer, labels) if count_of is None else _Count(writer, _class_number(labels, count_of))
    nested = "".join(_nested(listed, writer, answer)) if listed.depth <= chosen.most_nested else None
    if listed.one_route:
        return _flat(listed, writer, answer) if nested is None else nested
    summed = answer.of_sums(_sums(listed, writer))
    return summed if nested is None else f"COALESCE(\n{nested},\n{summed})"


@frozen
class _Labels:
    """Predictions as labels."""

    writer: Writer
    labels: list[Any]

    def of(self, step: Step) -> str:
        """The label of a step."""
        return literal(self.labels[majority(step.counts)], self.writer.dialect)

    def of_sums(self, sums: str) -> str:
        """The label of the largest sum."""
        names = [f"c{number}" for number in range(len(self.labels))]
        largest = f"{self.writer.dialect.greatest}({', '.join(names)})" if len(names) > 1 else names[0]
        least = f"{largest} * {self.writer.number(NEARLY)}"
        tests = [
            f"WHEN {name} >= {least} THEN {literal(label, self.writer.dialect)}"
            for name, label in zip(names, self.labels, strict=True)
        ]
        return f"({sums} SELECT CASE {' '.join(tests)} END FROM answers)"


@frozen
class _Count:
    """Predictions as the count of one class."""

    writer: Writer
    number: int

    def of(self, step: Step) -> str:
        """The count of a step."""
        return self.writer.number(step.counts[self.number])

    def of_sums(self, sums: str) -> str:
        """The sum of the counts."""
        return f"({sums} SELECT c{self.number} FROM answers)"


def _nested(listed: Steps, writer: Writer, answer: _Labels | _Count) -> Iterator[str]:
    """Nested CASE expressions; NULL where a row is divided."""
    stack: list[int | str] = [0]
    while stack:
        at = stack.pop()
        if isinstance(at, str):
            yield at
            continue
        step = listed.steps[at]
        stack += reversed(_case(step, writer, answer))


def _case(step: Step, writer: Writer, answer: _Labels | _Count) -> list[int | str]:
    """The text of a step, with numbers of steps instead of their texts."""
    if not step.children:
        return [answer.of(step)]
    indent = "\n" + "  " * step.depth
    whole = step.routes[0][0] if step.one_route and step.routes else None
    asked = [(test, child) for test, child in zip(step.tests, step.children, strict=True) if child != whole]
    if not asked and whole is not None:
        return [whole]
    pieces: list[int | str] = ["CASE"]
    for test, child in asked:
        pieces += [f"{indent}  WHEN {writer.test(test)} THEN ", child]
    if whole is not None:
        pieces += [f"{indent}  ELSE ", whole]
    elif step.stays == 1.0:
        pieces += [f"{indent}  ELSE {answer.of(step)}"]
    return [*pieces, f"{indent}END"]


@frozen
class _End:
    """A step where rows end, and the path there: each step with the child's position, None for the part that stays."""

    step: Step
    way: tuple[tuple[Step, int | None], ...]


def _ends(listed: Steps) -> Iterator[_End]:
    ways: list[tuple[tuple[Step, int | None], ...]] = [()] * len(listed.steps)
    for number, step in enumerate(listed.steps):
        for place, child in enumerate(step.children):
            ways[child] = (*ways[number], (step, place))
        if step.stays:
            yield _End(step, (*ways[number], (step, None)) if step.children else ways[number])


def _flat(listed: Steps, writer: Writer, answer: _Labels | _Count) -> str:
    """One CASE with a WHEN for each end, as deep as the conjunction of the conditions on its path."""
    whens = [f"  WHEN {' AND '.join(_on(writer, *each) for each in end.way)} THEN {answer.of(end.step)}" for end in _ends(listed)]
    return "\n".join(["CASE", *whens, "END"])


def _on(writer: Writer, step: Step, place: int | None) -> str:
    """The test that a row follows this path, if rows follow one path."""
    if place is None or step.shares[place]:
        return f"({_others(writer, step, place)}) IS NOT TRUE"
    return writer.test(step.tests[place])


def _off(writer: Writer, step: Step, place: int | None) -> str:
    """The test that a row, or all of its parts, follow another path."""
    if place is None or step.shares[place]:
        return _others(writer, step, place)
    return f"({writer.test(step.tests[place])}) IS NOT TRUE"


def _others(writer: Writer, step: Step, place: int | None) -> str:
    """One of the tests for the other children passes."""
    return " OR ".join(writer.test(test) for number, test in enumerate(step.tests) if number != place) or "1 = 0"


def _sums(listed: Steps, writer: Writer) -> str:
    """The counts of the ends, times the part of the row that ends there, added up by class, as a table `answers`."""
    classes = range(len(listed.schema.classes))
    rows = ",\n".join(
        f"  ({_part(writer, end)}, {int(not end.step.inherited)}, {_counts(writer, end.step)})" for end in _ends(listed)
    )
    summed = ", ".join(f"SUM(part * own * c{k}) AS s{k}, MAX(part * (1 - own) * c{k}) AS m{k}" for k in classes)
    with_cases = " + ".join(f"s{k}" for k in classes)
    chosen = ", ".join(f"CASE WHEN {with_cases} > 0 THEN s{k} ELSE m{k} END AS c{k}" for k in classes)
    return (
        f"WITH ends(part, own, {', '.join(f'c{k}' for k in classes)}) AS (VALUES\n{rows}),\n"
        f"sums AS (SELECT {summed} FROM ends),\nanswers AS (SELECT {chosen} FROM sums)\n"
    )


def _counts(writer: Writer, step: Step) -> str:
    return ", ".join(map(writer.number, step.counts))


def _part(writer: Writer, end: _End) -> str:
    """The part of a row that ends at a step: 0 if it follows another path."""
    off, factors = [], []
    for step, place in end.way:
        share = step.stays if place is None else step.shares[place]
        off.append(_off(writer, step, place))
        if share not in {0.0, 1.0}:
            factors.append(_factor(writer, step, place, share))
    product = " * ".join(factors) or writer.number(1.0)
    return f"CASE {' '.join(f'WHEN {test} THEN {writer.number(0.0)}' for test in off)} ELSE {product} END" if off else product


def _factor(writer: Writer, step: Step, place: int | None, share: float) -> str:
    if place is None:
        return writer.number(share)
    return f"CASE WHEN {writer.test(step.tests[place])} THEN {writer.number(1.0)} ELSE {writer.number(share)} END"


def _labels(listed: Steps) -> list[Any]:
    labels = plain_labels(listed.schema)
    if None in labels:
        message = "tree must have no class None to be written in SQL, since it stands for a missing label there."
        raise ValueError(message)
    return labels


def _class_number(labels: list[Any], label: Any) -> int:
    if label not in labels:
        message = f"count_of must be one of the classes {', '.join(map(repr, labels))}, got {short_repr(label)}."
        raise ValueError(message)
    return labels.index(label)


def _check_depth(listed: Steps) -> None:
    if listed.depth > DEEPEST:
        message = (
            f"tree must have at most {DEEPEST} splits on a path to be written in SQL, got {listed.depth}. Use to_python or to_c."
        )
        raise ValueError(message)
