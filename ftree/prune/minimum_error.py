"""Minimum-error pruning: cut where the expected error, estimated with a prior, does not grow.

Source: Niblett & Bratko 1987 (equal priors, as many cases as classes); Cestnik & Bratko 1991 (m-estimate).
"""

from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from ftree._lib.fields import ConstructorRepr, as_tuple
from ftree.criteria.impurity import proportions
from ftree.prune.base import Decision, Note, Place, Verdict, at_most, bottom_up, surveyed, trail, unheard
from ftree.prune.error_estimate import expected_error
from ftree.tree.nodes import Node, Tree


def _prior(prior: Any) -> tuple[float, ...] | None:
    return None if prior is None else as_tuple(prior)


@frozen(repr=False)
class minimum_error(ConstructorRepr):
    """Cut, children first, where the expected error as a leaf is at most the mean of its children's, by their size.

    Without `m`, the estimate is Laplace's: (N - n_c + k - 1)/(N + k). With it, the least over the classes of
    (N - n_c + (1 - p_c) m)/(N + m), p being the `prior`, by default the class shares at the root. The larger m, the
    smaller the tree.

    Raises a ValueError for a negative m, a prior without an m, one that is no distribution, or one for other classes.

    >>> minimum_error(m=2)
    minimum_error(m=2, prior=None)
    """

    m: float | None = field(default=None, kw_only=True)
    prior: tuple[float, ...] | None = field(default=None, kw_only=True, converter=_prior)

    def __attrs_post_init__(self) -> None:
        """Check both together."""
        if self.m is not None and not (isfinite(self.m) and self.m >= 0):
            message = f"m is how many cases the prior counts for, a number of at least 0; it came as {self.m!r}."
            raise ValueError(message)
        if self.prior is None:
            return
        if self.m is None:
            message = "A prior needs to know how much it counts: give m as well, such as minimum_error(m=2, prior=...)."
            raise ValueError(message)
        if min(self.prior, default=-1) < 0 or abs(sum(self.prior) - 1) > 1e-9:  # noqa: PLR2004  # rounding
            message = f"A prior has a share for each class, and they sum to 1; {self.prior} came."
            raise ValueError(message)

    def __call__(self, tree: Tree) -> Tree:
        """The pruned tree; the same tree when nothing is cut."""
        return self._run(tree, unheard)

    def decisions(self, tree: Tree) -> tuple[Decision, ...]:
        """Every branch, children first; scores are expected error rates, static and backed-up."""
        return trail(self._run, tree)

    def _run(self, tree: Tree, note: Note) -> Tree:
        survey = surveyed(tree)
        m = len(tree.schema.classes) if self.m is None else self.m
        counts = np.array([node.counts for node in survey.nodes], dtype=np.float64)
        static, sizes = expected_error(counts, m, self._prior_for(tree)).tolist(), counts.sum(axis=1).tolist()

        def backed_up(place: Place, below: list[float]) -> float:
            kids, total = survey.below[place.number], sizes[place.number]
            parts = zip(sizes[kids.start : kids.stop], below, strict=True)
            return sum(size * error for size, error in parts) / total if total else max(below)

        return bottom_up(tree, lambda place: static[place.number], _no_worse, note=note, merge=backed_up, survey=survey)

    def _prior_for(self, tree: Tree) -> npt.ArrayLike:
        counts, k = tree.root.counts, len(tree.schema.classes)
        if self.m is None:
            return [1 / k] * k
        if self.prior is None:
            return proportions(counts)
        if len(self.prior) != k:
            message = f"The prior has {len(self.prior)} shares, the tree {k} classes: {tree.schema.classes}."
            raise ValueError(message)
        return self.prior


def _no_worse(_: Place, as_leaf: float, as_subtree: float, __: list[Node]) -> Verdict:
    return as_subtree, at_most(as_leaf, as_subtree)
