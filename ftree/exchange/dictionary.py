"""Trees as nested dictionaries, the form of *Machine Learning in Action* (Harrington 2012, chapter 3)."""

import re
from collections.abc import Hashable, Iterable, Mapping
from contextlib import suppress
from itertools import pairwise
from math import inf
from typing import Any

from ftree._lib.messages import joined, short_repr, type_of
from ftree._lib.recursion import fold_over
from ftree.tree.describe import child_values
from ftree.tree.fold import fold
from ftree.tree.nodes import Branch, Leaf, Node, Tree, check_tree, majority
from ftree.tree.prediction_rule import PredictionRule
from ftree.tree.schema import Feature, Schema, position
from ftree.tree.splits import (
    Groups,
    Intervals,
    Multiway,
    Oblique,
    Split,
    Subset,
    Surrogate,
    Threshold,
    WithSurrogates,
    bounds,
    features_of,
    primary,
)

# The key of an interval: above the first number, and at most the second.
_INTERVAL = re.compile(r"\((\S+), (\S+)[])]")


def to_dict(tree: Tree, *, counts: bool = False) -> Any:
    """A tree as `{feature: {value: subtree or label}}`.

    The key of a nominal value is the value, of a subset a frozenset, of a group a tuple. A threshold has the keys
    `"<= at"` and `"> at"`; intervals have `"(above, at most]"`, and the last `"(above, inf)"`.
    The name of a weighted sum is a tuple of pairs, `((feature, weight), ...)`. The name of a split with surrogates is a
    triple: its feature, `(feature, keys, reversed, agreement, adjusted)` for each surrogate, and `default_child`.
    With `counts`, a leaf is `{label: cases}` in place of its label, and `from_dict` returns an equal tree,
    given the same `missing`.

    Raises a TypeError for anything but a Tree.

    >>> from ftree import Dataset, grow
    >>> fish = Dataset.from_rows([[1, 1], [1, 1], [1, 0], [0, 1], [0, 1]], ["yes", "yes", "no", "no", "no"],
    ...                          features=["no surfacing", "flippers"], kinds="nominal")
    >>> to_dict(grow(fish))
    {'no surfacing': {0: 'no', 1: {'flippers': {0: 'no', 1: 'yes'}}}}
    """
    check_tree(tree)
    schema = tree.schema

    def leaf(node: Leaf) -> Any:
        return dict(zip(schema.classes, node.counts, strict=True)) if counts else schema.classes[majority(node.counts)]

    def branch(node: Branch, below: tuple[Any, ...]) -> Any:
        keys = (_key(schema, node.split, child) for child in range(len(below)))
        return {_name(schema, node.split): dict(zip(keys, below, strict=True))}

    return fold(tree, leaf, branch)


def from_dict(nested: Any, schema: Schema, *, missing: PredictionRule | None = None) -> Tree:
    """The tree of a nested dictionary as `to_dict` makes it; a leaf that is a label has one case.

    `missing` is the tree's prediction rule for rows without an answer, as in `Tree`.

    Raises a KeyError for a feature that the schema lacks. Raises a ValueError for a value or a label that the schema
    lacks, and for keys that do not make a split.

    >>> schema = Schema((Feature("flippers", "nominal", (0, 1)),), "fish", ("no", "yes"))
    >>> from_dict({"flippers": {0: "no", 1: "yes"}}, schema).root
    Branch(counts=(1, 1), split=Multiway(feature=0, values=(0, 1)), children=(Leaf(counts=(1, 0)), Leaf(counts=(0, 1))))
    """
    if not isinstance(schema, Schema):
        message = f"schema must be a Schema, such as dataset.schema, got {type_of(schema)}."
        raise TypeError(message)

    def below(part: Any) -> Iterable[Any]:
        return _inner(part)[1].values() if _is_branch(part) else ()

    def combine(part: Any, nodes: tuple[Node, ...]) -> Node:
        if not _is_branch(part):
            return Leaf(_leaf_counts(part, schema))
        name, children = _inner(part)
        counts = [sum(counted) for counted in zip(*(node.counts for node in nodes), strict=True)]
        return Branch(counts, _split(schema, name, tuple(children)), nodes)

    return Tree(schema, fold_over(nested, below, combine), missing=missing)


def _name(schema: Schema, split: Split) -> Hashable:
    match split:
        case Oblique():
            return tuple((schema.features[feature].name, split.weights[feature]) for feature in features_of(split))
        case WithSurrogates():
            surrogates = tuple(_surrogate_name(schema, surrogate) for surrogate in split.surrogates)
            return _name(schema, split.split), surrogates, split.default_child
        case _:
            return schema.features[split.feature].name


def _surrogate_name(schema: Schema, surrogate: Surrogate) -> Hashable:
    keys = tuple(_key(schema, surrogate.split, child) for child in range(2))
    return _name(schema, surrogate.split), keys, surrogate.reversed, surrogate.agreement, surrogate.adjusted


def _key(schema: Schema, split: Split, child: int) -> Hashable:
    match primary(split):
        case Threshold(_, at) | Oblique(_, at):
            return f"{'>' if child else '<='} {at!r}"
        case Intervals() as several:
            above, at_most = bounds(several, child)
            return f"({above!r}, {at_most!r}{')' if at_most == inf else ']'}"
        case Multiway() as multiway:
            return child_values(schema, multiway, child)[0]
        case Groups() as groups:
            return child_values(schema, groups, child)
        case subset:
            return frozenset(child_values(schema, subset, child))


def _is_branch(part: Any) -> bool:
    return isinstance(part, Mapping) and any(isinstance(below, Mapping) for below in part.values())


def _inner(part: Mapping[Any, Any]) -> tuple[Any, Mapping[Any, Any]]:
    ((name, children), *others) = part.items()
    if others or not children:
        wanted = "a dictionary with one key, a feature's name, and a dictionary of subtrees"
        message = f"A branch must be {wanted}, got the keys {short_repr(list(part))}."
        raise ValueError(message)
    return name, children


def _leaf_counts(part: Any, schema: Schema) -> tuple[float, ...]:
    if not isinstance(part, Hashable | Mapping):
        message = f"A leaf must be a label, or a dictionary of labels to cases, got {short_repr(part)}."
        raise ValueError(message)  # noqa: TRY004  # the dictionary is at fault, not the argument's type
    cases = part if isinstance(part, Mapping) else {part: 1}
    strange = [label for label in cases if label not in schema.classes]
    if strange:
        message = f"A label must be one of {joined(map(short_repr, schema.classes))}, got {short_repr(strange[0])}."
        raise ValueError(message)
    return tuple(cases.get(label, 0) for label in schema.classes)


def _split(schema: Schema, name: Any, keys: tuple[Any, ...]) -> Split:
    match name:
        case (str(feature), tuple(surrogates), default_child):
            return _with_surrogates(schema, (feature, surrogates, default_child), keys)
        case tuple():
            return _oblique(schema, name, keys)
        case _:
            split: Split = _of_one(schema, name, keys)
            return split


def _of_one(schema: Schema, name: Any, keys: tuple[Any, ...]) -> Any:
    """The split of one feature; the keys decide its type."""
    number = position(schema, name)
    feature = schema.features[number]
    if feature.kind != "nominal" and (at := _threshold(keys)) is not None:
        return Threshold(number, at)
    if feature.kind != "nominal" and (cuts := _cuts(keys)) is not None:
        return Intervals(number, cuts)
    if feature.kind == "numeric":
        wanted = "'<= a number' and '> the same number', or '(-inf, a number]' and so on to '(the last number, inf)'"
        message = f"Keys of the numeric feature {name!r} must be {wanted}, got {short_repr(list(keys))}."
        raise ValueError(message)
    if all(isinstance(key, frozenset) and key not in feature.values for key in keys):
        return _subset(number, feature, keys)
    if all(isinstance(key, tuple) and key not in feature.values for key in keys):
        return Groups(number, [[_code(feature, value) for value in key] for key in keys])
    return Multiway(number, tuple(_code(feature, key) for key in keys))


def _with_surrogates(schema: Schema, name: tuple[str, tuple[Any, ...], Any], keys: tuple[Any, ...]) -> WithSurrogates:
    feature, surrogates, default_child = name
    try:
        return WithSurrogates(_of_one(schema, feature, keys), [_surrogate(schema, each) for each in surrogates], default_child)
    except TypeError:
        wanted = "(feature, ((feature, keys, reversed, agreement, adjusted), ...), default_child) of binary splits"
        message = f"A split with surrogates must be {wanted}, got {short_repr(name)} with the keys {short_repr(list(keys))}."
        raise ValueError(message) from None


def _surrogate(schema: Schema, named: Any) -> Surrogate:
    match named:
        case (str(feature), tuple(keys), is_reversed, agreement, adjusted):
            return Surrogate(_of_one(schema, feature, keys), is_reversed, agreement, adjusted)
    raise TypeError


def _oblique(schema: Schema, pairs: tuple[Any, ...], keys: tuple[Any, ...]) -> Oblique:
    at = _threshold(keys)
    if at is None or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):  # noqa: PLR2004  # a pair
        wanted = "((feature, weight), ...) with the keys '<= a number' and '> the same number'"
        message = f"A weighted sum must be {wanted}, got {short_repr(pairs)} with the keys {short_repr(list(keys))}."
        raise ValueError(message)
    weight_of = {position(schema, name): weight for name, weight in pairs}
    return Oblique([weight_of.get(number, 0.0) for number in range(len(schema.features))], at)


def _subset(number: int, feature: Feature, keys: tuple[frozenset[Any], ...]) -> Split:
    members, *others = ({_code(feature, value) for value in key} for key in keys)
    if others != [set(range(len(feature.values))) - members]:
        wanted = f"two sets that divide all values of {feature.name!r}, {joined(map(short_repr, feature.values))}"
        message = f"Keys that are sets must be {wanted}, got {short_repr(list(keys))}."
        raise ValueError(message)
    return Subset(number, members)


def _cuts(keys: tuple[Any, ...]) -> list[float] | None:
    """The cuts between consecutive intervals; None for other keys."""
    found = [_INTERVAL.fullmatch(key) if isinstance(key, str) else None for key in keys]
    with suppress(ValueError):
        ends = [(float(each[1]), float(each[2])) for each in found if each]
        cuts = [above for above, _ in ends[1:]]
        if len(ends) == len(keys) and ends == list(pairwise((-inf, *cuts, inf))):
            return cuts
    return None


def _threshold(keys: tuple[Any, ...]) -> float | None:
    match keys:
        case (str(low), str(high)) if low.startswith("<= ") and high == f"> {low[3:]}":
            with suppress(ValueError):
                return float(low[3:])
    return None


def _code(feature: Feature, value: Hashable) -> int:
    if value not in feature.values:
        message = (
            f"A value of {feature.name!r} must be one of {joined(map(short_repr, feature.values))}, got {short_repr(value)}."
        )
        raise ValueError(message)
    return feature.values.index(value)
