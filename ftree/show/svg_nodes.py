"""Nodes of a drawn tree: boxes with a bar of class counts, and leaves as charts."""

from collections.abc import Iterator
from itertools import accumulate

from attrs import frozen

from ftree.show.characters import shortened, text_width
from ftree.show.outline import (
    OutlineNode,
    counts_in_words,
    counts_text,
    heading,
    more_leaves,
    short_condition,
    surrogates_in_words,
)
from ftree.show.palette import colour
from ftree.show.svg import INK, LINE, PALE_INK, PAPER, box, tooltip, words
from ftree.tree.formats import format_number
from ftree.tree.nodes import Branch
from ftree.tree.schema import Schema

NODE_HEIGHT, CHART_HEIGHT = 54.0, 132.0
# Wider texts are shortened; a weighted sum takes more room than a name.
_LABEL, _HEADING, _LEAST = 150.0, 260.0, 74.0
_PADDING = 10.0
# The width of the bold labels of leaves relative to normal text.
_BOLD = 1.1
# The height under a box for "… 3 more leaves".
_MORE_LINE = 20.0


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
