"""Predicates of PMML as regions of one field, and the split that divides rows as the predicates of all children do."""

from collections.abc import Sequence
from itertools import pairwise
from math import inf, nextafter
from typing import Any

from attrs import evolve

from ftree._lib.messages import short_repr
from ftree.exchange.others.markup import Element
from ftree.exchange.others.regions import Region, refused, split_of
from ftree.tree.schema import Feature, Schema, position
from ftree.tree.splits import Surrogate, WithSurrogates
from ftree.tree.splits.protocol import Split

PREDICATES = ("SimplePredicate", "SimpleSetPredicate", "CompoundPredicate", "True", "False")
_PAIR = 2


def split_and_order(schema: Schema, predicates: Sequence[Element]) -> tuple[Split, list[int]]:
    """The split of children with these predicates, and the order of its children among them.

    Raises a ValueError if none of the library's splits divides rows in this way.
    """
    if len(predicates) == _PAIR and all(_is_surrogate(each) for each in predicates):
        return _with_surrogates(schema, predicates)
    if len(predicates) >= _PAIR and predicates[-1].name == "True":
        regions = [_region(schema, each) for each in predicates[:-1]]
        return split_of(schema, [*regions, _rest(schema, regions)])
    return split_of(schema, [_region(schema, each) for each in predicates])


def _is_surrogate(predicate: Element) -> bool:
    return predicate.name == "CompoundPredicate" and predicate.attributes.get("booleanOperator") == "surrogate"


def _with_surrogates(schema: Schema, predicates: Sequence[Element]) -> tuple[Split, list[int]]:
    firsts, seconds = (each.all(*PREDICATES) for each in predicates)
    stated = [[first, second] for first, second in zip(firsts, seconds, strict=False) if first.name not in ("True", "False")]
    default = next((child for child, each in enumerate((firsts, seconds)) if each and each[-1].name == "True"), None)
    if not stated or len(firsts) != len(seconds):
        raise refused(predicates)
    own, order = split_of(schema, [_region(schema, each) for each in stated[0]])
    backups = [split_of(schema, [_region(schema, each) for each in pair]) for pair in stated[1:]]
    surrogates = [Surrogate(split, reversed=other != order) for split, other in backups]  # type: ignore[arg-type]  # binary
    child = None if default is None else order.index(default)
    return WithSurrogates(own, surrogates, default_child=child), order  # type: ignore[arg-type]  # binary


def _region(schema: Schema, predicate: Element) -> Region:
    match predicate.name, predicate.attributes.get("booleanOperator"):
        case "SimplePredicate", _:
            return _simple(schema, predicate.attributes)
        case "SimpleSetPredicate", _:
            return _of_set(schema, predicate)
        case "CompoundPredicate", ("and" | "or") as operator:
            parts = [_region(schema, each) for each in predicate.all(*PREDICATES)]
            if parts and len({each.feature for each in parts}) == 1:
                return _joined(parts, operator)
    raise refused([predicate])


def _joined(parts: Sequence[Region], operator: str) -> Region:
    """Regions that all hold, or of which one does: intervals meet, sets unite, and either may be missing."""
    missing = [each for each in parts if each.missing and each.codes == frozenset()]
    rest = [each for each in parts if each not in missing]
    if operator == "or" and missing and rest:
        return evolve(rest[0] if len(rest) == 1 else _joined(rest, operator), missing=True)
    if operator == "or" and not missing and all(each.codes is not None and not each.excludes for each in rest):
        return evolve(rest[0], codes=frozenset[int]().union(*[each.codes or () for each in rest]))
    if operator == "and" and not missing and all(each.excludes for each in rest):
        return evolve(rest[0], codes=(rest[0].codes or frozenset()).intersection(*[each.codes or () for each in rest]))
    if operator == "and" and not missing and all(each.codes is None for each in rest):
        return evolve(rest[0], above=max(each.above for each in rest), at_most=min(each.at_most for each in rest))
    raise refused(parts)


def _simple(schema: Schema, attributes: dict[str, str]) -> Region:
    number = position(schema, attributes.get("field", ""))
    feature, operator = schema.features[number], attributes.get("operator")
    everything = Region(number, codes=frozenset(range(len(feature.values)))) if feature.kind == "nominal" else Region(number)
    if operator == "isMissing":
        return Region(number, codes=frozenset(), missing=True)
    if operator == "isNotMissing":
        return everything
    if feature.kind == "nominal":
        code = frozenset([_code(feature, attributes.get("value"))])
        return _of_values(everything, code, operator, equal="equal", other="notEqual")
    at = _at(feature, attributes.get("value"))
    below = nextafter(at, -inf) if feature.kind == "numeric" else at - 1
    bounds = {"lessOrEqual": (-inf, at), "lessThan": (-inf, below), "greaterThan": (at, inf), "greaterOrEqual": (below, inf)}
    if operator not in bounds:
        raise refused([attributes])
    return Region(number, *bounds[operator])


def _of_set(schema: Schema, predicate: Element) -> Region:
    number = position(schema, predicate.attributes.get("field", ""))
    feature, arrays = schema.features[number], predicate.all("Array")
    if feature.kind != "nominal" or len(arrays) != 1:
        raise refused([predicate])
    codes = frozenset(_code(feature, value) for value in words_of(arrays[0].text))
    everything = Region(number, codes=frozenset(range(len(feature.values))))
    return _of_values(everything, codes, predicate.attributes.get("booleanOperator"), equal="isIn", other="isNotIn")


def _of_values(everything: Region, codes: frozenset[int], operator: str | None, *, equal: str, other: str) -> Region:
    if operator not in (equal, other):
        raise refused([operator])
    return evolve(
        everything, codes=codes if operator == equal else (everything.codes or codes) - codes, excludes=operator == other
    )


def _rest(schema: Schema, regions: Sequence[Region]) -> Region:
    """What others leave: codes, or the one interval between theirs; and the missing values."""
    feature = regions[0].feature
    if regions[0].codes is not None:
        every = frozenset(range(len(schema.features[feature].values)))
        codes = every.difference(*[each.codes or () for each in regions])
        return Region(feature, codes=codes, missing=True, excludes=True)
    ends = sorted([(-inf, -inf), *[(each.above, each.at_most) for each in regions], (inf, inf)])
    gaps = [(low[1], high[0]) for low, high in pairwise(ends) if low[1] < high[0]]
    if len(gaps) > 1:
        raise refused(regions)
    above, at_most = gaps[0] if gaps else (inf, -inf)
    return Region(feature, above, at_most, None if gaps else frozenset(), missing=True)


def words_of(text: str) -> list[str]:
    r"""The items of an array: separated by blanks, and in quotation marks if they contain blanks.

    >>> words_of('red "light blue" "a \\"b\\""')
    ['red', 'light blue', 'a "b"']
    """
    words: list[str] = []
    rest = text.strip()
    while rest:
        if rest[0] == '"':
            end = next((n for n in range(1, len(rest)) if rest[n] == '"' and rest[n - 1] != "\\"), len(rest))
            words.append(rest[1:end].replace('\\"', '"'))
            rest = rest[end + 1 :].lstrip()
        else:
            word, _, rest = rest.partition(" ")
            words.append(word)
            rest = rest.lstrip()
    return words


def _code(feature: Feature, text: Any) -> int:
    texts = [str(value).lower() if isinstance(value, bool) else str(value) for value in feature.values]
    if text not in texts:
        message = f"A value of {feature.name!r} must be one that its field declares, got {short_repr(text)}."
        raise ValueError(message)
    return texts.index(text)


def _at(feature: Feature, text: Any) -> float:
    """A number, or the code of an ordinal value."""
    if feature.kind == "ordinal":
        return float(_code(feature, text))
    try:
        return float(text)
    except (TypeError, ValueError):
        message = f"A value of {feature.name!r} must be a number, got {short_repr(text)}."
        raise ValueError(message) from None
