"""Arguments and results of an engine that searches by itself: arrays, without a `Split` object for each node."""

from math import inf
from typing import Any

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import Array
from ftree._lib.ties import TIE
from ftree.criteria.predicate import StoppingRule
from ftree.growth.split_arrays import Cuts
from ftree.stop import alternatives, max_depth, max_leaves, min_best_child, min_errors, min_gain, min_rows, no_gain, pure


@frozen(eq=False)
class Criterion:
    """The search criterion: the kind of each feature's splits (`ftree.growth.split_arrays`), the codes of impurity and score.

    `code` keeps the machine code alive whose address is the impurity of a user. `options` (F, 7) are those of the
    features' splitters, as `ftree.growth.criterion_codes` numbers them, None if they have none. `factors` (K,) multiply class
    counts before they are measured. `slack` is that of a choice by gain ratio, None if the best score is chosen.
    """

    ways: Array
    impurity: int
    score: int
    code: Any = None
    options: Array | None = None
    factors: Array | None = None
    slack: float | None = None


@frozen
class SurrogateSearch:
    """The splits that get surrogates: binary splits of some features, up to `at_most` surrogates each."""

    features: frozenset[int]
    at_most: int


@frozen(eq=False)
class LevelSplits:
    """The best splits of a level: as arrays, with the counts of all children, their numbers, and the nodes in doubt.

    `rivals` (F, m) marks the features that might be best in a node.
    """

    cuts: Cuts
    children: Array
    n_children: Array
    doubt: Array
    rivals: Array


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
class GrownSubtrees:
    """Some nodes of a level, by their numbers in it, with the whole subtrees below them.

    `place` numbers all of these nodes: those of the level by their number there, those below after the whole level. `first` is
    the position of a node's first child.
    """

    node: Array
    place: Array
    counts: Array
    cuts: Cuts
    first: Array

    def among(self, nodes: Array) -> "GrownSubtrees":
        """The same, where the nodes of the level are those that a boolean mask marks among more nodes."""
        numbers, more = np.flatnonzero(nodes), int(np.count_nonzero(~nodes))
        places = np.append(numbers, 0)[np.minimum(self.place, len(numbers))]
        place = np.where(self.place < len(numbers), places, self.place + more)
        return evolve(self, node=numbers[self.node], place=place, first=self.first + more)


def stop_limits(rule: StoppingRule) -> StopLimits | None:
    """A stopping rule in numbers; None for a rule that is not made of the library's own alternatives.

    >>> stop_limits(pure() | max_depth(6) | min_best_child(2))
    StopLimits(pure=True, depth=6, rows=-inf, errors=-inf, leaf=2, gain=-inf)
    >>> stop_limits(~pure())
    """
    is_pure, depth, rows, errors, leaf, gain = False, inf, -inf, -inf, -inf, -inf
    for part in alternatives(rule):
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
                gain = max(gain, TIE)
            case min_gain():
                gain = max(gain, part.bits - TIE)
            case max_leaves():
                pass  # this rule closes no node
            case _:
                return None
    return StopLimits(is_pure, depth, rows, errors, leaf, gain)
