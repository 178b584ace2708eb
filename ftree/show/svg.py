"""A tree as a picture in SVG: nodes on levels or on one line, branches as wide as the cases that follow them, and a legend."""

from collections.abc import Iterator, Sequence
from functools import partial
from math import inf
from typing import Any

from ftree._lib.fields import is_finite, require_boolean, require_one_of
from ftree._lib.messages import short_repr
from ftree.criteria.impurity import Impurity
from ftree.criteria.impurity_of_sums import impurity_for
from ftree.data.dataset import Dataset
from ftree.show.looks import IN_LEGEND
from ftree.show.node_boxes import NodeBox, box_of, node_element
from ftree.show.node_figures import Histogram, figures, histograms
from ftree.show.outline import OutlineNode, outline
from ftree.show.pictures import INK, LINE, MARGIN, PAPER, Document, Theme, box, framed, shortened, text_width, tooltip, words
from ftree.show.tidy_layout import columns, tidy
from ftree.tree.formats import format_number, printable
from ftree.tree.nodes import Tree, tree_of

# Between neighbours on a level, and under the legend.
_NODE_GAP, _LEGEND_GAP = 14.0, 14.0
# The maximum width of the legend of a narrower tree.
_LEGEND_WIDTH = 400.0
# The shares of the usual room for texts that are tried where a picture is too wide.
_LESS_ROOM = (0.75, 0.5, 0.35)


def draw(
    tree: Tree,
    *,
    max_depth: int | None = None,
    max_leaves: int | None = 1000,
    leaf_charts: bool = False,
    impurity: Impurity | None = None,
    dataset: Dataset | None = None,
    digits: int | None = None,
    width: float | None = None,
    theme: Theme = "light",
) -> Document:
    """Draw a tree as SVG, which needs no other file or program: `draw(tree).save("tree.svg")` saves it, a notebook shows it.

    A node shows the expression that its split tests, or its label; a bar of its class counts; and the counts, or, if there are
    more than three classes, how many cases have the most frequent one. The width of a branch is proportional to its cases. Long
    texts are shortened; tooltips have longer texts and all counts. In a regression tree, a leaf shows its mean, the deviation,
    and its cases; the bar is the range of all leaves, with a mark at the mean in a band of one deviation to each side.

    `max_depth` closes branches at that depth, `max_leaves` those with the fewest cases; "… 3 more leaves" counts hidden
    leaves. Hundreds of leaves are easier to read with `max_leaves=50`, or as a `page`. Without limits (None), a tree 100,000 deep
    becomes a picture that no program opens. With `leaf_charts`, all leaves stand on one line, each as a chart of its class
    distribution, or of its mean, as partykit draws them. With an `impurity`, such as `entropy`, or `variance` of numbers, each
    node shows its own, and each branch the gain of its split. With a `dataset`, each branch at a number shows the histogram of
    its rows with its threshold. Thresholds have all digits that tell rows apart, or `digits` significant ones.

    A picture is at most `width` pixels wide, of which a page of A4 has about 650 between its margins: texts are shortened
    more, and if that is not enough, the whole picture is made smaller.

    `theme` is "light", "dark", or "auto": dark where the reader's screen is.

    Raises a TypeError for anything but a Tree, a dataset that is none, and for `leaf_charts` that is neither True nor False; a
    ValueError for limits that are not whole numbers, for a width that is no number above 0, for an impurity that is not about the
    response, and for another theme.

    >>> from ftree import datasets, grow
    >>> drawing = draw(grow(datasets.weather()))
    >>> drawing.text[:4], drawing.text.count("<title>")
    ('<svg', 18)
    """
    require_boolean("leaf_charts", leaf_charts)
    require_one_of("theme", theme, ("light", "dark", "auto"))
    if not (width is None or (is_finite(width) and width > 0)):
        raise ValueError(f"width must be None or a number of pixels above 0, got {short_repr(width)}.")
    tree = tree_of(tree)
    shown = outline(tree, max_depth=max_depth, max_leaves=max_leaves, digits=digits)
    charts = {} if dataset is None else histograms(tree.schema, shown, dataset)
    told = [""] * len(shown) if impurity is None else figures(tree.schema, shown, impurity_for(tree.schema, impurity))
    most = inf if width is None else float(width)
    boxes, middles, wide = _layout(shown, told, charts, 1.0, leaf_charts=leaf_charts)
    for room in _LESS_ROOM:
        if wide + 2 * MARGIN > most:
            boxes, middles, wide = _layout(shown, told, charts, room, leaf_charts=leaf_charts)
    key, key_width, above = _legend(tree.schema.target, shown[0].looks.legend(), max(wide, min(_LEGEND_WIDTH, most - 2 * MARGIN)))
    level = _LEVEL_GAP + max(each.box_height for each in boxes if each.part.below or not leaf_charts or len(boxes) == 1)
    tops = [above + _LEGEND_GAP + depth * level for depth in _depths(shown, on_one_line=leaf_charts)]
    high = max(top + each.height for top, each in zip(tops, boxes, strict=True))
    parts = [*key, *_edges(shown, boxes, middles, tops)]
    parts += [node_element(*placed) for placed in zip(range(len(shown)), boxes, middles, tops, strict=True)]
    return Document(framed(_title(tree, shown), parts, max(wide, key_width), high, theme, most), "svg")


def _layout(
    shown: Sequence[OutlineNode], told: Sequence[str], charts: dict[int, Histogram], room: float, *, leaf_charts: bool
) -> tuple[list[NodeBox], Sequence[float], float]:
    """The boxes of nodes with a share of the usual room for texts, their middles, and the width of all of them."""
    made = partial(box_of, leaf_charts=leaf_charts, room=room)
    boxes = [made(part, text, charts.get(number)) for number, (part, text) in enumerate(zip(shown, told, strict=True))]
    middles = (columns if leaf_charts else tidy)([part.below for part in shown], [each.width + _NODE_GAP for each in boxes])
    return boxes, middles, max(middle + each.width / 2 for middle, each in zip(middles, boxes, strict=True))


def _depths(shown: Sequence[OutlineNode], *, on_one_line: bool) -> list[int]:
    """The level on which each node stands."""
    deepest = max(part.depth for part in shown)
    return [deepest if on_one_line and not part.below else part.depth for part in shown]


def _edges(
    shown: Sequence[OutlineNode], boxes: Sequence[NodeBox], middles: Sequence[float], tops: Sequence[float]
) -> Iterator[str]:
    widths = bands(shown)
    for number, part in enumerate(shown[1:], 1):
        start, end = (middles[part.parent], tops[part.parent] + boxes[part.parent].box_height), (middles[number], tops[number])
        yield _edge(number, part, boxes[number].condition, widths[number], start, end)


def _title(tree: Tree, shown: Sequence[OutlineNode]) -> str:
    """The text for readers who do not see the picture."""
    hidden = sum(part.hidden for part in shown)
    leaves = hidden + sum(not part.below and not part.hidden for part in shown)
    more = f", of which {hidden} are not shown" if hidden else ""
    return f"Decision tree for {tree.schema.target} with {leaves} {'leaf' if leaves == 1 else 'leaves'}{more}"


# Between the lower side of a parent and the upper side of a child on the next level.
_LEVEL_GAP = 62.0
# The width of all cases together, and the minimum width of a band.
_ALL_CASES, _THINNEST = 16.0, 1.0


def bands(shown: Sequence[OutlineNode]) -> list[tuple[float, float]]:
    """The width of each node's band, and its start to the right of its parent's middle: bands start side by side."""
    total = shown[0].cases or 1
    widths = [max(_ALL_CASES * part.cases / total, _THINNEST) for part in shown]
    starts = [0.0] * len(shown)
    for part in shown:
        place = -sum(widths[kid] for kid in part.below) / 2
        for kid in part.below:
            starts[kid], place = place + widths[kid] / 2, place + widths[kid]
    return list(zip(widths, starts, strict=True))


def _edge(
    number: int, part: OutlineNode, label: str, band: tuple[float, float], start: tuple[float, float], end: tuple[float, float]
) -> str:
    """A band from the lower side of a parent to the upper side of a child, and the condition above the child.

    It is curved between two levels, and vertical along the following levels.
    """
    (width, offset), (x, y), (to_x, to_y) = band, start, end
    middle, turned = y + _LEVEL_GAP / 2 - 6, y + _LEVEL_GAP
    curve = f"M{x + offset:.1f} {y:.1f}C{x + offset:.1f} {middle:.1f} {to_x:.1f} {middle:.1f} {to_x:.1f} {turned:.1f}V{to_y:.1f}"
    cases = f"cases: {format_number(part.cases, decimals=2)}"
    line = f'<path d="{curve}" fill="none" stroke="{LINE}" stroke-width="{width:.1f}"/>'
    halo = f' stroke="{PAPER}" stroke-width="4" stroke-linejoin="round" paint-order="stroke"'
    return (
        f'<g class="edge" data-node="{number}">{tooltip([part.condition, cases])}{line}{words(label, to_x, to_y - 9, halo)}</g>'
    )


# The legend of a drawn tree.


_ROW, _SQUARE, _LABEL_WIDTH = 20.0, 12.0, 150.0
_AT_START = ' text-anchor="start"'
_BOLD_START = f'{_AT_START} font-weight="600"'


def _legend(name: str, keys: Sequence[tuple[str, Any]], width: float) -> tuple[list[str], float, float]:
    """The elements of a legend with its upper left corner at 0, its width, and its height; it is about `width` wide.

    Keys are colours with what they stand for. With very many classes, it gives the number of those omitted.
    """
    target = shortened(printable(name), _LABEL_WIDTH)
    x, y, widest = text_width(target) + 2 * _SQUARE, 0.0, 0.0
    parts = [f"<g>{tooltip([name])}{words(target, 0, 10, _BOLD_START)}</g>"]
    first = x
    for shade, label in keys[:IN_LEGEND]:
        short = shortened(printable(label), _LABEL_WIDTH)
        step = text_width(short) + 3 * _SQUARE
        if x > first and x + step > width:
            x, y = first, y + _ROW
        square = box(x, y, _SQUARE, _SQUARE, f'fill="{shade}" stroke="{INK}" stroke-width="0.4"')
        parts.append(f"<g>{tooltip([label])}{square}{words(short, x + 1.5 * _SQUARE, y + 10, _AT_START)}</g>")
        x += step
        widest = max(widest, x)
    if len(keys) > IN_LEGEND:
        y += _ROW
        parts.append(words(f"… {len(keys) - IN_LEGEND} more classes", first, y + 10, _AT_START))
    return parts, widest, y + _ROW
