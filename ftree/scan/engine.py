"""The counting engine of a source: it keeps the tree grown so far as routes, and requests counts of its open nodes."""

from collections.abc import Sequence
from typing import ClassVar, NoReturn

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import Array, grid
from ftree._lib.fields import name_of
from ftree.criteria.counts import Avc, Joint
from ftree.growth.engines.protocol import MissingRows
from ftree.growth.search import Terms
from ftree.policy import Policy
from ftree.scan.bounds import has_bound
from ftree.scan.counts import Totals
from ftree.scan.level import counted_level
from ftree.scan.parts import CountedParts, SourceSummary, check_same_counts
from ftree.scan.routes import Routes, root_routes, shares_of_children
from ftree.splitters import JointSplitter, as_value, threshold
from ftree.splitters.missing_hooks import hook
from ftree.tree.splits.protocol import Split


@frozen(eq=False)
class Scanned:
    """An engine that holds no rows: a source, and the routes to the open nodes; `counted` (m, K) if it is known."""

    single_use: ClassVar[bool] = False

    source: CountedParts
    routes: Routes
    terms: Terms
    missing: MissingRows
    most_cells: int | None
    counted: Array | None = None

    def totals(self) -> Array:
        """Class counts of each open node, (m, K)."""
        if self.counted is not None:
            return self.counted
        return _totals(self.source, self.routes)

    def keep(self, nodes: Array) -> "Scanned":
        """The engine of the nodes that a mask marks."""
        return evolve(self, routes=self.routes.keep(nodes), counted=None if self.counted is None else self.counted[nodes])

    def count(self) -> Avc:
        """Counts of all open nodes, value by value wherever a cut may win."""
        return counted_level(self.source, self.routes, self.terms, self.totals(), self.most_cells)

    def joint(self, features: Sequence[int]) -> Joint:  # noqa: ARG002  # required by the protocol
        """Refuse, since a source counts no vectors."""
        message = "splits must be splitters of one feature in a source, got one of several."
        raise TypeError(message)

    def advance(self, splits: Sequence[Split | None], child_counts: Array | None = None) -> "Scanned":
        """The engine of the children."""
        summary, n_children = self.source.summary, sum(split.n_children for split in splits if split is not None)
        if child_counts is None:
            known = self.routes.below(splits, summary, np.zeros(n_children))
            child_counts = _totals(self.source, known)
        shares = shares_of_children(splits, child_counts.sum(axis=1), self.missing)
        routes = self.routes.below(splits, summary, shares)
        # If no case lacks an answer, the children have all cases of their parents.
        parents = np.array([split is not None for split in splits], dtype=bool)
        whole = child_counts.sum() == self.totals()[parents].sum()
        grown = evolve(self, routes=routes, counted=child_counts if whole else None)
        if whole:
            return grown
        counted, firsts = grown.totals(), np.cumsum([0] + [split.n_children for split in splits if split is not None])[:-1]
        check_same_counts(np.add.reduceat(counted, firsts), self.totals()[parents])
        # Rows without an answer are added to those of the search, and no row is removed.
        check_same_counts(np.minimum(counted, child_counts), child_counts)
        return evolve(grown, counted=counted)


def _totals(source: CountedParts, routes: Routes) -> Array:
    summary = source.summary
    counts: Array = source.fold(Totals(routes, summary.numeric, len(summary.schema.classes)), np.add)
    return counts


def start_engine(
    source: CountedParts, policy: Policy, terms: Terms, missing: MissingRows, *, most_cells: int | None = None
) -> Scanned:
    """The engine at the root of a source.

    Raises a ValueError for a part of a policy that a source does not support: a score without a bound for cuts of numbers, a
    splitter of numbers other than `threshold()`, splits of several features, surrogates and other hooks for missing values.
    """
    _check_policy(policy, terms, source.summary)
    summary = source.summary
    unit = grid(float(sum(summary.class_counts)), len(summary.schema.features))
    return Scanned(source, root_routes(unit), terms, missing, most_cells, np.array([summary.class_counts]))


def _check_policy(policy: Policy, terms: Terms, summary: SourceSummary) -> None:
    def refuse(name: str, wanted: str, got: object) -> NoReturn:
        message = f"{name} must be {wanted} for a source, got {name_of(got)}. Grow from a Dataset."
        raise ValueError(message)

    numbers = any(bins is not None for bins in summary.bins)
    unsure = any(bins is not None and not bins.exact for bins in summary.bins)
    for splitter in terms.splitters:
        if isinstance(splitter, JointSplitter):
            refuse("splits", "splitters of one feature", splitter)
        if numbers and "numeric" in splitter.kinds and not isinstance(splitter, threshold):
            refuse("splits", "threshold(), for numeric features,", splitter)
        # The correction needs the number of distinct values of a node, which is not a sum over parts.
        if unsure and getattr(splitter, "mdl", False):
            refuse("splits", "threshold() without mdl, or with bins,", splitter)
    if unsure and not has_bound(terms.score, terms.impurity):
        refuse("score and impurity", "gain by a concave impurity such as entropy", terms.score)
    prepares = hook(policy.missing, "prepare") != _AS_IT_IS and not isinstance(policy.missing, as_value)
    if prepares or terms.variants is not None or terms.gaps:
        refuse("missing", '"ignore", "heaviest" or another rule that divides rows', policy.missing)


_AS_IT_IS = hook(None, "prepare")
