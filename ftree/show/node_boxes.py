"""The boxes of nodes in a drawn tree: their texts, the bar or the chart of the answer, and the histogram of a branch."""

from collections.abc import Iterator

from attrs import frozen

from ftree.show.looks import Looks
from ftree.show.node_figures import Histogram
from ftree.show.outline import OutlineNode
from ftree.show.pictures import INK, LINE, PALE_INK, PAPER, box, shortened, text_width, tooltip, words

# The heights of a box with a bar, and of one with a chart.
_NODE_HEIGHT, _CHART_HEIGHT = 54.0, 132.0
# Wider texts are shortened; a weighted sum takes more room than a name.
_LABEL, _HEADING, _LEAST = 150.0, 260.0, 74.0
_PADDING = 10.0
# All bars of class counts have one width, so that equal lengths are equal shares.
_BAR_WIDTH = _LEAST - 2 * _PADDING
_SMALL = f' font-size="11" fill="{PALE_INK}"'
# The heights of a line of figures, and of a histogram with the ends of its scale; the least width of a node that has one.
_LINE, _HISTOGRAM, _HISTOGRAM_WIDTH = 15.0, 62.0, 140.0
# The width of the bold labels of leaves relative to normal text.
_BOLD = 1.1
# The height under a box for "… 3 more leaves".
_MORE_LINE = 20.0


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
        return self.box_height + (_MORE_LINE if self.part.more else 0)

    @property
    def box_height(self) -> float:
        """The height of the box."""
        lines = _LINE * bool(self.figures) + _HISTOGRAM * (self.histogram is not None)
        return (_CHART_HEIGHT if self.is_chart else _NODE_HEIGHT) + lines


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
    title = words(shown.heading, x, top + 17, "" if part.below else ' font-weight="600"')
    lower = top + shown.box_height - _LINE * bool(shown.figures)
    if shown.is_chart:
        inside = "".join(_chart(part, left + _PADDING, top + 24, shown.width - 2 * _PADDING))
    else:
        inside = "".join(_bar(part, x - _BAR_WIDTH / 2, lower - 30, _BAR_WIDTH))
    if shown.histogram is not None:
        inside += "".join(_histogram(shown.histogram, part.looks, left + _PADDING, top + 24, shown.width - 2 * _PADDING))
    counts = words(part.figures, x, lower - 6, _SMALL) + (words(shown.figures, x, lower + 8, _SMALL) if shown.figures else "")
    more = words(part.more, x, top + shown.box_height + 14, f' font-style="italic" fill="{PALE_INK}"') if part.more else ""
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
        yield box(left + start * width, top, length * width, 10, f'fill="{shade}"')
    yield box(left, top, width, 10, f'fill="none" stroke="{INK}" stroke-width="0.6"')


def _chart(part: OutlineNode, left: float, top: float, width: float) -> Iterator[str]:
    """The answer as a chart in a frame, with a dotted line at one half."""
    height = _CHART_HEIGHT - 46
    yield box(left, top, width, height, f'fill="{PAPER}" stroke="{LINE}" stroke-width="0.6"')
    middle = top + height / 2
    yield f'<path d="M{left:.1f} {middle:.1f}h{width:.1f}" stroke="{LINE}" stroke-dasharray="2 2"/>'
    for shade, place, low, wide, high in part.looks.chart(part.node.counts):
        end = top + (1 - low - high) * height
        yield box(left + place * width, end, wide * width, high * height, f'fill="{shade}" stroke="{INK}" stroke-width="0.4"')


def _histogram(chart: Histogram, looks: Looks, left: float, top: float, width: float) -> Iterator[str]:
    """Bars of the colours upon each other, the cuts as lines, and the ends of the scale."""
    high, each, tallest = _HISTOGRAM - 18, width / len(chart.counts), chart.counts.sum(axis=1).max() or 1
    for place, counts in enumerate(chart.counts):
        floor = top + high
        for number, count in enumerate(counts):
            if count:
                floor -= high * count / tallest
                yield box(left + place * each, floor, each, high * count / tallest, f'fill="{looks.shade(number)}"')
    yield f'<path d="M{left:.1f} {top + high:.1f}h{width:.1f}" stroke="{INK}" stroke-width="0.6"/>'
    for cut in chart.cuts:
        yield f'<path d="M{left + cut * width:.1f} {top:.1f}v{high + 4:.1f}" stroke="{INK}" stroke-width="1.5"/>'
    sides = zip(chart.ends, (left, left + width), ("start", "end"), strict=True)
    yield from (words(end, x, top + high + 11, f' font-size="9" text-anchor="{side}"') for end, x, side in sides)
