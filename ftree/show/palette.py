"""Colours of classes, which colour-blind readers can distinguish.

The eight colours are those of Okabe & Ito 2008, "Color Universal Design". All pictures use the same ones, so that a
class always has the same colour.
"""

from collections.abc import Hashable, Iterable

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
# The luminance above which black text is easier to read than white; at it, both have the same contrast (WCAG 2.1).
_LIGHT = 0.179


def colour(number: int) -> str:
    """The colour of the class with this number, as #RRGGBB.

    From the ninth class on, the colours repeat as half tints, from the seventeenth on as quarter tints, and then from the
    start. Pictures of more than eight classes therefore need labels as well.

    >>> colour(0), colour(8), colour(24) == colour(0)
    ('#0072B2', '#80B8D8', True)
    """
    rounds, place = divmod(number, len(COLOURS))
    return mixed(COLOURS[place], _TINTS[rounds % len(_TINTS)])


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


def mixed(shade: str, share: float) -> str:
    """A colour mixed with white; `share` of the colour remains.

    >>> mixed("#000000", 0.5), mixed("#0072B2", 1.0)
    ('#808080', '#0072B2')
    """
    return "#" + "".join(f"{round(255 - share * (255 - part)):02X}" for part in _parts(shade))


def text_colour(background: str) -> str:
    """Black or white, whichever has the better contrast on a background.

    >>> text_colour("#0072B2"), text_colour("#F0E442")
    ('#FFFFFF', '#000000')

    Source: relative luminance of the Web Content Accessibility Guidelines 2.1.
    """
    linear = [part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in _parts(background)]  # noqa: PLR2004  # the source's numbers
    luminance = sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return "#000000" if luminance > _LIGHT else "#FFFFFF"


def _parts(shade: str) -> list[int]:
    """Red, green and blue, each from 0 to 255."""
    return [int(shade[at : at + 2], 16) for at in (1, 3, 5)]
