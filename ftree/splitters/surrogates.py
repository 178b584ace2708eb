"""Surrogate splits: for each split in two, the splits of other features that send the most cases the same way.

A case whose own feature has no answer asks the first surrogate that has one, and goes with the majority where none has.
Source: Breiman et al. 1984, section 5.3; in detail rpart 4.1 (Therneau & Atkinson), with agreement over all cases that the
split itself knows.
"""

from collections.abc import Collection, Sequence
from itertools import pairwise

import numpy as np
from attrs import field, frozen
from attrs.validators import instance_of

from ftree._lib.arrays import Array, midpoint, run_starts
from ftree._lib.fields import QUIET, ConstructorRepr, a_whole_number
from ftree.criteria.counts import Avc
from ftree.tree.schema import Feature
from ftree.tree.splits import Groups, Split, Subset, Surrogate, Threshold, WithSurrogates, features_of

# So many cases must go each way.
_LEAST = 2
_SAME = 1e-10


@frozen(repr=False)
class surrogates(ConstructorRepr):
    """Missing values ask surrogates: splits in two of features with gaps, or `everywhere`, have up to `at_most` of them.

    Without `everywhere`, splits of features that have a value in all training cases have no surrogates.

    >>> surrogates(everywhere=True)
    surrogates(everywhere=True)
    """

    at_most: int = field(default=5, kw_only=True, metadata=QUIET, validator=a_whole_number(0, of="surrogates"))
    everywhere: bool = field(default=False, kw_only=True, metadata=QUIET, validator=instance_of(bool))

    def __call__(self, splits: Sequence[Split | None], sides: Avc, features: Sequence[Feature]) -> tuple[Split | None, ...]:
        """The splits with their surrogates, found in the counts (..., 2) of the sides that values' cases go to."""
        found: list[list[Surrogate]] = [[] for _ in splits]
        known = np.zeros((len(splits), 2))
        starts = run_starts(sides.node, sides.feature)
        for start, end in pairwise([*starts.tolist(), len(sides.node)]):
            node, feature = int(sides.node[start]), int(sides.feature[start])
            known[node] = sides.counts[start:end].sum(axis=0)
            if feature not in _own(splits[node]):
                rows = slice(start, end - int(np.isnan(sides.value[end - 1])))
                found[node] += _surrogate(feature, features[feature], sides.value[rows], sides.counts[rows], known[node])
        return tuple(map(self._backed, splits, found, known))

    def _backed(self, split: Split | None, found: list[Surrogate], known: Array) -> Split | None:
        if not isinstance(split, (Threshold, Subset)):
            return split
        # Sorting is stable, so that of equals the lowest feature comes first.
        best = sorted(found, key=lambda surrogate: -surrogate.agreement)[: self.at_most]
        return WithSurrogates(split, tuple(best), default_child=int(known[1] > known[0]))


def to_back(splits: Sequence[Split | None], gaps: Collection[int]) -> list[Split | None]:
    """The splits in two of the given features, None for all others.

    >>> to_back([Threshold(0, 1.5), Threshold(1, 0.5), None], {1})
    [None, Threshold(feature=1, at=0.5), None]
    """
    return [split if isinstance(split, (Threshold, Subset)) and split.feature in gaps else None for split in splits]


def _own(split: Split | None) -> tuple[int, ...]:
    return () if split is None else features_of(split)


def _surrogate(number: int, feature: Feature, value: Array, counts: Array, total: Array) -> list[Surrogate]:
    """The best surrogate of one feature from its values' sides (U, 2); none where it is no better than the majority."""
    find = _of_values if feature.kind == "nominal" else _of_cuts
    found = find(number, value, counts)
    if found is None:
        return []
    split, turned, right = found
    majority = total.max() / total.sum()
    agreement = right / total.sum()
    adjusted = (agreement - majority) / (1 - majority) if majority < 1 else 0.0
    return [Surrogate(split, turned, agreement, adjusted)] if adjusted > _SAME else []


def _of_cuts(number: int, value: Array, counts: Array) -> tuple[Threshold, bool, float] | None:
    """The cut of an ordered feature that sends most cases the right way, in one direction or the other; the lowest of equals."""
    below = counts.cumsum(axis=0)[:-1]
    above = counts.sum(axis=0) - below
    straight, crossed = below[:, 0] + above[:, 1], below[:, 1] + above[:, 0]
    enough = np.minimum(below.sum(axis=1), above.sum(axis=1)) >= _LEAST
    right = np.where(enough, np.maximum(straight, crossed), -np.inf)
    if not len(right) or right.max() == -np.inf:
        return None
    best = int(right.argmax())
    at = float(midpoint(value[best], value[best + 1]))
    return Threshold(number, at), bool(crossed[best] > straight[best]), float(right[best])


def _of_values(number: int, value: Array, counts: Array) -> tuple[Groups, bool, float] | None:
    """Each value on the side that most of its cases go to; values that stand even go with the majority of all values."""
    if not len(value):
        return None
    below, above = counts.sum(axis=0)
    side = np.where(counts[:, 0] == counts[:, 1], above > below, counts[:, 1] > counts[:, 0]).astype(int)
    right = counts[np.arange(len(side)), side].sum()
    weights = np.bincount(side, counts.sum(axis=1), minlength=2)
    if weights.min() < _LEAST:
        return None
    codes = value.astype(int)
    return Groups(number, (codes[side == 0].tolist(), codes[side == 1].tolist())), False, float(right)
