"""Best-first reduced-error pruning: repeatedly cut the branch whose cut saves the most errors."""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from ftree._lib.gc_pause import gc_paused
from ftree.prune.base import Candidate, decision_about, errors, with_root
from ftree.prune.compare import same
from ftree.prune.decisions import Record, ignore_decision
from ftree.prune.order import LevelOrder
from ftree.tree.nodes import Branch, Counts, Leaf, Node, Tree, with_children


@gc_paused()
def cut_best_first(tree: Tree, order: LevelOrder, eval_counts: Sequence[Counts], *, ties: str, record: Record) -> Tree:
    """Cut best first, then record the remaining branches. A cut costs one heap entry for each of its ancestors."""
    as_leaf, as_subtree = leaf_and_subtree_errors(order, eval_counts)

    def tell(number: int, becomes: Node | None) -> None:
        if record is not ignore_decision:
            candidate = Candidate(order.nodes[number], number, order, eval_counts[number])
            record(decision_about(candidate, as_leaf[number], as_subtree[number], as_subtree[number], becomes))

    standing = {number for number, kids in enumerate(order.below) if kids}
    heap = [(as_leaf[number] - as_subtree[number], number) for number in standing]
    heapify(heap)
    while heap:
        change, number = heappop(heap)
        if number not in standing or change != as_leaf[number] - as_subtree[number]:
            continue  # the branch is cut already, or the entry is out of date
        if not saves_errors(as_leaf[number], as_subtree[number], ties):
            break
        tell(number, Leaf(order.nodes[number].counts))
        _remove(number, order.below, standing)
        while change and order.parents[number] >= 0:
            number = order.parents[number]
            as_subtree[number] += change
            heappush(heap, (as_leaf[number] - as_subtree[number], number))
    for number in sorted(standing):
        tell(number, None)
    return with_root(tree, _pruned_root(order, standing))


def saves_errors(as_leaf: float, as_subtree: float, ties: str) -> bool:
    """Whether to cut; fractional errors that differ only by rounding are a tie.

    >>> saves_errors(1, 2, "keep"), saves_errors(0.1 + 0.2, 0.3, "prune"), saves_errors(0.1 + 0.2, 0.3, "keep")
    (True, True, False)
    """
    return ties == "prune" if same(as_leaf, as_subtree) else as_leaf < as_subtree


def leaf_and_subtree_errors(order: LevelOrder, eval_counts: Sequence[Counts]) -> tuple[list[float], list[float]]:
    """Errors of each node as a leaf, and those of the leaves below it."""
    as_leaf = [errors(Candidate(node, number, order, eval_counts[number])) for number, node in enumerate(order.nodes)]
    as_subtree = list(as_leaf)
    for number, kids in reversed(list(enumerate(order.below))):
        if kids:
            as_subtree[number] = sum(as_subtree[kids.start : kids.stop])
    return as_leaf, as_subtree


def _remove(number: int, below: list[range], standing: set[int]) -> None:
    """Remove the branch and all branches below it from `standing`."""
    stack = [number]
    while stack:
        gone = stack.pop()
        if gone in standing:
            standing.remove(gone)
            stack.extend(below[gone])


def _pruned_root(order: LevelOrder, standing: set[int]) -> Node:
    """The root, built from the last node to the first: branches that are not in `standing` become leaves."""
    made = list(order.nodes)
    for number in reversed(range(len(made))):
        node, kids = made[number], order.below[number]
        if number in standing and isinstance(node, Branch):
            made[number] = with_children(node, made[kids.start : kids.stop])
        elif kids and (not number or order.parents[number] in standing):
            made[number] = Leaf(node.counts)
    return made[0]
