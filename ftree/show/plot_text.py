"""Users' texts for matplotlib, which reads dollars as formulas and hides legend entries that begin with an underscore."""

from bisect import bisect_right
from itertools import accumulate
from unicodedata import east_asian_width

from ftree.show.characters import printable


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
