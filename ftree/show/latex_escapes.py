"""Text for LaTeX, with its special characters escaped."""

from ftree.show.characters import printable

# Without a command, LaTeX's default font encoding shows other characters instead of the last three.
_COMMANDS = {"\\": "backslash", "~": "asciitilde", "^": "asciicircum", "<": "less", ">": "greater", "|": "bar"}
_SPECIAL = {character: f"\\text{name}{{}}" for character, name in _COMMANDS.items()} | {each: f"\\{each}" for each in "&%$#_{}"}


def latex_text(value: object) -> str:
    r"""A value as upright text on one line in mathematics mode.

    >>> print(latex_text("50 % of x_1"))
    \text{50 \% of x\_1}
    """
    return r"\text{" + "".join(_SPECIAL.get(character, character) for character in printable(value)) + "}"
