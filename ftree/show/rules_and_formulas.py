"""Formulas, with names in place of numbers: the rule of a leaf, a class as a disjunction, and whether one holds."""

from collections.abc import Hashable, Iterator, Mapping
from math import inf, isnan, nan
from numbers import Real
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.faces import Face, Lines, in_lines
from ftree._lib.messages import joined, short_repr, type_of
from ftree.data.values import TEMPORAL, seconds
from ftree.tree.conditions import (
    AllOf,
    AnyOf,
    Between,
    Condition,
    FirstKnown,
    Missing,
    NoneOf,
    OneOf,
    Opaque,
    SumBetween,
    Worded,
    Wording,
    wording_for,
)
from ftree.tree.describe import named
from ftree.tree.nodes import Branch, Counts, Leaf, Node, Tree, tree_of
from ftree.tree.schema import Feature, Schema, is_hashable
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.shared import weighted_sum
from ftree.tree.splits.split import UNKNOWN, Split


@frozen(repr=False)
class Rule(Face):
    """The conditions of a path, the label of its leaf, or its number, and the leaf's class counts, or sums.

    >>> from ftree import datasets, grow, rules
    >>> first = rules(grow(datasets.weather()))[0]
    >>> first.label, first.counts
    ('yes', (0, 4))
    """

    conditions: tuple[Condition, ...]
    label: Hashable
    counts: Counts
    text: str = field(default="", kw_only=True, eq=False)
    wording: Wording = field(factory=Wording, kw_only=True, eq=False)

    def _parts(self) -> Iterator[str]:
        """The rule as a sentence, by its `wording`, with `text` for a label that is a long number; long ones in several lines.

        >>> from ftree.tree.conditions import OneOf
        >>> print(Rule((OneOf("sky", ("grey",)),), "stay", (0, 3)))
        if sky = grey then stay
        """
        answer = self.wording.label(self.text or str(self.label))
        yield in_lines(["if", *self.wording.conjunction(self.conditions, f" then {answer}")])


@frozen(repr=False)
class Dnf(Face):
    """A class as a disjunction of conjunctions: it holds if all conditions of one of the terms hold.

    A formula without terms is false; a term without conditions is true.

    >>> from ftree import datasets, dnf, grow
    >>> len(dnf(grow(datasets.weather()), "no").terms)
    2
    """

    label: Hashable
    terms: tuple[tuple[Condition, ...], ...]
    wording: Wording = field(factory=Wording, kw_only=True, eq=False)

    def _parts(self) -> Iterator[str]:
        """The formula with "and" and "or", by its `wording`; terms of several conditions are in parentheses.

        >>> from ftree.tree.conditions import Between, OneOf
        >>> print(Dnf("play", ((OneOf("sky", ("blue",)),), (Between("wind", at_most=3.0), OneOf("sky", ("grey",))))))
        sky = blue or (wind <= 3 and sky = grey)
        """
        parts: list[str] = []
        for term in self.terms:
            first, *others = self.wording.conjunction(term, ")" * (len(term) > 1))
            parts += [f"{'or ' * bool(parts)}{'(' * (len(term) > 1)}{first}", *others]
        yield in_lines(parts or ["false"])


def terms(formula: Dnf | Rule) -> tuple[tuple[Condition, ...], ...]:
    """The terms of a formula; a rule has one. Raises a TypeError for anything else."""
    if not isinstance(formula, (Dnf, Rule)):
        message = f"formula must be a Dnf or a Rule, got {type_of(formula)}. Make one with dnf(tree, label) or rules(tree)."
        raise TypeError(message)
    return formula.terms if isinstance(formula, Dnf) else (formula.conditions,)


class Rules(Lines[Rule]):
    """Rules, in all else a tuple; prints a line for each.

    >>> Rules([Rule((), "yes", (0, 3)), Rule((), "no", (1, 0))])
    if true then yes
    if true then no
    """

    __slots__ = ()


def rules(tree: Tree, *, digits: int | None = None, values: Literal["few"] | None = "few") -> Rules:
    """One rule for each leaf, left to right; at most one rule fits a row, and it gives the row's prediction.

    A leaf is omitted if the conditions on one feature, or on one weighted sum, show that no row can reach it.
    Conditions with surrogates are not merged: if all splits have surrogates, a rule has a condition for each split.
    They print thresholds with all digits that tell rows apart, or `digits` significant ones, and of many values the first few,
    or with `values=None` all.

    Raises a TypeError for anything but a Tree, a ValueError for digits below 1 or above 17, and for other `values`.

    >>> from ftree import Dataset, grow
    >>> tree = grow(Dataset.from_rows([[1.0], [2.0], [3.0]], ["no", "yes", "no"], features=["wind"]))
    >>> rules(tree)
    if wind <= 1.5 then no
    if 1.5 < wind <= 2.5 then yes
    if wind > 2.5 then no
    """
    tree = tree_of(tree)
    return Rules(_rules(tree, wording_for(tree.schema, digits, values)))


def dnf(tree: Tree, label: Hashable, *, values: Literal["few"] | None = "few") -> Dnf:
    """The disjunctive normal form of a class; of many values it prints the first few, or with `values=None` all.

    Raises a TypeError for anything but a Tree, a ValueError for a label that is not one of the tree's classes, and for other
    `values`.

    >>> from ftree import Dataset, grow
    >>> rides = Dataset.from_rows([["sunny", "low"], ["sunny", "high"], ["rainy", "low"]], ["yes", "no", "no"],
    ...                           features=["sky", "wind"])
    >>> print(dnf(grow(rides), "yes"))
    (sky = sunny and wind = low)
    """
    tree = tree_of(tree, of_classes="dnf")
    if not is_hashable(label) or label not in set(tree.schema.classes):
        raise ValueError(f"label must be one of {joined(map(short_repr, tree.schema.classes))}, got {short_repr(label)}.")
    wording = wording_for(tree.schema, None, values)
    return Dnf(label, tuple(rule.conditions for rule in _rules(tree) if rule.label == label), wording=wording)


class _Step(NamedTuple):
    """A step down to a node, or back up if `node` is None."""

    known: "dict[Subject, Condition | None]"  # the conditions from now on for these subjects; None for no condition
    node: Node | None
    above: Node  # the nearest ancestor with cases


def _rules(tree: Tree, wording: Wording = Wording()) -> Iterator[Rule]:  # noqa: B008  # immutable
    """The rule of each leaf, left to right, with one condition for each subject, in the order of first use.

    Conditions are added on the way down and restored on the way up, so that a rule costs only its own length.
    """
    known: dict[Subject, Condition] = {}
    response = tree.schema.response
    stack: list[_Step] = [_Step({}, tree.root, tree.root)]
    while stack:
        changes, node, above = stack.pop()
        for subject, condition in changes.items():
            if condition is None:
                del known[subject]
            else:
                known[subject] = condition
        if isinstance(node, Leaf):
            seen = node if any(node.counts) else above
            answer = response.answer(seen.counts)
            yield Rule(tuple(known.values()), answer, node.counts, text=response.text(answer), wording=wording)
        elif node is not None:
            stack += _steps(tree.schema, known, node, node if any(node.counts) else above)


# The subject of a condition: a feature's name, the features and weights of a sum, or a part of a split's condition.
Subject: TypeAlias = Hashable


def _steps(schema: Schema, known: Mapping[Subject, Condition], branch: Branch, seen: Node) -> Iterator[_Step]:
    """The steps to the children that a row can reach, each with its step back, in reverse order."""
    for child, stated in reversed(list(zip(branch.children, branch.split.conditions, strict=True))):
        changes = added(known, branch.split, named(schema, stated))
        if changes is not None:
            yield _Step({subject: known.get(subject) for subject in changes}, None, seen)
            yield _Step(changes, child, seen)


def added(known: Mapping[Subject, Condition], split: Split, stated: Condition) -> "dict[Subject, Condition | None] | None":
    """The conditions that hold after a split's condition is added to the known ones; None if no row fits them all.

    >>> from ftree.tree import Threshold
    >>> added({"x": Between("x", at_most=5.0)}, Threshold(0, 3.0), Between("x", above=3.0))
    {'x': Between(feature='x', above=3.0, at_most=5.0)}
    """
    changes: dict[Subject, Condition | None] = {}
    for place, part in enumerate(stated.conditions if isinstance(stated, AllOf) else (stated,)):
        subject = _subject(split, place, part)
        both = _both(changes.get(subject, known.get(subject)), part)
        if both is None:
            return None
        changes[subject] = both
    return changes


def _subject(split: Split, place: int, stated: Condition) -> Subject:
    match stated:
        case Between() | OneOf() | NoneOf() | Missing():
            return stated.feature
        case SumBetween(features, weights):
            return features, weights
        case Worded(inner):
            return _subject(split, place, inner)
        case FirstKnown() | Opaque():  # the same split leads to the same child again, or to no child
            return split, place
    return stated


def _both(old: Condition | None, new: Condition) -> Condition | None:
    """The combination of two conditions on one subject; None if no row fits both. One that says it all keeps its text."""
    if isinstance(old, Worded) or isinstance(new, Worded):
        both = _both(*(each.condition if isinstance(each, Worded) else each for each in (old, new)))  # type: ignore[arg-type]  # two
        return next((each for each in (new, old) if isinstance(each, Worded) and each.condition == both), both)
    if old is None:
        return None if isinstance(new, OneOf) and not new.values else new
    if isinstance(old, (Between, SumBetween)) and type(old) is type(new):
        return _narrower(old, new)
    match old, new:
        case (OneOf() as listed, (Between() | OneOf() | NoneOf() | Missing()) as other) | (other, OneOf() as listed):
            return _among(listed, other)
        case (Between() | NoneOf() | AllOf(), Between() | NoneOf()):
            return _known(old, new)
    return old if old == new else None


def _narrower(old: Any, new: Any) -> Condition | None:
    """The intersection of two intervals; None if it is empty."""
    above, at_most = max(old.above, new.above), min(old.at_most, new.at_most)
    if above >= at_most:
        return None
    return Between(old.feature, above, at_most) if isinstance(old, Between) else evolve(old, above=above, at_most=at_most)


def _among(listed: OneOf, other: Condition) -> OneOf | None:
    """The listed values for which another condition on the same feature holds; None if there are none."""
    values = tuple([value for value in listed.values if fits(other, {listed.feature: value})])
    return evolve(listed, values=values) if values else None


def _known(old: Condition, new: Between | NoneOf) -> Condition:
    """Two conditions that both require a known value, as one; "is known" adds nothing."""
    if new in {NoneOf(new.feature), Between(new.feature)}:
        return old
    if old in {NoneOf(new.feature), Between(new.feature)}:
        return new
    parts = old.conditions if isinstance(old, AllOf) else (old,)
    return old if new in parts else AllOf((*parts, new))


def holds(formula: Dnf | Rule, point: Mapping[str, Any]) -> bool:
    """Whether a formula, or all conditions of a rule, hold for a row given as a dict of values by feature name.

    An absent value is None, for which only a condition with None among its values holds.

    Raises a TypeError for anything that is not a formula, rule or dict, and for text instead of a number.

    >>> holds(Dnf("play", ((Between("wind", at_most=3.0),),)), {"wind": 2.0})
    True
    """
    if not isinstance(point, Mapping):
        raise TypeError(f"point must be a dict of values by feature name, got {short_repr(point)}.")
    return any(all(fits(condition, point) for condition in term) for term in terms(formula))


def fits(condition: Condition, point: Mapping[Any, Any]) -> bool:
    """Whether a condition with names instead of numbers holds for a row, a dict of values by feature name.

    >>> fits(Missing("wind"), {"wind": None}), fits(NoneOf("sky", ("grey",)), {"sky": "blue"})
    (True, True)
    """
    match condition:
        case FirstKnown(pairs, default):
            return next((known for pair in pairs if (known := _which(pair, point)) is not None), default)
        case AllOf(conditions):
            return all(fits(each, point) for each in conditions)
        case AnyOf(conditions):
            return any(fits(each, point) for each in conditions)
        case Worded(inner):
            return fits(inner, point)
        case SumBetween() | Opaque():
            return _fits_several(condition, point)
    return _fits_one(condition, point)


def _fits_one(condition: Between | OneOf | NoneOf | Missing, point: Mapping[Any, Any]) -> bool:
    """Whether a condition on one feature holds."""
    value = point.get(condition.feature)
    match condition:
        case OneOf(_, values):
            return value in values
        case NoneOf(_, values):
            return not _is_missing(value) and value not in values
        case Missing():
            return _is_missing(value)
    number = _comparable(condition.feature, point)
    return number is not None and (condition.above == -inf or condition.above < number) and number <= condition.at_most


def _fits_several(condition: SumBetween | Opaque, point: Mapping[Any, Any]) -> bool:
    """Whether a condition on several features at once holds."""
    if isinstance(condition, Opaque):
        columns = [np.array([_code(feature, point)]) for feature in condition.features]
        return bool(child_of(condition.split, *columns).item() == condition.child)
    values = [_comparable(feature, point) for feature in condition.features]
    return not any(value is None or isnan(value) for value in values) and _within(condition, values)


def _which(pair: tuple[Condition, Condition], point: Mapping[Any, Any]) -> bool | None:
    """True if the condition fits, False if its opposite fits, None if neither does."""
    holding, opposite = (fits(condition, point) for condition in pair)
    return holding if holding or opposite else None


def _within(condition: SumBetween, values: list[Any]) -> bool:
    """Whether a weighted sum is in the interval; a sum that is NaN is not above any number, as in `child_of`."""
    total = weighted_sum(condition.weights, map(float, values))
    return (condition.above == -inf or bool(total > condition.above)) and not total > condition.at_most


def _code(feature: Feature, point: Mapping[Any, Any]) -> float:
    """A row's number, or the code of its value; NaN or -1 if it is missing or not a value of the feature."""
    if feature.kind == "numeric":
        value = _comparable(feature.name, point)
        return nan if value is None else float(value)
    value = point.get(feature.name)
    return feature.values.index(value) if value in feature.values else UNKNOWN


def _is_missing(value: Any) -> bool:
    return value is None or value != value  # noqa: PLR0124  # only NaN differs from itself


def _comparable(feature: Any, point: Mapping[Any, Any]) -> Any:
    value = point.get(feature)
    if value is None or isinstance(value, Real):
        return value
    if isinstance(value, TEMPORAL):
        return seconds(value)
    raise TypeError(f"Values of {feature!r} must be numbers, got {short_repr(value)}.")
