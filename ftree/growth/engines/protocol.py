"""Counting engines: the protocol. An engine knows where the rows of a table stand in the tree being grown.

`Engine` is all that growth needs of one; the NumPy engine, `plain`, is the reference.
"""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol, TypeAlias, TypeGuard, runtime_checkable

from ftree._lib.arrays import Array
from ftree.criteria.counts import Avc, Joint
from ftree.data.dataset import Dataset
from ftree.growth.engines.fused import GrownSubtrees, LevelSplits, StopLimits
from ftree.tree.prediction_rule import PredictionRule
from ftree.tree.splits.protocol import Split


class Engine(Protocol):
    """The rows of the open nodes of one level, which need not be in memory."""

    def totals(self) -> Array:
        """Class counts of each open node, (m, K)."""
        ...

    def keep(self, nodes: Array) -> "Engine":
        """The engine of those nodes where a boolean mask is True, in order."""
        ...

    def count(self) -> Avc:
        """Attribute-value-class counts of all open nodes."""
        ...

    def joint(self, features: Sequence[int]) -> Joint:
        """Counts of the vectors of several numeric features, for splits by their sums."""
        ...

    def advance(self, splits: Sequence[Split | None]) -> "Engine":
        """The engine of the children, node after node; rows of a node without a split leave it."""
        ...


@runtime_checkable
class Sided(Engine, Protocol):
    """An engine that can count to which child splits send their cases, as surrogates need."""

    def sides(self, splits: Sequence[Split | None]) -> Avc:
        """Counts (..., 2) of the children that binary splits send their cases to, in place of class counts."""
        ...


class Fused(Engine, Protocol):
    """An engine that can search for the best splits itself."""

    def best(self) -> LevelSplits:
        """The best split of each open node, for the criterion it started with."""
        ...

    def recount(self, found: LevelSplits) -> Avc:
        """Attribute-value-class counts of the nodes with unsure choices, for the features that could win."""
        ...

    def finish(self, depth: int, limits: StopLimits) -> GrownSubtrees | None:
        """The subtrees below open nodes at this depth that can be grown to the end at once; None where there are none."""
        ...


def is_fused(engine: Engine) -> TypeGuard[Fused]:
    """Whether an engine can search for the best splits itself.

    This is checked at every level, so by name: a check of the protocol takes as long as a small level does.
    """
    return hasattr(engine, "best")


Start: TypeAlias = Callable[[Dataset, Literal["ignore", "heaviest"] | PredictionRule], Engine]
