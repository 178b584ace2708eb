"""Pruning by estimates from the training cases: pessimistic errors and minimum error.

Sources: Quinlan 1987, section 2.4; Niblett & Bratko 1987.
"""

from math import sqrt

import numpy as np
import numpy.typing as npt
from attrs import field, frozen
from attrs.converters import optional

from ftree._lib.fields import as_tuple, is_distribution, is_finite
from ftree._lib.messages import short_repr
from ftree.criteria.impurity import proportions
from ftree.prune.decisions import DecidingPass, Recorder
from ftree.prune.figures import at_most, expected_error
from ftree.prune.passes import Verdict, bottom_up, errors_as_leaves, in_level_order, no_worse, root_first
from ftree.tree.nodes import Node, Tree


@frozen
class pessimistic(DecidingPass):
    """Cut, from the root down, where the leaf's errors are within one standard error of the subtree's.

    Each leaf counts half an error more than it makes. Branches below a cut are not judged.

    In `decisions`, scores are errors with the halves added.

    >>> pessimistic()
    pessimistic()
    """

    def _prune(self, tree: Tree, record: Recorder) -> Tree:
        order = in_level_order(tree)

        def within_standard_error(number: int, as_leaf: float, as_subtree: float, _: list[Node]) -> Verdict:
            n = sum(order.nodes[number].counts)
            limit = as_subtree + (sqrt(max(as_subtree * (n - as_subtree), 0) / n) if n else 0)
            return limit, at_most(as_leaf, limit)

        return root_first(tree, order, [errors + 0.5 for errors in errors_as_leaves(order)], within_standard_error, record=record)


@frozen
class minimum_error(DecidingPass):
    """Cut, children first, where the expected error rate as a leaf is at most its children's mean, weighted by cases.

    Without `m`, the estimate is Laplace's: (N - n_c + k - 1)/(N + k). With it, the estimate is the least over the classes
    of (N - n_c + (1 - p_c) m)/(N + m). Here p is the `prior`, by default the class shares at the root. The larger m, the
    smaller the tree.

    In `decisions`, scores are expected error rates, of the branch as a leaf and backed up from its children.

    Raises a ValueError for a negative m, a prior without an m, and a prior that is not a distribution or has other classes.

    >>> minimum_error(m=2)
    minimum_error(m=2, prior=None)
    """

    m: float | None = field(default=None, kw_only=True)
    prior: tuple[float, ...] | None = field(default=None, kw_only=True, converter=optional(as_tuple))

    def __attrs_post_init__(self) -> None:
        """Check m and the prior together."""
        if self.m is not None and not (is_finite(self.m) and self.m >= 0):
            got = short_repr(self.m)
            raise ValueError(f"m must be a finite number of at least 0, got {got}. m is the weight of the prior in cases.")
        if self.prior is None:
            return
        if self.m is None:
            raise ValueError("m must be the weight of the prior in cases, got None. Write minimum_error(m=2, prior=...).")
        if not is_distribution(self.prior):
            raise ValueError(f"prior must be numbers from 0 that sum to 1, one for each class, got {short_repr(self.prior)}.")

    def _prune(self, tree: Tree, record: Recorder) -> Tree:
        order = in_level_order(tree)
        m = len(tree.schema.classes) if self.m is None else self.m
        counts = np.array([node.counts for node in order.nodes], dtype=np.float64)
        static: list[float] = expected_error(counts, m, self._prior_for(tree)).tolist()
        sizes: list[float] = counts.sum(axis=1).tolist()

        def backed_up(number: int, below: list[float]) -> float:
            kids, total = order.below[number], sizes[number]
            parts = zip(sizes[kids.start : kids.stop], below, strict=True)
            return sum(size * error for size, error in parts) / total if total else static[number]

        return bottom_up(tree, order, static, no_worse, record=record, subtree_score=backed_up)

    def _prior_for(self, tree: Tree) -> npt.ArrayLike:
        counts, k = tree.root.counts, len(tree.schema.classes)
        if self.m is None:
            return [1 / k] * k
        if self.prior is None:
            return proportions(counts)
        if len(self.prior) != k:
            raise ValueError(f"prior must be {k} shares, one for each class in the schema's order, got {len(self.prior)}.")
        return self.prior
