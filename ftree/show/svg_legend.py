"""The legend of a drawn tree: the classes with their colours, in as many rows as the picture's width requires."""

from ftree.show.characters import printable, shortened, text_width
from ftree.show.palette import IN_LEGEND, colour
from ftree.show.svg import INK, box, tooltip, words
from ftree.tree.schema import Schema

_ROW, _SQUARE, _LABEL = 20.0, 12.0, 150.0
_AT_START = ' text-anchor="start"'
_BOLD = f'{_AT_START} font-weight="600"'


def legend(schema: Schema, width: float) -> tuple[list[str], float, float]:
    """The elements of a legend with its upper left corner at 0, its width, and its height; it is about `width` wide.

    With very many classes, it gives the number of those omitted.
    """
    target = shortened(printable(schema.target), _LABEL)
    x, y, widest = text_width(target) + 2 * _SQUARE, 0.0, 0.0
    parts = [f"<g>{tooltip([schema.target])}{words(target, 0, 10, _BOLD)}</g>"]
    first = x
    for number, label in enumerate(schema.classes[:IN_LEGEND]):
        short = shortened(printable(label), _LABEL)
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
