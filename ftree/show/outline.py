"""The nodes of a tree that a picture shows, with names and limits of depth and leaves, in a list and as coloured lines."""

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import accumulate, pairwise
from math import inf
from typing import Any

from attrs import frozen

from ftree._lib.fields import require_whole_number
from ftree.show.looks import Looks, colour, looks_of
from ftree.tree.conditions import Wording
from ftree.tree.describe import Arriving, arriving, describe_condition, tested_expression
from ftree.tree.fold import n_leaves
from ftree.tree.formats import format_number, printable
from ftree.tree.nodes import Branch, Node, Tree, children, tree_of
from ftree.tree.schema import Schema
from ftree.tree.splits.optional import stand_ins
from ftree.tree.splits.split import Split


@frozen
class OutlineNode:
    """A node that is shown: its position, the condition that leads to it, and its prediction.

    `parent` is its parent's number in the list, -1 for the root, `below` its children's. `condition` holds for rows that
    come from the parent; `answer` is the number of its colour, that of its class, and `label` its answer; a node without cases
    has its parent's. If the children are not shown, `hidden` counts the leaves below them. `looks` are those of all nodes.
    """

    node: Node
    parent: int
    depth: int
    condition: str
    answer: int
    label: str
    below: range
    hidden: int
    looks: Looks

    @property
    def cases(self) -> float:
        """Its cases."""
        return self.looks.cases(self.node.counts)

    @property
    def figures(self) -> str:
        """Its counts; the deviation of a mean, and its cases."""
        return self.looks.figures(self.node.counts, is_end=not self.below)

    @property
    def shade(self) -> str:
        """The colour of its answer."""
        return self.looks.shade(self.answer)


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
    >>> [(part.condition, part.hidden) for part in outline(grow(datasets.weather()), max_leaves=3)]
    [('', 0), ('outlook = overcast', 0), ('outlook = rainy', 2), ('outlook = sunny', 2)]
    """
    tree = tree_of(tree)
    wording = Wording(digits, tree.schema)
    looks = looks or looks_of(tree)
    nodes, parents, below = _opened(tree.root, looks, *_limits(max_depth, max_leaves))
    shown: list[OutlineNode] = []
    conditions: list[str] = [""] * len(nodes)
    known: list[Arriving] = [{}] * len(nodes)
    for number, node in enumerate(nodes):
        parent = parents[number]
        above = shown[parent] if number else None
        answer, label = looks.number(node.counts), looks.label(node.counts)
        if above is not None and not any(node.counts):
            answer, label = above.answer, above.label
        if isinstance(node, Branch) and below[number]:
            for kid, stated in zip(below[number], node.split.conditions, strict=True):
                narrowed, known[kid] = arriving(tree.schema, known[number], stated)
                conditions[kid] = printable(describe_condition(tree.schema, narrowed, wording))
        depth = 0 if above is None else above.depth + 1
        hidden = n_leaves(node) if isinstance(node, Branch) and not below[number] else 0
        shown.append(OutlineNode(node, parent, depth, conditions[number], answer, label, below[number], hidden, looks))
    return shown


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


def heading(schema: Schema, part: OutlineNode) -> str:
    """The title of a node: the expression that its split tests, or its label if no child is shown.

    >>> from ftree import datasets, grow
    >>> tree = grow(datasets.weather())
    >>> [heading(tree.schema, part) for part in outline(tree, max_depth=1)]
    ['outlook?', 'yes', 'yes', 'no']
    """
    if isinstance(part.node, Branch) and part.below:
        return f"{printable(tested_expression(schema, part.node.split))}?"
    return part.label


def short_condition(schema: Schema, split: Split, condition: str) -> str:
    """A condition without the tested expression, which the node above shows: `= rainy` becomes `rainy`.

    >>> from ftree import Feature
    >>> from ftree.tree import Threshold
    >>> schema = Schema([Feature("age", "numeric")], "ill", (False, True))
    >>> short_condition(schema, Threshold(0, 18), "age <= 18"), short_condition(schema, Threshold(0, 18), "1 < age <= 18")
    ('≤ 18', '1 < age ≤ 18')
    """
    rest = condition.removeprefix(printable(tested_expression(schema, split))).strip()
    return rest.removeprefix("= ").removeprefix("in ").replace("<=", "≤") or condition


def more_leaves(hidden: int) -> str:
    """The number of hidden leaves below a closed branch, in words; an empty text for 0.

    >>> more_leaves(0), more_leaves(1), more_leaves(12)
    ('', '… 1 more leaf', '… 12 more leaves')
    """
    return f"… {hidden} more {'leaf' if hidden == 1 else 'leaves'}" if hidden else ""


def surrogates_in_words(schema: Schema, split: Split) -> list[str]:
    """A line for each surrogate: the condition for the first child if that of the split itself is unknown."""
    return [
        printable(f"where unknown: {describe_condition(schema, each.split.conditions[int(each.reversed)])}")
        for each in stand_ins(split)
    ]


def everything(schema: Schema, part: OutlineNode) -> Iterator[str]:
    """The lines of a node's tooltip; nothing in them is shortened."""
    yield heading(schema, part)
    if isinstance(part.node, Branch) and part.below:
        yield from surrogates_in_words(schema, part.node.split)
    yield f"cases: {format_number(part.cases, decimals=2)}"
    yield from part.looks.words(part.node.counts)


# Cells of a bar of class counts; guides beyond this depth would be unreadable, and their number grow with its square.
_CELLS, _DEEPEST = 10, 24


def rich_lines(tree: Tree) -> Iterator[Any]:
    """A line for each node, as rich's `Text`: guides, the condition, the label of a leaf, and its class counts as a bar.

    Rich is imported here, since only rich calls this function.

    >>> from ftree import datasets, grow
    >>> for line in rich_lines(grow(datasets.weather())):
    ...     print(line.plain)
    play ██████████ 5 : 9
    ├── outlook = overcast: yes ██████████ 0 : 4
    ├── outlook = rainy ██████████ 2 : 3
    │   ├── windy = False: yes ██████████ 0 : 3
    │   └── windy = True: no ██████████ 2 : 0
    └── outlook = sunny ██████████ 3 : 2
        ├── humidity = high: no ██████████ 3 : 0
        └── humidity = normal: yes ██████████ 0 : 2
    """
    from rich.text import Text  # noqa: PLC0415  # only rich calls this function

    from ftree.show.indented_text import text  # noqa: PLC0415  # of trees without classes only

    if not tree.schema.has_classes:
        yield from map(Text, text(tree).split("\n"))
        return
    shown = outline(tree)
    guides = [""] * len(shown)
    for number in preordered(shown):
        part = shown[number]
        fork, guides[number] = _guide(shown, guides, number)
        line = Text(fork + (part.condition or printable(tree.schema.target)), no_wrap=True, overflow="ellipsis")
        if not part.below:
            line.append(": ").append(part.label, f"bold {part.shade}")
        line.append(" ")
        for shade, cells in _bar(part):
            line.append("█" * cells, shade)
        yield line.append(f" {' : '.join(format_number(count, decimals=2) for count in part.node.counts)}", "dim")


def _guide(shown: list[OutlineNode], guides: list[str], number: int) -> tuple[str, str]:
    """The guides before a node, and before the nodes below it."""
    part = shown[number]
    if not part.depth:
        return "", ""
    above = guides[part.parent]
    if part.depth > _DEEPEST:
        return f"{above}({part.depth}) ", above
    last = number == shown[part.parent].below[-1]
    return above + ("└── " if last else "├── "), above + ("    " if last else "│   ")


def _bar(part: OutlineNode) -> Iterator[tuple[str, int]]:
    """The colour and the number of cells of each class; nothing without cases."""
    total = sum(part.node.counts) or 1
    ends = [round(_CELLS * end / total) for end in accumulate(part.node.counts, initial=0)]
    for number, (start, end) in enumerate(pairwise(ends)):
        yield colour(number), end - start
