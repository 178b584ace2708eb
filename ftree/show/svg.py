"""A tree as a picture in SVG: a bar of the answer in every node, and branches as wide as the cases that follow them."""

from collections.abc import Iterator, Sequence
from functools import partial
from math import inf
from typing import Any

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array, Floats
from ftree._lib.fields import is_finite, name_of, require_boolean, require_one_of
from ftree._lib.messages import short_repr
from ftree.criteria.impurity import Impurity, checked
from ftree.criteria.impurity_of_sums import impurity_for
from ftree.criteria.scores import gain
from ftree.data.cases import weights_of_rows
from ftree.data.changes import recoded_columns
from ftree.data.dataset import Dataset
from ftree.data.labelled import as_dataset
from ftree.show.looks import IN_LEGEND, ClassLooks, Looks
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
from ftree.tree.conditions import Between
from ftree.tree.formats import TimeNumber, format_number, printable
from ftree.tree.nodes import Branch, Counts, Tree, tree_of
from ftree.tree.schema import Feature, Schema
from ftree.tree.splits.child_of import child_of
from ftree.tree.splits.split import primary

# Between neighbours on a level, and under the legend.
_NODE_GAP, _LEGEND_GAP = 14.0, 14.0
# The maximum width of the legend of a narrower tree.
_LEGEND_WIDTH = 400.0


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
    looks, middles, wide = _layout(shown, told, charts, 1.0, leaf_charts=leaf_charts)
    for room in _LESS_ROOM:
        if wide + 2 * MARGIN > most:
            looks, middles, wide = _layout(shown, told, charts, room, leaf_charts=leaf_charts)
    key, key_width, above = legend(tree.schema.target, shown[0].looks.legend(), max(wide, min(_LEGEND_WIDTH, most - 2 * MARGIN)))
    level = LEVEL_GAP + max(look.box_height for look in looks if look.part.below or not leaf_charts or len(looks) == 1)
    tops = [above + _LEGEND_GAP + depth * level for depth in _depths(shown, on_one_line=leaf_charts)]
    high = max(top + look.height for top, look in zip(tops, looks, strict=True))
    parts = [*key, *_edges(shown, looks, middles, tops)]
    parts += [node(*placed) for placed in zip(range(len(shown)), looks, middles, tops, strict=True)]
    return Document(framed(_title(tree, shown), parts, max(wide, key_width), high, theme, most), "svg")


def _layout(
    shown: Sequence[OutlineNode], told: Sequence[str], charts: "dict[int, Histogram]", room: float, *, leaf_charts: bool
) -> "tuple[list[NodeLook], Sequence[float], float]":
    """The looks of nodes with a share of the usual room for texts, their middles, and the width of all of them."""
    look = partial(look_of, leaf_charts=leaf_charts, room=room)
    looks = [look(part, text, charts.get(number)) for number, (part, text) in enumerate(zip(shown, told, strict=True))]
    middles = (columns if leaf_charts else tidy)([part.below for part in shown], [each.width + _NODE_GAP for each in looks])
    return looks, middles, max(middle + each.width / 2 for middle, each in zip(middles, looks, strict=True))


def _depths(shown: Sequence[OutlineNode], *, on_one_line: bool) -> list[int]:
    """The level on which each node stands."""
    deepest = max(part.depth for part in shown)
    return [deepest if on_one_line and not part.below else part.depth for part in shown]


@frozen(eq=False)
class Histogram:
    """The rows of a node by a number: counts of bins and colours (B, K), the ends of the scale as texts, the cuts on it."""

    counts: Floats
    ends: tuple[str, str]
    cuts: tuple[float, ...]


@frozen
class NodeLook:
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
        lines = _LINE * bool(self.figures) + HISTOGRAM * (self.histogram is not None)
        return (CHART_HEIGHT if self.is_chart else NODE_HEIGHT) + lines


def _edges(
    shown: Sequence[OutlineNode], looks: Sequence[NodeLook], middles: Sequence[float], tops: Sequence[float]
) -> Iterator[str]:
    widths = bands(shown)
    for number, part in enumerate(shown[1:], 1):
        start, end = (middles[part.parent], tops[part.parent] + looks[part.parent].box_height), (middles[number], tops[number])
        yield edge(number, part, looks[number].condition, widths[number], start, end)


def _title(tree: Tree, shown: Sequence[OutlineNode]) -> str:
    """The text for readers who do not see the picture."""
    hidden = sum(part.hidden for part in shown)
    leaves = hidden + sum(not part.below and not part.hidden for part in shown)
    more = f", of which {hidden} are not shown" if hidden else ""
    return f"Decision tree for {tree.schema.target} with {leaves} {'leaf' if leaves == 1 else 'leaves'}{more}"


# Between the lower side of a parent and the upper side of a child on the next level.
LEVEL_GAP = 62.0
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


def edge(
    number: int, part: OutlineNode, label: str, band: tuple[float, float], start: tuple[float, float], end: tuple[float, float]
) -> str:
    """A band from the lower side of a parent to the upper side of a child, and the condition above the child.

    It is curved between two levels, and vertical along the following levels.
    """
    (width, offset), (x, y), (to_x, to_y) = band, start, end
    middle, turned = y + LEVEL_GAP / 2 - 6, y + LEVEL_GAP
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


def legend(name: str, keys: Sequence[tuple[str, Any]], width: float) -> tuple[list[str], float, float]:
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


# Nodes of a drawn tree.


NODE_HEIGHT, CHART_HEIGHT = 54.0, 132.0
# Wider texts are shortened; a weighted sum takes more room than a name.
_LABEL, _HEADING, _LEAST = 150.0, 260.0, 74.0
_PADDING = 10.0
# The width of a chart grows with the root of the number of classes, or of sums up to this many.
_BARS = 16
# The shares of this room that are tried where a picture is too wide.
_LESS_ROOM = (0.75, 0.5, 0.35)
# All bars of class counts have one width, so that equal lengths are equal shares.
_BAR_WIDTH = _LEAST - 2 * _PADDING
_SMALL = f' font-size="11" fill="{PALE_INK}"'
# The heights of a line of figures, and of a histogram with the ends of its scale; the least width of a node that has one.
_LINE, HISTOGRAM, _HISTOGRAM_WIDTH = 15.0, 62.0, 140.0
# The width of the bold labels of leaves relative to normal text.
_BOLD = 1.1
# The height under a box for "… 3 more leaves".
_MORE_LINE = 20.0


def look_of(part: OutlineNode, told: str, histogram: Histogram | None, *, leaf_charts: bool, room: float) -> NodeLook:
    """The look of a node with a line of figures; with `leaf_charts`, nodes without children are charts.

    Longer texts have the share `room` of their usual room.
    """
    title = shortened(part.heading, room * (_HEADING if part.below else _LABEL / _BOLD))
    condition, is_chart = shortened(part.short, room * _LABEL), leaf_charts and not part.below
    n_bars = len(part.node.counts) if isinstance(part.looks, ClassLooks) else min(len(part.node.counts), _BARS)
    least = max(2.5 * _PADDING * n_bars**0.5 if is_chart else 0, _LEAST if histogram is None else _HISTOGRAM_WIDTH)
    texts = title, condition, part.figures, told, part.more
    width = max(least, *(_BOLD * text_width(text) + 2 * _PADDING for text in texts))
    return NodeLook(part, title, condition, told, histogram, is_chart, width)


def node(number: int, look: NodeLook, x: float, top: float) -> str:
    """A node with its upper side at `top`: a box with three lines, of which the second is a bar; or a chart."""
    part, left = look.part, x - look.width / 2
    whole = tooltip(part.tooltip())
    frame = box(left, top, look.width, look.box_height, _frame(part))
    title = words(look.heading, x, top + 17, "" if part.below else ' font-weight="600"')
    lower = top + look.box_height - _LINE * bool(look.figures)
    if look.is_chart:
        inside = "".join(_chart(part, left + _PADDING, top + 24, look.width - 2 * _PADDING))
    else:
        inside = "".join(_bar(part, x - _BAR_WIDTH / 2, lower - 30, _BAR_WIDTH))
    if look.histogram is not None:
        inside += "".join(_histogram(look.histogram, part.looks, left + _PADDING, top + 24, look.width - 2 * _PADDING))
    counts = words(part.figures, x, lower - 6, _SMALL) + (words(look.figures, x, lower + 8, _SMALL) if look.figures else "")
    more = words(part.more, x, top + look.box_height + 14, f' font-style="italic" fill="{PALE_INK}"') if part.more else ""
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
    height = CHART_HEIGHT - 46
    yield box(left, top, width, height, f'fill="{PAPER}" stroke="{LINE}" stroke-width="0.6"')
    middle = top + height / 2
    yield f'<path d="M{left:.1f} {middle:.1f}h{width:.1f}" stroke="{LINE}" stroke-dasharray="2 2"/>'
    for shade, place, low, wide, high in part.looks.chart(part.node.counts):
        end = top + (1 - low - high) * height
        yield box(left + place * width, end, wide * width, high * height, f'fill="{shade}" stroke="{INK}" stroke-width="0.4"')


def figures(schema: Schema, shown: Sequence[OutlineNode], impurity: Impurity) -> list[str]:
    """Each node's impurity, and the gain of its split if its children are shown.

    Without classes, they are the mean risk of a case, such as the squared error, and the decrease of that.

    >>> from ftree import datasets, entropy, grow
    >>> tree = grow(datasets.weather())
    >>> figures(tree.schema, outline(tree), entropy)[0]
    'entropy 0.94, gain 0.247'
    """

    def of_counts(counts: Counts) -> float:
        if schema.has_classes:
            return float(checked(impurity, impurity(np.array(counts)), ()))
        return schema.response.risk(counts) / (counts[0] or 1)

    def gained(branch: Branch) -> float:
        below = [child.counts for child in branch.children]
        if schema.has_classes:
            return float(gain(below, impurity))
        risk = schema.response.risk
        return (risk(branch.counts) - sum(map(risk, below))) / (branch.counts[0] or 1)

    def told(part: OutlineNode) -> str:
        own = f"{name_of(impurity)} {of_counts(part.node.counts):.3g}"
        return f"{own}, gain {gained(part.node):.3g}" if isinstance(part.node, Branch) and part.below else own

    return list(map(told, shown))


def histograms(schema: Schema, shown: Sequence[OutlineNode], dataset: Dataset) -> dict[int, Histogram]:
    """The histogram of each shown branch that cuts a number, by the node's number; rows without an answer go no further.

    >>> from ftree import grow
    >>> rides = Dataset.from_rows([[1.0], [2.0], [3.0]], ["no", "yes", "no"], features=["wind"])
    >>> tree = grow(rides)
    >>> {number: chart.ends for number, chart in histograms(tree.schema, outline(tree), rides).items()}
    {0: ('1', '3'), 2: ('2', '3')}
    """
    table = as_dataset(schema, dataset)
    columns = recoded_columns(table, schema.features)
    labels, weights = shown[0].looks.numbers(table), weights_of_rows(table)
    reached, found = {0: np.nonzero(labels >= 0)[0]}, dict[int, Histogram]()
    for number, part in enumerate(shown):
        if not (isinstance(part.node, Branch) and part.below):
            continue
        split, rows = part.node.split, reached.pop(number)
        child = child_of(split, *(columns[feature][rows] for feature in split.features))
        reached |= {kid: rows[child == place] for place, kid in enumerate(part.below)}
        cuts = [each for each in primary(split).conditions if isinstance(each, Between) and each.at_most < inf]
        feature = schema.features[primary(split).features[0]]
        if cuts and feature.kind == "numeric" and len(rows):
            values = columns[primary(split).features[0]][rows]
            found[number] = _binned(feature, values, labels[rows], weights[rows], [each.at_most for each in cuts])
    return found


# Bins of a histogram.
_BINS = 20


def _binned(feature: Feature, values: Floats, labels: Array, weights: Array, cuts: Sequence[float]) -> Histogram:
    known = ~np.isnan(values)
    low, high = min([*cuts, *values[known]]), max([*cuts, *values[known]])
    bins = np.minimum((values[known] - low) / ((high - low) or 1) * _BINS, _BINS - 1).astype(np.intp)
    counts = np.zeros((_BINS, int(labels.max(initial=0)) + 1))
    np.add.at(counts, (bins, labels[known]), weights[known])
    first, last = (format_number(TimeNumber(end, feature.time) if feature.time else end, decimals=2) for end in (low, high))
    return Histogram(counts, (first, last), tuple((cut - low) / ((high - low) or 1) for cut in cuts))


def _histogram(chart: Histogram, looks: Looks, left: float, top: float, width: float) -> Iterator[str]:
    """Bars of the colours upon each other, the cuts as lines, and the ends of the scale."""
    high, each, tallest = HISTOGRAM - 18, width / _BINS, chart.counts.sum(axis=1).max() or 1
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
