"""The values of a source next to a tree's thresholds, found in one scan: they move thresholds as all values would."""

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, Floats
from ftree.scan.part_dataset import numbers_of
from ftree.scan.parts import CountedParts, Part, SourceSummary
from ftree.tree.nodes import Branch, Tree, preorder


def observed_values(tree: Tree, source: CountedParts) -> list[Floats | None]:
    """For each feature with thresholds, the smallest and the largest value between any two of them, in order; else None."""
    thresholds = _thresholds(tree, source.summary)
    if not any(len(own) for own in thresholds):
        return [None] * len(thresholds)
    ends: Array = source.fold(_EndsOfRanges(thresholds, source.summary), np.maximum)
    each = np.split(ends, np.cumsum([len(own) + 1 for own in thresholds])[:-1])
    return [_values(found) if len(own) else None for own, found in zip(thresholds, each, strict=True)]


def _thresholds(tree: Tree, summary: SourceSummary) -> list[Floats]:
    found: list[set[float]] = [set() for _ in summary.bins]
    for node in preorder(tree.root):
        at = getattr(node.split, "at", None) if isinstance(node, Branch) else None
        if isinstance(node, Branch) and isinstance(at, float) and summary.bins[node.split.features[0]] is not None:
            found[node.split.features[0]].add(at)
    return [np.array(sorted(own), dtype=np.float64) for own in found]


def _values(ends: Array) -> Floats:
    values: Floats = np.unique(np.append(ends[:, 0], -ends[:, 1]))
    return values[np.isfinite(values)]


@frozen(eq=False)
class _EndsOfRanges:
    """The largest and the negated smallest number (R, 2) of each range between thresholds, -inf for an empty one."""

    thresholds: Sequence[Floats]
    summary: SourceSummary

    def __call__(self, part: Part) -> Array:
        return np.concatenate([self._of_feature(part, feature) for feature in range(len(self.thresholds))])

    def _of_feature(self, part: Part, feature: int) -> Array:
        own, bins = self.thresholds[feature], self.summary.bins[feature]
        ends = np.full((len(own) + 1, 2), -np.inf)
        if bins is not None and len(own):
            numbers = numbers_of(part.codes[feature], part.numbers[self.summary.numeric[feature]], bins)
            known = numbers[~np.isnan(numbers)]
            place = np.searchsorted(own, known)
            np.maximum.at(ends[:, 0], place, known)
            np.maximum.at(ends[:, 1], place, -known)
        return ends
