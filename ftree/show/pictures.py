"""The document that a picture or a page is, the widths of texts, and the shapes of SVG, on a light or a dark background."""

import re
from collections.abc import Iterable
from html import escape
from math import ceil, floor, inf
from pathlib import Path
from typing import Any, Literal, TypeAlias
from unicodedata import combining, east_asian_width

from attrs import field, frozen

from ftree._lib.fields import one_of, require_path
from ftree._lib.machine import complete_or_nothing
from ftree._lib.messages import how_to_install, imported
from ftree.tree.formats import printable


@frozen
class Document:
    """A picture as SVG, made by `draw`, or a page as HTML, made by `page`: a notebook shows it, `save` writes it.

    `text` needs no other file; `format` is "svg" or "html".

    >>> Document("<svg/>", "svg")
    <Document of 6 characters of SVG>
    """

    text: str
    format: Literal["svg", "html"] = field(validator=one_of("svg", "html"))

    def save(self, path: str | Path) -> None:
        """Write a page to a file .html, a picture to a file .svg, .png (two pixels for each of SVG's) or .pdf.

        Raises a TypeError for anything that is not a path, a ValueError for another name, an ImportError where vl-convert, which
        makes PNG and PDF, is not installed.

        >>> Document("<svg/>", "svg").save("tree.txt")
        Traceback (most recent call last):
        ValueError: path must end in .svg, .png or .pdf, got 'tree.txt'. page(tree) makes pages, ...
        """
        file = require_path(path)
        ending = file.suffix.lower()
        if ending not in ({".svg", ".png", ".pdf"} if self.format == "svg" else {".html"}):
            wanted, remedy = ".html", "draw(tree) makes pictures."
            if self.format == "svg":
                wanted, remedy = ".svg, .png or .pdf", "page(tree) makes pages, and page(tree, path=steps) those that move."
            raise ValueError(f"path must end in {wanted}, got {str(path)!r}. {remedy}")
        content = self._converted(ending) if ending in {".png", ".pdf"} else self.text.encode()
        with complete_or_nothing(file) as unfinished:
            unfinished.write_bytes(content)

    def _converted(self, ending: str) -> bytes:
        remedy = f"vl-convert must be installed for {ending}. {how_to_install('pictures')} Or save it as .svg."
        library = imported("vl_convert", remedy)
        converted: bytes = library.svg_to_png(self.text, scale=2) if ending == ".png" else library.svg_to_pdf(self.text)
        return converted

    def __repr__(self) -> str:
        """The document's size, since its text would fill screens."""
        return f"<Document of {len(self.text)} characters of {self.format.upper()}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """All forms from which a notebook can choose: pictures also as SVG, which PDF exports and GitHub's pages show."""
        image = {"image/svg+xml": self.text} if self.format == "svg" else {}
        return {"text/html": self._repr_html_(), **image}

    def _repr_html_(self) -> str:
        """A picture in a box that scrolls if it is too wide; a page in a frame of its own."""
        if self.format == "svg":
            return f'<div style="overflow-x:auto">{self.text}</div>'
        return f'<iframe srcdoc="{escape(self.text)}" sandbox="allow-scripts" width="100%" height="600"></iframe>'


# Widths in pixels of a sans-serif font of 12 pixels, on the wide side, since fonts differ.
_DEFAULT, _WIDE = 7.2, 13.0
_WIDTHS = {
    **dict.fromkeys("ABCDEFGHIJKLNOPQRSTUVXYZ", 8.4),
    **dict.fromkeys("mwMW@%<>=+#~≤…\ufffd", 12.0),
    **dict.fromkeys("abcdeghknopqsuvxyz_?0123456789", 7.4),
    **dict.fromkeys("frtsJ-()[]{}/\\ ", 5.0),
    **dict.fromkeys(" .,:;'!|ijlI", 3.8),
}


def text_width(text: str) -> float:
    """The approximate width of a line in pixels, in a sans-serif font of 12 pixels.

    >>> text_width("ill") < text_width("wow") < text_width("\u6728\u6728\u6728")
    True
    """
    return sum(map(_width, text))


def shortened(text: str, most: float) -> str:
    """The text, cut with an ellipsis if it is wider than `most` pixels.

    >>> shortened("temperature", 50), shortened("sky", 50)
    ('temper…', 'sky')
    """
    width = 0.0
    for place, character in enumerate(text):
        width += _width(character)
        if width > most:
            return text[:place].rstrip() + "…"
    return text


def _width(character: str) -> float:
    known = _WIDTHS.get(character)
    if known is not None:
        return known
    if combining(character):
        return 0.0
    return _WIDE if east_asian_width(character) in "WF" else _DEFAULT


# Shapes of SVG.


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
