"""Surrogate splits: for each binary split, the splits of other features that send the most cases the same way.

A case that misses the split's value goes where the first surrogate with a known value sends it, or else with the majority.
Source: Breiman et al. 1984, section 5.3. Details follow rpart 4.1 (Therneau & Atkinson), except that agreement is measured
over all cases whose value of the split is known.
"""

from collections.abc import Collection, Sequence
from math import fsum
from typing import Protocol, runtime_checkable

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Array, midpoint
from ftree._lib.fields import QUIET, ConstructorRepr, a_whole_number, is_finite, must_be, true_or_false
from ftree.criteria.frontier import Avc
from ftree.data.dataset import Dataset
from ftree.tree.schema import Feature
from ftree.tree.splits import Groups, Subset, Surrogate, Threshold, WithSurrogates
from ftree.tree.splits.split import Split

# The least number of cases that a surrogate must send each way, unless the policy says another one; and for rounding errors.
_LEAST, _ROUNDED = 2, 1 - 1e-9
_SAME = 1e-10
_CASES = must_be("None or a number of cases from 0", lambda value: value is None or (is_finite(value) and value >= 0))


@runtime_checkable
class CountsSides(Protocol):
    """An engine that can count the children to which splits send their cases, as surrogates require."""

    def sides(self, splits: Sequence[Split | None], /) -> Avc:
        """Counts (..., 2) of the children to which binary splits send their cases, instead of class counts.

        Only cases whose child is known are counted, and only nodes with a split.
        """
        ...


@frozen
class surrogates(ConstructorRepr):
    """A missing-value policy: cases with a missing value follow surrogates, up to `at_most` for each binary split.

    Splits of features without missing values in the training set have no surrogates, unless `everywhere` is True. A case that
    no surrogate answers for follows the majority, as by rpart's `usesurrogate = 2`; with `at_most=0`, all such cases do.

    A surrogate sends at least `min_cases` cases (rows by weight) each way; by default 2, as rpart's, or, where weights are
    importances, the mean weight of 2 rows.

    Source: Breiman et al. 1984, section 5.3.

    >>> surrogates(everywhere=True)
    surrogates(everywhere=True)
    """

    at_most: int = field(default=5, kw_only=True, metadata=QUIET, validator=a_whole_number(0, of="surrogates"))
    everywhere: bool = field(default=False, kw_only=True, metadata=QUIET, validator=true_or_false)
    min_cases: float | None = field(default=None, kw_only=True, metadata=QUIET, validator=_CASES)

    @property
    def least(self) -> float:
        """The least number of cases that a surrogate sends each way."""
        return _LEAST if self.min_cases is None else self.min_cases

    def fitting(self, dataset: Dataset) -> "surrogates":
        """The policy with the `min_cases` of a dataset, if none is given, so that the unit of importances changes no tree."""
        weights = dataset.weights
        if weights is None or dataset.weights_are == "counts" or self.min_cases is not None:
            return self
        return evolve(self, min_cases=_LEAST * _ROUNDED * fsum(weights) / max(int(np.count_nonzero(weights)), 1))

    def add_surrogates(
        self, splits: Sequence[Split | None], engine: CountsSides, features: Sequence[Feature], with_surrogates: Collection[int]
    ) -> tuple[Split | None, ...]:
        """The splits of a level; binary splits of the features in `with_surrogates` get surrogates."""
        asked = binary_splits_of(splits, with_surrogates)
        found = self._found(asked, engine.sides(asked), features)
        return tuple(split if new is None else new for split, new in zip(splits, found, strict=True))

    def _found(self, splits: Sequence[Split | None], sides: Avc, features: Sequence[Feature]) -> tuple[Split | None, ...]:
        """The splits with their surrogates; `sides` counts, for each value, the cases (..., 2) that each split sends each way."""
        found: list[list[Surrogate]] = [[] for _ in splits]
        known = np.zeros((len(splits), 2))
        for start, end, missing in zip(*(each.tolist() for each in sides.runs()), strict=True):
            node, feature = int(sides.node[start]), int(sides.feature[start])
            known[node] = sides.counts[start:end].sum(axis=0)
            split = splits[node]
            if split is not None and feature not in split.features:
                rows = slice(start, end - missing)
                cases = sides.value[rows], sides.counts[rows]
                found[node] += _surrogate(feature, features[feature], *cases, known[node], self.least)
        return tuple(map(self._with_surrogates, splits, found, known))

    def _with_surrogates(self, split: Split | None, found: list[Surrogate], known: Array) -> Split | None:
        if not isinstance(split, (Threshold, Subset)):
            return split
        # Sorting is stable, so of equal ones the lowest feature comes first.
        best = sorted(found, key=lambda surrogate: -surrogate.agreement)[: self.at_most]
        return WithSurrogates(split, tuple(best), default_child=int(known[1] > known[0]))


def binary_splits_of(splits: Sequence[Split | None], features: Collection[int]) -> list[Split | None]:
    """The binary splits of some features, which get surrogates; None for all other splits.

    >>> binary_splits_of([Threshold(0, 1.5), Threshold(1, 0.5), None], {1})
    [None, Threshold(feature=1, at=0.5), None]
    """
    return [split if isinstance(split, (Threshold, Subset)) and split.feature in features else None for split in splits]


def _surrogate(number: int, feature: Feature, value: Array, counts: Array, total: Array, least: float) -> list[Surrogate]:
    """The best surrogate of one feature, from the sides of its values (U, 2); empty if the majority agrees as well."""
    find = _of_values if feature.kind == "nominal" else _of_cuts
    found = find(number, value, counts, least)
    if found is None:
        return []
    split, is_reversed, right = found
    majority = total.max() / total.sum()
    agreement = right / total.sum()
    adjusted = (agreement - majority) / (1 - majority) if majority < 1 else 0.0
    return [Surrogate(split, is_reversed, agreement, adjusted)] if adjusted > _SAME else []


def _of_cuts(number: int, value: Array, counts: Array, least: float) -> tuple[Threshold, bool, float] | None:
    """The cut of an ordered feature that agrees with most cases, in either direction; the lowest of equal ones."""
    below = counts.cumsum(axis=0)[:-1]
    above = counts.sum(axis=0) - below
    forward, backward = below[:, 0] + above[:, 1], below[:, 1] + above[:, 0]
    enough = np.minimum(below.sum(axis=1), above.sum(axis=1)) >= least
    right = np.where(enough, np.maximum(forward, backward), -np.inf)
    if not len(right) or right.max() == -np.inf:
        return None
    best = int(right.argmax())
    at = float(midpoint(value[best], value[best + 1]))
    return Threshold(number, at), bool(backward[best] > forward[best]), float(right[best])


def _of_values(number: int, value: Array, counts: Array, least: float) -> tuple[Groups, bool, float] | None:
    """The groups that send each value to the side of most of its cases; a tied value goes with the majority of all cases."""
    below, above = counts.sum(axis=0)
    side = np.where(counts[:, 0] == counts[:, 1], above > below, counts[:, 1] > counts[:, 0]).astype(int)
    right = counts[np.arange(len(side)), side].sum()
    weights = np.bincount(side, counts.sum(axis=1), minlength=2)
    if weights.min() < least or not weights.min():
        return None
    codes = value.astype(int)
    return Groups(number, (codes[side == 0].tolist(), codes[side == 1].tolist())), False, float(right)
