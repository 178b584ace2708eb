"""The counting engine of a source: it keeps the tree grown so far as routes, and requests counts of its open nodes.

`count` is stages 1 to 4 of a level (`level.py`), `advance` is 6: it makes the routes one level longer. No row is kept, but:

- from level to level, the `Routes` of all N nodes so far, and the class counts of the m open nodes, `Scanned.node_totals` (m, K);
- from scan to scan of a level, its `Ranges`, each with counts (K,), and the best scores `KnownScores.best` (m, F);
- until a scan has been evaluated, its counts of cells (m, width, K), of codes (n, K), or of values, `Values`.

Numbers as targets are counted as classes, which are the channels of their sums (`InChannels`).
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import log2
from typing import Any, ClassVar, NoReturn

import numpy as np
from attrs import evolve, frozen
from toolz import compose

from ftree._lib.arrays import Array, Floats, exact_unit, offsets
from ftree._lib.fields import has_only, name_of
from ftree._lib.objects import is_exactly
from ftree.criteria.frontier import Avc, Joint
from ftree.data.channels import rows_in_channels
from ftree.growth.settings import SearchSettings
from ftree.policy import Policy
from ftree.routing.missing_rules import heaviest
from ftree.scan.cells import totals_of
from ftree.scan.gain_bounds import has_bound
from ftree.scan.level import Level, cases_in, counted_level
from ftree.scan.parts import Part, SourceSummary
from ftree.scan.routes import Routes, root_routes, shares_of_children
from ftree.scan.table_parts import CountedParts, check_same_counts
from ftree.splitters import JointSplitter, as_value, by_permutation_test, threshold
from ftree.splitters.missing_policies import hook
from ftree.tree.nodes import PredictionRule
from ftree.tree.response import BITS
from ftree.tree.splits.split import Split


@frozen(eq=False)
class Scanned:
    """An engine that holds no rows: a source, the routes to the open nodes, and the class counts of these, `node_totals` (m, K).

    Invariant: a scan of the rows by `routes` counts `node_totals`. A table of which this is no longer true is refused.
    """

    single_use: ClassVar[bool] = False

    source: CountedParts
    routes: Routes
    settings: SearchSettings
    missing: PredictionRule
    most_cells: int | None
    node_totals: Array

    def totals(self) -> Array:
        """Class counts of each open node, (m, K)."""
        return self.node_totals

    def keep(self, nodes: Array) -> "Scanned":
        """The engine of the nodes that a mask marks."""
        return evolve(self, routes=self.routes.keep(nodes), node_totals=self.node_totals[nodes])

    def count(self) -> Avc:
        """Counts of all open nodes, value by value wherever a cut may win."""
        return counted_level(self.level())

    def level(self) -> Level:
        """The level of the open nodes, which is to be counted."""
        return Level.of(self.source, self.routes, self.settings, self.node_totals, self.most_cells)

    def joint(self, features: Sequence[int]) -> Joint:  # noqa: ARG002  # required by the protocol
        """Refuse, since a source counts no vectors."""
        raise TypeError("splits must be splitters of one feature in a source, got one of several.")

    def advance(self, splits: Sequence[Split | None], child_counts: Array | None = None) -> "Scanned":
        """The engine of the children; a scan counts them if rows without an answer are divided by the shares of the others."""
        summary, ends = self.source.summary, offsets([split.n_children for split in splits if split is not None])
        if child_counts is None:
            child_counts = _totals(self.source, self.routes.below(splits, summary, np.zeros(ends[-1])))
        shares = shares_of_children(splits, cases_in(child_counts, self.settings), self.missing)
        routes = self.routes.below(splits, summary, shares)
        parents = self.node_totals[[split is not None for split in splits]]
        return evolve(self, routes=routes, node_totals=self._with_divided_rows(routes, child_counts, parents, ends[:-1]))

    def _with_divided_rows(self, routes: Routes, child_counts: Array, parents: Array, firsts: Array) -> Array:
        """Class counts of the children, given those of rows with an answer, of their parents, and each parent's first child."""
        # If no case lacks an answer, the children have all cases of their parents. Each sum is compared by itself: in a sum of
        # all, one large channel would hide that a case is lost.
        if np.array_equal(np.add.reduceat(child_counts, firsts), parents):
            return child_counts
        counted = _totals(self.source, routes)
        check_same_counts(np.add.reduceat(counted, firsts), parents)
        # Rows without an answer are added to those of the search, and no row is removed.
        check_same_counts(np.minimum(counted, child_counts), child_counts)
        return counted


def _totals(source: CountedParts, routes: Routes) -> Array:
    totals: Array = source.fold(partial(totals_of, routes, len(source.summary.schema.classes)), np.add)
    return totals


def start_engine(source: CountedParts, policy: Policy, settings: SearchSettings, *, most_cells: int | None = None) -> Scanned:
    """The engine at the root of a source.

    Raises a ValueError for a part of a policy that a source does not support: a score without a bound for cuts of numbers, a
    splitter of numbers other than `threshold()`, splits of several features, surrogates and other hooks for missing values.
    """
    missing: PredictionRule = hook(policy.missing, "shares")
    if source.summary.response is not None:
        if source.summary.gaps and missing != heaviest():
            _refuse("missing", '"heaviest", which divides no row, with a target of numbers', policy.missing)
        source = in_channels(source)
    _check_policy(policy, settings, source.summary)
    summary = source.summary
    unit = exact_unit(float(sum(summary.class_counts)), len(summary.schema.features))
    return Scanned(source, root_routes(unit), settings, missing, most_cells, np.array([summary.class_counts]))


def _refuse(name: str, wanted: str, got: object) -> NoReturn:
    raise ValueError(f"{name} must be {wanted} for a source, got {name_of(got)}. Grow from a Dataset.")


def _check_policy(policy: Policy, settings: SearchSettings, summary: SourceSummary) -> None:
    numbers = any(bins is not None for bins in summary.bins)
    unsure = any(bins is not None and not bins.exact for bins in summary.bins)
    for splitter in settings.splitters:
        if isinstance(splitter, JointSplitter):
            _refuse("splits", "splitters of one feature", splitter)
        if numbers and "numeric" in splitter.kinds and not (is_exactly(splitter, threshold) and has_only(splitter, *_OPTIONS)):
            _refuse("splits", "threshold(), for numeric features,", splitter)
        # The correction needs the number of distinct values of a node, which is not a sum over parts.
        if unsure and getattr(splitter, "mdl", False):
            _refuse("splits", "threshold() without mdl, or with bins,", splitter)
    if unsure and isinstance(settings.choose, by_permutation_test):
        _refuse("choose", "by_score(), or threshold(bins=255) given in splits,", settings.choose)
    if unsure and not has_bound(settings.score, settings.impurity):
        _refuse("score and impurity", "gain by a concave impurity such as entropy", settings.score)
    prepares = hook(policy.missing, "prepare") != _AS_IT_IS and not is_exactly(policy.missing, as_value)
    if prepares or settings.variants is not None or settings.with_surrogates:
        _refuse("missing", '"ignore", "heaviest" or another rule that divides rows', policy.missing)


_AS_IT_IS = hook(None, "prepare")
# The options of `threshold` that the narrowing of ranges, or the preparation of a source, follows.
_OPTIONS = "min_cases", "mdl", "at", "bins"


@frozen(eq=False)
class InChannels:
    """A source of numbers as one of classes: each row stands once for each channel of `ftree.data.channels`, as its class.

    So what counts rows by class adds up sums of numbers. A case of each distinct number adds `adds` (K, C) times `unit` (C,).
    """

    source: CountedParts
    adds: Array
    unit: Floats
    summary: SourceSummary

    def fold(self, function: Callable[[Part], Any], merge: Callable[[Any, Any], Any]) -> Any:
        """The sums (..., C) that a function counts in all parts in channels, or its `Values`, merged."""
        answer = self.source.fold(compose(function, partial(_in_channels, self.adds)), merge)
        if isinstance(answer, tuple):
            return tuple([piece._replace(cases=piece.cases * self.unit[piece.label]) for piece in answer])
        return answer * self.unit


def in_channels(source: CountedParts) -> InChannels:
    """A source of numbers as one of classes, which are the channels."""
    summary = source.summary
    rows = rows_in_channels(summary.distinct_targets())
    # Digits that rows_in_channels gives a limb, of which no sum of all cases is rounded.
    bits = min(BITS, int(-log2(exact_unit(sum(summary.class_counts), len(summary.bins)))))
    unit = np.exp2(np.maximum(np.frexp(rows.max(axis=0))[1] - bits, 0))
    adds = (rows / unit).astype(np.int64)
    schema = evolve(summary.schema, classes=tuple(range(len(unit))))
    counts = tuple((np.array(summary.class_counts, np.int64) @ adds * unit).tolist())
    return InChannels(source, adds, unit, evolve(summary, schema=schema, class_counts=counts, response=None))


def _in_channels(adds: Array, part: Part) -> Part:
    """The rows of a part, each once for each channel to which it adds something."""
    weights = adds[part.labels].T if part.weights is None else adds[part.labels].T * part.weights
    channel, row = np.nonzero(weights)
    return Part(part.codes[:, row], part.numbers[:, row], channel.astype(np.uint8), weights[channel, row])
