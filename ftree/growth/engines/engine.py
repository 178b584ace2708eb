"""Counting engines: the protocol. An engine knows the position of a table's rows in the tree being grown.

`Engine` is all that growth needs of an engine; `plain` is the reference. The rows need not be in memory.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import inf
from sys import float_info
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, TypeAlias

from attrs import frozen

from ftree._lib.arrays import TIE, Array, exact_unit, least_tied
from ftree._lib.objects import is_exactly
from ftree.criteria.frontier import Avc, Joint
from ftree.criteria.predicate import StoppingRule
from ftree.data.dataset import Dataset
from ftree.growth.split_arrays import Cuts
from ftree.routing.missing_rules import divide_weights, heaviest, weighted, whole_shares
from ftree.stop import alternatives, max_depth, max_leaves, min_best_child, min_errors, min_gain, min_rows, no_gain, pure
from ftree.tree.nodes import PredictionRule
from ftree.tree.schema import response_of_sums
from ftree.tree.splits.split import Split

if TYPE_CHECKING:
    from ftree._lib.machine import ThreadPool


# The destination of cases without an answer: in fractions all children, whole the heaviest one, or by another rule.
MissingRows: TypeAlias = Literal["ignore", "heaviest"] | PredictionRule


@frozen(eq=False)
class EngineSetup:
    """The settings that an engine gets when it starts.

    - `missing` is the rule for cases to which a split gives no answer: in fractions to all children, in proportion to the
      cases with an answer ("ignore"); whole to the child with the most of these ("heaviest"); or a rule from the
      numbers of these (V,) to the shares of the children, which add up to 1.
    - `threads` run work in parallel, and end with the growth; None for an engine without threads.

    >>> EngineSetup().threads is None
    True
    """

    missing: MissingRows = "ignore"
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


@frozen
class StopLimits:
    """The stopping rule in numbers.

    A node is closed if pure, from a depth on, with fewer rows, fewer errors, a smaller child, or less gain.
    """

    pure: bool = False
    depth: float = inf
    rows: float = -inf
    errors: float = -inf
    leaf: float = -inf
    gain: float = -inf


@frozen(eq=False)
class GrownTree:
    """All nodes of a tree that grew depth first: counts (n, K), splits, and the number of each one's first child (n,)."""

    counts: Array
    splits: Cuts
    first: Array


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


# The rules of `StopLimits`, and the one that closes no node.
_RULES: tuple[type, ...] = (pure, max_depth, min_rows, min_errors, min_best_child, no_gain, min_gain, max_leaves)


def stop_limits(rule: StoppingRule, *, of_classes: bool = True) -> StopLimits | None:
    """A stopping rule in numbers; None for a rule that is not made of the library's own alternatives, such as a subclass.

    For classes and events (`of_classes`), a gain within the tolerance is none; for numbers, whose sums are exact, only 0 is none.
    For numbers and events, `errors` are counted in the root's mean risk of a case, as by `min_errors`.

    >>> stop_limits(pure() | max_depth(6) | min_best_child(2))
    StopLimits(pure=True, depth=6, rows=-inf, errors=-inf, leaf=2, gain=-inf)
    >>> stop_limits(~pure())
    """
    is_pure, depth, rows, errors, leaf, gain = False, inf, -inf, -inf, -inf, -inf
    for part in alternatives(rule):
        if not is_exactly(part, *_RULES):
            return None
        match part:
            case pure():
                is_pure = True
            case max_depth():
                depth = min(depth, part.limit)
            case min_rows():
                rows = max(rows, part.n)
            case min_errors():
                errors = max(errors, part.n)
            case min_best_child():
                leaf = max(leaf, part.n)
            case no_gain():
                gain = max(gain, TIE if of_classes else float_info.min)
            case min_gain():
                gain = max(gain, least_tied(part.bits, exact=not of_classes))
    return StopLimits(is_pure, depth, rows, errors, leaf, gain)


# The division of cases to which a split gives no answer.


def unit_of(dataset: Dataset) -> float:
    """The unit of a dataset: parts of its cases are multiples of this power of two, so that their sums are exact.

    >>> unit_of(Dataset.from_rows([["a"], ["b"]], [0, 1])) == 2.0**-49
    True
    """
    schema, total = dataset.schema, float(dataset.n_cases)
    return exact_unit(total, len(dataset.columns)) if schema.has_classes else response_of_sums(schema).part


def parts_of(weights: Array, sizes: Array, missing: MissingRows, unit: float) -> Array:
    """Each child's part of cases without an answer, (n, V), given the weights (n,) of these and the children's sizes (V,).

    A size is the weight of the cases with an answer; sizes that are all 0 count as equal. `missing` is that of the setup.

    Raises a ValueError for a rule whose shares do not add up to 1.

    >>> import numpy as np
    >>> parts_of(np.array([1.0, 0.5]), np.array([1.0, 3.0]), "ignore", 0.125).tolist()
    [[0.25, 0.75], [0.125, 0.375]]
    >>> parts_of(np.array([1.0]), np.array([1.0, 3.0]), "heaviest", 0.125).tolist()
    [[0.0, 1.0]]
    """
    parts, _ = divide_weights(weights, whole_shares(as_rule(missing), sizes), unit)
    return parts.T


def as_rule(missing: MissingRows) -> PredictionRule:
    """The rule for a name of `EngineSetup.missing`."""
    if isinstance(missing, str):
        return heaviest() if missing == "heaviest" else weighted()
    return missing
