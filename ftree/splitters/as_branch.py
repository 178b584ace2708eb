"""`as_branch`: each split has a child for missing values (Twala, Jones & Hand 2008)."""

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Array
from ftree._lib.fields import QUIET, ConstructorRepr
from ftree.routing.all_routes import all_routes
from ftree.routing.rule_names import as_prediction_rule
from ftree.splitters.base import ORDERED, Runs
from ftree.splitters.missing_code import SplitAndCounts, resized, with_code, without_code
from ftree.tree.prediction_rule import PredictionRule
from ftree.tree.splits import IsMissing, WithDefault
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.protocol import Split

# From a run's number, the split found in it and its children's counts to the split of all cases and its children's counts.
Translate: TypeAlias = Callable[[int, Split, Array], SplitAndCounts]


@frozen(repr=False)
class as_branch(ConstructorRepr):
    """A missing-value policy: each split sends missing values to one of its children, whichever scores best.

    A split of a numeric or ordinal feature is scored with the missing values in the lower child, in the upper child, and as "is
    missing" against "is known"; ties go to the first. In a nominal feature missing is one more value: a child of its own in
    a multiway split, on either side of a subset. Thus all cases of a node count in every score, and none is divided.

    If no value is missing at a node, the split is the same as without the policy, and `predict` is the prediction rule there.
    A policy with it grows in the plain engine if values are missing.

    Source: Twala, Jones & Hand 2008 (missing incorporated in attributes).

    >>> as_branch()
    as_branch()
    """

    predict: PredictionRule = field(default=all_routes(), kw_only=True, converter=as_prediction_rule, metadata=QUIET)

    def variants(self, runs: Runs, missing: Array) -> list[tuple[Runs, Translate]]:
        """Runs to search instead of those of known values; `missing` (runs, K) counts each run's missing values by class."""
        coded = with_code(runs, missing)
        ordered = np.isin(runs.kind, ORDERED) & missing.any(axis=1)
        joined = [_joined(coded, end, missing, ordered) for end in (coded.start, coded.end - 1)]
        translated = [partial(_with_default, runs, missing, end) for end in (runs.start, runs.end - 1)]
        apart = _apart(coded, missing, ordered)
        return [*zip(joined, translated, strict=True), (apart, partial(_is_missing, runs, missing, ordered))]


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
    if not some:
        return split, counts
    return WithDefault(split, default_child=int(child_of(split, runs.value[row[run] : row[run] + 1])[0])), counts


def _is_missing(runs: Runs, missing: Array, ordered: Array, run: int, split: Split, counts: Array) -> SplitAndCounts:
    """The split of a run of two rows; children are the known cases and the missing ones."""
    apart = np.stack([runs.counts[runs.start[run] : runs.end[run]].sum(axis=0), missing[run]])
    is_missing = IsMissing(int(runs.feature[run])), apart
    return is_missing if ordered[run] else _with_default(runs, missing, runs.start, run, split, counts)
