"""`as_branch`: a split sends missing values to one of its children, so that no case is divided."""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Array
from ftree._lib.fields import QUIET, ConstructorRepr, true_or_false
from ftree.routing.missing_rules import all_routes, as_prediction_rule
from ftree.splitters.runs import ORDERED, Runs
from ftree.tree.nodes import PredictionRule
from ftree.tree.splits import Groups, IsMissing, Multiway, Subset, WithDefault
from ftree.tree.splits.split import UNKNOWN, Split, child_of

SplitAndCounts: TypeAlias = tuple[Split, Array]
# From a run's number, the split found in it and its children's counts to the split of all cases and its children's counts.
Translate: TypeAlias = Callable[[int, Split, Array], SplitAndCounts]


@frozen
class as_branch(ConstructorRepr):
    """A missing-value policy: each split sends missing values to one of its children, whichever scores best.

    A split of a numeric or ordinal feature is scored with the missing values in the lower child, in the upper child, and as "is
    missing" against "is known"; ties go to the first. In a nominal feature missing is one more value: a child of its own in
    a multiway split, on either side of a subset. Thus all cases of a node count in every score, and none is divided.

    With `floating=True`, CHAID's `merging` first merges the known values of a numeric or ordinal feature. The missing ones then
    join the group from which they differ least or stay apart, whichever scores better; others send them to the lowest child.

    If no value is missing at a node, the split is the same as without the policy, and `predict` is the prediction rule there.
    A policy with it grows in the plain engine if values are missing.

    Sources: Twala, Jones & Hand 2008 (missing incorporated in attributes); Kass 1980 and SPSS (floating categories).

    >>> as_branch()
    as_branch()
    """

    floating: bool = field(default=False, kw_only=True, metadata=QUIET, validator=true_or_false)
    predict: PredictionRule = field(default=all_routes(), kw_only=True, converter=as_prediction_rule, metadata=QUIET)

    def variants(self, runs: Runs, missing: Array) -> list[tuple[Runs, Translate]]:
        """Runs to search instead of those of known values; `missing` (runs, K) counts each run's missing values by class."""
        coded = with_code(runs, missing)
        ordered = np.isin(runs.kind, ORDERED) & missing.any(axis=1)
        joined = [_joined(coded, end, missing, ordered) for end in (coded.start, coded.end - 1)]
        translated = [partial(_with_default, runs, missing, end) for end in (runs.start, runs.end - 1)]
        if self.floating:
            return [(evolve(joined[0], floating=np.where(ordered[:, None], missing, 0)), translated[0])]
        apart = _apart(coded, missing, ordered)
        return [*zip(joined, translated, strict=True), (apart, partial(_is_missing, runs, missing, ordered))]


# Runs that count missing values, and their splits


def _joined(runs: Runs, row: Array, missing: Array, ordered: Array) -> Runs:
    """The runs with missing values counted in one row of each."""
    counts = runs.counts.copy()
    counts[row[ordered]] += missing[ordered]
    return evolve(runs, counts=counts)


def _apart(runs: Runs, missing: Array, ordered: Array) -> Runs:
    """Ordered runs of two rows, the known values and the missing ones; other runs unchanged."""
    two = resized(runs, np.where(ordered, 2, runs.size))
    known = np.add.reduceat(runs.counts, runs.start) if len(runs.start) else runs.counts
    first = two.start[ordered]
    two.value[first], two.value[first + 1] = 0, 1
    two.counts[first], two.counts[first + 1] = known[ordered], missing[ordered]
    return two


def _with_default(runs: Runs, missing: Array, row: Array, run: int, split: Split, counts: Array) -> SplitAndCounts:
    """The split of a run, with the child of one row's value as the child for missing values."""
    number, some = int(runs.feature[run]), bool(missing[run].any())
    if runs.features[number].kind == "nominal":
        present = runs.value[runs.start[run] : runs.end[run]].astype(np.intp)
        return without_code(split, counts, len(runs.features[number].values), present, missing=some)
    lowest_or_highest, of_missing = child_of(split, np.array([runs.value[row[run]], np.nan])).tolist()
    return (WithDefault(split, default_child=lowest_or_highest) if some and of_missing == UNKNOWN else split), counts


def _is_missing(runs: Runs, missing: Array, ordered: Array, run: int, split: Split, counts: Array) -> SplitAndCounts:
    """The split of a run of two rows; children are the known cases and the missing ones."""
    apart = np.stack([runs.counts[runs.start[run] : runs.end[run]].sum(axis=0), missing[run]])
    is_missing = IsMissing(int(runs.feature[run])), apart
    return is_missing if ordered[run] else _with_default(runs, missing, runs.start, run, split, counts)


_TWO = 2
# A value that no feature has.
_MISSING = object()


def resized(runs: Runs, size: Array) -> Runs:
    """The runs with other numbers of rows: the first rows of each are kept, and added rows are zeros."""
    start, run = np.cumsum(size) - size, runs.run_of_row()
    offset = np.arange(len(run)) - runs.start[run]
    kept = offset < size[run]
    value, counts = np.zeros(size.sum()), np.zeros((size.sum(), runs.counts.shape[1]), dtype=runs.counts.dtype)
    place = (start[run] + offset)[kept]
    value[place], counts[place] = runs.value[kept], runs.counts[kept]
    return evolve(runs, value=value, counts=counts, size=size)


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
    WithDefault(split=Subset(feature=0, members=(0,)), default_child=0, unseen=False)
    >>> without_code(Multiway(0, (0, 1, 2)), np.array([[2], [3], [1]]), 2, np.array([0, 1]), missing=True)[0]
    WithDefault(split=Multiway(feature=0, values=(0, 1)), default_child=2, unseen=False)
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
