"""The nearest leaf with another label, reached with as few and as small changes of a row as possible.

A visit is a node that the row reaches with some new values. The search starts at the root and goes on from the visit with the
lowest cost, the number of changes and then their size, to all children of its node. On the way, the conditions limit each tested
feature to a region, and the new value is the one of the region that is nearest to the row's. Regions only shrink, so costs only
grow: the first leaf with another label is the nearest one. Only sums, of which one feature at a time is changed, and surrogates,
by which a change may send the row elsewhere, can hide a nearer one.

For example, let a tree answer "no" up to a wind of 3, "yes" up to 5, and "no" above. For a wind of 6, the visits are the root at
the cost (0, 0), the leaf above 5 at (0, 0), and wind <= 5 at (1, 1/3): its nearest value 5 is changed by 1, a third of the range
from 3 to 6. Below it, the leaf of 3 to 5 has the same cost and another label. So the answer is one change, to 3 < wind <= 5.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import chain, count
from math import inf, isnan, nan, nextafter
from typing import Any, NamedTuple, cast

import numpy as np
from attrs import evolve, field, frozen

from ftree.routing.missing_rules import child_sizes, one_route
from ftree.tree.conditions import Between, OneOf, SumBetween, weighted_sum, without_text
from ftree.tree.logic import both, intervals_of
from ftree.tree.nodes import Branch, Leaf, Link, Node, PredictionRule, Tree, children, path_along, preorder
from ftree.tree.response import Counts
from ftree.tree.schema import Feature
from ftree.tree.splits.split import UNKNOWN, Columns, Split, child_of, primary

# Sums may differ by this share of their size through rounding.
_ROUNDING = 1e-12


class Region(NamedTuple):
    """Known values of a feature, numbers or codes, None for none; and whether a missing value belongs to them."""

    known: Between | OneOf | None
    missing: bool


@frozen
class Visit:
    """A node that a changed row may reach: new values by feature number, and the regions to which the path limits features.

    `answer` is the nearest node with cases, which labels this one. `cost` is the number of changes, then the sum of their sizes.
    """

    node: Node
    answer: Node
    link: Link = None
    values: Mapping[int, float] = field(factory=dict)
    regions: Mapping[int, Region] = field(factory=dict)
    cost: tuple[int, float] = (0, 0.0)

    def changed(self, columns: Columns) -> Columns:
        """The columns of the row with its new values."""
        return tuple([np.array([self.values.get(number, column[0])], column.dtype) for number, column in enumerate(columns)])


def nearest_other(
    tree: Tree, columns: Columns, rule: PredictionRule, differs: Callable[[Columns, Counts], bool], *, known_only: bool = False
) -> Visit | None:
    """Where one row would get another label with the fewest changed features, and then the smallest changes; else None.

    `differs` says whether the label is another one, given the columns of the changed row and the counts of the node that answers
    it. With `known_only`, all splits on its way have an answer for the changed row.

    At a weighted sum, one feature at a time is changed. At splits that state no such conditions, the search follows the unchanged
    row.
    """
    row = [column[0].item() for column in columns]
    scales, turns, heap = _scales(tree, row), count(1), [((0, 0.0), 0, Visit(tree.root, tree.root))]
    while heap:
        _, _, visit = heappop(heap)
        ends = _followed(tree, visit.node, columns, visit.values, rule) is None
        ends = ends and not (known_only and isinstance(visit.node, Branch))
        if ends and differs(visit.changed(columns), visit.answer.counts) and _arrives(tree, columns, visit, rule):
            return visit
        for after in _onward(tree, columns, row, visit, rule):
            costed = after if after.values == visit.values else evolve(after, cost=_cost(row, scales, after.values))
            heappush(heap, (costed.cost, next(turns), costed))  # of equal costs, the first comes first
    return None


def _onward(tree: Tree, columns: Columns, row: list[float], visit: Visit, rule: PredictionRule) -> Iterator[Visit]:
    """The row at each child of a branch, with the changes that lead there."""
    branch = visit.node
    if not isinstance(branch, Branch):
        return
    current, default = _followed(tree, branch, columns, visit.values, rule), one_route(rule, child_sizes(branch, tree.schema))
    own = primary(branch.split)
    number = own.features[0]
    unknown = is_unknown(visit.values.get(number, row[number]))
    feature = tree.schema.features[number]
    of_children = regions_of(own, feature, default=default) if len(own.features) == 1 else [[] for _ in branch.children]
    for child, (node, regions) in enumerate(zip(branch.children, of_children, strict=True)):
        below = evolve(visit, node=node, link=(visit.link, child), answer=node if any(node.counts) else visit.answer)
        if not regions:
            yield from [below] if child == current else _by_sum(own, child, row, below)
        for region in regions:  # where a value is missing, the rule or a surrogate may decide
            missing = region.missing or (unknown and child == current)
            yield from _within(tree, row, below, number, region._replace(missing=missing))


def _within(tree: Tree, row: list[float], visit: Visit, number: int, region: Region) -> Iterator[Visit]:
    """The row with one more feature limited to a region; nothing if the region is empty."""
    feature = tree.schema.features[number]
    left = _common(visit.regions[number], region) if number in visit.regions else region
    value = nearest_value(left, feature, row[number])
    if value is not None:
        others = {key: each for key, each in visit.values.items() if key != number}
        same = value == row[number] or (is_unknown(value) and is_unknown(row[number]))
        yield evolve(visit, values=others if same else {**others, number: value}, regions={**visit.regions, number: left})


def _by_sum(split: Split, child: int, row: list[float], visit: Visit) -> Iterator[Visit]:
    """The row with one feature of a weighted sum changed, so that the sum lies on the other side."""
    stated = without_text(split.conditions[child])
    if not isinstance(stated, SumBetween):
        return
    used = [(int(number), weight) for number, weight in zip(stated.features, stated.weights, strict=True) if weight]
    values = [float(visit.values.get(number, row[number])) for number, _ in used]
    weights = [weight for _, weight in used]
    slack = _ROUNDING * (1 + sum(abs(weight * value) for weight, value in zip(weights, values, strict=True)))
    for (number, weight), value in zip(used, values, strict=True):
        rest = weighted_sum(weights, values) - weight * value
        ends = sorted(((stated.above + slack - rest) / weight, (stated.at_most - slack - rest) / weight))
        before = visit.regions.get(number, Region(Between(number), missing=True))
        left = _common(before, Region(Between(number, *ends), missing=False))
        allowed = left.known
        moved = nan if not isinstance(allowed, Between) else min(max(value, allowed.above), allowed.at_most)
        if abs(moved) < inf:
            yield evolve(visit, values={**visit.values, number: moved}, regions={**visit.regions, number: left})


def _followed(tree: Tree, node: Node, columns: Columns, values: Mapping[int, float], rule: PredictionRule) -> int | None:
    """The child that the changed row goes to, None where it ends."""
    if isinstance(node, Leaf):
        return None
    used = node.split.features
    cells = (np.array([values[number]], columns[number].dtype) if number in values else columns[number] for number in used)
    child = int(child_of(node.split, *cells)[0])
    return one_route(rule, child_sizes(node, tree.schema)) if child == UNKNOWN else child


def _arrives(tree: Tree, columns: Columns, visit: Visit, rule: PredictionRule) -> bool:
    """Whether the changed row takes this path: a change may divert it at a surrogate or a sum higher up."""
    node = tree.root
    for child in path_along(visit.link):
        if child != _followed(tree, node, columns, visit.values, rule):
            return False
        node = children(node)[child]
    return True


def _cost(row: list[float], scales: Mapping[int, float], values: Mapping[int, float]) -> tuple[int, float]:
    """The number of changes and the sum of their sizes, 1 for one to or from a missing value, and for one without a scale."""
    sizes = [
        1.0 if is_unknown(value) or is_unknown(row[number]) or number not in scales else abs(value - row[number]) / scales[number]
        for number, value in values.items()
    ]
    return len(sizes), sum(sizes)


def _scales(tree: Tree, row: list[float]) -> dict[int, float]:
    """The change of size 1 by feature: the range of the tree's thresholds and the row's value; the number of ordinal values."""
    ends: dict[int, list[float]] = {}
    for node in preorder(tree):
        own = primary(node.split) if isinstance(node, Branch) else None
        if own is not None and len(own.features) == 1:
            listed = chain.from_iterable(intervals_of(stated) or () for stated in own.conditions)
            ends.setdefault(own.features[0], []).extend(chain.from_iterable(listed))
    found = {}
    for number, feature in enumerate(tree.schema.features):
        known = [end for end in (*ends.get(number, ()), row[number]) if abs(end) < inf]
        if feature.kind == "ordinal":
            found[number] = float(len(feature.values))
        elif feature.kind == "numeric" and max(known, default=0) > min(known, default=0):
            found[number] = max(known) - min(known)
    return found


def regions_of(split: Split, feature: Feature, *, default: int | None = None) -> list[list[Region]]:
    """The values of its only feature that a split sends to each child, as regions; none if they are not intervals that it states.

    Codes that the split does not know go to the child `default`.

    >>> from ftree.tree import Threshold
    >>> regions_of(Threshold(0, 2.0), Feature("x", "numeric"))[1]
    [Region(known=Between(feature=0, above=2.0, at_most=inf), missing=False)]
    """
    (number,) = split.features
    if feature.kind == "numeric":
        lacking = int(child_of(split, np.array([nan]))[0])
        stated = enumerate(map(intervals_of, split.conditions))
        return [_numeric_regions(number, listed, missing=lacking == child) for child, listed in stated]
    lacking, *answers = child_of(split, np.arange(UNKNOWN, len(feature.values))).tolist()
    codes: list[list[int]] = [[] for _ in range(split.n_children)]
    for code, answer in enumerate(answers):
        child = default if answer == UNKNOWN else answer
        if child is not None:
            codes[child].append(code)
    return [[Region(OneOf(number, own) if own else None, missing=lacking == child)] for child, own in enumerate(codes)]


def _numeric_regions(feature: int, intervals: Sequence[tuple[float, float]] | None, *, missing: bool) -> list[Region]:
    """Intervals as regions, one without known values if there are no intervals; none if these are not stated."""
    return (
        [] if intervals is None else [Region(Between(feature, *each), missing) for each in intervals] or [Region(None, missing)]
    )


def _common(one: Region, other: Region) -> Region:
    """The values that belong to two regions of a feature."""
    known: Any = None if one.known is None or other.known is None else both(one.known, other.known)
    return Region(known, missing=one.missing and other.missing)


def nearest_value(region: Region, feature: Feature, value: float) -> float | None:
    """The value of a region that is nearest to a number or a code, missing only if there is no other; None in an empty region.

    NaN and negative codes are missing. A missing one that must be known counts from 0, and is 0 where any number will do. All
    other codes of a nominal feature are equally near, so any of them will do.

    >>> nearest_value(Region(Between(0, at_most=2.5), missing=False), Feature("x", "numeric"), 7.0)
    2.5
    >>> nearest_value(Region(Between(0), missing=False), Feature("x", "numeric"), nan)
    0.0
    """
    if is_unknown(value) and region.missing:
        return value
    match region.known:
        case Between(_, above, at_most):
            start = 0.0 if is_unknown(value) else value
            nearest = at_most if start > at_most else max(start, nextafter(above, inf))
            return nearest if above < nearest <= at_most and abs(nearest) < inf else None
        case OneOf(_, values):
            start = 0 if is_unknown(value) else value
            return min(cast("Sequence[int]", values), key=lambda code: abs(code - start))
    return (nan if feature.kind == "numeric" else UNKNOWN) if region.missing else None


def is_unknown(value: float) -> bool:
    """Whether a number (a float) or a code (an int) stands for a missing value."""
    return value < 0 if isinstance(value, int) else isnan(value)
