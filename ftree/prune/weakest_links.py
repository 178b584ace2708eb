"""Weakest-link pruning: the nested trees each of which has the least cost for some alpha, and the one for a given alpha."""

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import chain, pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array, Floats, read_only
from ftree._lib.fields import name_of, one_of
from ftree._lib.objects import gc_paused
from ftree.criteria.impurity import Impurity, checked, misclassification, require_of_classes
from ftree.criteria.impurity_of_sums import default_impurity
from ftree.criteria.predicate import a_measure, is_rule
from ftree.prune.decisions import Pruned, same, same_each
from ftree.prune.passes import DecidingPass, LevelOrder, a_number_from, bottom_up, in_level_order, risks_of, with_root
from ftree.tree.edit import renew
from ftree.tree.nodes import Node, Tree, check_tree
from ftree.tree.response import Counts
from ftree.tree.schema import Schema, by_task

# The branches that are cut on the path: their alphas, the numbers of leaves that the cuts remove, their numbers.
WeakLinks: TypeAlias = tuple[Floats, Array, Array]
Kink: TypeAlias = tuple[float, int, int]


@frozen
class PathStep:
    """A tree of a cost-complexity path, with its number of leaves and its risk.

    `alpha` is the smallest price of a leaf at which the tree is the best pruning; the first alpha is 0, even if nothing is cut
    there. `root` is the root of the tree, and `grown` the tree from which the path starts. Links whose alphas differ by a
    relative 1e-10 or less are cut in one step, at the largest of these alphas. Risks and alphas are shares of the root's cases;
    `cp` is alpha divided by the risk of the root as a leaf, or 0 if that is 0.

    >>> from ftree import datasets, grow
    >>> [(step.leaves, round(step.alpha, 3)) for step in cost_complexity_path(grow(datasets.weather()))]
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

    The risk of a regression tree is the mean squared error.

    Raises a TypeError for a risk that is not a function, a ValueError for one that is not about the response.

    >>> from ftree import Dataset, grow
    >>> tree = grow(Dataset.from_rows([["a"], ["b"], ["b"], ["c"]], ["no", "yes", "yes", "no"]))
    >>> [(step.alpha, step.leaves, step.risk) for step in cost_complexity_path(tree)]
    [(0.0, 3, 0.0), (0.25, 1, 0.5)]
    """
    check_risk_is_function(risk)
    check_tree(tree)
    return _steps(tree, risk)


def check_risk_is_function(risk: Any) -> None:
    """Raise a TypeError for a risk that is not a function of class counts.

    >>> check_risk_is_function("gini")
    Traceback (most recent call last):
    TypeError: risk must be a function of class counts such as misclassification or gini, got 'gini'.
    """
    if not callable(risk) or isinstance(risk, type) or is_rule(risk):
        raise TypeError(f"risk must be a function of class counts such as misclassification or gini, got {name_of(risk)}.")


def require_risk(schema: Schema, risk: Impurity) -> None:
    """Raise a ValueError for a risk that is not about the response: without classes, any but the default and the response's own.

    >>> require_risk(Schema((), "ill", ("no", "yes")), misclassification)
    """
    if schema.has_classes:
        require_of_classes("risk", risk)
        return
    own = default_impurity(schema.response)
    if risk not in (misclassification, own):
        raise ValueError(f"risk must be {own}, or left out, for {by_task(schema.response.kind)}, got {name_of(risk)}.")


def _steps(tree: Tree, risk: Impurity) -> Iterator[PathStep]:
    order = in_level_order(tree)
    below, nodes = order.below, list(order.nodes)
    risks, unit = risks_and_unit(tree.schema, order.counts, risk)
    ends = [number for number, kids in enumerate(below) if not kids]
    leaves, left = len(ends), sum(risks[number] for number in ends)
    found = weakest_links(np.array([kids.start for kids in below]), np.array(list(map(len, below))), risks)
    links = list(zip(*(column.tolist() for column in found), strict=True))
    alphas, until = groups_of_path(found[0])
    for alpha, (begin, end) in zip(alphas, pairwise([0, *until.tolist()]), strict=True):
        leaves -= sum(lost for _, lost, _ in links[begin:end])
        left += sum(rise * lost for rise, lost, _ in links[begin:end])
        _cut({number for _, _, number in links[begin:end]}, nodes, order)
        yield PathStep(alpha * unit, alpha / risks[0] if risks[0] else 0.0, leaves, left * unit, nodes[0], tree)


def risks_and_unit(schema: Schema, counts: Sequence[Counts], risk: Impurity) -> tuple[list[float], float]:
    """The risk of nodes with these counts as leaves, times their share of the first node's cases, in multiples of the unit.

    The unit is 1 for classes. For others it is the risk of a case at the first node, so that rounding is relative to it.

    Raises a ValueError for a risk that is not about the response.
    """
    require_risk(schema, risk)
    if schema.has_classes:
        floats = np.array(counts, dtype=np.float64)
        cases = floats.sum(axis=1)
        shares: list[float] = (checked(risk, risk(read_only(floats)), cases.shape) * cases / (cases[0] or 1.0)).tolist()
        return shares, 1.0
    unit = schema.response.risk(counts[0]) / (counts[0][0] or 1)
    return risks_of(schema, counts), unit or 1.0


@gc_paused()
def weakest_links(first: Array, arity: Array, risks: Sequence[float]) -> WeakLinks:
    """The branches that are cut on the path, in the order of their alphas; nodes have `arity` children, from `first` on.

    For a branch, the cost of its best pruning is a concave, piecewise linear function of alpha: the least of the
    leaf's line, R + alpha, and of the sum of its children's functions. A heap holds the kinks of that sum, the
    largest alpha on top. The leaf's line crosses the sum once and removes the kinks beyond, so each kink is popped once.
    """
    # A kink is (-alpha, lost, number), since heaps have their smallest entry on top.
    heaps: list[list[Kink]] = [[]] * len(risks)
    begins, sizes = first.tolist(), arity.tolist()
    for number in reversed(range(len(risks))):
        if leaves := sizes[number]:
            kids = slice(begins[number], begins[number] + leaves)
            heap = _merged_heaps(heaps[kids])
            saved = risks[number] - sum(risks[kids])
            alpha = _crossing(saved, leaves)
            while heap and -heap[0][0] > alpha:
                minus, lost, _ = heappop(heap)
                saved, leaves = saved - minus * lost, leaves + lost
                alpha = _crossing(saved, leaves)
            heappush(heap, (-alpha, leaves - 1, number))
            heaps[number] = heap
            heaps[kids] = [[]] * sizes[number]
    cut = np.array(sorted((-minus, lost, number) for minus, lost, number in heaps[0]), np.float64).reshape(-1, 3)
    return cut[:, 0], cut[:, 1].astype(np.int64), cut[:, 2].astype(np.int64)


def _crossing(saved: float, leaves: int) -> float:
    """Risk saved for each leaf beyond the first; 0 for a branch with a single leaf, which is always cut."""
    alpha = saved / (leaves - 1) if leaves > 1 else 0.0
    return 0.0 if alpha < 0 or same(alpha, 0) else alpha


def _merged_heaps(heaps: list[list[Kink]]) -> list[Kink]:
    """One heap of several: the entries of the smaller heaps pushed onto the largest."""
    largest, *others = sorted(heaps, key=len, reverse=True)
    for kink in chain.from_iterable(others):
        heappush(largest, kink)
    return largest or []  # not the empty list that all leaves share


def groups_of_path(alpha: Floats) -> tuple[list[float], Array]:
    """Each alpha of the path, from 0 on, and where the links end that are cut there.

    Alphas of links are in order. Those that are equal except for rounding are a group, whose alpha is the largest.
    """
    ends = np.append(np.flatnonzero(~same_each(alpha[1:], alpha[:-1])) + 1, [len(alpha)] if len(alpha) else []).astype(np.int64)
    alphas = alpha[ends - 1].tolist()
    return (alphas, ends) if alphas and not alphas[0] else ([0.0, *alphas], np.append(0, ends))


@gc_paused()
def _cut(numbers: set[int], nodes: list[Node], order: LevelOrder) -> None:
    """Turn the nodes with these numbers into leaves, and rebuild each of their ancestors once."""
    stale: set[int] = set()
    for number in numbers:
        above = order.parents[number]
        while above >= 0 and above not in stale:
            stale.add(above)
            above = order.parents[above]
    renew(nodes, list(numbers), list(stale - numbers), order.below)


@frozen
class cost_complexity(DecidingPass):
    """The smallest of the prunings with the least R + alpha * leaves; R is the leaves' mean risk, weighted by cases.

    `risk` is misclassification (R is then the error rate), or any impurity; that of a regression tree is the mean squared error.
    With `scale="cp"`, alpha is in units of the root's risk, as rpart's cp is.

    In `decisions`, scores are R + alpha * leaves, of the branch as a leaf and of its pruned subtree; for a regression tree as
    shares of the root's risk.

    Raises a ValueError for a negative alpha, a TypeError for a risk that is not a function.

    >>> cost_complexity(0.01)
    cost_complexity(0.01, risk=misclassification, scale='alpha')
    """

    alpha: float = field(validator=a_number_from(0))
    risk: Impurity = field(default=misclassification, kw_only=True, validator=a_measure)
    scale: Literal["alpha", "cp"] = field(default="alpha", kw_only=True, validator=one_of("alpha", "cp"))
    prunes_regression = True

    def _prune(self, tree: Tree) -> Pruned:
        order = in_level_order(tree)
        risks, unit = risks_and_unit(tree.schema, order.counts, self.risk)
        price = self.alpha * risks[0] if self.scale == "cp" and risks[0] else self.alpha / unit
        return bottom_up(order, [risk + price for risk in risks])
