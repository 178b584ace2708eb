"""Texts of users for matplotlib, which reads dollars as formulas and hides legends' entries that begin with an underscore."""

from ftree.show.characters import printable


def plot_text(text: object, most: int = 60) -> str:
    r"""A text as matplotlib shows it letter by letter: on one line, with at most so many characters, the last one an ellipsis.

    >>> plot_text("physician fee freeze", 17), plot_text("$5 to $9"), plot_text("_id")
    ('physician fee fr…', '\\$5 to \\$9', ' _id')
    """
    line = printable(text)
    cut = line if len(line) <= most else f"{line[: most - 1]}…"
    return (" " if cut.startswith("_") else "") + cut.replace("$", r"\$")
