"""Weakest-link pruning: the nested trees each of which has the least cost for some alpha."""

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import chain
from typing import Any, TypeAlias, cast

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Floats, read_only
from ftree._lib.fields import name_of
from ftree._lib.gc_pause import gc_paused
from ftree.criteria.impurity import Impurity, misclassification
from ftree.prune.base import with_root
from ftree.prune.compare import same
from ftree.prune.order import LevelOrder, in_level_order
from ftree.tree.nodes import Branch, Leaf, Node, Tree

# A branch that is cut on the path: its alpha, the number of leaves that the cut removes, its number.
WeakLink: TypeAlias = tuple[float, int, int]


@frozen
class PathStep:
    """A tree of a cost-complexity path: the least alpha (and cp) for which its cost is least, its leaves, its risk.

    >>> from ftree import grow
    >>> from ftree.datasets import weather
    >>> [(step.leaves, round(step.alpha, 3)) for step in cost_complexity_path(grow(weather()))]
    [(5, 0.0), (1, 0.089)]
    """

    alpha: float
    cp: float
    leaves: int
    risk: float
    root: Node = field(repr=False)
    grown: Tree = field(repr=False, eq=False)

    @property
    def tree(self) -> Tree:
        """The pruned tree."""
        return with_root(self.grown, self.root)


def cost_complexity_path(tree: Tree, *, risk: Impurity = misclassification) -> Iterator[PathStep]:
    """The trees of least cost for some alpha, the largest first, made lazily.

    Each is a pruning of the one before and shares the uncut nodes with it. Alphas increase from 0, and links that are
    equally weak are cut together. Finding all alphas takes O(n log n) for n nodes, whatever the depth; each step then
    rebuilds the ancestors of its cuts.

    Raises a TypeError for a risk that is not a function.

    >>> from ftree import Dataset, grow
    >>> tree = grow(Dataset.from_rows([["a"], ["b"], ["b"], ["c"]], ["no", "yes", "yes", "no"]))
    >>> [(step.alpha, step.leaves, step.risk) for step in cost_complexity_path(tree)]
    [(0.0, 3, 0.0), (0.25, 1, 0.5)]
    """
    _check_risk(risk)
    return _steps(tree, risk)


def _steps(tree: Tree, risk: Impurity) -> Iterator[PathStep]:
    order = in_level_order(tree)
    below, nodes = order.below, list(order.nodes)
    risks = weighted_risks(nodes, risk)
    ends = [number for number, kids in enumerate(below) if not kids]
    leaves, left = len(ends), sum(risks[number] for number in ends)
    for alpha, links in groups_of_path(_weakest_links(risks, below)):
        leaves -= sum(lost for _, lost, _ in links)
        left += sum(rise * lost for rise, lost, _ in links)
        _cut({number for _, _, number in links}, nodes, order)
        yield PathStep(alpha, alpha / risks[0] if risks[0] else 0.0, leaves, left, nodes[0], tree)


def cuts_of_path(below: Sequence[range], risks: Sequence[float]) -> list[tuple[float, list[int]]]:
    """Each alpha of the path, from 0 on, and the numbers of the nodes that are cut there."""
    return [(alpha, [number for _, _, number in links]) for alpha, links in groups_of_path(_weakest_links(risks, below))]


def groups_of_path(links: Iterable[WeakLink]) -> list[tuple[float, list[WeakLink]]]:
    """Each alpha of the path, from 0 on, and the links that are cut there, given links in the order of their alphas."""
    groups = list(_grouped(links))
    return groups if groups and not groups[0][0] else [(0.0, []), *groups]


def weighted_risks(nodes: Sequence[Node], risk: Impurity) -> list[float]:
    """The risk of each node as a leaf, times its share of the first node's cases; one call of the risk serves all nodes."""
    return risks_of_counts(np.array([node.counts for node in nodes], dtype=np.float64), risk)


def risks_of_counts(counts: Floats, risk: Impurity) -> list[float]:
    """`weighted_risks` of nodes with these counts (m, K)."""
    weights = counts.sum(axis=1)
    listed: list[float] = (np.asarray(risk(read_only(counts))) * weights / (weights[0] or 1.0)).tolist()
    return listed


@gc_paused()
def _weakest_links(risks: Sequence[float], below: Sequence[range]) -> list[WeakLink]:
    """The branches that are cut on the path, in the order of their alphas.

    For a branch, the cost of its best pruning is a concave, piecewise linear function of alpha: the least of the
    leaf's line, R + alpha, and of the sum of its children's functions. A heap holds the kinks of that sum, the
    largest alpha on top. The leaf's line crosses the sum once and removes the kinks beyond, so each kink is popped once.
    """
    # A kink is (-alpha, lost, number), since heaps have their smallest entry on top.
    heaps: list[list[WeakLink]] = [[]] * len(risks)
    for number in reversed(range(len(risks))):
        kids = below[number]
        if kids:
            heap = _merged_heaps([heaps[child] for child in kids])
            saved, leaves = risks[number] - sum(risks[child] for child in kids), len(kids)
            alpha = _crossing(saved, leaves)
            while heap and -heap[0][0] > alpha:
                minus, lost, _ = heappop(heap)
                saved, leaves = saved - minus * lost, leaves + lost
                alpha = _crossing(saved, leaves)
            heappush(heap, (-alpha, leaves - 1, number))
            heaps[number] = heap
            heaps[kids.start : kids.stop] = [[]] * len(kids)
    return sorted((-minus, lost, number) for minus, lost, number in heaps[0])


def _crossing(saved: float, leaves: int) -> float:
    """Risk saved for each leaf beyond the first; 0 for a branch with a single leaf, which is always cut."""
    alpha = saved / (leaves - 1) if leaves > 1 else 0.0
    return 0.0 if alpha < 0 or same(alpha, 0) else alpha


def _merged_heaps(heaps: list[list[WeakLink]]) -> list[WeakLink]:
    """One heap of several: the entries of the smaller heaps pushed onto the largest."""
    largest, *others = sorted(heaps, key=len, reverse=True)
    for kink in chain.from_iterable(others):
        heappush(largest, kink)
    return largest or []  # not the empty list that all leaves share


def _grouped(links: Iterable[WeakLink]) -> Iterator[tuple[float, list[WeakLink]]]:
    """Weak links grouped by equal alphas, except for rounding errors; the alpha of a group is its largest."""
    group: list[WeakLink] = []
    for link in links:
        if group and not same(group[-1][0], link[0]):
            yield group[-1][0], group
            group = []
        group.append(link)
    if group:
        yield group[-1][0], group


@gc_paused()
def _cut(numbers: set[int], nodes: list[Node], order: LevelOrder) -> None:
    """Turn the nodes with these numbers into leaves, and rebuild each of their ancestors once."""
    stale: set[int] = set()
    for number in numbers:
        nodes[number] = Leaf(nodes[number].counts)
        above = order.parents[number]
        while above >= 0 and above not in stale:
            stale.add(above)
            above = order.parents[above]
    for number in sorted(stale - numbers, reverse=True):
        node, kids = cast("Branch", nodes[number]), order.below[number]
        nodes[number] = Branch(node.counts, node.split, nodes[kids.start : kids.stop])


def _check_risk(risk: Any) -> None:
    if not callable(risk):
        message = f"risk must be a function of class counts such as misclassification or gini, got {name_of(risk)}."
        raise TypeError(message)
