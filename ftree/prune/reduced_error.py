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
from ftree._recursion import fold_over
from ftree.dataset import Dataset
from ftree.edit import recount
from ftree.prune.judge import (
    Decision,
    Note,
    Place,
    Verdict,
    after,
    bottom_up,
    decision,
    errors,
    numbered,
    places_below,
    start,
    trail,
    unheard,
    with_root,
)
from ftree.tree import Branch, Leaf, Node, Tree, with_children


@reads_like_its_constructor
@frozen(repr=False)
class reduced_error:
    """Replace branches by leaves where that makes no more errors on a pruning set.

    `order="bottom_up"` judges each branch once, children first: the result is the smallest of the most accurate
    prunings (with `ties="keep"`, branches that make as many errors as their leaf stay). `order="best_first"` cuts,
    again and again, the branch whose cut saves the most errors (the one nearest the root among equals) until none saves any;
    with `ties="prune"` it then goes on with those that cost none.

    `labels` says whose counts name the leaves: those of "growing", of the "pruning" set, or of both together
    ("backfit"). With the latter two the tree is recounted first, leaf and branch, and the answer has the new counts;
    backfitting twice counts the pruning set twice.

    Rows of the pruning set that miss an answer, or have one the tree never saw, count in fractions, as `recount` has them.
    An empty pruning set ties everywhere. Raises a KeyError for a feature, a ValueError for a class, that the tree and the
    set do not share.

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
    labels: Literal["growing", "pruning", "backfit"] = field(
        default="growing", kw_only=True, validator=in_(("growing", "pruning", "backfit"))
    )

    def __call__(self, tree: Tree) -> Tree:
        """The pruned tree; the same tree when nothing is cut and no label source replaces its counts."""
        return self._run(tree, unheard)

    def decisions(self, tree: Tree) -> tuple[Decision, ...]:
        """Every branch that was judged, in the order in which it was: scores are errors on the pruning set."""
        return trail(self._run, tree)

    def path(self, tree: Tree) -> Iterator[Tree]:
        """The tree itself, then the tree after each cut."""
        return accumulate((made for made in self.decisions(tree) if made.becomes is not None), after, initial=tree)

    def _run(self, tree: Tree, note: Note) -> Tree:
        mirror = recount(tree, self.pruning_set)
        counted = _recounted(tree, mirror, self.labels, note)
        if self.order == "best_first":
            return _most_improving(counted, mirror, ties=self.ties, note=note)
        return bottom_up(counted, errors, self._verdict, mirror=mirror, note=note)

    def _verdict(self, _: Place, as_leaf: float, as_subtree: float, __: tuple[Node, ...]) -> Verdict:
        return as_subtree, as_leaf <= as_subtree if self.ties == "prune" else as_leaf < as_subtree


def _recounted(tree: Tree, mirror: Tree, labels: str, note: Note) -> Tree:
    """The tree with the counts that name its leaves; subtrees whose counts stay are shared."""
    if labels == "growing":
        return tree

    def combine(place: Place, below: tuple[Node, ...]) -> Node:
        old, came = place.node, place.mirror.counts
        counts = came if labels == "pruning" else tuple(a + b for a, b in zip(old.counts, came, strict=True))
        if isinstance(old, Leaf):
            return old if counts == old.counts else Leaf(counts)
        return with_children(old, below) if counts == old.counts else Branch(counts, old.split, below)

    counted = with_root(tree, fold_over(start(tree, mirror), places_below, combine))
    if counted is not tree:
        place = start(counted, mirror)
        wrong = fold_over(place, places_below, lambda place, below: sum(below) if below else errors(place))
        note(Decision((), tree.root.counts, errors(place), wrong, done="recounted", becomes=counted.root))
    return counted


def _most_improving(tree: Tree, mirror: Tree, *, ties: str, note: Note) -> Tree:
    """Cut the branch that saves most, and so on; then note those that stay. Cost: cuts times depth, and a heap."""
    places, parents, below = numbered(tree, mirror)
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
        leaf = Leaf(places[number].node.counts)
        note(decision(places[number], as_leaf[number], as_subtree[number], as_subtree[number], leaf))
        _remove(number, below, standing)
        while change and parents[number] >= 0:
            number = parents[number]
            as_subtree[number] += change
            heappush(heap, (as_leaf[number] - as_subtree[number], number))
    for number in sorted(standing):
        note(decision(places[number], as_leaf[number], as_subtree[number], as_subtree[number], None))
    return with_root(tree, _standing_only(places, below, standing))


def _remove(number: int, below: list[range], standing: set[int]) -> None:
    """The branch and all branches below it stand no more."""
    stack = [number]
    while stack:
        gone = stack.pop()
        if gone in standing:
            standing.remove(gone)
            stack.extend(below[gone])


def _standing_only(places: list[Place], below: list[range], standing: set[int]) -> Node:
    """The root, made from the last place to the first: branches that stand no more become leaves."""
    made = [place.node for place in places]
    for number in reversed(range(len(places))):
        node = made[number]
        if isinstance(node, Branch):
            kids = [made[child] for child in below[number]]
            made[number] = with_children(node, kids) if number in standing else Leaf(node.counts)
    return made[0]
