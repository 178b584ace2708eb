"""A tree as a picture in SVG: bars of class counts in every node, and branches as wide as the cases that follow them."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import accumulate
from math import ceil

from attrs import frozen

from ftree._lib.fields import require_boolean
from ftree.show.outline import (
    OutlineNode,
    counts_in_words,
    counts_text,
    heading,
    more_leaves,
    outline,
    short_condition,
    surrogates_in_words,
)
from ftree.show.pictures import IN_LEGEND, Document, colour, printable, shortened, text_width
from ftree.show.tidy_layout import columns, tidy
from ftree.tree.formats import format_number
from ftree.tree.nodes import Branch, Tree, tree_of
from ftree.tree.schema import Schema

# Between neighbours on a level, and under the legend.
_NODE_GAP, _LEGEND_GAP = 14.0, 14.0
# The maximum width of the legend of a narrower tree.
_LEGEND_WIDTH = 400.0


def draw(tree: Tree, *, max_depth: int | None = None, max_leaves: int | None = 1000, leaf_charts: bool = False) -> Document:
    """Draw a tree as SVG, which needs no other file or program: `draw(tree).save("tree.svg")` saves it, a notebook shows it.

    A node shows the expression that its split tests, or its label; a bar of its class counts; and the counts, or, if there are
    more than three classes, how many cases have the most frequent one. The width of a branch is proportional to its cases. Long
    texts are shortened; tooltips have the whole texts and all counts.

    `max_depth` closes branches at that depth, `max_leaves` those with the fewest cases; "… 3 more leaves" counts hidden
    leaves. Hundreds of leaves are easier to read with `max_leaves=50`, or as a `page`. Without limits (None), a tree 100,000 deep
    becomes a picture that no program opens. With `leaf_charts`, all leaves stand on one line, each as a chart of its class
    distribution, as partykit draws them.

    Raises a TypeError for anything but a Tree, and for `leaf_charts` that is neither True nor False; a ValueError for limits
    that are not whole numbers.

    >>> from ftree import datasets, grow
    >>> drawing = draw(grow(datasets.weather()))
    >>> drawing.text[:4], drawing.text.count("<title>")
    ('<svg', 18)
    """
    require_boolean("leaf_charts", leaf_charts)
    tree = tree_of(tree, of_classes="draw")
    shown = outline(tree, max_depth=max_depth, max_leaves=max_leaves)
    looks = [look_of(tree.schema, shown, number, leaf_charts=leaf_charts) for number in range(len(shown))]
    middles = (columns if leaf_charts else tidy)([part.below for part in shown], [look.width + _NODE_GAP for look in looks])
    wide = max(middle + look.width / 2 for middle, look in zip(middles, looks, strict=True))
    key, key_width, above = legend(tree.schema, max(wide, _LEGEND_WIDTH))
    tops = [above + _LEGEND_GAP + top for top in _tops(shown, on_one_line=leaf_charts)]
    high = max(top + look.height for top, look in zip(tops, looks, strict=True))
    parts = [*key, *_edges(shown, looks, middles, tops)]
    parts += [node(tree.schema, *placed) for placed in zip(looks, middles, tops, strict=True)]
    return Document(framed(_title(tree, shown), parts, max(wide, key_width), high), "svg")


def _tops(shown: Sequence[OutlineNode], *, on_one_line: bool) -> list[float]:
    """The upper side of each node, relative to that of the root."""
    deepest = max(part.depth for part in shown)
    depths = [deepest if on_one_line and not part.below else part.depth for part in shown]
    return [depth * (NODE_HEIGHT + LEVEL_GAP) for depth in depths]


@frozen
class NodeLook:
    """The look of a node: the lines in its box, the condition above it, and its size."""

    part: OutlineNode
    heading: str
    condition: str
    counts: str
    more: str
    is_chart: bool
    width: float

    @property
    def height(self) -> float:
        """The height of the box, and of the line under it."""
        return self.box_height + (_MORE_LINE if self.more else 0)

    @property
    def box_height(self) -> float:
        """The height of the box."""
        return CHART_HEIGHT if self.is_chart else NODE_HEIGHT


def _edges(
    shown: Sequence[OutlineNode], looks: Sequence[NodeLook], middles: Sequence[float], tops: Sequence[float]
) -> Iterator[str]:
    widths = bands(shown)
    for number, part in enumerate(shown[1:], 1):
        start, end = (middles[part.parent], tops[part.parent] + NODE_HEIGHT), (middles[number], tops[number])
        yield edge(part, looks[number].condition, widths[number], start, end)


def _title(tree: Tree, shown: Sequence[OutlineNode]) -> str:
    """The text for readers who do not see the picture."""
    hidden = sum(part.hidden for part in shown)
    leaves = hidden + sum(not part.below and not part.hidden for part in shown)
    more = f", of which {hidden} are not shown" if hidden else ""
    return f"Decision tree for {tree.schema.target} with {leaves} {'leaf' if leaves == 1 else 'leaves'}{more}"


# Colours for everything that does not belong to a class.
INK, PALE_INK, LINE, PAPER = "#1F2328", "#57606A", "#C3C9D1", "#FFFFFF"
# Their colours on a dark screen. Black is also the colour of the eighth class, and becomes white.
_DARK = {INK: "#E6EDF3", PALE_INK: "#9DA7B3", LINE: "#4A525C", PAPER: "#15191E", "#000000": "#FFFFFF"}
_MARGIN = 16
_FONT = "font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif\" font-size=\"12\""


def words(text: object, x: float, y: float, more: str = "") -> str:
    """A line of text with its base line at y; `more` are attributes.

    >>> words("1 < 2", 5, 12.25)
    '<text x="5.0" y="12.2">1 &lt; 2</text>'
    """
    return f'<text x="{x:.1f}" y="{y:.1f}"{more}>{escape(printable(text), quote=False)}</text>'


def tooltip(lines: Iterable[object]) -> str:
    r"""The text shown when a pointer rests on the element.

    >>> tooltip(["a", "b & c"])
    '<title>a\nb &amp; c</title>'
    """
    return f"<title>{escape(chr(10).join(map(printable, lines)), quote=False)}</title>"


def box(x: float, y: float, width: float, height: float, more: str) -> str:
    """A rectangle; `more` are attributes such as its colour.

    >>> box(0, 0, 10, 5, 'fill="red"')
    '<rect x="0.0" y="0.0" width="10.0" height="5.0" fill="red"/>'
    """
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" {more}/>'


def framed(title: str, parts: Iterable[str], width: float, height: float) -> str:
    """The text of an SVG file: the parts on paper with a margin, white, or dark if the reader prefers a dark screen.

    `title` is for readers who do not see the picture.

    >>> framed("nothing", [], 10, 5)[:77]
    '<svg xmlns="http://www.w3.org/2000/svg" class="ftree" width="42" height="37" '
    """
    wide, high = ceil(width + 2 * _MARGIN), ceil(height + 2 * _MARGIN)
    named = f'role="img" aria-label="{escape(printable(title))}"'
    size = f'width="{wide}" height="{high}" viewBox="{-_MARGIN} {-_MARGIN} {wide} {high}"'
    paper = box(-_MARGIN, -_MARGIN, wide, high, f'fill="{PAPER}"')
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" class="ftree" {size} {named} {_FONT} fill="{INK}" text-anchor="middle">'
    return "\n".join([opening, _dark_style(), paper, *parts, "</svg>\n"])


def _dark_style() -> str:
    """Rules that replace colours on a dark screen. Programs that ignore styles show the light colours, given in the elements."""
    rules = [f'.ftree [{name}="{light}"]{{{name}:{dark}}}' for light, dark in _DARK.items() for name in ("fill", "stroke")]
    return f"<style>@media (prefers-color-scheme:dark){{.ftree{{fill:{_DARK[INK]}}}{''.join(rules)}}}</style>"


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


# The legend of a drawn tree.


_ROW, _SQUARE, _LABEL_WIDTH = 20.0, 12.0, 150.0
_AT_START = ' text-anchor="start"'
_BOLD_START = f'{_AT_START} font-weight="600"'


def legend(schema: Schema, width: float) -> tuple[list[str], float, float]:
    """The elements of a legend with its upper left corner at 0, its width, and its height; it is about `width` wide.

    With very many classes, it gives the number of those omitted.
    """
    target = shortened(printable(schema.target), _LABEL_WIDTH)
    x, y, widest = text_width(target) + 2 * _SQUARE, 0.0, 0.0
    parts = [f"<g>{tooltip([schema.target])}{words(target, 0, 10, _BOLD_START)}</g>"]
    first = x
    for number, label in enumerate(schema.classes[:IN_LEGEND]):
        short = shortened(printable(label), _LABEL_WIDTH)
        step = text_width(short) + 3 * _SQUARE
        if x > first and x + step > width:
            x, y = first, y + _ROW
        square = box(x, y, _SQUARE, _SQUARE, f'fill="{colour(number)}" stroke="{INK}" stroke-width="0.4"')
        parts.append(f"<g>{tooltip([label])}{square}{words(short, x + 1.5 * _SQUARE, y + 10, _AT_START)}</g>")
        x += step
        widest = max(widest, x)
    if len(schema.classes) > IN_LEGEND:
        y += _ROW
        parts.append(words(f"… {len(schema.classes) - IN_LEGEND} more classes", first, y + 10, _AT_START))
    return parts, widest, y + _ROW


# Nodes of a drawn tree.


NODE_HEIGHT, CHART_HEIGHT = 54.0, 132.0
# Wider texts are shortened; a weighted sum takes more room than a name.
_LABEL, _HEADING, _LEAST = 150.0, 260.0, 74.0
_PADDING = 10.0
# The width of the bold labels of leaves relative to normal text.
_BOLD = 1.1
# The height under a box for "… 3 more leaves".
_MORE_LINE = 20.0


def look_of(schema: Schema, shown: list[OutlineNode], number: int, *, leaf_charts: bool) -> NodeLook:
    """The look of a node of an outline; with `leaf_charts`, nodes without children are charts."""
    part = shown[number]
    above = shown[part.parent].node if number else None
    condition = short_condition(schema, above.split, part.condition) if isinstance(above, Branch) else ""
    title = shortened(heading(schema, part), _HEADING if part.below else _LABEL / _BOLD)
    texts = title, shortened(condition, _LABEL), counts_text(part)
    more = more_leaves(part.hidden)
    is_chart = leaf_charts and not part.below
    bars = 2.5 * _PADDING * len(schema.classes) ** 0.5 if is_chart else _LEAST
    width = max(bars, _LEAST, *(_BOLD * text_width(text) + 2 * _PADDING for text in (*texts, more)))
    return NodeLook(part, *texts, more, is_chart, width)


def node(schema: Schema, look: NodeLook, x: float, top: float) -> str:
    """A node with its upper side at `top`: a box with three lines, of which the second is a bar; or a chart."""
    part, left = look.part, x - look.width / 2
    whole = tooltip(_everything(schema, part))
    frame = box(left, top, look.width, look.box_height, _frame(part))
    title = words(look.heading, x, top + 17, "" if part.below else ' font-weight="600"')
    draw_counts = _chart if look.is_chart else _bar
    inside = "".join(draw_counts(part, left + _PADDING, top + 24, look.width - 2 * _PADDING))
    counts = words(look.counts, x, top + look.box_height - 6, f' font-size="11" fill="{PALE_INK}"')
    more = words(look.more, x, top + look.box_height + 14, f' font-style="italic" fill="{PALE_INK}"') if look.more else ""
    kind = "branch" if part.below else "closed" if part.hidden else "leaf"
    return f'<g class="{kind}">{whole}{frame}{title}{inside}{counts}{more}</g>'


def _everything(schema: Schema, part: OutlineNode) -> Iterator[str]:
    """The lines of a node's tooltip; nothing in them is shortened."""
    yield heading(schema, part)
    if isinstance(part.node, Branch) and part.below:
        yield from surrogates_in_words(schema, part.node.split)
    yield f"cases: {format_number(sum(part.node.counts), decimals=2)}"
    yield from counts_in_words(schema, part.node)


def _frame(part: OutlineNode) -> str:
    """The attributes of a box: a leaf's has the colour of its class, a closed branch's is dashed."""
    shade = colour(part.answer)
    if part.below:
        return f'rx="6" fill="{PAPER}" stroke="{LINE}"'
    dashes = ' stroke-dasharray="5 3"' if part.hidden else ""
    return f'rx="6" fill="{shade}" fill-opacity="0.15" stroke="{shade}" stroke-width="1.5"{dashes}'


def _bar(part: OutlineNode, left: float, top: float, width: float) -> Iterator[str]:
    """The classes' shares side by side; an empty frame without cases."""
    counts, total = part.node.counts, sum(part.node.counts)
    starts = accumulate(counts, initial=0)
    for number, (count, start) in enumerate(zip(counts, starts, strict=False)):
        if count:
            yield box(left + start / total * width, top, count / total * width, 10, f'fill="{colour(number)}"')
    yield box(left, top, width, 10, f'fill="none" stroke="{INK}" stroke-width="0.6"')


def _chart(part: OutlineNode, left: float, top: float, width: float) -> Iterator[str]:
    """The classes' shares as bars in a frame, with a dotted line at one half."""
    counts, total, height = part.node.counts, sum(part.node.counts) or 1, CHART_HEIGHT - 46
    yield box(left, top, width, height, f'fill="{PAPER}" stroke="{LINE}" stroke-width="0.6"')
    middle = top + height / 2
    yield f'<path d="M{left:.1f} {middle:.1f}h{width:.1f}" stroke="{LINE}" stroke-dasharray="2 2"/>'
    each = width / len(counts)
    for number, count in enumerate(counts):
        high = count / total * height
        place = left + (number + 0.1) * each
        yield box(place, top + height - high, 0.8 * each, high, f'fill="{colour(number)}" stroke="{INK}" stroke-width="0.4"')
