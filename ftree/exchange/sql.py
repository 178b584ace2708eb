"""A tree as an SQL expression: nested CASE expressions, and sums over the leaves for rows that are divided among several."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import frexp, inf
from string import ascii_lowercase, ascii_uppercase
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import NEARLY
from ftree._lib.faces import Text
from ftree._lib.fields import require_one_of
from ftree._lib.messages import joined, short_repr
from ftree.criteria.costs import LeastCost
from ftree.criteria.impurity import proportions
from ftree.exchange.export_answers import AnswerKind, least_cost_for
from ftree.exchange.neutral_form import ExportNode, ExportNodes, Quotient, export_nodes
from ftree.exchange.plain_values import known_labels, plain_values, without_nul
from ftree.routing.missing_rules import MissingRule
from ftree.tree.conditions import AllOf, AnyOf, Between, Condition, FirstKnown, Missing, Not, OneOf, SumBetween
from ftree.tree.logic import without_order
from ftree.tree.nodes import Tree, tree_of
from ftree.tree.response import majority
from ftree.tree.schema import Schema, require_classes

# If rows are divided, texts grow with the square of the depth, and databases take long to read them.
_DEEPEST = 200
_MOST_TESTS = 1_000_000
# PostgreSQL's tables have up to 1,664 columns, two for each class here, and SQLite's functions up to 127 arguments.
_MOST_CLASSES, _MOST_ARGUMENTS = 800, 100
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
DialectName: TypeAlias = Literal["ansi", "sqlite", "duckdb", "postgres"]


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
    gives for it. A time is a column of the database's dates or times, in SQLite of texts in ISO format or of seconds, to the
    millisecond; an expression in `columns` must give it in seconds. NULL and NaN are missing, words such as '?' are not. The
    expression computes `predict` or `predict_counts` by the rule `missing`, which may be any rule; None is the tree's own. A
    rule that divides rows among several leaves needs a database that allows WITH in a subquery, as all of these do, and costs
    as much as all leaves for each row.

    Raises a TypeError for anything but a Tree. Raises a ValueError for a tree with more than 200 splits on a path, for one that
    needs over a million tests or divides rows among over 800 classes, for an opaque split, for values and classes other than
    texts, finite numbers and booleans, for a class that does not exist, and for names that are no columns of a database, or
    one, as x and X are for SQLite and DuckDB.

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
    if not (columns is None or isinstance(columns, Mapping)):
        raise TypeError(f"columns must be a mapping of features' names to expressions, got {short_repr(columns)}.")
    writer = Writer(listed.schema, plain_values(listed.schema, listed.used_features), columns or {}, chosen)
    _check_names(listed, writer)
    decision = least_cost_for(listed.schema, answer, threshold, costs)
    answered = _answer(writer, listed.quotient, count_of, decision, proba=answer == "proba")
    cases = _cases(listed, writer, answered)
    nested = "".join(cases.whole())
    if not cases.divides:
        return Text(nested)
    _check_size(listed)
    return Text(f"COALESCE(\n{nested},\n({_sums(listed, writer)} SELECT {answered.of_sums()}))")


@frozen
class _Answer:
    """What the expression computes: of a node where a row ends, and what a SELECT of a divided row's sums `c0`, `c1` ... lists.

    If it is `pooled`, parts of a row that all answer alike answer so together; counts add up instead.
    """

    of: Callable[[ExportNode], str]
    of_sums: Callable[[], str]
    pooled: bool = True


def _answer(writer: "Writer", quotient: Quotient | None, count_of: Any, decision: LeastCost | None, *, proba: bool) -> _Answer:
    """Labels, the count or the probability of one class, or numbers."""
    labels = known_labels(writer.schema, "SQL")
    if count_of is not None:
        require_classes(writer.schema, "count_of")
        if count_of not in labels:
            raise ValueError(f"count_of must be one of the classes {', '.join(map(repr, labels))}, got {short_repr(count_of)}.")
    number = len(labels) - 1 if count_of is None else labels.index(count_of)
    if proba:
        share = f"c{number} / ({' + '.join(f'c{place}' for place in range(len(labels)))})"
        return _Answer(lambda node: writer.number(proportions(node.counts)[number]), lambda: f"{share} FROM answers")
    if count_of is not None:
        return _Answer(lambda node: writer.number(node.counts[number]), lambda: f"c{number} FROM answers", pooled=False)
    if quotient is None:
        decide: Any = majority if decision is None else decision.labels
        label_of = lambda node: literal(labels[decide(node.counts)], writer.dialect)  # noqa: E731  # as the others
        return _Answer(label_of, lambda: _of_largest(writer, labels) if decision is None else _cheapest(writer, labels, decision))
    if quotient.features:
        return _Answer(lambda node: writer.counts(node, quotient)[1], lambda: "c1 / c0 FROM answers")
    size, answer, empty = quotient.texts("c0", "c1", writer.number)
    mean = f"CASE WHEN {size} > 0 THEN {answer} ELSE {empty} END"
    return _Answer(
        lambda node: writer.number(quotient.answer(node.counts)), lambda: f"{mean} FROM answers", pooled=not quotient.rest
    )


def _of_largest(writer: "Writer", labels: list[Any]) -> str:
    """The label of the largest sum."""
    sums = [f"c{number}" for number in range(len(labels))]
    bound = f"{_extreme(writer.dialect.greatest, sums)} * {writer.number(NEARLY)}"
    cases = [f"WHEN {each} >= bound THEN {literal(label, writer.dialect)}" for each, label in zip(sums, labels, strict=True)]
    return f"CASE {' '.join(cases)} END FROM (SELECT answers.*, {bound} AS bound FROM answers) AS compared"


def _cheapest(writer: "Writer", labels: list[Any], decision: LeastCost) -> str:
    """The label of least expected cost by the sums."""
    n = range(len(labels))
    costs = ", ".join(f"{' + '.join(f'{writer.number(decision.costs[i][j])} * c{i}' for i in n)} AS k{j}" for j in n)
    rounding = writer.number(float(np.max(decision.costs)) * (1 - NEARLY))
    function = {"GREATEST": "LEAST", "MAX": "MIN"}[writer.dialect.greatest]
    bound = f"{_extreme(function, [f'k{j}' for j in n])} + {rounding} * ({' + '.join(f'c{i}' for i in n)})"
    cases = " ".join(f"WHEN k{j} <= bound THEN {literal(labels[j], writer.dialect)}" for j in decision.order)
    costed = f"(SELECT answers.*, {costs} FROM answers) AS costed"
    return f"CASE {cases} END FROM (SELECT costed.*, {bound} AS bound FROM {costed}) AS compared"


def _extreme(function: str, terms: list[str]) -> str:
    """The largest or smallest of several terms, by calls of as many arguments as databases take."""
    while len(terms) > 1:
        parts = [terms[start : start + _MOST_ARGUMENTS] for start in range(0, len(terms), _MOST_ARGUMENTS)]
        terms = [f"{function}({', '.join(part)})" if len(part) > 1 else part[0] for part in parts]
    return terms[0]


@frozen
class Dialect:
    """A database: its quotes of names, its word for true, NaN, the largest of several; the depth of CASE and tests it reads.

    `seconds` makes seconds of a time; its `{start}` is the time from which they count.
    """

    name: DialectName
    quote: str
    true: str
    has_nan: bool
    greatest: str
    most_nested: int
    seconds: str = "EXTRACT(EPOCH FROM {column})"


@frozen
class Writer:
    """Writes tests on the columns of a schema: by `columns`, expressions by feature name, or by the features' names."""

    schema: Schema
    values: list[Any]
    columns: Mapping[str, str]
    dialect: Dialect
    written: dict[int, list[str]] = field(factory=dict, eq=False)

    def tests(self, node: ExportNode) -> list[str]:
        """The tests of a node, each written once: every end below the node lists them again."""
        if id(node) not in self.written:
            self.written[id(node)] = list(map(self.test, node.tests))
        return self.written[id(node)]

    def column(self, number: Any) -> str:
        """The expression of a feature."""
        feature = self.schema.features[number]
        if feature.name in self.columns:
            return self.columns[feature.name]
        column = identifier(feature.name, self.dialect)
        start = "00:00" if feature.time == "time of day" else "1970-01-01"
        return column if feature.time is None else self.dialect.seconds.format(column=column, start=start)

    def test(self, test: Any) -> str:
        """A test of a node in parentheses, or a single comparison."""
        match test:
            case Not(inner):
                written = self.fails(self.test(inner))
            case FirstKnown(pairs, default) if len(pairs) + default > _SHORT:
                decided = [f"WHEN {self.test(each)} THEN {int(passes)}" for each, passes in _decisions(test)]
                written = f"CASE {' '.join(decided)} ELSE 0 END = 1"
            case FirstKnown():
                written = self.test(without_order(test))
            case AllOf(tests):
                written = f"({' AND '.join(map(self.test, tests)) or '1 = 1'})"
            case AnyOf(tests):
                written = f"({' OR '.join(map(self.test, tests)) or '1 = 0'})"
            case OneOf(feature, codes):
                written = self._among(self.column(feature), [self.values[int(feature)][code] for code in codes])
            case Missing(feature):
                written = self._missing(feature)
            case SumBetween():
                written = self._sum(test)
            case Between():
                written = self._between(test)
            case _:
                raise TypeError(f"test must be a condition that SQL can state, got {short_repr(test)}.")
        return written

    def fails(self, written: str) -> str:
        """A written test is false or unknown."""
        return f"({written}) IS NOT {self.dialect.true}"

    def number(self, number: float) -> str:
        """A double."""
        return literal(float(number), self.dialect)

    def counts(self, node: ExportNode, quotient: Quotient | None) -> list[str]:
        """The counts of a node; of sums that depend on features the size, and the total as an expression of columns."""
        sums = list(map(self.number, node.counts))
        if quotient is None or not quotient.features:
            return sums
        known = quotient.known_total(sums, self.column)
        return [sums[0], f"COALESCE({f'NULLIF({known}, {_NAN})' if self.dialect.has_nan else known}, {sums[-1]})"]

    def _among(self, column: str, listed: list[Any]) -> str:
        known = [literal(value, self.dialect) for value in listed if value is not None]
        tests = [f"{column} = {known[0]}" if len(known) == 1 else f"{column} IN ({', '.join(known)})"] if known else []
        tests += [f"{column} IS NULL"] if None in listed else []
        return tests[0] if len(tests) == 1 else f"({' OR '.join(tests) or '1 = 0'})"

    def _missing(self, feature: Any) -> str:
        column, values = self.column(feature), self.values[feature]
        if values and None in values:  # a value of its own
            return "1 = 0"
        are_numeric = values is None or all(type(value) in {int, float} for value in values)
        return f"({column} IS NULL OR {column} = {_NAN})" if self.dialect.has_nan and are_numeric else f"{column} IS NULL"

    def _between(self, test: Between) -> str:
        column = self.column(test.feature)
        parts = [f"{column} > {self.number(test.above)}"] * (test.above > -inf)
        parts += [f"{column} <= {self.number(test.at_most)}"] * (test.at_most < inf)
        if test.at_most == inf and self.dialect.has_nan:
            parts.append(f"{column} <> {_NAN}")
        return f"({' AND '.join(parts)})" if len(parts) > 1 else (parts or [f"{column} IS NOT NULL"])[0]

    def _sum(self, test: SumBetween) -> str:
        """The sum is above one end; all numbers are known and it is not above the other, nor NaN."""
        terms = zip(test.features, test.weights, strict=True)
        added = " + ".join(f"{self.number(weight)} * {self.column(feature)}" for feature, weight in terms)
        parts = [self._sum_above(added, test.above)] * (test.above > -inf)
        if test.at_most < inf:
            parts += [self.fails(self._sum_above(added, test.at_most))]
        known = [self.test(Not(Missing(feature))) for feature in test.features]
        return f"({' AND '.join(known + parts)})"

    def _sum_above(self, added: str, at: float) -> str:
        above = f"{added} > {self.number(at)}"
        return f"({above} AND {added} <> {_NAN})" if self.dialect.has_nan else above


# Up to so many surrogates and defaults, conditions with surrogates are written by AND and OR.
_SHORT = 2


def _decisions(test: FirstKnown) -> Iterator[tuple[Condition, bool]]:
    """The tests of pairs in order, and what the first one that passes decides; if none passes, the whole fails."""
    *earlier, (holds, fails) = test.pairs
    for one, other in earlier:
        yield from ((one, True), (other, False))
    yield (Not(fails) if test.default else holds), True


def _nesting(test: Condition) -> int:
    """How deep tests are inside one another where a test is written."""
    match test:
        case Not(inner):
            return 1 + _nesting(inner)
        case AllOf(tests) | AnyOf(tests):
            return 1 + max(map(_nesting, tests), default=0)
        case FirstKnown():
            return 1 + max(_nesting(each) for each, _ in _decisions(test))
    return 1


@frozen
class _Cases:
    """CASE expressions; nodes that are `heads` would be nested too deep, and stand in a list with the paths to them.

    `alike` has the answer of each node all of whose rows answer so, None for others; `divides` is whether rows are divided.
    """

    listed: ExportNodes
    writer: Writer
    answer: _Answer
    alike: list[str | None]
    heads: frozenset[int]
    divides: bool

    def whole(self) -> Iterator[str]:
        """The expression of all rows; NULL where a row is divided. Of heads on one path, the last stands first."""
        if not self.heads:
            yield from self._nested(0)
            return
        above = {child: (at, place) for at, node in enumerate(self.listed.nodes) for place, child in enumerate(node.children)}
        yield "CASE"
        for head in sorted(self.heads, reverse=True):
            yield f"\n  WHEN {' AND '.join(self._path(head, above))} THEN "
            yield from self._nested(head)
        yield "\n  ELSE "
        yield from self._nested(0)
        yield "\nEND"

    def _path(self, head: int, above: dict[int, tuple[int, int]]) -> list[str]:
        """The conditions on the path to a node, the root's first."""
        found = []
        while head:
            head, place = above[head]
            node = self.listed.nodes[head]
            others = self.writer.fails(_others(self.writer, node, place))
            found.append(others if node.one_route and node.shares[place] else self.writer.tests(node)[place])
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
        whole = node.routes[0][0] if node.one_route and node.routes else None
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


def _cases(listed: ExportNodes, writer: Writer, answer: _Answer) -> _Cases:
    """The CASE expressions of all nodes, which are decided from the leaves up."""
    n, most = len(listed.nodes), writer.dialect.most_nested
    alike, heights, divides = list[str | None]([None] * n), [0] * n, [False] * n
    for number in reversed(range(n)):
        node = listed.nodes[number]
        answers = {alike[child] for child in node.children} | ({answer.of(node)} if node.stays else set())
        if len(answers) == 1 and (node.one_route or answer.pooled):
            alike[number] = answers.pop()
        if alike[number] is None:
            divides[number] = not node.one_route or any(divides[child] for child in node.children)
            below = [heights[child] for child in node.children if heights[child] < most]
            heights[number] = 1 + max(below + [_nesting(test) for test in node.tests])
    heads = frozenset([number for number in range(1, n) if heights[number] >= most])
    return _Cases(listed, writer, answer, alike, heads, divides[0])


@frozen
class _End:
    """A node where rows end, and the path there: each node with the child's position, None for the part that stays."""

    node: ExportNode
    path: tuple[tuple[ExportNode, int | None], ...]


def _ends(listed: ExportNodes) -> Iterator[_End]:
    paths: list[tuple[tuple[ExportNode, int | None], ...]] = [()] * len(listed.nodes)
    for number, node in enumerate(listed.nodes):
        for place, child in enumerate(node.children):
            paths[child] = (*paths[number], (node, place))
        if node.stays:
            yield _End(node, (*paths[number], (node, None)) if node.children else paths[number])


def _off(writer: Writer, node: ExportNode, place: int | None) -> str:
    """The test that a row, or all of its parts, follow another path."""
    if place is None or node.shares[place]:
        return _others(writer, node, place)
    return writer.fails(writer.test(node.tests[place]))


def _others(writer: Writer, node: ExportNode, place: int | None) -> str:
    """One of the tests for the other children passes."""
    return " OR ".join(test for number, test in enumerate(writer.tests(node)) if number != place) or "1 = 0"


def _sums(listed: ExportNodes, writer: Writer) -> str:
    """The counts of the ends, times the part of the row that ends there, added up by class, as a table `answers`."""
    classes, used = range(len(writer.counts(listed.nodes[0], listed.quotient))), ""
    if listed.quotient is not None and listed.quotient.features:
        used = " WHERE part > 0"  # the total of an end that a row does not reach may be infinite
    rows = ",\n".join(
        f"  ({_part(writer, end)}, {int(not end.node.inherited)}, {', '.join(writer.counts(end.node, listed.quotient))})"
        for end in _ends(listed)
    )
    summed = ", ".join(f"SUM(part * own * c{k}) AS s{k}, MAX(part * (1 - own) * c{k}) AS m{k}" for k in classes)
    # Sums of numbers may be negative, so they do not show whether an end with counts of its own was reached.
    chosen = ", ".join(f"CASE WHEN owned > 0 THEN s{k} ELSE m{k} END AS c{k}" for k in classes)
    return (
        f"WITH ends(part, own, {', '.join(f'c{k}' for k in classes)}) AS (VALUES\n{rows}),\n"
        f"sums AS (SELECT MAX(part * own) AS owned, {summed} FROM ends{used}),\nanswers AS (SELECT {chosen} FROM sums)\n"
    )


def _part(writer: Writer, end: _End) -> str:
    """The part of a row that ends at a node: 0 if it follows another path."""
    off, factors = [], []
    for node, place in end.path:
        share = node.stays if place is None else node.shares[place]
        off.append(_off(writer, node, place))
        if share not in {0.0, 1.0}:
            factors.append(_factor(writer, node, place, share))
    product = " * ".join(factors) or writer.number(1.0)
    return f"CASE {' '.join(f'WHEN {test} THEN {writer.number(0.0)}' for test in off)} ELSE {product} END" if off else product


def _factor(writer: Writer, node: ExportNode, place: int | None, share: float) -> str:
    if place is None:
        return writer.number(share)
    return f"CASE WHEN {writer.test(node.tests[place])} THEN {writer.number(1.0)} ELSE {writer.number(share)} END"


def _check_size(listed: ExportNodes) -> None:
    """Check the number of classes, and of tests: each end of a divided row lists those of all other children on its path."""
    n = len(listed.nodes[0].counts)
    if n > _MOST_CLASSES:
        wanted = f"at most {_MOST_CLASSES} classes where rows are divided in SQL"
        raise ValueError(f"tree must have {wanted}, got {n:,}. Give missing='heaviest'.")
    n = sum(len(node.tests) for end in _ends(listed) for node, place in end.path if place is None or node.shares[place])
    if n > _MOST_TESTS:
        raise ValueError(f"tree must need at most {_MOST_TESTS:,} tests in SQL, got {n:,}. Give missing='heaviest'.")


def _check_names(listed: ExportNodes, writer: Writer) -> None:
    """Check that the database can tell the columns apart: some ignore the case of Latin letters, in quotes too."""
    if writer.dialect.name not in {"sqlite", "duckdb"}:
        return
    names = [listed.schema.features[number].name for number in listed.used_features]
    lower = {name: name.translate(_LOWER) for name in names if name not in writer.columns}
    alike = [name for name in lower if list(lower.values()).count(lower[name]) > 1]
    if alike:
        wanted = f"columns whose names differ in more than case for {writer.dialect.name}"
        raise ValueError(f"tree must have {wanted}, got {joined(map(repr, alike))}. Give an expression in columns.")


# SQLite's own conversion does not read numbers of more digits exactly.
_EXACT_DIGITS = 15
_NAN = "CAST('NaN' AS DOUBLE PRECISION)"
_IN_SECONDS = "ROUND((julianday({column}) - julianday('{start}')) * 86400, 3)"
_SECONDS_IN_SQLITE = f"CASE typeof({{column}}) WHEN 'text' THEN {_IN_SECONDS} ELSE {{column}} END"
_DIALECTS: dict[Any, Dialect] = {
    "ansi": Dialect("ansi", '"', "TRUE", has_nan=False, greatest="GREATEST", most_nested=11),
    # In double quotes, a column that a table lacks is a text there; TRUE is the column of that name if a table has one.
    "sqlite": Dialect("sqlite", "`", "1", has_nan=False, greatest="MAX", most_nested=11, seconds=_SECONDS_IN_SQLITE),
    "duckdb": Dialect("duckdb", '"', "TRUE", has_nan=True, greatest="GREATEST", most_nested=200),
    "postgres": Dialect("postgres", '"', "TRUE", has_nan=True, greatest="GREATEST", most_nested=200),
}


def as_dialect(name: Any) -> Dialect:
    """The dialect with a name. Raises a ValueError for an unknown name."""
    require_one_of("dialect", name, _DIALECTS)
    return _DIALECTS[name]


def identifier(name: str, dialect: Dialect) -> str:
    """A name in quotes.

    Raises a ValueError for the empty name and for a character that databases do not store.

    >>> print(identifier('petal "width" in cm', as_dialect("ansi")))
    "petal ""width"" in cm"
    """
    if not name:
        raise ValueError(
            f"A column must have a name to be written in SQL, got {short_repr(name)}. Give its expression in columns."
        )
    return dialect.quote + without_nul(name, "SQL").replace(dialect.quote, 2 * dialect.quote) + dialect.quote


def literal(value: Any, dialect: Dialect) -> str:
    """A text, number or boolean as SQL; a float is a double, exactly.

    Raises a ValueError for a text with the character NUL or with single surrogates, which databases do not store.

    >>> literal("it's", as_dialect("ansi")), literal(0.5, as_dialect("ansi")), literal(True, as_dialect("ansi"))
    ("'it''s'", '0.5e0', 'TRUE')
    >>> literal(1 / 3, as_dialect("sqlite"))
    '(6004799503160661.0 / 18014398509481984.0)'
    """
    if isinstance(value, bool):
        return str(int(value)) if dialect.true == "1" else str(value).upper()
    if isinstance(value, float):
        return _double(value, dialect)
    return str(value) if isinstance(value, int) else "'" + without_nul(value, "SQL").replace("'", "''") + "'"


def _double(number: float, dialect: Dialect) -> str:
    text = repr(number)
    digits = text.lstrip("-").partition("e")[0].replace(".", "").strip("0")
    if dialect.name == "sqlite" and len(digits) > _EXACT_DIGITS:
        return _as_fraction(number)
    return text if "e" in text else f"{text}e0"


def _as_fraction(number: float) -> str:
    """A double as a whole number times or divided by powers of two, each of which is read exactly."""
    share, exponent = frexp(number)
    whole, exponent = int(share * 2.0**53), exponent - 53
    sign, steps = ("*", exponent) if exponent > 0 else ("/", -exponent)
    powers = [f" {sign} {1 << min(60, steps - done)}.0" for done in range(0, steps, 60)]
    return f"({whole}.0{''.join(powers)})"
