"""A tree in the terminal, with colours, for the library rich: `rich.print(tree)`."""

from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import Any

from ftree.show.characters import printable
from ftree.show.outline import OutlineNode, outline, preordered
from ftree.show.palette import colour
from ftree.tree.formats import format_number
from ftree.tree.nodes import Tree

# Cells of a bar of class counts.
_CELLS = 10
# Guides beyond this depth would be unreadable; there a number gives the depth, as in the text.
_DEEPEST = 64


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

    shown = outline(tree)
    guides = [""] * len(shown)
    for number in preordered(shown):
        part = shown[number]
        fork, guides[number] = _guide(shown, guides, number)
        line = Text(fork + (part.condition or printable(tree.schema.target)), no_wrap=True, overflow="ellipsis")
        if not part.below:
            line.append(": ").append(printable(tree.schema.classes[part.answer]), f"bold {colour(part.answer)}")
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
