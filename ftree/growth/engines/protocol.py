"""Counting engines: the protocol. An engine knows the position of a table's rows in the tree being grown.

`Engine` is all that growth needs of an engine; the NumPy engine, `plain`, is the reference. Each additional ability is a
protocol of its own, checked by type once, when growth starts. The rows need not be in memory.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, TypeAlias, runtime_checkable

from attrs import frozen

from ftree._lib.arrays import Array
from ftree.criteria.counts import Avc, Joint
from ftree.data.dataset import Dataset
from ftree.growth.engines.fused import Criterion, GrownSubtrees, LevelSplits, StopLimits, SurrogateSearch
from ftree.tree.prediction_rule import PredictionRule
from ftree.tree.splits.protocol import Split

if TYPE_CHECKING:
    from ftree._lib.threads import ThreadPool

# The destination of cases without an answer: in fractions all children, whole the heaviest one, or by another rule.
MissingRows: TypeAlias = Literal["ignore", "heaviest"] | PredictionRule


@frozen(eq=False)
class EngineSetup:
    """The settings that an engine gets when it starts.

    - `missing` is the rule for cases to which a split gives no answer: in fractions to all children, in proportion to the
      cases with an answer ("ignore"); whole to the child with the most of these ("heaviest"); or a rule from the
      numbers of these (V,) to the shares of the children, which add up to 1.
    - `criterion` is the search criterion, for an engine that `FindsSplits`; None if only the search itself knows it.
    - `surrogates` says which splits get surrogates, for an engine that `FindsSurrogates`; None if none does, or if a
      user's policy adds them to splits.
    - `threads` run work in parallel, and end with the growth; None for an engine without threads.

    >>> EngineSetup().threads is None
    True
    """

    missing: MissingRows = "ignore"
    criterion: Criterion | None = None
    threads: "ThreadPool | None" = None
    surrogates: SurrogateSearch | None = None


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


@runtime_checkable
class CountsSides(Protocol):
    """An engine that can count the children to which splits send their cases, as surrogates require."""

    def sides(self, splits: Sequence[Split | None], /) -> Avc:
        """Counts (..., 2) of the children to which binary splits send their cases, instead of class counts.

        Only cases whose child is known are counted, and only nodes with a split.
        """
        ...


@runtime_checkable
class FindsSplits(Protocol):
    """An engine that can search for the best splits itself, by the criterion with which it was started."""

    def best(self) -> LevelSplits:
        """The best split of each open node."""
        ...

    def recount(self, found: LevelSplits, /) -> Avc:
        """Attribute-value-class counts of the nodes with unsure choices, for the features that could win."""
        ...


@runtime_checkable
class GrowsSubtrees(Protocol):
    """An engine that can grow small nodes to the end itself, by the criterion with which it was started."""

    def finish(self, depth: int, limits: StopLimits, /) -> GrownSubtrees | None:
        """The subtrees below open nodes at this depth that can be grown to the end at once; None if there are none."""
        ...


@runtime_checkable
class FindsSurrogates(Protocol):
    """An engine that can find surrogates itself, for the splits specified when it was started."""

    def with_surrogates(self, splits: Sequence[Split | None], /) -> Sequence[Split | None]:
        """The splits of the open nodes, with surrogates for the features that get them."""
        ...


# From a table and an engine's settings to the engine with all cases in the root.
Start: TypeAlias = Callable[[Dataset, EngineSetup], Engine]


@frozen
class Abilities:
    """An engine's abilities besides counting classes and values: count sides, find splits, grow subtrees, find surrogates."""

    sides: bool = False
    splits: bool = False
    subtrees: bool = False
    surrogates: bool = False


def abilities_of(engine: Engine, setup: EngineSetup) -> Abilities:
    """An engine's abilities, by its type; without a criterion, it only counts.

    >>> from ftree.growth.engines.numpy_engine import plain
    >>> setup = EngineSetup()
    >>> abilities_of(plain(Dataset.from_rows([["a"]], [0]), setup), setup)
    Abilities(sides=True, splits=False, subtrees=False, surrogates=False)
    """
    able = _abilities(type(engine))
    backs = able.surrogates and setup.surrogates is not None
    return (
        Abilities(able.sides, able.splits, able.subtrees, backs)
        if setup.criterion is not None
        else Abilities(able.sides, surrogates=backs)
    )


@lru_cache(maxsize=64)
def _abilities(engine: type) -> Abilities:
    """Cached for each type, since the check takes as long as a small level."""
    return Abilities(*(issubclass(engine, each) for each in (CountsSides, FindsSplits, GrowsSubtrees, FindsSurrogates)))
