"""What an engine that searches for itself is asked, and what it answers: arrays, and no `Split` for each node."""

from math import inf
from typing import Any

from attrs import evolve, frozen

from ftree._lib.arrays import Array
from ftree._lib.ties import TIE
from ftree.criteria.predicate import Rule
from ftree.growth.split_arrays import Cuts
from ftree.stop import alternatives, max_depth, max_leaves, min_best_child, min_gain, min_rows, no_gain, pure


@frozen(eq=False)
class Criterion:
    """What to search for: how each feature splits (a kind of `ftree.growth.split_arrays`), and the numbers of impurity and score.

    A number that is none of the library's own impurities is the address of a function of class counts; `code` keeps that alive.
    """

    ways: Array
    impurity: int
    score: int
    code: Any = None


@frozen(eq=False)
class Found:
    """The best splits: as cuts, the counts of all children, how many each node has, and which were too close to call.

    `rivals` (F, m) marks the features that might be best in a node.
    """

    cuts: Cuts
    children: Array
    n_children: Array
    doubt: Array
    rivals: Array


@frozen
class Closing:
    """When a node is closed, in numbers: if it is pure, from a depth on, with fewer rows, a smaller child, or less gain."""

    pure: bool = False
    depth: float = inf
    rows: float = -inf
    leaf: float = -inf
    gain: float = -inf


@frozen(eq=False)
class Finished:
    """Some nodes of a level, by their numbers in it, that are grown to the end, with all nodes below them.

    Places number all of these: a node of the level by its number there, those below behind the whole level. `first` is the
    place of a node's first child.
    """

    node: Array
    place: Array
    counts: Array
    cuts: Cuts
    first: Array


def closing_of(rule: Rule) -> Closing | None:
    """What a stopping rule is in numbers; None for one that is not made of the library's own alternatives.

    >>> closing_of(pure() | max_depth(6) | min_best_child(2))
    Closing(pure=True, depth=6, rows=-inf, leaf=2, gain=-inf)
    >>> closing_of(~pure())
    """
    closing = Closing()
    for part in alternatives(rule):
        match part:
            case pure():
                closing = evolve(closing, pure=True)
            case max_depth():
                closing = evolve(closing, depth=min(closing.depth, part.limit))
            case min_rows():
                closing = evolve(closing, rows=max(closing.rows, part.n))
            case min_best_child():
                closing = evolve(closing, leaf=max(closing.leaf, part.n))
            case no_gain():
                closing = evolve(closing, gain=max(closing.gain, TIE))
            case min_gain():
                closing = evolve(closing, gain=max(closing.gain, part.bits - TIE))
            case max_leaves():
                pass  # closes none
            case _:
                return None
    return closing
