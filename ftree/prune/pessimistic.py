"""Pruning by estimates from the training cases: pessimistic errors, minimum error, and the estimated error of models.

Sources: Quinlan 1987, section 2.4; Niblett & Bratko 1987; Quinlan 1992; Wang & Witten 1997.
"""

from collections.abc import Sequence
from math import inf, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import field, frozen
from attrs.converters import optional

from ftree._lib.fields import as_tuple, is_distribution, is_finite
from ftree._lib.messages import short_repr
from ftree.criteria.impurity import proportions
from ftree.prune.decisions import Pruned
from ftree.prune.passes import DecidingPass, LevelOrder, SubtreeScore, bottom_up, in_level_order, risks_of, root_first
from ftree.tree.nodes import Tree
from ftree.tree.response import Counts
from ftree.tree.schema import Schema, by_task


@frozen
class pessimistic(DecidingPass):
    """Cut, from the root down, where the leaf's errors are within one standard error of the subtree's.

    Each leaf counts half an error more than it makes. Branches below a cut are not judged.

    In `decisions`, scores are errors with the halves added.

    >>> pessimistic()
    pessimistic()
    """

    def _prune(self, tree: Tree) -> Pruned:
        order = in_level_order(tree)

        def one_standard_error(number: int, as_subtree: float) -> float:
            n = sum(order.nodes[number].counts)
            return as_subtree + (sqrt(max(as_subtree * (n - as_subtree), 0) / n) if n else 0)

        errors = [errors + 0.5 for errors in risks_of(tree.schema, order.counts)]
        return root_first(order, errors, one_standard_error)


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

    def _prune(self, tree: Tree) -> Pruned:
        order = in_level_order(tree)
        m = len(tree.schema.classes) if self.m is None else self.m
        counts = np.array(order.counts, dtype=np.float64)
        smoothed = counts + m * np.asarray(self._prior_for(tree))
        total = smoothed.sum(axis=1)
        errors = np.divide(total - smoothed.max(axis=1), total, out=np.zeros_like(total), where=total > 0).tolist()
        backed_up = _mean_of_children(order, counts.sum(axis=1).tolist(), errors)
        return bottom_up(order, errors, subtree_score=backed_up)

    def _prior_for(self, tree: Tree) -> npt.ArrayLike:
        counts, k = tree.root.counts, len(tree.schema.classes)
        if self.m is None:
            return [1 / k] * k
        if self.prior is None:
            return proportions(counts)
        if len(self.prior) != k:
            raise ValueError(f"prior must be {k} shares, one for each class in the schema's order, got {len(self.prior)}.")
        return self.prior


@frozen
class estimated_error(DecidingPass):
    """Cut, children first, where the estimated error as a leaf is at most its children's mean, weighted by cases: as M5 prunes.

    The estimate is the root of the mean squared residual, times (n + v)/(n - v) for n cases and v parameters; with as many
    parameters as cases it is infinite. A mean has one parameter, a linear model its intercept and each coefficient other than 0.
    M5 has mean absolute residuals, which sums do not tell, and removes terms from models first.

    In `decisions`, scores are shares of the root's residual, before it is multiplied.

    Raises a ValueError for trees with other answers than means or linear models.

    >>> from ftree import CART, Dataset, grow, n_leaves
    >>> noisy = {"x": [1, 2, 3, 4, 5, 6, 7, 8], "y": [1.5, 2.5, 1.5, 2.5, 9.5, 8.5, 9.5, 8.5]}
    >>> tree = grow(Dataset.from_columns(noisy, target="y", kinds="numeric"), CART)
    >>> n_leaves(tree), n_leaves(estimated_error()(tree))
    (8, 2)
    """

    prunes_regression = True

    def _prune(self, tree: Tree) -> Pruned:
        order = in_level_order(tree)
        counts = order.counts
        sizes = [float(each[0]) for each in counts]
        parts = zip(sizes, risks_of(tree.schema, counts), _parameters(tree.schema, counts), strict=True)
        errors = [sqrt(risk * sizes[0] / n) * (n + v) / (n - v) if n > v else inf if n else 0.0 for n, risk, v in parts]
        return bottom_up(order, errors, subtree_score=_mean_of_children(order, sizes, errors))


def _parameters(schema: Schema, nodes: Sequence[Counts]) -> list[int]:
    """The parameters that each node estimates."""
    response: Any = schema.response
    if response.kind == "numbers":
        return [1] * len(nodes)
    if not response.options.row_sum:
        wanted = "a regression tree, or one of linear models, for estimated_error"
        raise ValueError(f"tree must be {wanted}, got {by_task(response.kind)}. Use cost_complexity.")
    weights = response.answers(np.array(nodes, dtype=np.float64))[:, 1:-1]
    found: list[int] = (1 + np.count_nonzero(weights, axis=1)).tolist()
    return found


def _mean_of_children(order: LevelOrder, sizes: list[float], as_leaves: list[float]) -> SubtreeScore:
    """The score of a branch: the mean of its children's, weighted by cases; without cases, its own as a leaf."""

    def backed_up(number: int, below: list[float]) -> float:
        kids, total = order.below[number], sizes[number]
        parts = zip(sizes[kids.start : kids.stop], below, strict=True)
        return sum(size * error for size, error in parts if size) / total if total else as_leaves[number]

    return backed_up
