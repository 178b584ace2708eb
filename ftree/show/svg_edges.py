"""Branches of a drawn tree: bands as wide as the cases that follow them, with their conditions."""

from collections.abc import Sequence

from ftree.show.outline import OutlineNode
from ftree.show.svg import LINE, PAPER, tooltip, words
from ftree.tree.formats import format_number

# Between the lower side of a parent and the upper side of a child on the next level.
LEVEL_GAP = 62.0
# The width of all cases together, and the minimum width of a band.
_ALL_CASES, _THINNEST = 16.0, 1.0


def bands(shown: Sequence[OutlineNode]) -> list[tuple[float, float]]:
    """The width of each node's band, and its start to the right of its parent's middle: bands start side by side."""
    total = sum(shown[0].node.counts) or 1
    widths = [max(_ALL_CASES * sum(part.node.counts) / total, _THINNEST) for part in shown]
    starts = [0.0] * len(shown)
    for part in shown:
        place = -sum(widths[kid] for kid in part.below) / 2
        for kid in part.below:
            starts[kid], place = place + widths[kid] / 2, place + widths[kid]
    return list(zip(widths, starts, strict=True))


def edge(part: OutlineNode, label: str, band: tuple[float, float], start: tuple[float, float], end: tuple[float, float]) -> str:
    """A band from the lower side of a parent to the upper side of a child, and the condition above the child.

    It is curved between two levels, and vertical along the following levels.
    """
    (width, offset), (x, y), (to_x, to_y) = band, start, end
    middle, turned = y + LEVEL_GAP / 2 - 6, y + LEVEL_GAP
    curve = f"M{x + offset:.1f} {y:.1f}C{x + offset:.1f} {middle:.1f} {to_x:.1f} {middle:.1f} {to_x:.1f} {turned:.1f}V{to_y:.1f}"
    cases = f"cases: {format_number(sum(part.node.counts), decimals=2)}"
    line = f'<path d="{curve}" fill="none" stroke="{LINE}" stroke-width="{width:.1f}"/>'
    halo = f' stroke="{PAPER}" stroke-width="4" stroke-linejoin="round" paint-order="stroke"'
    return f'<g class="edge">{tooltip([part.condition, cases])}{line}{words(label, to_x, to_y - 9, halo)}</g>'
