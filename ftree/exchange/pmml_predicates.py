"""Tests as predicates of PMML, which are true for exactly the rows that pass, and false for no row only for a missing value."""

import re
from collections.abc import Iterable
from math import inf
from typing import Any
from xml.etree.ElementTree import Element

from attrs import field, frozen

from ftree._lib.messages import short_repr
from ftree.exchange.row_tests import Every, Not, Some, Test
from ftree.tree.conditions import Between, Missing, OneOf, SumBetween
from ftree.tree.schema import Schema

# Characters that XML does not allow.
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# The columns that a sum adds up, with their weights.
Sum = tuple[tuple[Any, ...], tuple[float, ...]]


def xml_text(value: Any) -> str:
    """A value as text in XML; booleans as PMML writes them.

    Raises a ValueError for characters that XML does not allow.

    >>> xml_text(True), xml_text(0.5), xml_text("größe")
    ('true', '0.5', 'größe')
    """
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if _NOT_IN_XML.search(text):
        message = f"A text must have only XML characters to be written in PMML, got {short_repr(text)}."
        raise ValueError(message)
    return text


@frozen(eq=False)
class Predicates:
    """Writes predicates on the fields of a schema; `sums` are the weighted sums used, which become fields."""

    schema: Schema
    values: list[Any]
    sums: list[Sum] = field(factory=list)

    def of(self, test: Test, *, passes: bool = True) -> Element:
        """The predicate of a test, or of its opposite. PMML has no "not", so opposites are written out."""
        match test:
            case Not(inner):
                return self.of(inner, passes=not passes)
            case Every(tests):
                return _compound("and" if passes else "or", [self.of(each, passes=passes) for each in tests])
            case Some(tests):
                return _compound("or" if passes else "and", [self.of(each, passes=passes) for each in tests])
            case OneOf(number, codes):
                return self._among(number, codes, passes=passes)
            case Missing(number):
                return self._missing(number, passes=passes)
        return self._between(test, passes=passes)

    def name(self, number: Any) -> str:
        """The name of a feature."""
        return xml_text(self.schema.features[number].name)

    def name_of_sum(self, number: int) -> str:
        """A name for a sum, different from those of all features."""
        longest = max((each.name for each in self.schema.features), key=len)
        return f"{xml_text(longest)} sum {number}"

    def _among(self, number: Any, codes: Iterable[Any], *, passes: bool) -> Element:
        """The value is one of several, or missing, if None is one of them."""
        listed = [self.values[number][code] for code in codes]
        known = [_simple(self.name(number), "equal" if passes else "notEqual", each) for each in listed if each is not None]
        if passes:
            return _compound("or", known + [_simple(self.name(number), "isMissing")] * (None in listed))
        if None in listed:
            return _compound("and", [_simple(self.name(number), "isNotMissing"), *known])
        return _compound("or", [_simple(self.name(number), "isMissing"), _compound("and", known)])

    def _missing(self, number: Any, *, passes: bool) -> Element:
        """The value is missing; values that the schema lacks are missing, unless None is a value of its own."""
        values = self.values[number]
        if values and None in values:
            return self._among(number, range(len(values)), passes=not passes)
        return _simple(self.name(number), "isMissing" if passes else "isNotMissing")

    def _between(self, test: Between | SumBetween, *, passes: bool) -> Element:
        name = self.name(test.feature) if isinstance(test, Between) else self._sum(test)
        above, at_most = ("greaterThan", "lessOrEqual") if passes else ("lessOrEqual", "greaterThan")
        ends = [_simple(name, above, test.above)] * (test.above > -inf)
        ends += [_simple(name, at_most, test.at_most)] * (test.at_most < inf)
        if passes:
            return _compound("and", ends or [_simple(name, "isNotMissing")])
        return _compound("or", [_simple(name, "isMissing"), *ends])

    def _sum(self, test: SumBetween) -> str:
        terms = test.features, test.weights
        if terms not in self.sums:
            self.sums.append(terms)
        return self.name_of_sum(self.sums.index(terms))


def _simple(name: str, operator: str, value: Any = None) -> Element:
    given = {} if value is None else {"value": xml_text(value)}
    return Element("SimplePredicate", {"field": name, "operator": operator, **given})


def _compound(operator: str, parts: list[Element]) -> Element:
    """All or one of several predicates; a compound predicate of PMML has at least two."""
    if not parts:
        return Element("True" if operator == "and" else "False")
    if len(parts) == 1:
        return parts[0]
    made = Element("CompoundPredicate", {"booleanOperator": operator})
    made.extend(parts)
    return made
