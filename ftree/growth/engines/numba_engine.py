"""The compiled engine: sorted and coded columns, moved level by level, searched by kernels that count and score at once.

A feature with many values is kept sorted, one with few as small codes; both are grouped by node. If a choice depends on
a difference that rounding could cause, the engine reports it, and the search decides from the node's AVC-set, so that trees
equal those of the NumPy engine. After SLIQ (Mehta et al. 1996) and SPRINT (Shafer et al. 1996).
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import Array
from ftree._lib.threads import ThreadPool
from ftree.criteria.counts import Avc, Joint
from ftree.data.dataset import Dataset
from ftree.growth.criterion_codes import ENTROPY, GAIN
from ftree.growth.engines.fused import Criterion, GrownSubtrees, LevelSplits, StopLimits
from ftree.growth.engines.numba_columns import codes_all_nominal, state_at_root
from ftree.growth.engines.numba_counts import counted
from ftree.growth.engines.numba_partition import partitioned
from ftree.growth.engines.numba_search import best_splits
from ftree.growth.engines.numba_state import State
from ftree.growth.engines.numba_subtrees import grown_subtrees
from ftree.growth.engines.numba_surrogates import cuts_with_surrogates
from ftree.growth.engines.numpy_engine import Plain, plain, ranked
from ftree.growth.engines.protocol import EngineSetup
from ftree.growth.kernels.records import Nodes
from ftree.growth.split_arrays import NONE, Cuts
from ftree.tree.splits.protocol import Split


@frozen(eq=False)
class Compiled:
    """The engine of some open nodes; `advance` consumes it."""

    single_use: ClassVar[bool] = True

    state: State

    def totals(self) -> Array:
        """Class counts of each open node, (m, K)."""
        return self.state.counts(self.state.nodes.totals)

    def keep(self, nodes: Array) -> "Compiled":
        """The engine of the nodes that a boolean mask marks, in order."""
        if nodes.all():
            return self
        start, end, totals = self.state.nodes
        return Compiled(evolve(self.state, nodes=Nodes(start[nodes], end[nodes], totals[nodes])))

    def count(self) -> Avc:
        """Attribute-value-class counts of all open nodes, as the NumPy engine counts them."""
        return counted(self.state)

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
        return cuts_with_surrogates(self.state, splits if isinstance(splits, Cuts) else Cuts.of(splits))

    def plain(self, features: Array | None = None) -> Plain:
        """The NumPy engine of the same nodes, with all features or with some."""
        fixed, held, sizes = self.state.fixed, self.state.entries, self.state.sizes
        entries = _ranges(self.state.nodes.start, self.state.nodes.end)
        chosen = range(len(fixed.values)) if features is None else features.tolist()
        coded = [self._coded(f, entries) for f in chosen]
        return Plain(
            values=tuple(values for values, _ in coded),
            codes=np.array([codes for _, codes in coded], np.intp).reshape(len(coded), len(entries)),
            classes=held.classes[entries].astype(np.intp),
            times=held.times[entries] if len(held.times) else None,
            fractions=held.fractions[entries] if len(held.fractions) else None,
            starts=np.cumsum(sizes) - sizes,
            n_classes=fixed.n_classes,
            missing=fixed.missing,
            grid=fixed.sharing.step,
        )

    def _coded(self, feature: int, entries: Array) -> tuple[Array, Array]:
        """Values of a feature, NaN last, and the code of each entry."""
        fixed, held = self.state.fixed, self.state.entries
        values, place = fixed.values[feature], int(held.place[feature])
        if place >= 0:
            return values, held.codes[entries, place]
        return ranked(values[held.origin[entries]], int(fixed.features.absent[feature]))

    def best(self) -> LevelSplits:
        """The best split of each open node, of all nodes at once."""
        return best_splits(self.state)

    def advance(self, splits: "Sequence[Split | None]", child_counts: Array | None = None) -> "Compiled":
        """The engine of the children, node after node; rows of a node whose split is None are done.

        `child_counts` are the children's counts of the cases with an answer, if they are known.
        """
        return Compiled(partitioned(self.state, splits if isinstance(splits, Cuts) else Cuts.of(splits), child_counts))

    def finish(self, depth: int, stop: StopLimits) -> GrownSubtrees | None:
        """The small open nodes, all at one depth, grown to the end; groups of them are shared among threads."""
        return grown_subtrees(self.state, depth, stop)


def _ranges(start: Array, end: Array) -> Array:
    """All numbers from each start to its end, one range after another."""
    sizes = end - start
    numbers: Array = np.repeat(start - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
    return numbers


def compiled(dataset: Dataset, setup: EngineSetup) -> Compiled | Plain:
    """The engine at the root, all rows of positive weight in one node; without a criterion, it counts but finds no splits.

    If a user's rule divides cases without an answer, or a nominal feature with very many values may be a
    surrogate, the NumPy engine is used instead.
    """
    if not isinstance(setup.missing, str) or (setup.surrogates is not None and not codes_all_nominal(dataset.schema.features)):
        return plain(dataset, setup)
    criterion = setup.criterion or Criterion(np.full(len(dataset.columns), NONE, np.int8), ENTROPY, GAIN)
    return Compiled(state_at_root(dataset, setup.missing, criterion, setup.threads or ThreadPool(1), setup.surrogates))
