"""Reduced-error pruning: cut what does not help on cases that the tree was not grown on.

Source: Quinlan 1987, section 2.3; its two readings compared by Elomaa & Kaariainen 2001.
"""

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from itertools import accumulate
from typing import Literal

from attrs import field, frozen
from attrs.validators import in_, instance_of

from ftree._fields import reads_like_its_constructor
from ftree.dataset import Dataset
from ftree.edit import collapse_at, recount
from ftree.prune.judge import Decision, Place, bottom_up, errors, path_along, places_below, start
from ftree.tree import Node, Tree


@reads_like_its_constructor
@frozen(repr=False)
class reduced_error:
    """Replace branches by leaves where that makes no more errors on a pruning set.

    `order="bottom_up"` judges each branch once, children first: the result is the smallest of the most accurate
    prunings (with `ties="keep"`, branches that make as many errors as their leaf stay). `order="best_first"` cuts,
    again and again, the branch whose cut saves the most errors (the one nearest the root among equals) until none saves any;
    with `ties="prune"` it then goes on with those that cost none. A leaf keeps the label of its growing counts.

    Rows of the pruning set that miss an answer count in fractions, as `recount` has them. An empty pruning set ties
    everywhere. Raises a KeyError for a feature, a ValueError for a class, that the tree and the set do not share.

    >>> from ftree.grow import grow
    >>> noisy = Dataset.from_rows([["sunny"], ["sunny"], ["rainy"]], ["play", "play", "stay"], features=["sky"])
    >>> held_out = Dataset.from_rows([["sunny"], ["rainy"]], ["play", "play"], features=["sky"])
    >>> print(reduced_error(held_out)(grow(noisy)))
    : play (3.0/1.0)
    """

    pruning_set: Dataset = field(validator=instance_of(Dataset))
    ties: Literal["prune", "keep"] = field(default="prune", kw_only=True, validator=in_(("prune", "keep")))
    order: Literal["bottom_up", "best_first"] = field(
        default="bottom_up", kw_only=True, validator=in_(("bottom_up", "best_first"))
    )

    def __call__(self, tree: Tree) -> Tree:
        """The pruned tree; the same tree when nothing is cut."""
        if self.order == "bottom_up":
            return bottom_up(tree, recount(tree, self.pruning_set), errors, self._cuts)
        *_, pruned = self.path(tree)
        return pruned

    def decisions(self, tree: Tree) -> tuple[Decision, ...]:
        """Every branch that was judged, in the order in which it was: scores are errors on the pruning set."""
        notes: list[Decision] = []
        mirror = recount(tree, self.pruning_set)
        if self.order == "bottom_up":
            bottom_up(tree, mirror, errors, self._cuts, notes.append)
        else:
            notes.extend(_most_improving(tree, mirror, ties=self.ties))
        return tuple(notes)

    def path(self, tree: Tree) -> Iterator[Tree]:
        """The tree itself, then the tree after each cut."""
        cuts = (decision.path for decision in self.decisions(tree) if decision.cut)
        return accumulate(cuts, collapse_at, initial=tree)

    def _cuts(self, _: Place, as_leaf: float, as_subtree: float, __: tuple[Node, ...]) -> bool:
        return as_leaf <= as_subtree if self.ties == "prune" else as_leaf < as_subtree


def _most_improving(tree: Tree, mirror: Tree, *, ties: str) -> Iterator[Decision]:
    """Cut the branch that saves most, and so on; then list those that stay. Cost: cuts times depth, and a heap."""
    places, parents, below = _numbered(tree, mirror)
    as_leaf = [errors(place) for place in places]
    as_subtree = list(as_leaf)
    for number in reversed(range(len(places))):
        if below[number]:
            as_subtree[number] = sum(as_subtree[child] for child in below[number])
    standing = {number for number, kids in enumerate(below) if kids}
    heap = [(as_leaf[number] - as_subtree[number], number) for number in standing]
    heapify(heap)
    while heap:
        change, number = heappop(heap)
        if number not in standing or change != as_leaf[number] - as_subtree[number]:
            continue  # cut already, or out of date
        if change > 0 or (change == 0 and ties == "keep"):
            break
        yield _decision(places[number], as_leaf[number], as_subtree[number], cut=True)
        _remove(number, below, standing)
        while change and parents[number] >= 0:
            number = parents[number]
            as_subtree[number] += change
            heappush(heap, (as_leaf[number] - as_subtree[number], number))
    for number in sorted(standing):
        yield _decision(places[number], as_leaf[number], as_subtree[number], cut=False)


def _numbered(tree: Tree, mirror: Tree) -> tuple[list[Place], list[int], list[range]]:
    """All places, level by level; the number of each one's parent; the numbers of its children."""
    places, parents, below = [start(tree, mirror)], [-1], []
    for number, place in enumerate(places):  # which grows while it is read
        kids = list(places_below(place))
        below.append(range(len(places), len(places) + len(kids)))
        places += kids
        parents += [number] * len(kids)
    return places, parents, below


def _remove(number: int, below: list[range], standing: set[int]) -> None:
    """The branch and all branches below it stand no more."""
    stack = [number]
    while stack:
        gone = stack.pop()
        if gone in standing:
            standing.remove(gone)
            stack.extend(below[gone])


def _decision(place: Place, as_leaf: float, as_subtree: float, *, cut: bool) -> Decision:
    return Decision(path_along(place.link), place.node.counts, as_leaf, as_subtree, cut)
