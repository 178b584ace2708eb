"""Predicates of PMML as splits: the values of one field that each child accepts, and a split with the same children."""

from collections.abc import Sequence
from itertools import pairwise
from math import inf, isfinite, nextafter
from typing import Any

from attrs import evolve, frozen

from ftree._lib.messages import short_repr
from ftree.exchange.others.markup import Element
from ftree.tree.schema import Feature, Schema, position
from ftree.tree.splits import Groups, Intervals, IsMissing, Multiway, Subset, Surrogate, Threshold, WithDefault, WithSurrogates
from ftree.tree.splits.protocol import Split

PREDICATES = ("SimplePredicate", "SimpleSetPredicate", "CompoundPredicate", "True", "False")
_PAIR = 2


@frozen
class _Region:
    """The values of a field that a predicate accepts: an interval, or a set of codes, and whether the value may be missing."""

    feature: int
    above: float = -inf
    at_most: float = inf
    codes: frozenset[int] | None = None
    missing: bool = False
    excludes: bool = False  # the region is everything but the codes


def split_and_order(schema: Schema, predicates: Sequence[Element]) -> tuple[Split, list[int]]:
    """The split of children with these predicates, and the order of its children among them.

    Raises a ValueError if none of the library's splits divides rows in this way.
    """
    if len(predicates) == _PAIR and all(_is_surrogate(each) for each in predicates):
        return _with_surrogates(schema, predicates)
    if len(predicates) >= _PAIR and predicates[-1].name == "True":
        regions = [_region(schema, each) for each in predicates[:-1]]
        return _of_regions(schema, [*regions, _rest(schema, regions)])
    return _of_regions(schema, [_region(schema, each) for each in predicates])


def _is_surrogate(predicate: Element) -> bool:
    return predicate.name == "CompoundPredicate" and predicate.attributes.get("booleanOperator") == "surrogate"


def _with_surrogates(schema: Schema, predicates: Sequence[Element]) -> tuple[Split, list[int]]:
    firsts, seconds = (each.all(*PREDICATES) for each in predicates)
    stated = [[first, second] for first, second in zip(firsts, seconds, strict=False) if first.name not in ("True", "False")]
    default = next((child for child, each in enumerate((firsts, seconds)) if each and each[-1].name == "True"), None)
    if not stated or len(firsts) != len(seconds):
        raise _refused(predicates)
    own, order = _of_regions(schema, [_region(schema, each) for each in stated[0]])
    backups = [_of_regions(schema, [_region(schema, each) for each in pair]) for pair in stated[1:]]
    surrogates = [Surrogate(split, reversed=other != order) for split, other in backups]  # type: ignore[arg-type]  # binary
    child = None if default is None else order.index(default)
    return WithSurrogates(own, surrogates, default_child=child), order  # type: ignore[arg-type]  # binary


def _of_regions(schema: Schema, regions: Sequence[_Region]) -> tuple[Split, list[int]]:
    features = {each.feature for each in regions}
    missing = [number for number, each in enumerate(regions) if each.missing]
    if len(features) != 1 or len(missing) > 1:
        raise _refused(regions)
    (feature,) = features
    if missing and regions[missing[0]].codes == frozenset():
        return _beside_missing(schema, regions, missing[0])
    own, order = _of_codes(regions) if schema.features[feature].kind == "nominal" else _of_intervals(regions)
    return (WithDefault(own, default_child=order.index(missing[0])) if missing else own), order


def _beside_missing(schema: Schema, regions: Sequence[_Region], missing: int) -> tuple[Split, list[int]]:
    """The split in which one child gets the missing values, and no known ones."""
    others = [number for number in range(len(regions)) if number != missing]
    every = frozenset(range(len(schema.features[regions[0].feature].values)))
    if len(others) == 1 and regions[others[0]].codes in (None, every):
        return IsMissing(regions[0].feature), [others[0], missing]
    own, order = _of_regions(schema, [regions[number] for number in others])
    return WithDefault(own, default_child=len(others)), [*[others[place] for place in order], missing]


def _of_intervals(regions: Sequence[_Region]) -> tuple[Split, list[int]]:
    order = sorted(range(len(regions)), key=lambda number: regions[number].above)
    rising = [regions[number] for number in order]
    cuts = [each.at_most for each in rising[:-1]]
    meet = all(low.at_most == high.above for low, high in pairwise(rising)) and all(map(isfinite, cuts))
    if not cuts or not meet or rising[0].above != -inf or rising[-1].at_most != inf:
        raise _refused(regions)
    return (Threshold(regions[0].feature, cuts[0]) if len(cuts) == 1 else Intervals(regions[0].feature, cuts)), order


def _of_codes(regions: Sequence[_Region]) -> tuple[Split, list[int]]:
    order = sorted(range(len(regions)), key=lambda number: regions[number].excludes)
    groups = [sorted(regions[number].codes or ()) for number in order]
    feature, last = regions[0].feature, regions[order[-1]]
    if last.excludes and len(regions) == _PAIR and not set(groups[0]) & set(groups[1]):
        return Subset(feature, groups[0]), order
    if all(len(group) == 1 for group in groups):
        return Multiway(feature, [group[0] for group in groups]), order
    return Groups(feature, groups), order


def _region(schema: Schema, predicate: Element) -> _Region:
    match predicate.name, predicate.attributes.get("booleanOperator"):
        case "SimplePredicate", _:
            return _simple(schema, predicate.attributes)
        case "SimpleSetPredicate", _:
            return _of_set(schema, predicate)
        case "CompoundPredicate", ("and" | "or") as operator:
            parts = [_region(schema, each) for each in predicate.all(*PREDICATES)]
            if parts and len({each.feature for each in parts}) == 1:
                return _joined(parts, operator)
    raise _refused([predicate])


def _joined(parts: Sequence[_Region], operator: str) -> _Region:
    """Regions joined by "and" or by "or": intervals are intersected, sets united, and either may be missing."""
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
    raise _refused(parts)


def _simple(schema: Schema, attributes: dict[str, str]) -> _Region:
    number = position(schema, attributes.get("field", ""))
    feature, operator = schema.features[number], attributes.get("operator")
    everything = _Region(number, codes=frozenset(range(len(feature.values)))) if feature.kind == "nominal" else _Region(number)
    if operator == "isMissing":
        return _Region(number, codes=frozenset(), missing=True)
    if operator == "isNotMissing":
        return everything
    if feature.kind == "nominal":
        code = frozenset([_code(feature, attributes.get("value"))])
        return _of_values(everything, code, operator, equal="equal", other="notEqual")
    at = _at(feature, attributes.get("value"))
    below = nextafter(at, -inf) if feature.kind == "numeric" else at - 1
    bounds = {"lessOrEqual": (-inf, at), "lessThan": (-inf, below), "greaterThan": (at, inf), "greaterOrEqual": (below, inf)}
    if operator not in bounds:
        raise _refused([attributes])
    return _Region(number, *bounds[operator])


def _of_set(schema: Schema, predicate: Element) -> _Region:
    number = position(schema, predicate.attributes.get("field", ""))
    feature, arrays = schema.features[number], predicate.all("Array")
    if feature.kind != "nominal" or len(arrays) != 1:
        raise _refused([predicate])
    codes = frozenset(_code(feature, value) for value in words_of(arrays[0].text))
    everything = _Region(number, codes=frozenset(range(len(feature.values))))
    return _of_values(everything, codes, predicate.attributes.get("booleanOperator"), equal="isIn", other="isNotIn")


def _of_values(everything: _Region, codes: frozenset[int], operator: str | None, *, equal: str, other: str) -> _Region:
    if operator not in (equal, other):
        raise _refused([operator])
    return evolve(
        everything, codes=codes if operator == equal else (everything.codes or codes) - codes, excludes=operator == other
    )


def _rest(schema: Schema, regions: Sequence[_Region]) -> _Region:
    """The values that other children leave: codes, or the one interval between theirs; and the missing values."""
    feature = regions[0].feature
    if regions[0].codes is not None:
        every = frozenset(range(len(schema.features[feature].values)))
        codes = every.difference(*[each.codes or () for each in regions])
        return _Region(feature, codes=codes, missing=True, excludes=True)
    ends = sorted([(-inf, -inf), *[(each.above, each.at_most) for each in regions], (inf, inf)])
    gaps = [(low[1], high[0]) for low, high in pairwise(ends) if low[1] < high[0]]
    if len(gaps) > 1:
        raise _refused(regions)
    above, at_most = gaps[0] if gaps else (inf, -inf)
    return _Region(feature, above, at_most, None if gaps else frozenset(), missing=True)


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


def _refused(predicates: Any) -> ValueError:
    wanted = "a threshold, intervals, values or sets of values of one field, or whether it is missing"
    message = f"Predicates of a node's children must be {wanted}, got {short_repr(list(predicates))}."
    return ValueError(message)
