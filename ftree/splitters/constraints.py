"""Constraints on a whole tree: features that may occur together on a path, and answers that rise or fall with a feature."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from attrs import evolve, field, frozen
from toolz import groupby

from ftree._lib.arrays import Array
from ftree._lib.fields import as_tuple, is_finite, is_iterable
from ftree._lib.messages import short_repr
from ftree.splitters.combine import OfSplitters, best_among, best_found, number_of, splitters_only
from ftree.splitters.cuts import SLACK
from ftree.splitters.runs import ORDERED, BestSplits, Measure, Runs, Splitter
from ftree.tree.schema import Feature
from ftree.tree.splits.split import Split, child_of, primary


def _as_groups(groups: Any) -> tuple[tuple[str, ...], ...]:
    if _is_listed(groups) and all(map(_is_listed, groups)) and not any(_is_listed(name) for group in groups for name in group):
        return tuple(tuple(map(str, group)) for group in groups)
    raise TypeError(f'groups must be lists of names of features, such as [["age", "dose"]], got {short_repr(groups)}.')


def _is_listed(value: Any) -> bool:
    return isinstance(value, Collection) and is_iterable(value) and not isinstance(value, str)


@frozen
class interactions(OfSplitters):
    """Apply splitters so that all features on a path from the root are of one of the `groups`, lists of names that may overlap.

    Features in no list are one more group. Surrogates may be of any feature. Growing raises a KeyError for an unknown name.

    Source: interaction constraints, as in scikit-learn's `interaction_cst`, LightGBM and YDF.

    >>> from ftree import ID3, evolve, grow
    >>> from ftree.datasets import weather
    >>> alone = interactions([["outlook"], ["humidity"], ["windy", "temperature"]], ID3.splits)
    >>> print(grow(weather(), evolve(ID3, splits=(alone,))))
    outlook = overcast: yes (4.0)
    outlook = rainy: yes (5.0/2.0)
    outlook = sunny: no (5.0/2.0)
    """

    groups: tuple[tuple[str, ...], ...] = field(converter=_as_groups)
    splitters: tuple[Splitter, ...] = field(converter=as_tuple, validator=splitters_only)

    def at_root(self, features: Sequence[Feature]) -> frozenset[int]:
        """No feature has been used."""
        self._numbered(features)
        return frozenset()

    def below(self, used: frozenset[int], split: Split, children: Array) -> list[frozenset[int]]:
        """The features used above, and that of the split."""
        return [used | frozenset(primary(split).features)] * len(children)

    def __call__(self, runs: Runs, measure: Measure) -> BestSplits:
        """The best splits of the features that may still be used."""
        groups = self._numbered(runs.features)
        pairs = zip(runs.inherited(self), runs.feature.tolist(), strict=True)
        allowed = [any(used | {feature} <= group for group in groups) for used, feature in pairs]
        return best_among(self.splitters, runs, measure, np.flatnonzero(allowed))

    def _numbered(self, features: Sequence[Feature]) -> list[frozenset[int]]:
        groups = [frozenset(number_of(features, name) for name in group) for group in self.groups]
        return [*groups, frozenset(range(len(features))).difference(*groups)]


@frozen
class ShareBounds:
    """The least and the largest share of the second class below a node, and the direction, 1 or -1, of some features."""

    lower: float
    upper: float
    directions: dict[int, int]

    def of_children(self, direction: int, shares: Array) -> "Iterator[ShareBounds]":
        """The bounds of children in the order of a feature; neighbours are kept apart by the middle of their shares."""
        middles = [(one + other) / 2 for one, other in pairwise(shares.tolist())]
        ends = [self.lower, *middles, self.upper] if direction > 0 else [self.upper, *middles, self.lower]
        return (evolve(self, lower=min(pair), upper=max(pair)) for pair in pairwise(ends))

    def hold(self, direction: int, children: Array) -> Array:
        """Which splits keep the bounds and rise in the direction, given children's class counts (..., V, 2)."""
        shares = _shares(children)
        rising = (np.diff(shares, axis=-1) * direction >= 0).all(axis=-1)
        return np.asarray(rising & ((shares >= self.lower) & (shares <= self.upper)).all(axis=-1))


def _as_directions(directions: Any) -> tuple[tuple[str, int], ...]:
    pairs = directions.items() if isinstance(directions, Mapping) else directions
    try:
        read = tuple((str(name), direction) for name, direction in pairs)
    except (TypeError, ValueError):
        read = ((short_repr(directions), 0),)
    if not all(is_finite(direction) and direction in (1, -1) for _, direction in read):
        raise ValueError(f'directions must be 1 or -1 by name, such as {{"age": 1, "dose": -1}}, got {short_repr(directions)}.')
    return read


@frozen
class monotonic(OfSplitters):
    """Apply splitters so that the share of the second of two classes never falls as a feature rises (1), or never rises (-1).

    This holds between any two complete rows that differ in the named features only, in the tree and after every cut of a branch,
    if all splitters of the policy stand in it. A split is refused if its children leave the bounds that the splits above have
    set, or if a known value has no child, so the tree may have fewer branches. `multiway(empty=True)` has a child for each value.

    Growing raises a ValueError for more classes, for a nominal feature and for missing values, a KeyError for an unknown name.

    Source: the bounds are those of scikit-learn's `monotonic_cst` and LightGBM's basic method.

    >>> from ftree import Dataset, ID3, evolve, grow
    >>> rows = Dataset.from_columns({"dose": [1, 2, 3, 4, 5, 6], "class": ["no", "no", "yes", "no", "yes", "yes"]})
    >>> print(grow(rows, evolve(ID3, splits=(monotonic({"dose": 1}, ID3.splits),))))
    dose <= 2.5: no (2.0)
    dose > 2.5
    |   dose <= 4.5: no (2.0/1.0)
    |   dose > 4.5: yes (2.0)
    """

    directions: tuple[tuple[str, int], ...] = field(converter=_as_directions)
    splitters: tuple[Splitter, ...] = field(converter=as_tuple, validator=splitters_only)

    def at_root(self, features: Sequence[Feature]) -> ShareBounds:
        """Every share is allowed."""
        directions = {number_of(features, name, self, ORDERED): direction for name, direction in self.directions}
        return ShareBounds(0.0, 1.0, directions)

    def below(self, bounds: ShareBounds, split: Split, children: Array) -> list[ShareBounds]:
        """The bounds of a node, closer if the split is on a named feature."""
        (feature, *_) = primary(split).features
        direction = bounds.directions.get(feature, 0)
        return list(bounds.of_children(direction, _shares(children))) if direction else [bounds] * len(children)

    def __call__(self, runs: Runs, measure: Measure) -> BestSplits:
        """The best splits whose children keep the bounds of their node."""
        _check_two_classes_without_gaps(runs)
        above: list[ShareBounds] = runs.inherited(self).tolist()
        runs_of_nodes = zip(runs.node.tolist(), runs.feature.tolist(), above, strict=True)
        asked = [(node, bounds.directions.get(feature, 0)) for node, feature, bounds in runs_of_nodes]
        alike = groupby(asked.__getitem__, range(len(asked)))
        finders = [(partial(self._within, above[some[0]], pair[1]), np.array(some)) for pair, some in alike.items()]
        return best_found(runs, finders, measure)

    def _within(self, bounds: ShareBounds, direction: int, runs: Runs, measure: Measure) -> BestSplits:
        """The best splits of runs of one node that have the same direction."""

        def measured(children: Array) -> Array:
            return np.where(bounds.hold(direction, children), measure(children), -np.inf)

        found = best_among(self.splitters, runs, measured, np.arange(len(runs.start)))
        score = found.score.copy()
        for run in np.flatnonzero(score > -np.inf).tolist():
            split, children = found.build(run)
            known, values = runs.features[runs.feature[run]].values, runs.value[runs.start[run] : runs.end[run]]
            child = child_of(split, np.arange(len(known)) if known else np.r_[-np.inf, values, np.inf])
            in_order = not direction or (np.diff(child) >= 0).all()
            # A row without a child gets the counts of all children, whose joint share may fall where the share of each rises.
            answered = not bounds.directions or child.min() >= 0
            if not (in_order and answered and bounds.hold(direction, children)):
                score[run] = -np.inf  # a splitter need not ask the measure about the split that it builds
        return BestSplits(score, found.build)


def _shares(children: Array) -> Array:
    """The second class's share of each child (..., V); of all children for one without cases."""
    second, cases = children[..., 1], children.sum(axis=-1)
    everywhere = second.sum(axis=-1, keepdims=True) / cases.sum(axis=-1, keepdims=True)
    return np.asarray(np.where(cases > 0, second / np.where(cases > 0, cases, 1), everywhere))


def _check_two_classes_without_gaps(runs: Runs) -> None:
    if (n_classes := runs.counts.shape[1]) != len(("first", "second")):
        raise ValueError(f"monotonic must have two classes, got {n_classes}. Join some of them with Dataset.with_labels.")
    if runs.frontier is not None and (runs.weight < runs.frontier.weight[runs.node] * (1 - SLACK)).any():
        raise ValueError("monotonic must have no missing values, got some. Fill them, or take missing=as_branch().")
