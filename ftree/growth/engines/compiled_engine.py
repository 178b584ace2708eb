"""The compiled engine: sorted and coded columns, moved level by level, searched by kernels that count and score at once.

A feature with many values is kept sorted, one with few as small codes; both are grouped by node. If a choice depends on
a difference that rounding could cause, the engine reports it, and the search decides from the node's AVC-set, so that trees
equal those of the NumPy engine. After SLIQ (Mehta et al. 1996) and SPRINT (Shafer et al. 1996).
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import Array, ranges
from ftree._lib.machine import ThreadPool, require_memory
from ftree.criteria.frontier import Avc, Joint
from ftree.data.dataset import Dataset
from ftree.growth.engines.compiled_moves import partitioned
from ftree.growth.engines.compiled_search import best_splits, cuts_with_surrogates
from ftree.growth.engines.compiled_state import OpenRows, codes_all_nominal, rows_at_root
from ftree.growth.engines.compiled_subtrees import grown_subtrees
from ftree.growth.engines.engine import Criterion, EngineSetup, GrownSubtrees, LevelSplits, StopLimits
from ftree.growth.engines.plain_engine import Plain, plain, ranked
from ftree.growth.kernels.records import ABSENT, END, ENTROPY, GAIN, NONE, PLACE, START
from ftree.growth.kernels.stored_columns import count_present, fill_counts
from ftree.growth.split_arrays import Cuts
from ftree.tree.splits.split import Split


@frozen(eq=False)
class Compiled:
    """The engine of some open nodes; `advance` consumes it."""

    single_use: ClassVar[bool] = True

    rows: OpenRows

    def totals(self) -> Array:
        """Class counts of each open node, (m, K)."""
        return self.rows.counts(self.rows.totals)

    def keep(self, nodes: Array) -> "Compiled":
        """The engine of the nodes that a boolean mask marks, in order."""
        if nodes.all():
            return self
        kept = np.ascontiguousarray(self.rows.nodes[:, nodes])  # kernels are compiled for arrays row by row
        return Compiled(evolve(self.rows, nodes=kept, totals=self.rows.totals[nodes]))

    def count(self) -> Avc:
        """Attribute-value-class counts of all open nodes, as the NumPy engine counts them."""
        return _counted(self.rows)

    def recount(self, found: LevelSplits) -> Avc:
        """Counts of the nodes in doubt, only of the features that might be best there: all counts might not fit in memory."""
        doubtful = self.keep(found.doubt)
        features = np.flatnonzero(found.rivals[:, found.doubt].any(axis=1))
        avc = doubtful.plain(features).count()
        return evolve(avc, feature=features[avc.feature])

    def joint(self, features: Sequence[int]) -> Joint:
        """Counts of the vectors of several numeric features, as the NumPy engine counts them."""
        return self.plain().joint(features)

    def sides(self, splits: "Sequence[Split | None]") -> Avc:
        """Counts of the children to which binary splits send their cases, as the NumPy engine counts them."""
        return self.plain().sides(splits)

    def with_surrogates(self, splits: "Sequence[Split | None]") -> Cuts:
        """The splits of the open nodes, with surrogates for the features that get them."""
        return cuts_with_surrogates(self.rows, splits if isinstance(splits, Cuts) else Cuts.of(splits))

    def plain(self, features: Array | None = None) -> Plain:
        """The NumPy engine of the same nodes, with all features or with some."""
        fixed, held, sizes = self.rows.fixed, self.rows.entries, self.rows.sizes
        entries = ranges(self.rows.nodes[START], self.rows.nodes[END])
        chosen = range(len(fixed.values)) if features is None else features.tolist()
        coded = [self._coded(f, entries) for f in chosen]
        return Plain(
            values=tuple(values for values, _ in coded),
            codes=np.array([codes for _, codes in coded], np.intp).reshape(len(coded), len(entries)),
            classes=held.rows[0, entries].astype(np.intp),
            times=held.times[entries] if len(held.times) else None,
            fractions=held.fractions[entries] if len(held.fractions) else None,
            starts=np.cumsum(sizes) - sizes,
            n_classes=fixed.n_classes,
            missing=fixed.missing,
            unit=fixed.unit,
        )

    def _coded(self, feature: int, entries: Array) -> tuple[Array, Array]:
        """Values of a feature, NaN last, and the code of each entry."""
        fixed, held = self.rows.fixed, self.rows.entries
        values, place = fixed.values[feature], int(self.rows.features[PLACE, feature])
        if place >= 0:
            return values, held.codes[entries, place]
        return ranked(values[held.rows[1, entries]], int(self.rows.features[ABSENT, feature]))

    def best(self) -> LevelSplits:
        """The best split of each open node, of all nodes at once."""
        return best_splits(self.rows)

    def advance(self, splits: "Sequence[Split | None]", child_counts: Array | None = None) -> "Compiled":
        """The engine of the children, node after node; rows of a node whose split is None are done.

        `child_counts` are the children's counts of the cases with an answer, if they are known.
        """
        return Compiled(partitioned(self.rows, splits if isinstance(splits, Cuts) else Cuts.of(splits), child_counts))

    def finish(self, depth: int, stop: StopLimits) -> GrownSubtrees | None:
        """The small open nodes, all at one depth, grown to the end; groups of them are shared among threads."""
        return grown_subtrees(self.rows, depth, stop)


def compiled(dataset: Dataset, setup: EngineSetup) -> Compiled | Plain:
    """The engine at the root, all rows of positive weight in one node; without a criterion, it counts but finds no splits.

    If a user's rule divides cases without an answer, or a nominal feature with very many values may be a
    surrogate, the NumPy engine is used instead.
    """
    if not isinstance(setup.missing, str) or (setup.surrogates is not None and not codes_all_nominal(dataset.schema.features)):
        return plain(dataset, setup)
    criterion = setup.criterion or Criterion(np.full(len(dataset.columns), NONE, np.int8), ENTROPY, GAIN)
    return Compiled(rows_at_root(dataset, setup.missing, criterion, setup.threads or ThreadPool(1), setup.surrogates))


def _counted(rows: OpenRows) -> Avc:
    """Attribute-value-class counts of all open nodes; features are shared among threads."""
    fixed, held, (m, n_features) = rows.fixed, rows.entries, (rows.nodes.shape[1], len(rows.fixed.values))
    columns = rows.columns, held, rows.nodes
    work = int(rows.sizes.sum()) * n_features
    codes = int(rows.features[ABSENT, fixed.coded].max(initial=-1)) + 1
    tallies = np.zeros((fixed.threads.n, codes * fixed.n_classes))
    present = np.zeros((m, n_features), np.int64)

    def count(first: int, last: int, worker: int) -> None:
        for feature in range(first, last):
            count_present(feature, *columns, tallies[worker], fixed.n_classes, present)

    fixed.threads.share(count, n_features, work)
    sizes = present.ravel()
    offset = (np.cumsum(sizes) - sizes).reshape(m, n_features)
    total = int(sizes.sum())
    each = 3 + fixed.n_classes * (1 if len(held.weights) else 2)  # whole numbers are made of floats
    require_memory(8.0 * total * each, f"counts of {total:,} values by {fixed.n_classes} classes", _REMEDY)
    value, counts = np.empty(total), np.zeros(total * fixed.n_classes)

    def fill(first: int, last: int, worker: int) -> None:
        for feature in range(first, last):
            values = fixed.values[feature].astype(np.float64, copy=False)
            fill_counts(feature, values, *columns, fixed.n_classes, offset, tallies[worker], value, counts)

    fixed.threads.share(fill, n_features, work)
    node, feature = (np.repeat(each, sizes) for each in np.divmod(np.arange(m * n_features), max(n_features, 1)))
    return Avc(node, feature, value, rows.counts(counts).reshape(total, fixed.n_classes))


_REMEDY = "Use fewer classes or distinct values: bin a numeric target, by quartiles for instance, and round numeric features."
