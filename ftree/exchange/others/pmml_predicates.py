"""Predicates of PMML as conditions, and the split that divides rows as the predicates of all children do."""

import re
from collections.abc import Callable, Sequence
from math import inf, nextafter
from typing import Any
from xml.etree.ElementTree import Element

from ftree._lib.messages import short_repr
from ftree.data.values import number_in_text
from ftree.exchange.others.readers import value_in_text
from ftree.exchange.others.split_readers import refused, split_of
from ftree.tree.conditions import AllOf, AnyOf, Between, Condition, Missing, NoneOf, Not, OneOf
from ftree.tree.schema import Feature, Schema, codes_of_values, position
from ftree.tree.splits import Surrogate, WithSurrogates
from ftree.tree.splits.split import Split

_PREDICATES = ("SimplePredicate", "SimpleSetPredicate", "CompoundPredicate", "True", "False")
_PAIR = 2


def predicates_of(element: Element) -> list[Element]:
    """The predicates inside an element: of a node, or of a compound predicate."""
    return [each for each in element if each.tag in _PREDICATES]


def split_and_order(schema: Schema, predicates: Sequence[Element]) -> tuple[Split, list[int]]:
    """The split of children with these predicates, and the order of its children among them.

    Raises a ValueError if none of the library's splits divides rows in this way.
    """
    if len(predicates) == _PAIR and all(each.attrib.get("booleanOperator") == "surrogate" for each in predicates):
        return _with_surrogates(schema, predicates)
    stated = [_condition(schema, each) for each in predicates]
    if len(predicates) >= _PAIR and predicates[-1].tag == "True":
        stated[-1] = Not(AnyOf(stated[:-1]))  # what the others leave
    return split_of(schema, stated)


def _with_surrogates(schema: Schema, predicates: Sequence[Element]) -> tuple[Split, list[int]]:
    firsts, seconds = map(predicates_of, predicates)
    stated = [[first, second] for first, second in zip(firsts, seconds, strict=False) if first.tag not in ("True", "False")]
    default = next((child for child, each in enumerate((firsts, seconds)) if each and each[-1].tag == "True"), None)
    if not stated or len(firsts) != len(seconds):
        raise refused([(each.tag, each.attrib) for each in predicates])
    own, order = split_of(schema, [_condition(schema, each) for each in stated[0]])
    backups = [split_of(schema, [_condition(schema, each) for each in pair]) for pair in stated[1:]]
    surrogates = [Surrogate(split, reversed=other != order) for split, other in backups]  # type: ignore[arg-type]  # binary
    child = None if default is None else order.index(default)
    return WithSurrogates(own, surrogates, default_child=child), order  # type: ignore[arg-type]  # binary


def _condition(schema: Schema, predicate: Element) -> Condition:
    match predicate.tag, predicate.attrib.get("booleanOperator"):
        case "True", _:
            return AllOf(())
        case "CompoundPredicate", ("and" | "or") as operator:
            parts = [_condition(schema, each) for each in predicates_of(predicate)]
            return AllOf(parts) if operator == "and" else AnyOf(parts)
        case (("SimplePredicate" | "SimpleSetPredicate"), _):
            return _of_one_field(schema, predicate)
    raise refused([(predicate.tag, predicate.attrib)])


def _of_one_field(schema: Schema, predicate: Element) -> Condition:
    number, arrays = position(schema, predicate.attrib.get("field", "")), predicate.findall("Array")
    feature, told = schema.features[number], predicate.attrib.get("value")
    match predicate.attrib.get("operator", predicate.attrib.get("booleanOperator")):
        case "isMissing":
            return Missing(number)
        case "isNotMissing":
            return NoneOf(number)
        case ("isIn" | "isNotIn") as operator if feature.kind == "nominal" and len(arrays) == 1:
            codes = [_code(feature, value) for value in words_of(arrays[0].text or "")]
            return OneOf(number, codes) if operator == "isIn" else NoneOf(number, codes)
        case ("equal" | "notEqual") as operator if feature.kind == "nominal":
            code = _code(feature, told)
            return OneOf(number, [code]) if operator == "equal" else NoneOf(number, [code])
        case operator if operator in _BOUNDS and feature.kind != "nominal":
            at = _at(feature, told)
            below = nextafter(at, -inf) if feature.kind == "numeric" else at - 1
            return _BOUNDS[operator](number, at, below)
    raise refused([(predicate.tag, predicate.attrib)])


_BOUNDS: dict[str | None, Callable[[int, float, float], Between]] = {
    "lessOrEqual": lambda number, at, _: Between(number, at_most=at),
    "lessThan": lambda number, _, below: Between(number, at_most=below),
    "greaterThan": lambda number, at, _: Between(number, above=at),
    "greaterOrEqual": lambda number, _, below: Between(number, above=below),
}


# An item of an array in quotation marks, to the end where the second one is missing, or without, between white space of XML.
_ITEM = re.compile(r'"((?:\\"|[^"])*)"?|([^ \t\r\n]+)')


def words_of(text: str) -> list[str]:
    r"""The items of an array: separated by white space, and in quotation marks if they contain some; \" is a quotation mark.

    >>> words_of('red\t"light blue" "a \\"b\\""')
    ['red', 'light blue', 'a "b"']
    """
    return [(quoted or bare).replace('\\"', '"') for quoted, bare in _ITEM.findall(text)]


def _code(feature: Feature, text: Any) -> int:
    code = None if text is None else codes_of_values(feature).get(of_same_type(feature.values, text))
    if code is None:
        raise ValueError(f"A value of {short_repr(feature.name)} must be one that its field declares, got {short_repr(text)}.")
    return code


def _at(feature: Feature, text: Any) -> float:
    """A number, or the code of an ordinal value."""
    if feature.kind == "ordinal":
        return float(_code(feature, text))
    try:
        return number_in_text(text)
    except (TypeError, ValueError):
        raise ValueError(f"A value of {short_repr(feature.name)} must be a number, got {short_repr(text)}.") from None


def of_same_type(values: Sequence[Any], text: str) -> Any:
    """A text as a value of the type of the others, since one number may be written in several ways; else unchanged."""
    try:
        return value_in_text(type(values[0]), text)
    except (ValueError, IndexError):
        return text
