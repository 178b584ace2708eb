"""A tree as an SQL expression: nested CASE expressions, and sums over the leaves for rows that are divided among several.

It computes a label, a count, a probability or a number: of a node, or of the sums of a divided row.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from string import ascii_lowercase, ascii_uppercase
from typing import Any

import numpy as np
from attrs import frozen

from ftree._lib.arrays import NEARLY
from ftree._lib.faces import Text
from ftree._lib.fields import repeated
from ftree._lib.messages import joined, nearest_name, short_repr
from ftree.criteria.costs import LeastCost
from ftree.criteria.impurity import proportions
from ftree.exchange.neutral_form import ExportNode, ExportNodes, Step, export_nodes
from ftree.exchange.plain_values import AnswerKind, known_labels, least_cost_for, plain_values
from ftree.exchange.sql_conditions import DialectName, Writer, as_dialect, literal, nesting
from ftree.routing.missing_rules import MissingRule
from ftree.tree.nodes import Tree, tree_of
from ftree.tree.response import majority
from ftree.tree.schema import names_of, require_classes

# If rows are divided, texts grow with the square of the depth, and databases take long to read them.
_DEEPEST = 200
_MOST_TESTS = 1_000_000
# PostgreSQL's tables have up to 1,664 columns, two for each class here.
_MOST_CLASSES = 800
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)


def to_sql(
    tree: Tree,
    *,
    dialect: DialectName = "ansi",
    missing: MissingRule | None = None,
    count_of: Any = None,
    columns: Mapping[str, str] | None = None,
    answer: AnswerKind = "label",
    threshold: float | None = None,
    costs: Iterable[Iterable[float]] | None = None,
) -> str:
    """A tree as an SQL expression of a row's label or number, or of the count of one class with `count_of`.

    With `answer="proba"` it is the probability of the class `count_of`, or else of the last class. The label is the one of
    least expected cost with `costs`, or of two classes the second where its probability is at least `threshold`.

    `dialect` is "ansi", "sqlite", "duckdb" or "postgres". A feature is the column of its name, or the expression that `columns`
    gives for it. A time is a column of the database's dates, times or intervals, in SQLite of seconds, or of a date's or a
    time's text in ISO format as its `julianday` reads it, to the millisecond; an expression in `columns` must give it in
    seconds. NULL and NaN are missing, words such as '?' are not. The expression computes `predict` or `predict_counts` by the
    rule `missing`, which may be any rule; None is the tree's own. A rule that divides rows among several leaves needs a database
    that allows WITH in a subquery, as all of these do, and costs as much as all leaves for each row.

    Raises a TypeError for anything but a Tree. Raises a ValueError for a tree with more than 200 splits on a path, for one that
    needs over a million tests or divides rows among over 800 classes, for an opaque split, for values and classes other than
    texts, finite numbers and booleans, for a class that does not exist, for `count_of` with costs or a threshold, for
    expressions of no feature, and for names that are no columns of a database, or one, as x and X are for SQLite and DuckDB.

    >>> from ftree import Dataset, grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"], features=["sky"]))
    >>> print(to_sql(tree, missing="stop_here"))
    CASE
      WHEN "sky" = 'rainy' THEN 'stay'
      ELSE 'play'
    END
    """
    listed = export_nodes(tree_of(tree), missing=missing)
    listed.check_depth(_DEEPEST, "SQL")
    chosen = as_dialect(dialect)
    _check_columns(listed, columns)
    writer = Writer(listed.schema, plain_values(listed.schema, listed.used_features), columns or {}, chosen)
    _check_names(listed, writer)
    decision = least_cost_for(listed.schema, answer, threshold, costs)
    answered = answer_for(listed, writer, count_of, decision, proba=answer == "proba")
    alike = _alike(listed, answered)
    nested = "".join(_Cases(listed, writer, answered, alike, _heads(listed, alike, chosen.most_nested)).whole())
    if all(node.one_route or alone is not None for node, alone in zip(listed.nodes, alike, strict=True)):
        return Text(nested)
    _check_size(listed)
    return Text(f"COALESCE(\n{nested},\n({_sums(listed, writer)} SELECT {answered.of_sums()}))")


def _check_columns(listed: ExportNodes, columns: Any) -> None:
    """Check that expressions are texts for features: a misspelt name would be ignored."""
    if not (columns is None or isinstance(columns, Mapping)):
        raise TypeError(f"columns must be a mapping of features' names to expressions, got {short_repr(columns)}.")
    names = set(names_of(listed.schema.features))
    for name, expression in (columns or {}).items():
        if name not in names:
            near = nearest_name(str(name), names)
            meant = "" if near is None else f" Did you mean {near!r}?"
            raise ValueError(f"columns must have names of features, got {short_repr(name)}.{meant}")
        if not (isinstance(expression, str) and expression.strip()):
            raise ValueError(f"columns must have an expression for {short_repr(name)}, got {short_repr(expression)}.")


def _check_names(listed: ExportNodes, writer: Writer) -> None:
    """Check that the database can tell the columns apart: some ignore the case of Latin letters, in quotes too."""
    if not writer.dialect.folds_names:
        return
    names = [listed.schema.features[number].name for number in listed.used_features]
    lower = {name: name.translate(_LOWER) for name in names if name not in writer.columns}
    shared = repeated(lower.values())
    alike = [name for name in lower if lower[name] in shared]
    if alike:
        wanted = f"columns whose names differ in more than case for {writer.dialect.name}"
        raise ValueError(f"tree must have {wanted}, got {joined(map(repr, alike))}. Give an expression in columns.")


# Rows that follow one path.


@frozen
class _Cases:
    """CASE expressions; nodes that are `heads` would be nested too deep, and stand in a list with the paths to them.

    `alike` has the answer of each node all of whose rows answer so, None for others.
    """

    listed: ExportNodes
    writer: Writer
    answer: "SqlAnswer"
    alike: list[str | None]
    heads: frozenset[int]

    def whole(self) -> Iterator[str]:
        """The expression of all rows; NULL where a row is divided. Of heads on one path, the last stands first."""
        if not self.heads:
            yield from self._nested(0)
            return
        above = {step.child: step for step in self.listed.steps()}
        yield "CASE"
        for head in sorted(self.heads, reverse=True):
            yield f"\n  WHEN {' AND '.join(self._path(head, above))} THEN "
            yield from self._nested(head)
        yield "\n  ELSE "
        yield from self._nested(0)
        yield "\nEND"

    def _path(self, head: int, above: Mapping[int | None, Step]) -> list[str]:
        """The conditions on the path to a node, the root's first."""
        found = []
        while head:
            step = above[head]
            head, node = step.node, self.listed.nodes[step.node]
            rest = node.one_route and step.share
            found.append(self.writer.fails(_others(self.writer, node, step)) if rest else _test(self.writer, node, step))
        return found[::-1]

    def _nested(self, start: int) -> Iterator[str]:
        """Nested CASE expressions of a node."""
        stack: list[int | str] = [start]
        while stack:
            at = stack.pop()
            if isinstance(at, str):
                yield at
            else:
                indent = self.listed.nodes[at].depth - self.listed.nodes[start].depth + bool(self.heads)
                stack += ["NULL"] if at in self.heads and at != start else reversed(self._case(at, "\n" + "  " * indent))

    def _case(self, number: int, indent: str) -> list[int | str]:
        """The text of a node, with numbers of nodes instead of their texts; no WHEN answers as ELSE does."""
        node, alone = self.listed.nodes[number], self.alike[number]
        if alone is not None:
            return [alone]
        whole = node.onward
        last = self.answer.of(node) if node.one_route and whole is None else whole
        default = self.alike[last] if isinstance(last, int) else last
        pairs = [(test, child) for test, child in zip(self.writer.tests(node), node.children, strict=True) if child != whole]
        asked = [(test, child) for test, child in pairs if default is None or self.alike[child] != default]
        if not asked and whole is not None:
            return [whole]
        pieces: list[int | str] = ["CASE"]
        for test, child in asked:
            pieces += [f"{indent}  WHEN {test} THEN ", child]
        if last is not None:
            pieces += [f"{indent}  ELSE ", last]
        return [*pieces, f"{indent}END"]


def _alike(listed: ExportNodes, answer: "SqlAnswer") -> list[str | None]:
    """For each node the answer of all its rows, if they are alike; from the leaves up."""
    alike = list[str | None]([None] * len(listed.nodes))
    for number, node in reversed(list(enumerate(listed.nodes))):
        answers = {alike[child] for child in node.children} | ({answer.of(node)} if node.stays else set())
        if len(answers) == 1 and (node.one_route or answer.pooled):
            alike[number] = answers.pop()
    return alike


def _heads(listed: ExportNodes, alike: list[str | None], most: int) -> frozenset[int]:
    """The nodes below which CASE expressions are nested as deep as the database reads; from the leaves up."""
    heights = [0] * len(listed.nodes)
    for number, node in reversed(list(enumerate(listed.nodes))):
        if alike[number] is None:
            below = [heights[child] for child in node.children if heights[child] < most]
            heights[number] = 1 + max(below + [nesting(test) for test in node.tests])
    return frozenset([number for number, height in enumerate(heights) if number and height >= most])


# Rows that are divided.


def _test(writer: Writer, node: ExportNode, step: Step) -> str:
    """The test of the child to which a step leads."""
    return writer.tests(node)[step.place]


def _off(writer: Writer, node: ExportNode, step: Step) -> str:
    """The test that a row takes no part of itself along a step: it goes to another child, or passes no test."""
    return _others(writer, node, step) if step.share else writer.fails(_test(writer, node, step))


def _others(writer: Writer, node: ExportNode, step: Step) -> str:
    """One of the tests for the other children passes."""
    return " OR ".join(test for number, test in enumerate(writer.tests(node)) if number != step.place) or "1 = 0"


def _sums(listed: ExportNodes, writer: Writer) -> str:
    """The counts of the ends, times the part of the row that ends there, added up by sum, as a table `answers`."""
    used = " WHERE part > 0" if listed.regressors else ""  # the total of an end that a row does not reach may be infinite
    ends = ((listed.nodes[number], _part(listed, writer, path)) for number, path in listed.paths().items())
    cells = ((part, f"{not node.inherited:d}", *counts_in_sql(listed, writer, node)) for node, part in ends)
    rows = ",\n".join(f"  {writer.dialect.row.format(cells=', '.join(each))}" for each in cells)
    sums = range(len(counts_in_sql(listed, writer, listed.nodes[0])))
    summed = ", ".join(f"SUM(part * own * c{k}) AS s{k}, MAX(part * (1 - own) * c{k}) AS m{k}" for k in sums)
    # Sums of numbers may be negative, so they do not show whether an end with counts of its own was reached.
    chosen = ", ".join(f"CASE WHEN owned > 0 THEN s{k} ELSE m{k} END AS c{k}" for k in sums)
    return (
        f"WITH ends(part, own, {', '.join(f'c{k}' for k in sums)}) AS (VALUES\n{rows}),\n"
        f"sums AS (SELECT MAX(part * own) AS owned, {summed} FROM ends{used}),\nanswers AS (SELECT {chosen} FROM sums)\n"
    )


def _part(listed: ExportNodes, writer: Writer, path: Sequence[Step]) -> str:
    """The part of a row that takes a path: 0 if it follows another one."""
    pairs = [(listed.nodes[step.node], step) for step in path]
    factors = [_factor(writer, *pair) for pair in pairs if pair[1].share not in {0.0, 1.0}]
    product = " * ".join(factors) or writer.number(1.0)
    off = "".join(f"WHEN {_off(writer, *pair)} THEN {writer.number(0.0)} " for pair in pairs)
    return f"CASE {off}ELSE {product} END" if off else product


def _factor(writer: Writer, node: ExportNode, step: Step) -> str:
    share = writer.number(step.share)
    return share if step.child is None else f"CASE WHEN {_test(writer, node, step)} THEN {writer.number(1.0)} ELSE {share} END"


def _check_size(listed: ExportNodes) -> None:
    """Check the number of classes, and of tests: each end of a divided row lists those of all other children on its path."""
    n = len(listed.channels)
    if n > _MOST_CLASSES:
        wanted = f"at most {_MOST_CLASSES} classes where rows are divided in SQL"
        raise ValueError(f"tree must have {wanted}, got {n:,}. Give missing='heaviest'.")
    n = sum(len(listed.nodes[step.node].tests) for path in listed.paths().values() for step in path if step.share)
    if n > _MOST_TESTS:
        raise ValueError(f"tree must need at most {_MOST_TESTS:,} tests in SQL, got {n:,}. Give missing='heaviest'.")


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
