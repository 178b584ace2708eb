"""Reduced-error pruning: cut branches that save no errors on a pruning set, bottom-up or the best branch first.

Source: Quinlan 1987, section 2.3; Elomaa & Kaariainen 2001 compare its two readings.
"""

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import accumulate, chain
from typing import Any, Literal

from attrs import evolve, field, frozen

from ftree._lib.fields import one_of
from ftree._lib.objects import gc_paused
from ftree.data.dataset import Dataset
from ftree.data.frames import NamedColumns
from ftree.data.labelled import as_dataset, dataset_or_table
from ftree.prune.decisions import Decision, Pruned, after, same
from ftree.prune.passes import (
    DecidingPass,
    LevelOrder,
    Verdict,
    bottom_up,
    in_level_order,
    pruned_at,
    require_usual,
    sums_below,
    with_root,
)
from ftree.routing.counting import CountsNodes, count_cases, rows_to_count
from ftree.tree.edit import with_counts
from ftree.tree.nodes import Tree
from ftree.tree.response import Counts
from ftree.tree.response_protocol import Response


def _as_table(rows: Any) -> Any:
    return rows if isinstance(rows, CountsNodes) else dataset_or_table(rows, "pruning_set")


_ORDER, _LABELS = one_of("bottom_up", "best_first"), one_of("growing", "pruning", "backfit")


@frozen
class reduced_error(DecidingPass):
    """Replace branches by leaves where that makes no more errors on a pruning set.

    `order="bottom_up"` judges each branch once, children first: the result is the smallest of the most accurate
    prunings. With `ties="keep"`, branches that make as many errors as their leaf stay. `order="best_first"` repeatedly cuts
    the branch whose cut saves the most errors, until none saves any; of equal ones, the one nearest the root.
    With `ties="prune"` it then also cuts branches whose cut costs no error.

    `labels` says whose counts give the leaves their classes: those of the training set ("growing"), of the "pruning" set, or
    of both ("backfit"). With the latter two, the tree is recounted first, and the result has the new counts in all nodes.
    Backfitting twice counts the pruning set twice.

    A regression tree keeps its own answers (`labels="growing"`), and its errors are squared.

    Rows of the pruning set with a missing or unseen value go down in fractions, as in `recount`. With an empty pruning set
    all branches tie.

    The pruning set is a dataset, or a table of named columns that include the target, such as a data frame, or a source of
    `ftree.scan`, whose rows are counted in one scan.

    In `decisions`, scores are errors on the pruning set, in the order in which branches were judged; those of numbers are
    shares of the squared error of the root.

    Raises a KeyError for a feature, a ValueError for a class, that only the tree or only the pruning set has.

    >>> from ftree import grow
    >>> noisy = Dataset.from_rows([["sunny"], ["sunny"], ["rainy"]], ["play", "play", "stay"], features=["sky"])
    >>> held_out = Dataset.from_rows([["sunny"], ["rainy"]], ["play", "play"], features=["sky"])
    >>> print(reduced_error(held_out)(grow(noisy)))
    : play (3.0/1.0)
    """

    pruning_set: Dataset | NamedColumns | CountsNodes = field(converter=_as_table)
    ties: Literal["prune", "keep"] = field(default="prune", kw_only=True, validator=one_of("prune", "keep"))
    order: Literal["bottom_up", "best_first"] = field(default="bottom_up", kw_only=True, validator=_ORDER)
    labels: Literal["growing", "pruning", "backfit"] = field(default="growing", kw_only=True, validator=_LABELS)

    prunes_regression = True

    def path(self, tree: Tree) -> Iterator[Tree]:
        """The tree, recounted unless `labels` is "growing", then the tree after each cut."""
        changes = [made for made in self.decisions(tree) if made.becomes is not None]
        if changes and changes[0].done == "recounted":
            tree = after(tree, changes.pop(0))
        return accumulate(changes, after, initial=tree)

    def _prune(self, tree: Tree) -> Pruned:
        require_usual(tree, "labels", self.labels, "growing")
        eval_counts, response = self._counts(tree)
        order = _recounted(in_level_order(tree), eval_counts, self.labels)
        as_leaf = _losses(order, response, eval_counts)

        def judge(number: int, as_subtree: float, _: bool) -> Verdict:  # noqa: FBT001  # a `Judge`
            return Verdict(_saves_errors(as_leaf[number], as_subtree, self.ties), threshold=as_subtree)

        best_first = self.order == "best_first"
        pruned = _cut_best_first(order, as_leaf, self.ties) if best_first else bottom_up(order, as_leaf, judge=judge)
        if order.tree is tree:
            return pruned
        as_subtree, root = sums_below(order, as_leaf)[0], order.nodes[0]
        recounted = Decision((), tree.root.counts, as_leaf[0], as_subtree, done="recounted", becomes=root)
        return Pruned(pruned.tree, lambda: [recounted, *pruned.decisions()])

    def _counts(self, tree: Tree) -> tuple[list[Counts], Response]:
        """The counts of the pruning set in each node, and what they are sums of."""
        if isinstance(self.pruning_set, CountsNodes):
            return self.pruning_set.count_nodes(tree), tree.schema.response
        seeing, data = rows_to_count(tree, as_dataset(tree.schema, self.pruning_set))
        return count_cases(seeing.root, data), data.schema.response


def _recounted(grown: LevelOrder, eval_counts: Sequence[Counts], labels: str) -> LevelOrder:
    """The tree with the counts that determine the leaves' classes."""
    if labels == "growing":
        return grown
    counts = eval_counts
    if labels == "backfit":
        pairs = zip(grown.counts, eval_counts, strict=True)
        counts = [tuple(a + b for a, b in zip(own, more, strict=True)) for own, more in pairs]
    nodes = with_counts(grown.nodes, grown.below, counts)
    return evolve(grown, tree=with_root(grown.tree, nodes[0]), nodes=nodes)


@gc_paused()
def _cut_best_first(order: LevelOrder, as_leaf: Sequence[float], ties: str) -> Pruned:
    """Cut best first; decisions about branches that remain come last. A cut costs one heap entry for each of its ancestors."""
    as_subtree, made = sums_below(order, as_leaf), list[tuple[int, float]]()
    standing = {number for number, kids in enumerate(order.below) if kids}
    heap = [(as_leaf[number] - as_subtree[number], number) for number in standing]
    heapify(heap)
    while heap:
        change, number = heappop(heap)
        if number not in standing or change != as_leaf[number] - as_subtree[number]:
            continue  # the branch is cut already, or the entry is out of date
        if not _saves_errors(as_leaf[number], as_subtree[number], ties):
            break
        made.append((number, as_subtree[number]))
        _remove(number, order.below, standing)
        while change and order.parents[number] >= 0:
            number = order.parents[number]
            as_subtree[number] += change
            heappush(heap, (as_leaf[number] - as_subtree[number], number))

    remaining = ((number, as_subtree[number]) for number in sorted(standing))
    # The threshold of a branch is its score as a subtree.
    judged = [(number, score, score) for number, score in chain(made, remaining)]
    return pruned_at(order, as_leaf, judged, [number not in standing for number in range(len(order.nodes))])


def _saves_errors(as_leaf: float, as_subtree: float, ties: str) -> bool:
    """Whether to cut; fractional errors that differ only by rounding are a tie.

    >>> _saves_errors(1, 2, "keep"), _saves_errors(0.1 + 0.2, 0.3, "prune"), _saves_errors(0.1 + 0.2, 0.3, "keep")
    (True, True, False)
    """
    return ties == "prune" if same(as_leaf, as_subtree) else as_leaf < as_subtree


def _losses(order: LevelOrder, response: Response, eval_counts: Sequence[Counts]) -> list[float]:
    """The loss of each node as a leaf on its cases of the pruning set, sums of `response`; of numbers as shares of the root's."""
    own = order.tree.schema.response
    answers = [own.answer(order.nearest_with_cases(number).counts) for number in range(len(order.nodes))]
    losses = list(map(response.loss, answers, eval_counts))
    if own.kind == "classes":
        return losses
    whole = losses[0] or max(losses) or 1.0
    return [loss / whole for loss in losses]


def _remove(number: int, below: list[range], standing: set[int]) -> None:
    """Remove the branch and all branches below it from `standing`."""
    stack = [number]
    while stack:
        gone = stack.pop()
        if gone in standing:
            standing.remove(gone)
            stack.extend(below[gone])
