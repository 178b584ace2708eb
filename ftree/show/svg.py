"""A tree as a picture in SVG: boxes on levels or on one line, branches as wide as the cases that follow them, and a legend.

A box has its node's texts, the bar or the chart of its answer, and the histogram of a branch.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from math import inf
from typing import Any

from attrs import frozen

from ftree._lib.fields import is_finite, require_boolean, require_one_of
from ftree._lib.messages import short_repr
from ftree.criteria.impurity import Impurity
from ftree.criteria.impurity_of_sums import impurity_for
from ftree.data.dataset import Dataset
from ftree.show.looks import IN_LEGEND, Looks
from ftree.show.node_figures import Histogram, figures, histograms
from ftree.show.outline import OutlineNode, outline
from ftree.show.pictures import (
    INK,
    LINE,
    MARGIN,
    PALE_INK,
    PAPER,
    Document,
    Theme,
    box,
    framed,
    shortened,
    text_width,
    tooltip,
    words,
)
from ftree.show.tidy_layout import columns, tidy
from ftree.tree.describe import answered
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
    least = max(wide, min(_LEGEND_WIDTH, most - 2 * MARGIN))
    key, key_width, above = _legend(answered(tree.schema), shown[0].looks.legend(), least)
    level = _LEVEL_GAP + max(each.box_height for each in boxes if each.part.below or not leaf_charts or len(boxes) == 1)
    tops = [above + _LEGEND_GAP + depth * level for depth in _depths(shown, on_one_line=leaf_charts)]
    high = max(top + each.height for top, each in zip(tops, boxes, strict=True))
    parts = [*key, *_edges(shown, boxes, middles, tops)]
    parts += [node_element(*placed) for placed in zip(range(len(shown)), boxes, middles, tops, strict=True)]
    return Document(framed(_title(tree, shown), parts, max(wide, key_width), high, theme, most), "svg")


def _layout(
    shown: Sequence[OutlineNode], told: Sequence[str], charts: dict[int, Histogram], room: float, *, leaf_charts: bool
) -> tuple[list["NodeBox"], Sequence[float], float]:
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
    shown: Sequence[OutlineNode], boxes: "Sequence[NodeBox]", middles: Sequence[float], tops: Sequence[float]
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
    return f"Decision tree for {answered(tree.schema)} with {leaves} {'leaf' if leaves == 1 else 'leaves'}{more}"


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


# The heights of the parts of a box, from its top; first the title.
_TITLE = 24.0
_HISTOGRAM, _SCALE = 44.0, 18.0  # its bars, and the ends of their scale
_BAR, _CHART, _CHART_GAP = 10.0, 86.0, 2.0  # the answer is a bar, or a chart with a gap under it
_COUNTS, _FIGURES = 20.0, 15.0
_MORE = 20.0  # under the box: "… 3 more leaves"
# How far below the top of its part the baseline of a text is.
_TITLE_BASE, _SCALE_BASE, _COUNTS_BASE, _FIGURES_BASE, _MORE_BASE = 17.0, 11.0, 14.0, 8.0, 14.0
# Wider texts are shortened; a weighted sum takes more room than a name.
_LABEL, _HEADING, _LEAST = 150.0, 260.0, 74.0
_PADDING = 10.0
# All bars of class counts have one width, so that equal lengths are equal shares.
_BAR_WIDTH = _LEAST - 2 * _PADDING
_SMALL = f' font-size="11" fill="{PALE_INK}"'
# The least width of a node with a histogram, and how far the lines of its cuts reach below it.
_HISTOGRAM_WIDTH, _BELOW_AXIS = 140.0, 4.0
# The width of the bold labels of leaves relative to normal text.
_BOLD = 1.1


@frozen
class NodeBox:
    """The look of a node: the shortened texts in its box and above it, a line of figures, and its width."""

    part: OutlineNode
    heading: str
    condition: str
    figures: str
    histogram: Histogram | None
    is_chart: bool
    width: float

    @property
    def height(self) -> float:
        """The height of the box, and of the line under it."""
        return self.box_height + _MORE * bool(self.part.more)

    @property
    def box_height(self) -> float:
        """The height of the box."""
        answer = _CHART + _CHART_GAP if self.is_chart else _BAR
        histogram = (_HISTOGRAM + _SCALE) * (self.histogram is not None)
        return _TITLE + histogram + answer + _COUNTS + _FIGURES * bool(self.figures)


def box_of(part: OutlineNode, told: str, histogram: Histogram | None, *, leaf_charts: bool, room: float) -> NodeBox:
    """The look of a node with a line of figures; with `leaf_charts`, nodes without children are charts.

    Longer texts have the share `room` of their usual room.
    """
    title = shortened(part.heading, room * (_HEADING if part.below else _LABEL / _BOLD))
    condition, is_chart = shortened(part.short, room * _LABEL), leaf_charts and not part.below
    bars = 2.5 * _PADDING * part.looks.n_bars(part.node.counts) ** 0.5
    least = max(bars if is_chart else 0, _LEAST if histogram is None else _HISTOGRAM_WIDTH)
    texts = title, condition, part.figures, told, part.more
    width = max(least, *(_BOLD * text_width(text) + 2 * _PADDING for text in texts))
    return NodeBox(part, title, condition, told, histogram, is_chart, width)


def node_element(number: int, shown: NodeBox, x: float, top: float) -> str:
    """A node with its upper side at `top`: a box with three lines, of which the second is a bar; or a chart."""
    part, left = shown.part, x - shown.width / 2
    whole = tooltip(part.tooltip())
    frame = box(left, top, shown.width, shown.box_height, _frame(part))
    title = words(shown.heading, x, top + _TITLE_BASE, "" if part.below else ' font-weight="600"')
    bottom, inner = top + shown.box_height, (left + _PADDING, top + _TITLE, shown.width - 2 * _PADDING)
    under_figures = bottom - _FIGURES * bool(shown.figures)
    at_counts = under_figures - _COUNTS
    drawn = _chart(part, *inner) if shown.is_chart else _bar(part, x - _BAR_WIDTH / 2, at_counts - _BAR, _BAR_WIDTH)
    inside = "".join(drawn)
    if shown.histogram is not None:
        inside += "".join(_histogram(shown.histogram, part.looks, *inner))
    counts = words(part.figures, x, at_counts + _COUNTS_BASE, _SMALL)
    if shown.figures:
        counts += words(shown.figures, x, under_figures + _FIGURES_BASE, _SMALL)
    more = words(part.more, x, bottom + _MORE_BASE, f' font-style="italic" fill="{PALE_INK}"') if part.more else ""
    kind = "branch" if part.below else "closed" if part.hidden else "leaf"
    return f'<g class="{kind}" data-node="{number}">{whole}{frame}{title}{inside}{counts}{more}</g>'


def _frame(part: OutlineNode) -> str:
    """The attributes of a box: a leaf's has the colour of its class, a closed branch's is dashed."""
    shade = part.shade
    if part.below:
        return f'rx="6" fill="{PAPER}" stroke="{LINE}"'
    dashes = ' stroke-dasharray="5 3"' if part.hidden else ""
    return f'rx="6" fill="{shade}" fill-opacity="0.15" stroke="{shade}" stroke-width="1.5"{dashes}'


def _bar(part: OutlineNode, left: float, top: float, width: float) -> Iterator[str]:
    """The parts of the answer's bar in a frame, which is empty without cases."""
    for shade, start, length in part.looks.bar(part.node.counts):
        yield box(left + start * width, top, length * width, _BAR, f'fill="{shade}"')
    yield box(left, top, width, _BAR, f'fill="none" stroke="{INK}" stroke-width="0.6"')


def _chart(part: OutlineNode, left: float, top: float, width: float) -> Iterator[str]:
    """The answer as a chart in a frame, with a dotted line at one half."""
    yield box(left, top, width, _CHART, f'fill="{PAPER}" stroke="{LINE}" stroke-width="0.6"')
    middle = top + _CHART / 2
    yield f'<path d="M{left:.1f} {middle:.1f}h{width:.1f}" stroke="{LINE}" stroke-dasharray="2 2"/>'
    for shade, place, low, wide, high in part.looks.chart(part.node.counts):
        end = top + (1 - low - high) * _CHART
        yield box(left + place * width, end, wide * width, high * _CHART, f'fill="{shade}" stroke="{INK}" stroke-width="0.4"')


def _histogram(chart: Histogram, looks: Looks, left: float, top: float, width: float) -> Iterator[str]:
    """Bars of the colours upon each other, the cuts as lines, and the ends of the scale."""
    scale, each, tallest = top + _HISTOGRAM, width / len(chart.counts), chart.counts.sum(axis=1).max() or 1
    for place, counts in enumerate(chart.counts):
        floor = scale
        for number, count in enumerate(counts):
            if count:
                floor -= _HISTOGRAM * count / tallest
                yield box(left + place * each, floor, each, _HISTOGRAM * count / tallest, f'fill="{looks.shade(number)}"')
    yield f'<path d="M{left:.1f} {scale:.1f}h{width:.1f}" stroke="{INK}" stroke-width="0.6"/>'
    for cut in chart.cuts:
        yield f'<path d="M{left + cut * width:.1f} {top:.1f}v{_HISTOGRAM + _BELOW_AXIS:.1f}" stroke="{INK}" stroke-width="1.5"/>'
    sides = zip(chart.ends, (left, left + width), ("start", "end"), strict=True)
    yield from (words(end, x, scale + _SCALE_BASE, f' font-size="9" text-anchor="{side}"') for end, x, side in sides)
