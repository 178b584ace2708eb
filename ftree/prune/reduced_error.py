"""Reduced-error pruning: cut what does not help on cases that the tree was not grown on.

Source: Quinlan 1987, section 2.3; its two readings compared by Elomaa & Kaariainen 2001.
"""

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import accumulate
from typing import Literal

from attrs import evolve, field, frozen

from ftree._lib.fields import ConstructorRepr, one_of
from ftree._lib.gc_pause import gc_paused
from ftree.data.dataset import Dataset, a_dataset
from ftree.prune.base import (
    Decision,
    Note,
    Place,
    Survey,
    Verdict,
    after,
    bottom_up,
    decision,
    errors,
    same,
    surveyed,
    trail,
    unheard,
    with_root,
)
from ftree.routing.count import count_cases, with_counts
from ftree.tree.nodes import Branch, Counts, Leaf, Node, Tree, with_children


@frozen(repr=False)
class reduced_error(ConstructorRepr):
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

    >>> from ftree import grow
    >>> noisy = Dataset.from_rows([["sunny"], ["sunny"], ["rainy"]], ["play", "play", "stay"], features=["sky"])
    >>> held_out = Dataset.from_rows([["sunny"], ["rainy"]], ["play", "play"], features=["sky"])
    >>> print(reduced_error(held_out)(grow(noisy)))
    : play (3.0/1.0)
    """

    pruning_set: Dataset = field(validator=a_dataset)
    ties: Literal["prune", "keep"] = field(default="prune", kw_only=True, validator=one_of("prune", "keep"))
    order: Literal["bottom_up", "best_first"] = field(
        default="bottom_up", kw_only=True, validator=one_of("bottom_up", "best_first")
    )
    labels: Literal["growing", "pruning", "backfit"] = field(
        default="growing", kw_only=True, validator=one_of("growing", "pruning", "backfit")
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
        grown = surveyed(tree)
        came = count_cases(grown.nodes, grown.below, self.pruning_set.recoded(tree.schema))
        survey = _recounted(grown, came, self.labels)
        counted = with_root(tree, survey.nodes[0])
        if counted is not tree:
            note(_recount(survey, came, tree))
        if self.order == "best_first":
            return _most_improving(counted, survey, came, ties=self.ties, note=note)
        return bottom_up(counted, errors, self._verdict, survey=survey, came=came, note=note)

    def _verdict(self, _: Place, as_leaf: float, as_subtree: float, __: list[Node]) -> Verdict:
        return as_subtree, _saves(as_leaf, as_subtree, self.ties)


def _saves(as_leaf: float, as_subtree: float, ties: str) -> bool:
    """Whether to cut; errors in fractions of cases that differ by rounding only are a tie."""
    return ties == "prune" if same(as_leaf, as_subtree) else as_leaf < as_subtree


def _recounted(grown: Survey, came: Sequence[Counts], labels: str) -> Survey:
    """The nodes with the counts that name the leaves."""
    if labels == "growing":
        return grown
    if labels == "pruning":
        return evolve(grown, nodes=with_counts(grown.nodes, grown.below, came))
    pairs = zip(grown.nodes, came, strict=True)
    both = [tuple(a + b for a, b in zip(node.counts, more, strict=True)) for node, more in pairs]
    return evolve(grown, nodes=with_counts(grown.nodes, grown.below, both))


def _recount(survey: Survey, came: Sequence[Counts], tree: Tree) -> Decision:
    """The first entry of a trail, where labels are not those of the growing counts."""
    as_leaf, as_subtree = _scores(survey, came)
    root = survey.nodes[0]
    return Decision((), tree.root.counts, as_leaf[0], as_subtree[0], done="recounted", becomes=root)


def _scores(survey: Survey, came: Sequence[Counts]) -> tuple[list[float], list[float]]:
    """Errors of each node as a leaf, and of what is below it."""
    as_leaf = [errors(Place(node, number, survey, came[number])) for number, node in enumerate(survey.nodes)]
    as_subtree = list(as_leaf)
    for number, kids in reversed(list(enumerate(survey.below))):
        if kids:
            as_subtree[number] = sum(as_subtree[kids.start : kids.stop])
    return as_leaf, as_subtree


@gc_paused()
def _most_improving(tree: Tree, survey: Survey, came: Sequence[Counts], *, ties: str, note: Note) -> Tree:
    """Cut the branch that saves most, and so on; then note those that stay. Cost: cuts times depth, and a heap."""
    as_leaf, as_subtree = _scores(survey, came)

    def tell(number: int, becomes: Node | None) -> None:
        if note is not unheard:
            place = Place(survey.nodes[number], number, survey, came[number])
            note(decision(place, as_leaf[number], as_subtree[number], as_subtree[number], becomes))

    standing = {number for number, kids in enumerate(survey.below) if kids}
    heap = [(as_leaf[number] - as_subtree[number], number) for number in standing]
    heapify(heap)
    while heap:
        change, number = heappop(heap)
        if number not in standing or change != as_leaf[number] - as_subtree[number]:
            continue  # cut already, or out of date
        if not _saves(as_leaf[number], as_subtree[number], ties):
            break
        tell(number, Leaf(survey.nodes[number].counts))
        _remove(number, survey.below, standing)
        while change and survey.parents[number] >= 0:
            number = survey.parents[number]
            as_subtree[number] += change
            heappush(heap, (as_leaf[number] - as_subtree[number], number))
    for number in sorted(standing):
        tell(number, None)
    return with_root(tree, _standing_only(survey, standing))


def _remove(number: int, below: list[range], standing: set[int]) -> None:
    """The branch and all branches below it stand no more."""
    stack = [number]
    while stack:
        gone = stack.pop()
        if gone in standing:
            standing.remove(gone)
            stack.extend(below[gone])


def _standing_only(survey: Survey, standing: set[int]) -> Node:
    """The root, made from the last node to the first: branches that stand no more become leaves."""
    made = list(survey.nodes)
    for number in reversed(range(len(made))):
        node, kids = made[number], survey.below[number]
        if number in standing and isinstance(node, Branch):
            made[number] = with_children(node, made[kids.start : kids.stop])
        elif kids and (not number or survey.parents[number] in standing):
            made[number] = Leaf(node.counts)
    return made[0]
