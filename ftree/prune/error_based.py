"""Error-based pruning, C4.5's: errors as large as they may well be, and subtrees raised in place of their parents.

Source: Quinlan 1993, chapter 4; estimates as in Weka's J48 (Witten & Frank 1999).
"""

from collections.abc import Callable
from functools import cache
from itertools import chain
from typing import Any, Literal

import numpy as np
from attrs import field, frozen
from attrs.validators import instance_of, optional

from ftree._lib.fields import ConstructorRepr, one_of
from ftree._lib.gc_pause import gc_paused
from ftree.data.dataset import Dataset, a_dataset
from ftree.prune.base import Decision, Note, Place, Verdict, at_most, bottom_up, saving_errors, trail, unheard, with_root
from ftree.prune.error_estimate import deviate, expected_errors
from ftree.prune.subtree_raising import SLACK, Raising
from ftree.routing.count import counts_and_gaps, plain_counts, with_counts
from ftree.routing.incremental import Descent
from ftree.tree.fold import leaves
from ftree.tree.nodes import Counts, Node, Tree, level_order


def _confidence(_: Any, __: Any, confidence: float) -> None:
    if not 0 < confidence <= 0.5:  # noqa: PLR2004  # above one half nothing would be added
        message = f"confidence is above 0 and at most 0.5; it came as {confidence!r}."
        raise ValueError(message)


@frozen(repr=False)
class error_based(ConstructorRepr):
    """Cut, children first, where the pessimistic errors of a leaf are at most those of the subtree, and 0.1.

    The smaller `confidence`, the more errors are expected beyond those seen, and the smaller the tree. With the growing
    data as `raise_with`, a branch may also be replaced by its largest child (the last of equals), which then gets all its
    cases, and is judged again. Values missing or unseen take their cases down in fractions, as the known ones of the cases
    that are there; a tree that divided them otherwise is recounted first. `collapse` first cuts, from the root down, what
    saves no error on the growing data, as J48 does. `z` says whose normal deviate: "normal", the quantile, as in Weka, or
    "table", C4.5's own.

    Raises a ValueError for a confidence outside (0, 0.5], or when `raise_with` has other cases than the tree.

    >>> error_based(confidence=0.1)
    error_based(confidence=0.1, raise_with=None, collapse=False, z='normal')
    """

    confidence: float = field(default=0.25, kw_only=True, validator=_confidence)
    raise_with: Dataset | None = field(default=None, kw_only=True, validator=optional(a_dataset))
    collapse: bool = field(default=False, kw_only=True, validator=instance_of(bool))
    z: Literal["normal", "table"] = field(default="normal", kw_only=True, validator=one_of("normal", "table"))

    def __call__(self, tree: Tree) -> Tree:
        """The pruned tree; the same tree when nothing is cut or raised."""
        return self._run(tree, unheard)

    def decisions(self, tree: Tree) -> tuple[Decision, ...]:
        """Every branch, children first, raised ones again at their new place; scores are pessimistic errors.

        With `collapse`, the decisions of that come first, root first; their scores are errors on the growing data.
        """
        return trail(self._run, tree)

    @gc_paused()
    def _run(self, tree: Tree, note: Note) -> Tree:
        collapsed = saving_errors(tree, note) if self.collapse else tree
        z = deviate(self.confidence, self.z)
        errors_of = cache(lambda counts: expected_errors(counts, self.confidence, z))
        if self.raise_with is not None:
            return _raised(collapsed, self.raise_with, errors_of, note)
        return bottom_up(collapsed, lambda place: errors_of(place.node.counts), _with_slack, note=note)


def _with_slack(_: Place, as_leaf: float, as_subtree: float, __: list[Node]) -> Verdict:
    return as_subtree + SLACK, at_most(as_leaf, as_subtree + SLACK)


def _raised(tree: Tree, dataset: Dataset, errors_of: Callable[[Counts], float], note: Note) -> Tree:
    """The tree after pruning with subtree raising."""
    data = dataset.recoded(tree.schema)
    came = data.class_counts()
    if not np.allclose(came, tree.root.counts, rtol=1e-9):
        message = f"raise_with takes the data that the tree was grown on, with class counts {tree.root.counts}; {came} came."
        raise ValueError(message)
    nodes, below = level_order(tree.root)
    now, lost = counts_and_gaps(nodes, below, data, missing="as_known")
    counts = [node.counts for node in nodes]
    if not np.allclose(now.ravel(), np.fromiter(chain.from_iterable(counts), np.float64), rtol=1e-9):
        counts = plain_counts(now)
        nodes = with_counts(nodes, below, counts)
        were, are = (sum(errors_of(leaf.counts) for leaf in leaves(one)) for one in (tree.root, nodes[0]))
        note(Decision((), tree.root.counts, were, are, done="recounted", becomes=nodes[0]))
    return with_root(tree, Raising(nodes, below, counts, lost, errors_of, Descent.of(data), note).judged())
