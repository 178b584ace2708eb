"""The SQL of a database: names, texts, numbers, and tests, which are never true if a value is missing."""

from collections.abc import Mapping
from math import frexp, inf
from typing import Any, Literal, TypeAlias

from attrs import frozen

from ftree._lib.messages import joined, short_repr
from ftree.exchange.json_checks import check_text
from ftree.exchange.row_tests import Every, Not, Some, Test
from ftree.tree.conditions import Between, Missing, OneOf, SumBetween
from ftree.tree.schema import Schema

DialectName: TypeAlias = Literal["ansi", "sqlite", "duckdb", "postgres"]
# SQLite's own conversion does not read numbers of more digits exactly.
_EXACT_DIGITS = 15
_NAN = "CAST('NaN' AS DOUBLE PRECISION)"


@frozen
class Dialect:
    """A database: whether its numbers can be NaN, its function for the largest of several, and the depth of CASE it reads."""

    name: DialectName
    has_nan: bool
    greatest: str
    most_nested: int


_DIALECTS: dict[Any, Dialect] = {
    "ansi": Dialect("ansi", has_nan=False, greatest="GREATEST", most_nested=15),
    "sqlite": Dialect("sqlite", has_nan=False, greatest="MAX", most_nested=15),
    "duckdb": Dialect("duckdb", has_nan=True, greatest="GREATEST", most_nested=200),
    "postgres": Dialect("postgres", has_nan=True, greatest="GREATEST", most_nested=200),
}


def as_dialect(name: Any) -> Dialect:
    """The dialect with a name. Raises a ValueError for an unknown name."""
    found = _DIALECTS.get(name) if isinstance(name, str) else None
    if found is None:
        message = f"dialect must be one of {joined(map(repr, _DIALECTS))}, got {short_repr(name)}."
        raise ValueError(message)
    return found


def identifier(name: str) -> str:
    """A name in double quotes.

    Raises a ValueError for a character that databases do not store.

    >>> print(identifier('petal "width" in cm'))
    "petal ""width"" in cm"
    """
    return '"' + _checked(name).replace('"', '""') + '"'


def literal(value: Any, dialect: Dialect) -> str:
    """A text, number, boolean or None as SQL; a float is a double, exactly.

    Raises a ValueError for a text with the character NUL or with single surrogates, which databases do not store.

    >>> literal("it's", as_dialect("ansi")), literal(0.5, as_dialect("ansi")), literal(True, as_dialect("ansi"))
    ("'it''s'", '0.5e0', 'TRUE')
    """
    if value is None or isinstance(value, bool):
        return {None: "NULL", True: "TRUE", False: "FALSE"}[value]
    if isinstance(value, float):
        return _double(value, dialect)
    return str(value) if isinstance(value, int) else "'" + _checked(value).replace("'", "''") + "'"


def _checked(text: str) -> str:
    if "\0" in text:
        message = f"A text must have no NUL character to be written in SQL, got {short_repr(text)}."
        raise ValueError(message)
    return check_text(text)


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


@frozen
class Writer:
    """Writes tests on the columns of a schema: by `columns`, expressions by feature name, or by the features' names."""

    schema: Schema
    values: list[Any]
    columns: Mapping[str, str]
    dialect: Dialect

    def column(self, number: Any) -> str:
        """The expression of a feature."""
        name = self.schema.features[number].name
        return self.columns[name] if name in self.columns else identifier(name)

    def test(self, test: Test) -> str:
        """A test in parentheses, or a single comparison."""
        match test:
            case Not(inner):
                return f"({self.test(inner)}) IS NOT TRUE"
            case Every(tests):
                return f"({' AND '.join(map(self.test, tests)) or '1 = 1'})"
            case Some(tests):
                return f"({' OR '.join(map(self.test, tests)) or '1 = 0'})"
            case SumBetween():
                return self._sum(test)
        return self._of_one(test)

    def _of_one(self, test: OneOf | Missing | Between) -> str:
        """A test of one feature."""
        match test:
            case OneOf(feature, codes):
                return self._among(self.column(feature), [self.values[int(feature)][code] for code in codes])
            case Missing(feature):
                return self._missing(feature)
        return self._between(test)

    def number(self, number: float) -> str:
        """A double."""
        return literal(float(number), self.dialect)

    def _among(self, column: str, listed: list[Any]) -> str:
        known = [literal(value, self.dialect) for value in listed if value is not None]
        tests = [f"{column} = {known[0]}" if len(known) == 1 else f"{column} IN ({', '.join(known)})"] if known else []
        tests += [f"{column} IS NULL"] if None in listed else []
        return tests[0] if len(tests) == 1 else f"({' OR '.join(tests) or '1 = 0'})"

    def _missing(self, feature: Any) -> str:
        column, values = self.column(feature), self.values[feature]
        if values is not None:
            return f"({self._among(column, values)}) IS NOT TRUE"
        return f"({column} IS NULL OR {column} = {_NAN})" if self.dialect.has_nan else f"{column} IS NULL"

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
            parts += [f"({self._sum_above(added, test.at_most)}) IS NOT TRUE"]
        known = [self.test(Not(Missing(feature))) for feature in test.features]
        return f"({' AND '.join(known + parts)})"

    def _sum_above(self, added: str, at: float) -> str:
        above = f"{added} > {self.number(at)}"
        return f"({above} AND {added} <> {_NAN})" if self.dialect.has_nan else above
