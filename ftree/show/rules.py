"""A tree as logic: a path is a conjunction of conditions, a class is the disjunction of the paths to its leaves.

Conditions on one feature along a path are merged: `x <= 5` and `x <= 3` become `x <= 3`. Conditions on a nominal or
ordinal feature become the values that fit all of them. Rules and formulas hold names in place of numbers.
"""

from collections.abc import Hashable, Iterator, Mapping
from math import inf, isnan
from numbers import Real
from typing import Any, NamedTuple, TypeAlias, TypeVar

from attrs import evolve, field, frozen

from ftree._lib.fields import as_tuple
from ftree._lib.messages import joined, short_repr, type_of
from ftree.tree.describe import child_values, format_interval, format_number, format_sum
from ftree.tree.nodes import Branch, Counts, Leaf, Node, Tree, check_tree, majority
from ftree.tree.schema import Schema
from ftree.tree.splits import (
    Intervals,
    Oblique,
    OfOneFeature,
    Split,
    Threshold,
    WithSurrogates,
    bounds,
    features_of,
    weighted_sum,
)


@frozen
class OneOf:
    """The feature has one of the values.

    >>> print(OneOf("sky", ("grey", "blue")))
    sky in {grey, blue}
    """

    feature: str
    values: tuple[Hashable, ...] = field(converter=as_tuple)

    def __str__(self) -> str:
        """The condition as in the tree's text."""
        if len(self.values) == 1:
            return f"{self.feature} = {self.values[0]}"
        return f"{self.feature} in {{{', '.join(map(str, self.values))}}}"


@frozen
class Between:
    """The feature is above one number and at most another.

    >>> print(Between("age", above=18.0, at_most=65.0), Between("age", at_most=65.0), sep="; ")
    18 < age <= 65; age <= 65
    """

    feature: str
    above: float = -inf
    at_most: float = inf

    def __str__(self) -> str:
        """The condition as in the tree's text."""
        return format_interval(self.feature, self.above, self.at_most)


@frozen
class Combination:
    """A weighted sum of features is above one number and at most another.

    >>> print(Combination(("width", "height"), (1.0, -0.5), above=2.0))
    width - 0.5 * height > 2
    """

    features: tuple[str, ...] = field(converter=as_tuple)
    weights: tuple[float, ...] = field(converter=as_tuple)
    above: float = -inf
    at_most: float = inf

    def __str__(self) -> str:
        """The condition as in the tree's text."""
        return format_interval(format_sum(self.features, self.weights), self.above, self.at_most)


Simple: TypeAlias = OneOf | Between


@frozen
class Backing:
    """A condition with surrogates, in order: the first one whose feature has a known value decides.

    `pairs` are the conditions, each with its opposite: where neither of a pair holds, the next pair decides. `otherwise`
    decides where none of the pairs does.

    >>> light, width = Between("weight", at_most=2.0), Between("width", at_most=0.8)
    >>> backing = Backing(((light, Between("weight", above=2.0)), (width, Between("width", above=0.8))))
    >>> print(backing, [holds(Rule((backing,), "yes", (0, 1)), point) for point in ({"weight": 3, "width": 0}, {"width": 0}, {})])
    weight <= 2 [False, True, False]
    """

    pairs: tuple[tuple[Simple, Simple], ...] = field(converter=as_tuple)
    otherwise: bool = False

    def __str__(self) -> str:
        """The first condition."""
        return str(self.pairs[0][0])


Condition: TypeAlias = Simple | Combination | Backing
_Bounds = TypeVar("_Bounds", Between, Combination)
# What a condition is about: a feature's number, the weights of a sum, or a split with surrogates.
_Subject: TypeAlias = int | tuple[float, ...] | WithSurrogates


class _Step(NamedTuple):
    """A step down to a node, or back up where `node` is None."""

    subject: _Subject | None
    condition: Condition | None  # what holds for the subject from now on
    node: Node | None
    above: Node  # the last node above that has cases


@frozen
class Rule:
    """The conditions of a path, the label of its leaf, and the leaf's class counts."""

    conditions: tuple[Condition, ...]
    label: Hashable
    counts: Counts

    def __str__(self) -> str:
        """The rule as a sentence.

        >>> print(Rule((OneOf("sky", ("grey",)),), "stay", (0, 3)))
        if sky = grey then stay
        """
        return f"if {' and '.join(map(str, self.conditions)) or 'true'} then {self.label}"


@frozen
class Dnf:
    """A class as a disjunction of conjunctions: it holds where all conditions of one of the terms hold.

    A formula without terms is false; a term without conditions is true.
    """

    label: Hashable
    terms: tuple[tuple[Condition, ...], ...]

    def __str__(self) -> str:
        """The formula with "and" and "or"; terms of several conditions are in parentheses.

        >>> print(Dnf("play", ((OneOf("sky", ("blue",)),), (Between("wind", at_most=3.0), OneOf("sky", ("grey",))))))
        sky = blue or (wind <= 3 and sky = grey)
        """
        return " or ".join(map(_conjunction, self.terms)) or "false"


def rules(tree: Tree) -> tuple[Rule, ...]:
    """One rule for each leaf, left to right; at most one rule fits a row, and it gives the row's prediction.

    A leaf is left out if the conditions on one feature, or on one weighted sum, show that no row can reach it.
    Conditions with surrogates are not merged: where all splits have surrogates, a rule has a condition for each split.

    >>> from ftree import Dataset, grow
    >>> tree = grow(Dataset.from_rows([[1.0], [2.0], [3.0]], ["no", "yes", "no"], features=["wind"]))
    >>> for rule in rules(tree):
    ...     print(rule)
    if wind <= 1.5 then no
    if 1.5 < wind <= 2.5 then yes
    if wind > 2.5 then no
    """
    check_tree(tree)
    return tuple(_rules(tree))


def dnf(tree: Tree, label: Hashable) -> Dnf:
    """The disjunctive normal form of a class.

    Raises a TypeError for anything but a Tree, a ValueError for a label that is none of the tree's classes.

    >>> from ftree import Dataset, grow
    >>> rides = Dataset.from_rows([["sunny", "low"], ["sunny", "high"], ["rainy", "low"]], ["yes", "no", "no"],
    ...                           features=["sky", "wind"])
    >>> print(dnf(grow(rides), "yes"))
    (sky = sunny and wind = low)
    """
    check_tree(tree)
    if label not in tree.schema.classes:
        message = f"label must be one of {joined(map(short_repr, tree.schema.classes))}, got {short_repr(label)}."
        raise ValueError(message)
    return Dnf(label, tuple(rule.conditions for rule in _rules(tree) if rule.label == label))


def holds(formula: Dnf | Rule, point: Mapping[str, Any]) -> bool:
    """Whether a formula, or all conditions of a rule, hold for a row given as a dict of values by feature name.

    An absent value is None, for which only a condition with None among its values holds.

    Raises a TypeError for what is no formula, rule or dict, and for text in place of a number.

    >>> holds(Dnf("play", ((Between("wind", at_most=3.0),),)), {"wind": 2.0})
    True
    """
    if not isinstance(point, Mapping):
        message = f"point must be a dict of values by feature name, got {short_repr(point)}."
        raise TypeError(message)
    return any(all(_fits(condition, point) for condition in term) for term in _terms(formula))


def latex(formula: Dnf | Rule) -> str:
    r"""A formula, or the conditions of a rule, for LaTeX's mathematics mode.

    >>> print(latex(Dnf("play", ((OneOf("sky", ("blue",)), Between("wind_speed", at_most=3.0)),))))
    (\text{sky} = \text{blue} \land \text{wind\_speed} \le 3)
    """
    terms = (r" \land ".join(map(_latex_condition, term)) or r"\top" for term in _terms(formula))
    shown = (f"({text})" if r"\land" in text else text for text in terms)
    return r" \lor ".join(shown) or r"\bot"


def _terms(formula: Dnf | Rule) -> tuple[tuple[Condition, ...], ...]:
    if not isinstance(formula, (Dnf, Rule)):
        message = f"formula must be a Dnf or a Rule, got {type_of(formula)}. Make one with dnf(tree, label) or rules(tree)."
        raise TypeError(message)
    return formula.terms if isinstance(formula, Dnf) else (formula.conditions,)


def _rules(tree: Tree) -> Iterator[Rule]:
    """The rule of each leaf, left to right, with one condition for each feature or sum, in the order of first use.

    Conditions are added on the way down and restored on the way up, so that a rule costs only its own length.
    """
    known: dict[_Subject | None, Condition] = {}
    stack: list[_Step] = [_Step(None, None, tree.root, tree.root)]
    while stack:
        subject, condition, node, above = stack.pop()
        if condition is not None:
            known[subject] = condition
        else:
            known.pop(subject, None)
        if isinstance(node, Leaf):
            seen = node if any(node.counts) else above
            yield Rule(tuple(known.values()), tree.schema.classes[majority(seen.counts)], node.counts)
        elif node is not None:
            stack += _steps(tree.schema, known, node, node if any(node.counts) else above)


def _steps(schema: Schema, known: Mapping[_Subject | None, Condition], branch: Branch, seen: Node) -> Iterator[_Step]:
    """The steps to the children that a row can reach, each with its step back, in reverse order."""
    subject = _subject(branch.split)
    before = known.get(subject)
    for child in reversed(range(len(branch.children))):
        condition = _both(before, _condition(schema, branch.split, child))
        if condition is not None:
            yield _Step(subject, before, None, seen)
            yield _Step(subject, condition, branch.children[child], seen)


def _subject(split: Split) -> _Subject:
    match split:
        case Oblique():
            return split.weights
        case WithSurrogates():
            return split
        case _:
            return split.feature


def _condition(schema: Schema, split: Split, child: int) -> Condition:
    match split:
        case Oblique():
            names = [schema.features[number].name for number in features_of(split)]
            return Combination(names, filter(None, split.weights), *bounds(split, child))
        case WithSurrogates():
            splits = [(split.split, child), *((each.split, child ^ each.reversed) for each in split.surrogates)]
            pairs = [(_simple(schema, each, own), _simple(schema, each, 1 - own)) for each, own in splits]
            return Backing(pairs, otherwise=split.default_child == child)
        case _:
            return _simple(schema, split, child)


def _simple(schema: Schema, split: OfOneFeature, child: int) -> Simple:
    feature = schema.features[split.feature]
    if isinstance(split, (Threshold, Intervals)) and feature.kind == "numeric":
        return Between(feature.name, *bounds(split, child))
    return OneOf(feature.name, child_values(schema, split, child))


def _both(old: Condition | None, new: Condition) -> Condition | None:
    match old, new:
        case Between(), Between():
            return _narrower(old, new)
        case Combination(), Combination():
            return _narrower(old, new)
        case OneOf(), OneOf():
            values = tuple(value for value in old.values if value in new.values)
            return evolve(old, values=values) if values else None
        case Backing(), Backing():
            return old if old == new else None
        case _:
            return new if not isinstance(new, OneOf) or new.values else None


def _narrower(old: _Bounds, new: _Bounds) -> _Bounds | None:
    both = evolve(old, above=max(old.above, new.above), at_most=min(old.at_most, new.at_most))
    return both if both.above < both.at_most else None


def _fits(condition: Condition, point: Mapping[str, Any]) -> bool:
    match condition:
        case OneOf():
            return point.get(condition.feature) in condition.values
        case Between():
            value = _comparable(condition.feature, point)
            return value is not None and condition.above < value <= condition.at_most
        case Backing():
            return next((fits for pair in condition.pairs if (fits := _which(pair, point)) is not None), condition.otherwise)
        case _:
            values = [_comparable(feature, point) for feature in condition.features]
            return not any(value is None or isnan(value) for value in values) and _within(condition, values)


def _which(pair: tuple[Simple, Simple], point: Mapping[str, Any]) -> bool | None:
    """True where the condition fits, False where its opposite does, None where neither does."""
    fits, opposite_fits = (_fits(condition, point) for condition in pair)
    return fits if fits or opposite_fits else None


def _within(condition: Combination, values: list[Any]) -> bool:
    """Whether a weighted sum is in the interval; a sum that is NaN is above no number, as for `child_of`."""
    total = weighted_sum(condition.weights, map(float, values))
    return (condition.above == -inf or bool(total > condition.above)) and not total > condition.at_most


def _comparable(feature: str, point: Mapping[str, Any]) -> Any:
    value = point.get(feature)
    if value is None or isinstance(value, Real):
        return value
    message = f"Values of {feature!r} must be numbers, got {short_repr(value)}."
    raise TypeError(message)


def _conjunction(term: tuple[Condition, ...]) -> str:
    joined = " and ".join(map(str, term)) or "true"
    return f"({joined})" if len(term) > 1 else joined


def _latex_condition(condition: Condition) -> str:
    match condition:
        case Backing():
            return _latex_condition(condition.pairs[0][0])
        case OneOf() | Between():
            name = _latex_text(condition.feature)
        case _:
            names = map(_latex_text, condition.features)
            name = format_sum(names, condition.weights, times=r" \, ", written=_latex_number)
    match condition:
        case OneOf(_, (value,)):
            return f"{name} = {_latex_text(value)}"
        case OneOf(_, values):
            return rf"{name} \in \{{{', '.join(map(_latex_text, values))}\}}"
        case Between() | Combination() if condition.at_most == inf:
            return f"{name} > {_latex_number(condition.above)}"
        case _:
            lower = "" if condition.above == -inf else f"{_latex_number(condition.above)} < "
            return rf"{lower}{name} \le {_latex_number(condition.at_most)}"


def _latex_number(value: float) -> str:
    r"""A number, with an exponent written as a power of ten: in mathematics mode 1e-09 looks like a difference."""
    digits, *exponent = format_number(value).split("e")
    return rf"{digits} \cdot 10^{{{int(exponent[0])}}}" if exponent else digits


def _latex_text(value: object) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    escaped = {character: f"\\{character}" for character in "&%$#_{}"}
    return r"\text{" + "".join((special | escaped).get(character, character) for character in str(value)) + "}"
