"""Conditions as SQL of a dialect: `Dialect` has all in which databases differ, `DIALECTS` lists them, `Writer` writes tests."""

from collections.abc import Iterator, Mapping
from math import frexp, inf
from typing import Any, Literal, TypeAlias

from attrs import field, frozen

from ftree._lib.fields import require_one_of
from ftree._lib.messages import short_repr
from ftree.exchange.neutral_form import ExportNode, unknown_test
from ftree.exchange.plain_values import without_nul
from ftree.tree.conditions import AllOf, AnyOf, Between, Condition, FirstKnown, Missing, Not, OneOf, SumBetween
from ftree.tree.logic import without_order
from ftree.tree.schema import Schema

DialectName: TypeAlias = Literal["ansi", "sqlite", "duckdb", "postgres"]


@frozen(kw_only=True)
class Dialect:
    """What a database reads in its own way; the defaults are ANSI's. To add a dialect, decide each field.

    Where it `folds_names`, names that differ only in the case of Latin letters are one column, in quotes too. `escapes` stand for
    characters of a text in single quotes. `exact_text` is a `{column}` that equals a text only to the letter: some databases
    ignore case, or blanks at the end. Numbers of up to `exact_digits` are read exactly. If it `has_nan`, NaN equals itself, and
    is above all numbers. `row` has the `{cells}` of a row after VALUES, `seconds` are those of a `{column}` of times, from
    `{start}` on. CASE expressions and tests may stand in one another `most_nested` deep.
    """

    name: DialectName
    quote: str = '"'
    folds_names: bool = False
    escapes: dict[str, Any] = field(default={"'": "''"})
    exact_text: str = "{column}"
    true: str = "TRUE"
    false: str = "FALSE"
    exact_digits: float = inf
    has_nan: bool = False
    greatest: str = "GREATEST"
    least: str = "LEAST"
    row: str = "({cells})"
    seconds: str = "EXTRACT(EPOCH FROM {column})"
    most_nested: int = 11


_NAN = "CAST('NaN' AS DOUBLE PRECISION)"
_IN_SECONDS = "ROUND((julianday({column}) - julianday('{start}')) * 86400, 3)"
_SQLITE = Dialect(
    name="sqlite",
    quote="`",  # in double quotes, a column that a table lacks is a text there
    folds_names=True,
    true="1",  # TRUE is the column of that name if a table has one
    false="0",
    exact_digits=15,
    greatest="MAX",
    least="MIN",
    seconds=f"CASE typeof({{column}}) WHEN 'text' THEN {_IN_SECONDS} ELSE {{column}} END",
)
_LISTED = (
    Dialect(name="ansi"),
    _SQLITE,
    Dialect(name="duckdb", folds_names=True, has_nan=True, most_nested=200),
    Dialect(name="postgres", has_nan=True, most_nested=200),
)
DIALECTS: dict[Any, Dialect] = {each.name: each for each in _LISTED}


def as_dialect(name: Any) -> Dialect:
    """The dialect with a name. Raises a ValueError for an unknown name."""
    require_one_of("dialect", name, DIALECTS)
    return DIALECTS[name]


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
            case FirstKnown([_]):
                written = self.test(without_order(test))
            case FirstKnown():
                decided = [f"WHEN {self.test(each)} THEN {int(passes)}" for each, passes in _decisions(test)]
                written = f"CASE {' '.join(decided)} ELSE 0 END = 1"
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
                raise unknown_test(test, "SQL")
        return written

    def fails(self, written: str) -> str:
        """A written test is false or unknown."""
        return f"({written}) IS NOT {self.dialect.true}"

    def number(self, number: float) -> str:
        """A double."""
        return literal(float(number), self.dialect)

    def known(self, expression: str) -> str:
        """An expression with NULL in place of NaN."""
        return f"NULLIF({expression}, {_NAN})" if self.dialect.has_nan else expression

    def _among(self, column: str, listed: list[Any]) -> str:
        known = [literal(value, self.dialect) for value in listed if value is not None]
        is_text = any(isinstance(value, str) for value in listed)
        asked = self.dialect.exact_text.format(column=column) if is_text else column
        tests = [f"{asked} = {known[0]}" if len(known) == 1 else f"{asked} IN ({', '.join(known)})"] if known else []
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


def _decisions(test: FirstKnown) -> Iterator[tuple[Condition, bool]]:
    """The tests of pairs in order, and what the first one that passes decides; if none passes, the whole fails."""
    *earlier, (holds, fails) = test.pairs
    for one, other in earlier:
        yield from ((one, True), (other, False))
    yield (Not(fails) if test.default else holds), True


def nesting(test: Condition) -> int:
    """How deep tests are inside one another where a test is written.

    >>> nesting(AllOf([Not(Missing(0)), Missing(1)]))
    3
    """
    match test:
        case Not(inner):
            return 1 + nesting(inner)
        case AllOf(tests) | AnyOf(tests):
            return 1 + max(map(nesting, tests), default=0)
        case FirstKnown([_]):
            return nesting(without_order(test))
        case FirstKnown():
            return 1 + max(nesting(each) for each, _ in _decisions(test))
    return 1


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
        return dialect.true if value else dialect.false
    if isinstance(value, float):
        return _double(value, dialect)
    return str(value) if isinstance(value, int) else f"'{without_nul(value, 'SQL').translate(str.maketrans(dialect.escapes))}'"


def _double(number: float, dialect: Dialect) -> str:
    text = repr(number)
    digits = text.lstrip("-").partition("e")[0].replace(".", "").strip("0")
    if len(digits) > dialect.exact_digits:
        return _as_fraction(number)
    return text if "e" in text else f"{text}e0"


def _as_fraction(number: float) -> str:
    """A double as a whole number times or divided by powers of two, each of which is read exactly."""
    share, exponent = frexp(number)
    whole, exponent = int(share * 2.0**53), exponent - 53
    sign, steps = ("*", exponent) if exponent > 0 else ("/", -exponent)
    powers = [f" {sign} {1 << min(60, steps - done)}.0" for done in range(0, steps, 60)]
    return f"({whole}.0{''.join(powers)})"
