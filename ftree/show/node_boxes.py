"""The boxes of nodes in a drawn tree: their texts, the bar or the chart of the answer, and the histogram of a branch."""

from collections.abc import Iterator

from attrs import frozen

from ftree.show.looks import Looks
from ftree.show.node_figures import Histogram
from ftree.show.outline import OutlineNode
from ftree.show.pictures import INK, LINE, PALE_INK, PAPER, box, shortened, text_width, tooltip, words

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
