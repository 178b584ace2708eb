"""Counting engines: the protocol. An engine knows the position of a table's rows in the tree being grown.

`Engine` is all that growth needs of an engine; `plain` is the reference. The rows need not be in memory.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeAlias

from attrs import field, frozen

from ftree._lib.arrays import Array
from ftree.criteria.frontier import Avc, Joint
from ftree.data.dataset import Dataset
from ftree.routing.missing_rules import as_prediction_rule, weighted
from ftree.tree.nodes import PredictionRule
from ftree.tree.splits.split import Split

if TYPE_CHECKING:
    from ftree._lib.machine import ThreadPool


@frozen(eq=False)
class EngineSetup:
    """The settings that an engine gets when it starts.

    - `missing` is the rule for cases to which a split gives no answer, from the numbers of those with an answer (V,) to the
      shares of the children, which add up to 1: by default `weighted()`, in fractions to all children.
    - `threads` run work in parallel, and end with the growth; None for an engine without threads.

    >>> EngineSetup().threads is None
    True
    """

    missing: PredictionRule = field(default=weighted(), converter=as_prediction_rule)
    threads: "ThreadPool | None" = None


class Engine(Protocol):
    """The cases of the open nodes of one level."""

    # Whether `advance` consumes this engine and everything that `keep` has made of it, so that they can no longer be used.
    single_use: ClassVar[bool]

    def totals(self) -> Array:
        """Class counts of each open node, (m, K)."""
        ...

    def keep(self, nodes: Array, /) -> "Engine":
        """The engine of those nodes where a boolean mask is True, in order."""
        ...

    def count(self) -> Avc:
        """Attribute-value-class counts of all open nodes."""
        ...

    def joint(self, features: Sequence[int], /) -> Joint:
        """Counts of the vectors of several numeric features, for splits by their sums."""
        ...

    def advance(self, splits: Sequence[Split | None], child_counts: Array | None = None, /) -> "Engine":
        """The engine of the children, node after node; rows of a node without a split leave it.

        `child_counts` (children, K) are the counts of the search: the cases whose child is known. An engine need not
        count these again, and adds the parts of the other cases. It is None if no search has counted the
        children of these splits: those of a tree from which growth starts, and splits with surrogates.
        """
        ...


# From a table and an engine's settings to the engine with all cases in the root.
Start: TypeAlias = Callable[[Dataset, EngineSetup], Engine]


def counts_sides(engine: Engine) -> bool:
    """Whether an engine can count the children to which splits send their cases, as surrogates require.

    >>> from ftree.growth.engines.plain_engine import plain
    >>> counts_sides(plain(Dataset.from_rows([["a"]], [0]), EngineSetup()))
    True
    """
    return _has_sides(type(engine))


@lru_cache(maxsize=64)
def _has_sides(engine: type) -> bool:
    """Cached for each type, since the check takes as long as a small level."""
    from ftree.splitters.surrogates import CountsSides  # noqa: PLC0415  # only policies with surrogates ask

    return issubclass(engine, CountsSides)
