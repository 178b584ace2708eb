"""Error-based pruning, as in C4.5: by an upper limit of each leaf's errors, with subtree raising.

Source: Quinlan 1993, chapter 4; estimates as in Weka's J48 (Witten & Frank 1999).
"""

from functools import cache
from itertools import chain
from typing import Any, Literal

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import exact_unit
from ftree._lib.fields import is_finite, must_be, one_of, true_or_false
from ftree._lib.objects import gc_paused
from ftree.criteria.error_limits import deviate, expected_errors
from ftree.data.dataset import Dataset
from ftree.data.frames import NamedColumns
from ftree.data.labelled import as_dataset, dataset_or_table
from ftree.prune.collapse import collapsed_by_errors
from ftree.prune.decisions import Pruned
from ftree.prune.passes import DecidingPass, bottom_up, by_scores, in_level_order
from ftree.prune.subtree_raising import SLACK, raised
from ftree.tree.nodes import Tree

# Above one half, the limit would add no errors.
_CONFIDENCE = must_be("above 0 and at most 0.5", lambda value: is_finite(value) and 0 < value <= 0.5)  # noqa: PLR2004


def _as_table(rows: Any) -> Any:
    return None if rows is None else dataset_or_table(rows, "raise_with")


@frozen
class error_based(DecidingPass):
    """Cut, children first, where the pessimistic errors of a leaf are at most those of the subtree plus 0.1.

    Pessimistic errors are the upper confidence limit of the errors. The smaller `confidence`, the higher the limit, and
    the smaller the tree. `z` takes its normal deviate from the quantile ("normal", as Weka) or from C4.5's "table".
    With the training set as `raise_with`, a branch may also be replaced by its largest child (the last of equal ones). This
    child then gets all cases of the branch and is judged again. Cases with a missing or unseen value go down in fractions,
    in proportion to the known cases; a tree whose counts were divided otherwise is recounted first. `collapse` first cuts,
    from the root down, branches that save no error on the training set, as J48 does.

    In `decisions`, scores are pessimistic errors; raised branches are judged again at their new path. With `collapse`,
    its decisions come first, from the root down; their scores are errors on the training set.

    Raises a ValueError for a confidence outside (0, 0.5], or if `raise_with` has other cases than the tree.

    >>> error_based(confidence=0.1)
    error_based(confidence=0.1, raise_with=None, collapse=False, z='normal')
    """

    confidence: float = field(default=0.25, kw_only=True, validator=_CONFIDENCE)
    raise_with: Dataset | NamedColumns | None = field(default=None, kw_only=True, converter=_as_table)
    collapse: bool = field(default=False, kw_only=True, validator=true_or_false)
    z: Literal["normal", "table"] = field(default="normal", kw_only=True, validator=one_of("normal", "table"))

    @gc_paused()
    def _prune(self, tree: Tree) -> Pruned:
        if not self.collapse:
            return self._by_errors(tree)
        first = collapsed_by_errors(tree)
        second = self._by_errors(first.tree)
        return Pruned(second.tree, lambda: chain(first.decisions(), second.decisions()))

    def _by_errors(self, tree: Tree) -> Pruned:
        order, z = in_level_order(tree), deviate(self.confidence, self.z)
        if self.raise_with is not None:
            data = _training_set(tree, as_dataset(tree.schema, self.raise_with))
            return raised(order, data, self.confidence, z)
        errors_of = cache(lambda counts: expected_errors(counts, self.confidence, z))
        as_leaf = list(map(errors_of, order.counts))
        return bottom_up(order, as_leaf, judge=by_scores(as_leaf, slack=SLACK))


def _training_set(tree: Tree, dataset: Dataset) -> Dataset:
    """The dataset in the tree's codes, if it has as many cases of each class as the tree."""
    data = dataset.recoded(tree.schema)
    class_counts = data.class_counts()
    # Growth counts in multiples of a grid, which is coarse compared to the lightest rows if others are very heavy.
    rounding = exact_unit(sum(class_counts), len(tree.schema.features)) * len(data)
    if not np.allclose(class_counts, tree.root.counts, rtol=1e-9, atol=max(1e-8, rounding)):
        wanted = f"the training set of the tree, with class counts {tree.root.counts}"
        raise ValueError(f"raise_with must be {wanted}, got class counts {class_counts}.")
    return data
