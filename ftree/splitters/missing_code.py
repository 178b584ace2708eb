"""Missing as one more code of nominal features: runs that count it, and their splits without it."""

from typing import TypeAlias

import numpy as np
from attrs import evolve

from ftree._lib.arrays import Array
from ftree.splitters.base import Runs
from ftree.tree.splits import Groups, IsMissing, Multiway, Subset, WithDefault
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.protocol import UNKNOWN, Split

_TWO = 2
# A value that no feature has.
_MISSING = object()
SplitAndCounts: TypeAlias = tuple[Split, Array]


def resized(runs: Runs, size: Array) -> Runs:
    """The runs with other numbers of rows: the first rows of each are kept, and added rows are zeros."""
    end = np.cumsum(size)
    start = end - size
    run = runs.run_of_row()
    offset = np.arange(len(run)) - runs.start[run]
    kept = offset < size[run]
    value, counts = np.zeros(size.sum()), np.zeros((size.sum(), runs.counts.shape[1]), dtype=runs.counts.dtype)
    place = (start[run] + offset)[kept]
    value[place], counts[place] = runs.value[kept], runs.counts[kept]
    return evolve(runs, value=value, counts=counts, start=start, end=end)


def with_code(runs: Runs, missing: Array) -> Runs:
    """The runs with missing as the last code of the nominal features, where `missing` (runs, K) counts cases."""
    added = (runs.kind == "nominal") & missing.any(axis=1)
    extended = set(runs.feature[added].tolist())
    larger = resized(runs, runs.size + added)
    last = larger.end[added] - 1
    larger.value[last] = [len(runs.features[feature].values) for feature in runs.feature[added]]
    larger.counts[last] = missing[added]
    features = [
        evolve(feature, values=(*feature.values, _MISSING)) if number in extended else feature
        for number, feature in enumerate(runs.features)
    ]
    return evolve(larger, features=tuple(features))


def without_code(split: Split, counts: Array, code: int, present: Array, *, missing: bool) -> SplitAndCounts:
    """A split of a nominal feature without its code for missing, and the counts of its children.

    Rows with missing values go to the child of that code; if that child has no other code that is `present`, it becomes the last
    child. Codes up to the one for missing determine the split, so any split type will do.

    >>> without_code(Subset(0, (0, 2)), np.array([[2], [3]]), 2, np.array([0, 1]), missing=True)[0]
    WithDefault(split=Subset(feature=0, members=(0,)), default_child=0)
    >>> without_code(Multiway(0, (0, 1, 2)), np.array([[2], [3], [1]]), 2, np.array([0, 1]), missing=True)[0]
    WithDefault(split=Multiway(feature=0, values=(0, 1)), default_child=2)
    """
    (feature,), child = split.features, child_of(split, np.arange(code + 2))
    own, unseen = int(child[code]), int(child[code + 1])
    if (child[present] == own).any():
        inner = _of_codes(feature, [np.flatnonzero(child[:code] == each).tolist() for each in range(len(counts))], unseen)
        return WithDefault(inner, default_child=own) if missing else inner, counts
    others = [each for each in range(len(counts)) if each != own]
    if len(others) == 1:
        return IsMissing(feature), counts[[*others, own]]
    inner = _of_codes(feature, [np.flatnonzero(child[:code] == each).tolist() for each in others], UNKNOWN)
    return (WithDefault(inner, default_child=len(others)), counts[[*others, own]]) if missing else (inner, counts[others])


def _of_codes(feature: int, codes: list[list[int]], unseen: int) -> Split:
    """The split that sends these codes to each child, and all others to the child `unseen`."""
    if unseen == 1 and len(codes) == _TWO:
        return Subset(feature, codes[0])
    if all(len(each) == 1 for each in codes):
        return Multiway(feature, [code for (code,) in codes])
    return Groups(feature, codes)
