"""The nodes of a tree that a picture shows, with names and limits of depth and leaves, in a list."""

from collections.abc import Sequence
from heapq import heappop, heappush
from math import inf, isfinite
from typing import Any

from attrs import frozen

from ftree._lib.fields import require_whole_number
from ftree.show.looks import Looks, looks_of
from ftree.tree.conditions import Between, Condition, SumBetween, Wording, without_surrogates
from ftree.tree.describe import Arriving, arriving, describe_condition, tested_expression
from ftree.tree.fold import n_leaves
from ftree.tree.formats import format_number, printable
from ftree.tree.nodes import Branch, Node, Tree, children, tree_of
from ftree.tree.schema import Schema
from ftree.tree.splits.split import Split, stand_ins


@frozen(kw_only=True)
class OutlineNode:
    """A node that is shown, and all texts of it: each picture takes some of them.

    `parent` is its parent's number in the list, -1 for the root, `below` its children's. If the children are not shown, `hidden`
    counts the leaves below them. `condition` holds for rows that come from the parent, and `short` is the same without what the
    parent tests. `tested` is the expression that its own split tests, and `surrogates` are those in words; a node without
    shown children has neither. `answer` is the number of its colour, that of its class, and `label` its answer; a node without
    cases has its parent's. `looks` are those of all nodes.
    """

    node: Node
    parent: int
    depth: int
    below: range
    hidden: int
    condition: str
    short: str
    tested: str
    surrogates: tuple[str, ...]
    answer: int
    label: str
    looks: Looks

    @property
    def heading(self) -> str:
        """Its title: the expression that its split tests, or its label if no child is shown."""
        return f"{self.tested}?" if self.below else self.label

    @property
    def cases(self) -> float:
        """Its cases."""
        return self.looks.cases(self.node.counts)

    @property
    def figures(self) -> str:
        """Its counts; or the deviation of its mean, and its cases, after the mean if it is not the heading."""
        figures = self.looks.figures(self.node.counts)
        return f"{self.label} {figures}" if self.below and self.looks.in_figures else figures

    @property
    def more(self) -> str:
        """The number of hidden leaves in words; an empty text for none."""
        return f"… {self.hidden} more {'leaf' if self.hidden == 1 else 'leaves'}" if self.hidden else ""

    @property
    def shade(self) -> str:
        """The colour of its answer."""
        return self.looks.shade(self.answer)

    def tooltip(self) -> list[str]:
        """The lines that tell all about it; nothing in them is shortened."""
        cases = f"cases: {format_number(self.cases, decimals=2)}"
        return [self.heading, *self.surrogates, cases, *self.looks.words(self.node.counts)]


def outline(
    tree: Tree,
    *,
    max_depth: int | None = None,
    max_leaves: int | None = None,
    looks: Looks | None = None,
    digits: int | None = None,
) -> list[OutlineNode]:
    """The nodes that are shown, parents first, the children of a node consecutively.

    `max_depth` closes branches at that depth. With `max_leaves`, the branch with the most cases is opened first, while at most
    that many nodes without shown children result. `looks` are by default those of the tree. Numbers in conditions have so
    many significant `digits`, or all.

    Raises a TypeError for anything but a Tree, a ValueError for limits that are not whole numbers.

    >>> from ftree import datasets, grow
    >>> for part in outline(grow(datasets.weather()), max_leaves=3):
    ...     print((part.condition, part.short, part.heading, part.more))
    ('', '', 'outlook?', '')
    ('outlook = overcast', 'overcast', 'yes', '')
    ('outlook = rainy', 'rainy', 'yes', '… 2 more leaves')
    ('outlook = sunny', 'sunny', 'no', '… 2 more leaves')
    """
    tree = tree_of(tree)
    schema, wording = tree.schema, Wording(digits, tree.schema)
    looks = looks or looks_of(tree)
    nodes, parents, below = _opened(tree.root, looks, *_limits(max_depth, max_leaves))
    shown: list[OutlineNode] = []
    # Of each node the condition, whole and short, and what is known of features there.
    ways: list[tuple[str, str, Arriving]] = [("", "", {})] * len(nodes)
    for number, (node, parent, kids) in enumerate(zip(nodes, parents, below, strict=True)):
        condition, short, known = ways[number]
        tested, surrogates = "", tuple[str, ...]()
        if isinstance(node, Branch) and kids:
            tested, surrogates = printable(tested_expression(schema, node.split)), _in_words(schema, node.split)
            for kid, stated in zip(kids, node.split.conditions, strict=True):
                narrowed, then_known = arriving(schema, known, stated)
                told = printable(describe_condition(schema, narrowed, wording))
                ways[kid] = told, short_condition(tested, told, narrowed), then_known
        place = _place(node, parent, kids, shown[parent] if number else None, looks)
        shown.append(OutlineNode(**place, condition=condition, short=short, tested=tested, surrogates=surrogates, looks=looks))
    return shown


def _place(node: Node, parent: int, below: range, above: OutlineNode | None, looks: Looks) -> dict[str, Any]:
    """The fields of a node that say where it is and what it answers: without cases, what the node above it does."""
    answered = None if any(node.counts) else above
    return {
        "node": node,
        "parent": parent,
        "depth": 0 if above is None else above.depth + 1,
        "below": below,
        "hidden": 0 if below or not children(node) else n_leaves(node),
        "answer": looks.number(node.counts) if answered is None else answered.answer,
        "label": looks.label(node.counts) if answered is None else answered.label,
    }


# What stands between the tested expression and the rest of a condition, and what a short condition has in its place.
_SIGNS = {" <= ": "≤ ", " = ": "", " in ": "", " ": ""}


def short_condition(tested: str, told: str, stated: Condition) -> str:
    """A condition, which is told as a text, without the tested expression, which the node above shows; whole for an empty value.

    >>> from ftree.show import OneOf
    >>> short_condition("sky", "sky = in part", OneOf(0, (1,))), short_condition("age", "age <= 18", Between(0, at_most=18.0))
    ('in part', '≤ 18')
    >>> short_condition("1", "1 < 1 <= 18", Between(0, 1.0, 18.0))
    '1 < 1 ≤ 18'
    """
    own = without_surrogates(stated)
    if isinstance(own, Between | SumBetween) and isfinite(own.above) and isfinite(own.at_most):
        return told.replace(f" < {tested} <= ", f" < {tested} ≤ ", 1)
    for sign, short in _SIGNS.items():
        if told.startswith(tested + sign):
            return (short + told.removeprefix(tested + sign)).strip() or told
    return told


def _in_words(schema: Schema, split: Split) -> tuple[str, ...]:
    """A line for each surrogate: the condition for the first child if that of the split itself is unknown."""
    stated = (each.split.conditions[int(each.reversed)] for each in stand_ins(split))
    return tuple([printable(f"where unknown: {describe_condition(schema, each)}") for each in stated])


def _limits(max_depth: int | None, max_leaves: int | None) -> tuple[float, float]:
    """The limits as numbers; infinity for None."""
    for name, limit, least in (("max_depth", max_depth, 0), ("max_leaves", max_leaves, 1)):
        if limit is not None:
            require_whole_number(name, limit, least)
    return inf if max_depth is None else max_depth, inf if max_leaves is None else max_leaves


def _opened(root: Node, looks: Looks, max_depth: float, max_leaves: float) -> tuple[list[Node], list[int], list[range]]:
    """The nodes within the limits, the number of each node's parent, and the numbers of its children."""
    nodes, parents, below, depths = [root], [-1], [range(0)], [0]
    waiting, ends = [(-looks.cases(root.counts), 0)], 1
    while waiting:
        number = heappop(waiting)[1]
        kids = children(nodes[number])
        if not kids or depths[number] >= max_depth or ends + len(kids) - 1 > max_leaves:
            continue
        below[number], ends = range(len(nodes), len(nodes) + len(kids)), ends + len(kids) - 1
        for kid in kids:
            heappush(waiting, (-looks.cases(kid.counts), len(nodes)))
            nodes.append(kid)
            parents.append(number)
            below.append(range(0))
            depths.append(depths[number] + 1)
    return nodes, parents, below


def preordered(shown: Sequence[OutlineNode]) -> list[int]:
    """The numbers of the nodes, parents before children, left to right.

    >>> from ftree import datasets, grow
    >>> preordered(outline(grow(datasets.weather())))
    [0, 1, 2, 4, 5, 3, 6, 7]
    """
    stack, numbers = [0], []
    while stack:
        numbers.append(stack.pop())
        stack.extend(reversed(shown[numbers[-1]].below))
    return numbers
