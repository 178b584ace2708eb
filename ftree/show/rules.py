"""A tree as logic: a path is a conjunction, a class is a disjunction of its paths: disjunctive normal form.

Conditions on one feature along a path are merged: `x <= 5` and `x <= 3` read `x <= 3`, and a nominal or ordinal
feature reads as the values it may still have. Everything here is a value with names in it, ready to be shown.
"""

from collections.abc import Hashable, Iterator, Mapping
from math import inf, isnan
from numbers import Real
from typing import Any, NamedTuple, TypeAlias, TypeVar

from attrs import evolve, field, frozen

from ftree._lib.fields import as_tuple
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
        """Read as the tree's text does."""
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
        """Read as the tree's text does where there is one bound."""
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
        """Read as the tree's text does where there is one bound."""
        return format_interval(format_sum(self.features, self.weights), self.above, self.at_most)


Simple: TypeAlias = OneOf | Between


@frozen
class Backing:
    """A condition with others that stand in for it, in order: the first whose feature has an answer decides.

    Each comes with its opposite, since only where neither fits is there no answer; where none has one, `otherwise` decides.

    >>> light, width = Between("weight", at_most=2.0), Between("width", at_most=0.8)
    >>> backing = Backing(((light, Between("weight", above=2.0)), (width, Between("width", above=0.8))))
    >>> print(backing, [holds(Rule((backing,), "yes", (0, 1)), point) for point in ({"weight": 3, "width": 0}, {"width": 0}, {})])
    weight <= 2 [False, True, False]
    """

    pairs: tuple[tuple[Simple, Simple], ...] = field(converter=as_tuple)
    otherwise: bool = False

    def __str__(self) -> str:
        """Read as the condition that the others stand in for."""
        return str(self.pairs[0][0])


Condition: TypeAlias = Simple | Combination | Backing
_Bounds = TypeVar("_Bounds", Between, Combination)
# What a condition is about: a feature's number, the weights of a sum, or a split with surrogates, all of which it asks.
_Subject: TypeAlias = int | tuple[float, ...] | WithSurrogates


class _Step(NamedTuple):
    """To a node, or back up where there is none: what is known from then on, and the last node above that has cases."""

    subject: _Subject | None
    condition: Condition | None
    node: Node | None
    above: Node


@frozen
class Rule:
    """What holds on the way to a leaf, the label there, and the leaf's class counts."""

    conditions: tuple[Condition, ...]
    label: Hashable
    counts: Counts

    def __str__(self) -> str:
        """Read as a sentence.

        >>> print(Rule((OneOf("sky", ("grey",)),), "stay", (0, 3)))
        if sky = grey then stay
        """
        return f"if {' and '.join(map(str, self.conditions)) or 'true'} then {self.label}"


@frozen
class Dnf:
    """A class as a disjunction of conjunctions: it holds where every condition of one of the terms does.

    No term is "false", a term without conditions "true".
    """

    label: Hashable
    terms: tuple[tuple[Condition, ...], ...]

    def __str__(self) -> str:
        """Read with "and" and "or", terms of several conditions in parentheses.

        >>> print(Dnf("play", ((OneOf("sky", ("blue",)),), (Between("wind", at_most=3.0), OneOf("sky", ("grey",))))))
        sky = blue or (wind <= 3 and sky = grey)
        """
        return " or ".join(map(_conjunction, self.terms)) or "false"


def rules(tree: Tree) -> tuple[Rule, ...]:
    """One rule for each leaf, left to right; every point fits at most one, the one that predicts it.

    A leaf that no point can reach is left out, as far as the conditions on one feature, or on one sum of them, tell.
    The condition of a split with surrogates asks them too, and stands for itself: where all splits have some, a rule is as
    long as its path.

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

    Raises a ValueError for a label that is none of the tree's classes.

    >>> from ftree import Dataset, grow
    >>> rides = Dataset.from_rows([["sunny", "low"], ["sunny", "high"], ["rainy", "low"]], ["yes", "no", "no"],
    ...                           features=["sky", "wind"])
    >>> print(dnf(grow(rides), "yes"))
    (sky = sunny and wind = low)
    """
    check_tree(tree)
    if label not in tree.schema.classes:
        message = f"The tree's classes are {tree.schema.classes}; {label!r} is none of them."
        raise ValueError(message)
    return Dnf(label, tuple(rule.conditions for rule in _rules(tree) if rule.label == label))


def holds(formula: Dnf | Rule, point: Mapping[str, Any]) -> bool:
    """Whether a formula, or the conditions of a rule, hold for a point given as a dict.

    An absent value is None, which fits nothing but a condition that has "missing" among its values.

    Raises a TypeError for what is no formula, rule or dict, and for text where numbers are compared.

    >>> holds(Dnf("play", ((Between("wind", at_most=3.0),),)), {"wind": 2.0})
    True
    """
    if not isinstance(point, Mapping):
        message = f"A formula holds names, so the point is a dict of values by feature name; {point!r} came."
        raise TypeError(message)
    return any(all(_fits(condition, point) for condition in term) for term in _terms(formula))


def latex(formula: Dnf | Rule) -> str:
    r"""A formula, or the conditions of a rule, for LaTeX's mathematics mode, names in text.

    >>> print(latex(Dnf("play", ((OneOf("sky", ("blue",)), Between("wind_speed", at_most=3.0)),))))
    (\text{sky} = \text{blue} \land \text{wind\_speed} \le 3)
    """
    terms = (r" \land ".join(map(_latex_condition, term)) or r"\top" for term in _terms(formula))
    shown = (f"({text})" if r"\land" in text else text for text in terms)
    return r" \lor ".join(shown) or r"\bot"


def _terms(formula: Dnf | Rule) -> tuple[tuple[Condition, ...], ...]:
    if not isinstance(formula, (Dnf, Rule)):
        message = f"A formula is what dnf(tree, label) answers, or one of rules(tree); a {type(formula).__name__} came."
        raise TypeError(message)
    return formula.terms if isinstance(formula, Dnf) else (formula.conditions,)


def _rules(tree: Tree) -> Iterator[Rule]:
    """Leaves left to right with what is known on the way there, one condition a feature or sum, in the order first asked.

    What is known is noted on the way down and taken back on the way up, so that finding a rule takes as long as reading it.
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
    """To the children that a point can get to, and back after each, the last step first."""
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
            meant = [(split.split, child), *((each.split, child ^ each.reversed) for each in split.surrogates)]
            pairs = [(_simple(schema, each, own), _simple(schema, each, 1 - own)) for each, own in meant]
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
    """Whether a condition fits, or its opposite; None where neither does."""
    fits, opposite_fits = (_fits(condition, point) for condition in pair)
    return fits if fits or opposite_fits else None


def _within(condition: Combination, values: list[Any]) -> bool:
    """As `child_of` asks: a sum that is no number is not more than anything."""
    total = weighted_sum(condition.weights, map(float, values))
    return (condition.above == -inf or bool(total > condition.above)) and not total > condition.at_most


def _comparable(feature: str, point: Mapping[str, Any]) -> Any:
    value = point.get(feature)
    if value is None or isinstance(value, Real):
        return value
    message = f"{feature!r} is compared with numbers; {value!r} came."
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
    r"""A number, its exponent as a power of ten: in mathematics mode 1e-09 would read as a difference."""
    digits, *exponent = format_number(value).split("e")
    return rf"{digits} \cdot 10^{{{int(exponent[0])}}}" if exponent else digits


def _latex_text(value: object) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    escaped = {character: f"\\{character}" for character in "&%$#_{}"}
    return r"\text{" + "".join((special | escaped).get(character, character) for character in str(value)) + "}"
