"""What an SQL expression computes: a label, a count, a probability or a number; of a node, or of the sums of a divided row."""

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import frozen

from ftree._lib.arrays import NEARLY
from ftree._lib.messages import short_repr
from ftree.criteria.costs import LeastCost
from ftree.criteria.impurity import proportions
from ftree.exchange.neutral_form import ExportNode, ExportNodes
from ftree.exchange.plain_values import known_labels
from ftree.exchange.sql_conditions import Writer, literal
from ftree.tree.response import majority
from ftree.tree.schema import require_classes

# SQLite's functions have up to 127 arguments.
_MOST_ARGUMENTS = 100


@frozen
class SqlAnswer:
    """The answer of an SQL expression, as SQL.

    `of(node)` is the answer where a whole row ends. `of_sums()` is what a SELECT lists to answer a divided row by its sums: the
    columns c0, c1 ... of a table `answers`. If answers are `pooled`, parts of a row that answer alike answer so together; counts
    add up instead.
    """

    of: Callable[[ExportNode], str]
    of_sums: Callable[[], str]
    pooled: bool = True


def answer_for(listed: ExportNodes, writer: Writer, count_of: Any, decision: LeastCost | None, *, proba: bool) -> SqlAnswer:
    """Labels, the count or the probability of one class, or numbers."""
    labels = known_labels(listed.schema, "SQL")
    if count_of is not None:
        require_classes(listed.schema, "count_of")
        if decision is not None:
            wanted = "left out with threshold or costs, which decide on a label"
            raise ValueError(f"count_of must be {wanted}, got {short_repr(count_of)}.")
        if count_of not in labels:
            raise ValueError(f"count_of must be one of the classes {', '.join(map(repr, labels))}, got {short_repr(count_of)}.")
    number = len(labels) - 1 if count_of is None else labels.index(count_of)
    if proba:
        share = f"c{number} / ({' + '.join(f'c{place}' for place in range(len(labels)))})"
        return SqlAnswer(lambda node: writer.number(proportions(node.counts)[number]), lambda: f"{share} FROM answers")
    if count_of is not None:
        return SqlAnswer(lambda node: writer.number(node.counts[number]), lambda: f"c{number} FROM answers", pooled=False)
    return _of_labels(writer, labels, decision) if listed.quotient is None else _of_numbers(listed, writer)


def _of_labels(writer: Writer, labels: list[Any], decision: LeastCost | None) -> SqlAnswer:
    def of(node: ExportNode) -> str:
        number = majority(node.counts) if decision is None else decision.labels(node.counts)
        return literal(labels[int(number)], writer.dialect)

    return SqlAnswer(of, lambda: _of_largest(writer, labels) if decision is None else _cheapest(writer, labels, decision))


def _of_numbers(listed: ExportNodes, writer: Writer) -> SqlAnswer:
    quotient: Any = listed.quotient
    if listed.regressors:
        return SqlAnswer(lambda node: counts_in_sql(listed, writer, node)[1], lambda: "c1 / c0 FROM answers")
    size, answer, empty = quotient.texts("c0", "c1", writer.number)
    mean = f"CASE WHEN {size} > 0 THEN {answer} ELSE {empty} END FROM answers"
    return SqlAnswer(lambda node: writer.number(quotient.answer(node.counts)), lambda: mean, pooled=not quotient.rest)


def _of_largest(writer: Writer, labels: list[Any]) -> str:
    """The label of the largest sum."""
    sums = [f"c{number}" for number in range(len(labels))]
    bound = f"{_extreme(writer.dialect.greatest, sums)} * {writer.number(NEARLY)}"
    cases = [f"WHEN {each} >= bound THEN {literal(label, writer.dialect)}" for each, label in zip(sums, labels, strict=True)]
    return f"CASE {' '.join(cases)} END FROM (SELECT answers.*, {bound} AS bound FROM answers) AS compared"


def _cheapest(writer: Writer, labels: list[Any], decision: LeastCost) -> str:
    """The label of least expected cost by the sums."""
    n = range(len(labels))
    costs = ", ".join(f"{' + '.join(f'{writer.number(decision.costs[i][j])} * c{i}' for i in n)} AS k{j}" for j in n)
    rounding = writer.number(float(np.max(decision.costs)) * (1 - NEARLY))
    bound = f"{_extreme(writer.dialect.least, [f'k{j}' for j in n])} + {rounding} * ({' + '.join(f'c{i}' for i in n)})"
    cases = " ".join(f"WHEN k{j} <= bound THEN {literal(labels[j], writer.dialect)}" for j in decision.order)
    costed = f"(SELECT answers.*, {costs} FROM answers) AS costed"
    return f"CASE {cases} END FROM (SELECT costed.*, {bound} AS bound FROM {costed}) AS compared"


def _extreme(function: str, terms: list[str]) -> str:
    """The largest or smallest of several terms, by calls of as many arguments as databases take."""
    while len(terms) > 1:
        parts = [terms[start : start + _MOST_ARGUMENTS] for start in range(0, len(terms), _MOST_ARGUMENTS)]
        terms = [f"{function}({', '.join(part)})" if len(part) > 1 else part[0] for part in parts]
    return terms[0]


def counts_in_sql(listed: ExportNodes, writer: Writer, node: ExportNode) -> list[str]:
    """The counts of a node; of sums that depend on features the size, and the total as an expression of columns."""
    sums = list(map(writer.number, node.counts))
    if not listed.regressors:
        return sums
    return [sums[0], f"COALESCE({writer.known(listed.known_total(sums, writer.column))}, {sums[-1]})"]
