"""Shapes of drawings in SVG: texts, boxes and tooltips, and the frame around them, for a light or a dark background."""

import re
from collections.abc import Iterable
from html import escape
from math import ceil, floor, inf
from typing import Literal, TypeAlias

from ftree.tree.formats import printable

Theme: TypeAlias = Literal["light", "dark", "auto"]
# Colours for everything that does not belong to a class.
INK, PALE_INK, LINE, PAPER = "#1F2328", "#57606A", "#C3C9D1", "#FFFFFF"
# Their colours on a dark screen. Black is also the colour of the eighth class, and becomes white.
_DARK = {INK: "#E6EDF3", PALE_INK: "#9DA7B3", LINE: "#4A525C", PAPER: "#15191E", "#000000": "#FFFFFF"}
MARGIN = 16
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


def framed(title: str, parts: Iterable[str], width: float, height: float, theme: Theme = "light", most: float = inf) -> str:
    """The text of an SVG file: the parts on paper with a margin; "auto" is dark where the reader prefers a dark screen.

    `title` is for readers who do not see the picture. A picture wider than `most` pixels is made smaller.

    >>> framed("nothing", [], 10, 5)[:77]
    '<svg xmlns="http://www.w3.org/2000/svg" class="ftree" width="42" height="37" '
    """
    wide, high = ceil(width + 2 * MARGIN), ceil(height + 2 * MARGIN)
    named = f'role="img" aria-label="{escape(printable(title))}"'
    scale = min(most / wide, 1)
    size = f'width="{floor(wide * scale)}" height="{ceil(high * scale)}" viewBox="{-MARGIN} {-MARGIN} {wide} {high}"'
    paper = box(-MARGIN, -MARGIN, wide, high, f'fill="{PAPER}"')
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" class="ftree" {size} {named} {_FONT} fill="{INK}" text-anchor="middle">'
    style = [_dark_style()] if theme == "auto" else []
    text = "\n".join([opening, *style, paper, *parts, "</svg>\n"])
    return _IN_ATTRIBUTE.sub(lambda found: f'="{_DARK[found[1]]}"', text) if theme == "dark" else text


# Texts between elements have no quotation mark after an equals sign: it is escaped in attributes.
_IN_ATTRIBUTE = re.compile(f'="({"|".join(_DARK)})"')


def _dark_style() -> str:
    """Rules that replace colours on a dark screen. Programs that ignore styles show the light colours, given in the elements."""
    rules = [f'.ftree [{name}="{light}"]{{{name}:{dark}}}' for light, dark in _DARK.items() for name in ("fill", "stroke")]
    return f"<style>@media (prefers-color-scheme:dark){{.ftree{{fill:{_DARK[INK]}}}{''.join(rules)}}}</style>"
