"""Counting engines: the protocol. An engine knows where the rows of a table stand in the tree being grown.

`Engine` is all that growth needs of one; the NumPy engine, `plain`, is the reference.
"""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol, TypeAlias, TypeGuard, runtime_checkable

from ftree._lib.arrays import Array
from ftree.criteria.counts import Avc, Joint
from ftree.data.dataset import Dataset
from ftree.growth.engines.fused import Criterion, GrownSubtrees, LevelSplits, StopLimits, stop_limits
from ftree.growth.engines.numpy_engine import Missing, plain
from ftree.tree.splits import Split

__all__ = [
    "Criterion",
    "Engine",
    "Fused",
    "GrownSubtrees",
    "LevelSplits",
    "Missing",
    "Sided",
    "Start",
    "StopLimits",
    "is_fused",
    "plain",
    "stop_limits",
]


class Engine(Protocol):
    """The rows of the open nodes of one level. Nothing above assumes that they are in memory."""

    def totals(self) -> Array:
        """Class counts of each open node, (m, K)."""
        ...

    def keep(self, nodes: Array) -> "Engine":
        """The engine of the nodes that a boolean mask marks, in order."""
        ...

    def count(self) -> Avc:
        """Attribute-value-class counts of all open nodes."""
        ...

    def joint(self, features: Sequence[int]) -> Joint:
        """Counts of the vectors of several numeric features, for splits by their sums."""
        ...

    def advance(self, splits: Sequence[Split | None]) -> "Engine":
        """The engine of the children, node after node; rows of a node whose split is None are done."""
        ...


@runtime_checkable
class Sided(Engine, Protocol):
    """An engine that can count which way splits send their cases, as surrogates need."""

    def sides(self, splits: Sequence[Split | None]) -> Avc:
        """Counts of the children that splits in two send their cases to, (..., 2), in place of class counts."""
        ...


class Fused(Engine, Protocol):
    """An engine that can search for the best splits itself."""

    def best(self) -> LevelSplits:
        """The best split of each open node, for the criterion it started with."""
        ...

    def recount(self, found: LevelSplits) -> Avc:
        """Attribute-value-class counts of the nodes whose best split was too close to call, of the features in question."""
        ...

    def finish(self, depth: int, limits: StopLimits) -> GrownSubtrees | None:
        """Those of the open nodes, all at one depth, that can be grown to the end in one go; None when there are none."""
        ...


def is_fused(engine: Engine) -> TypeGuard[Fused]:
    """Whether an engine can search for the best splits itself.

    This is checked at every level, so by name: a check of the protocol takes as long as a small level does.
    """
    return hasattr(engine, "best")


Start: TypeAlias = Callable[[Dataset, Literal["ignore", "heaviest"]], Engine]
