"""What pictures share: colours of classes, which colour-blind readers can distinguish, widths of texts, and the document.

The eight colours are those of Okabe & Ito 2008, "Color Universal Design". All pictures use the same ones, so that a
class always has the same colour.
"""

from bisect import bisect_right
from collections.abc import Hashable, Iterable
from html import escape
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal
from unicodedata import combining, east_asian_width

from attrs import field, frozen

from ftree._lib.fields import one_of, require_path
from ftree._lib.machine import complete_or_nothing
from ftree._lib.messages import how_to_install, imported, type_of
from ftree.tree.formats import printable as printable  # noqa: PLC0414  # pages read it here

# Blue and orange first, since most tables have two classes; yellow and black last, since they suit lines and areas least.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
# Shapes of points, so that colour alone does not distinguish curves and classes.
MARKERS = ("o", "^", "s", "D", "v", "P", "X", "*")
# Styles of lines, for those that have no markers.
LINES = ("-", "--", "-.", ":")
# Colours of points on white: without yellow, which is too pale for them.
_DARK = (*COLOURS[:6], COLOURS[7])
# Where nothing is said about a class: axes, branches, what was cut.
GREY = "#767676"
# The share of the colour that remains in each further round: all, half, a quarter.
_TINTS = (1.0, 0.5, 0.25)
# The most classes that a legend names. It gives the number of the others; colours repeat long before.
IN_LEGEND = 40


def colour(number: int) -> str:
    """The colour of the class with this number, as #RRGGBB.

    From the ninth class on, the colours repeat as half tints, from the seventeenth on as quarter tints, and then from the
    start. Pictures of more than eight classes therefore need labels as well.

    >>> colour(0), colour(8), colour(24) == colour(0)
    ('#0072B2', '#80B8D8', True)
    """
    rounds, place = divmod(number, len(COLOURS))
    return tinted(COLOURS[place], _TINTS[rounds % len(_TINTS)])


def point_look(number: int) -> dict[str, str]:
    """The look of a single point for matplotlib: seven filled ones and seven hollow ones, and then from the start.

    >>> point_look(0) == point_look(14), point_look(7)["markerfacecolor"]
    (True, 'white')
    """
    rounds, place = divmod(number, len(_DARK))
    shade = _DARK[place]
    return {"color": shade, "marker": MARKERS[place], "markerfacecolor": "white" if rounds % 2 else shade}


def class_colours(classes: Iterable[Hashable]) -> dict[Hashable, str]:
    """The colour of each class, in schema order.

    >>> class_colours(("no", "yes"))
    {'no': '#0072B2', 'yes': '#E69F00'}
    """
    return {label: colour(number) for number, label in enumerate(classes)}


def tinted(shade: str, share: float, paper: str = "#FFFFFF") -> str:
    """A colour mixed with white, or with another `paper`; `share` of the colour remains.

    >>> tinted("#000000", 0.5), tinted("#0072B2", 1.0)
    ('#808080', '#0072B2')
    """
    pairs = zip(bytes.fromhex(shade[1:]), bytes.fromhex(paper[1:]), strict=True)
    return "#" + "".join(f"{round(other - share * (other - part)):02X}" for part, other in pairs)


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


def plot_text(text: object, most: int = 60) -> str:
    r"""A text that matplotlib shows letter by letter: on one line, cut with an ellipsis after `most` characters.

    Double-width characters, such as Chinese ones, count as two.

    >>> plot_text("physician fee freeze", 17), plot_text("$5 to $9"), plot_text("_id")
    ('physician fee fr…', '\\$5 to \\$9', ' _id')
    """
    line = printable(text)
    ends = list(accumulate(1 + (east_asian_width(character) in "WF") for character in line))
    cut = line if not ends or ends[-1] <= most else f"{line[: bisect_right(ends, most - 1)]}…"
    return (" " if cut.startswith("_") else "") + cut.replace("$", r"\$")


def axes_or_new(ax: Any, *, name: str, frame: bool = True, **options: Any) -> Any:
    """The axes given, or those of a new figure with the given options; `name` is the function that draws.

    Without a `frame`, they have lines at the left and at the bottom only.

    Raises an ImportError without matplotlib, a TypeError for anything that is not an Axes, such as a figure.
    """
    if ax is None:
        plt = imported("matplotlib.pyplot", f"matplotlib must be installed for {name}. {how_to_install('plot')}")
        ax = plt.subplots(layout="constrained", **options)[1]
    elif not hasattr(ax, "add_collection"):
        raise TypeError(f"ax must be one Axes of matplotlib, got {type_of(ax)}. Make one by plt.subplots()[1].")
    if not frame:
        ax.spines[["top", "right"]].set_visible(False)
    return ax


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
