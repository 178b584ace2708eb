"""Weakest-link pruning: the nested trees that are cheapest for some alpha."""

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import chain
from typing import Any, TypeAlias, cast

import numpy as np
from attrs import field, frozen

from ftree._lib.gc_pause import gc_paused
from ftree.criteria.impurity import Impurity, misclassification
from ftree.prune.base import Survey, same, surveyed, with_root
from ftree.tree.nodes import Branch, Leaf, Node, Tree

# A branch that is cut on the path: at which alpha, how many leaves that takes off, its number.
_Link: TypeAlias = tuple[float, int, int]


@frozen
class Step:
    """A tree of the path: the least alpha (and cp) for which it is the cheapest, its leaves, its risk."""

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


def cost_complexity_path(tree: Tree, *, risk: Impurity = misclassification) -> Iterator[Step]:
    """The trees that are cheapest for some alpha, largest first, made as they are asked for.

    Each is a pruning of the one before and shares with it what was not cut; alphas rise from 0, and links that are
    equally weak are cut together. Finding all alphas takes n log n in nodes, at any depth; a step costs the way from
    its cuts to the root.

    >>> from ftree import Dataset, grow
    >>> tree = grow(Dataset.from_rows([["a"], ["b"], ["b"], ["c"]], ["no", "yes", "yes", "no"]))
    >>> [(step.alpha, step.leaves, step.risk) for step in cost_complexity_path(tree)]
    [(0.0, 3, 0.0), (0.25, 1, 0.5)]
    """
    _check_risk(risk)
    return _steps(tree, risk)


def _steps(tree: Tree, risk: Impurity) -> Iterator[Step]:
    survey = surveyed(tree)
    below, nodes = survey.below, list(survey.nodes)
    risks = weighted_risks(nodes, risk)
    ends = [number for number, kids in enumerate(below) if not kids]
    leaves, left = len(ends), sum(risks[number] for number in ends)
    groups = list(_grouped(_weakest_links(risks, below)))
    for alpha, links in groups if groups and not groups[0][0] else [(0.0, []), *groups]:
        leaves -= sum(lost for _, lost, _ in links)
        left += sum(rise * lost for rise, lost, _ in links)
        _cut({number for _, _, number in links}, nodes, survey)
        yield Step(alpha, alpha / risks[0] if risks[0] else 0.0, leaves, left, nodes[0], tree)


def weighted_risks(nodes: Sequence[Node], risk: Impurity) -> list[float]:
    """The risk of each node as a leaf, by its share of the first one's cases; the risk is asked once for all."""
    counts = np.array([node.counts for node in nodes], dtype=np.float64)
    weights = counts.sum(axis=1)
    listed: list[float] = (np.asarray(risk(counts)) * weights / (weights[0] or 1.0)).tolist()
    return listed


@gc_paused()
def _weakest_links(risks: Sequence[float], below: Sequence[range]) -> list[_Link]:
    """The branches that are cut on the path, the first to go first.

    For a branch, the cost of its cheapest pruning is a concave, piecewise linear function of alpha: the least of the
    leaf's line, R + alpha, and of the sum of its children's functions. A heap holds the kinks of that sum, the
    largest alpha on top. The leaf's line crosses the sum once, and hides the kinks beyond, so each is taken out once.
    """
    # A kink is (-alpha, lost, number), since heaps have their least on top.
    heaps: list[list[_Link]] = [[]] * len(risks)
    for number in reversed(range(len(risks))):
        kids = below[number]
        if kids:
            heap = _melded([heaps[child] for child in kids])
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
    """Risk saved per leaf spent; a branch with a single leaf saves nothing and costs a question."""
    alpha = saved / (leaves - 1) if leaves > 1 else 0.0
    return 0.0 if alpha < 0 or same(alpha, 0) else alpha


def _melded(heaps: list[list[_Link]]) -> list[_Link]:
    """One heap of several, the smaller pushed onto the largest."""
    largest, *others = sorted(heaps, key=len, reverse=True)
    for kink in chain.from_iterable(others):
        heappush(largest, kink)
    return largest or []  # not the one empty list that all leaves share


def _grouped(links: Iterable[_Link]) -> Iterator[tuple[float, list[_Link]]]:
    """Links with the same alpha, but for rounding, together; the alpha is the largest of them."""
    group: list[_Link] = []
    for link in links:
        if group and not same(group[-1][0], link[0]):
            yield group[-1][0], group
            group = []
        group.append(link)
    if group:
        yield group[-1][0], group


@gc_paused()
def _cut(numbers: set[int], nodes: list[Node], survey: Survey) -> None:
    """Make leaves of the nodes with these numbers, and make their ancestors anew, each once."""
    stale: set[int] = set()
    for number in numbers:
        nodes[number] = Leaf(nodes[number].counts)
        above = survey.parents[number]
        while above >= 0 and above not in stale:
            stale.add(above)
            above = survey.parents[above]
    for number in sorted(stale - numbers, reverse=True):
        node, kids = cast("Branch", nodes[number]), survey.below[number]
        nodes[number] = Branch(node.counts, node.split, nodes[kids.start : kids.stop])


def _check_risk(risk: Any) -> None:
    if not callable(risk):
        message = f"risk is a function of class counts such as misclassification or gini; {risk!r} came."
        raise TypeError(message)
