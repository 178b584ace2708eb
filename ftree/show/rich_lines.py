"""A tree as coloured lines of a terminal, by rich: guides, conditions, labels, and bars of class counts."""

from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import Any

from ftree.show.looks import colour
from ftree.show.outline import OutlineNode, outline, preordered
from ftree.tree.describe import answered
from ftree.tree.formats import format_number, printable
from ftree.tree.nodes import Tree

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
        line = Text(fork + (part.condition or printable(answered(tree.schema))), no_wrap=True, overflow="ellipsis")
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
