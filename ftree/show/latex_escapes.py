"""Text for LaTeX, with its special characters escaped."""


def latex_text(value: object) -> str:
    r"""A value as upright text in mathematics mode.

    >>> print(latex_text("50 % of x_1"))
    \text{50 \% of x\_1}
    """
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    escaped = {character: f"\\{character}" for character in "&%$#_{}"}
    return r"\text{" + "".join((special | escaped).get(character, character) for character in str(value)) + "}"
