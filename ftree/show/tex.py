"""Formulas for LaTeX's mathematics mode, and a tree for its package forest."""

from collections.abc import Iterator
from math import inf
from typing import Any, overload

from ftree._lib.faces import Face, Formula, Grid, Text
from ftree._lib.fields import require_boolean
from ftree.show.outline import outline
from ftree.show.rules_and_formulas import Dnf, Rule, terms
from ftree.tree.conditions import AllOf, Between, Condition, NoneOf, OneOf, SumBetween, Wording, in_words
from ftree.tree.describe import named, tested_expression
from ftree.tree.fold import depth
from ftree.tree.formats import TimeNumber, format_number, format_sum, printable
from ftree.tree.nodes import Branch, Tree, tree_of
from ftree.tree.splits.split import Split


@overload
def latex(value: Dnf | Rule, *, broken: bool = False, digits: int | None = None) -> Formula: ...
@overload
def latex(value: Face, *, broken: bool = False, digits: int | None = None) -> Text: ...
def latex(value: Face, *, broken: bool = False, digits: int | None = None) -> Text:
    r"""A formula, or the conditions of a rule, for LaTeX's mathematics mode; any other value that prints tables, as its tables.

    With `broken`, each term of a formula is on a line of its own, which needs `amsmath`. Numbers of a formula have so many
    significant `digits`, or all. A notebook shows a formula typeset. Scores, summaries, comparisons, reports and exercises become
    lines of text and environments `tabular`; worked calculations are displayed formulas. `ftree.exchange.to_latex` draws a tree.

    Raises a TypeError for anything that is neither a formula nor prints tables, a ValueError for options of formulas with tables.

    >>> print(latex(Dnf("play", ((OneOf("sky", ("blue",)), Between("wind_speed", at_most=3.0)),))))
    (\text{sky} = \text{blue} \land \text{wind\_speed} \le 3)
    >>> from ftree import Dataset
    >>> print(latex(Dataset.from_rows([["a"], ["b"]], ["no", "no"]).summary()))
    2 rows
    <BLANKLINE>
    \begin{tabular}{llllll}
    \hline
    column & kind & distinct & missing & examples & reason \\
    \hline
    x0 & nominal & 2 & 0 & 'a', 'b' & text \\
    class & target & 1 & 0 & 'no' & the labels \\
    \hline
    \end{tabular}
    """
    require_boolean("broken", broken)
    if isinstance(value, Face) and not isinstance(value, (Dnf, Rule)):
        for name, given, usual in (("broken", broken, False), ("digits", digits, None)):
            if given is not usual:
                raise ValueError(f"{name} must be {usual} for a value that prints tables, not a formula, got {given!r}.")
        return Text("\n\n".join(_in_text(value)))
    return _formula(value, broken, digits)


def _formula(formula: Any, broken: bool, digits: int | None) -> Formula:  # noqa: FBT001  # as `latex` takes it
    texts = (in_words(AllOf(term), _Latex(digits)) for term in terms(formula))
    shown = (f"({text})" if r"\land" in text else text for text in texts)
    if not broken:
        return Formula(r" \lor ".join(shown) or r"\bot")
    lines = " \\\\\n&{} \\lor ".join(shown) or "\\bot"
    return Formula(f"\\begin{{aligned}}\n& {lines}\n\\end{{aligned}}")


def _in_text(value: Face) -> Iterator[str]:
    """The parts of a value: lines of text, tables, and formulas."""
    own = getattr(value, "latex", None)
    for part in (own(),) if own is not None else value._parts():  # noqa: SLF001  # as print asks for them
        if isinstance(part, Formula):
            yield f"\\[\n{part}\n\\]"
        elif isinstance(part, Grid):
            yield _tabular(part)
        elif isinstance(part, Face):
            yield from _in_text(part)
        elif part.strip():
            yield _lines_of_text(part.strip("\n"))


def _lines_of_text(text: str) -> str:
    """Lines with their indents; those that blanks align are in a typewriter's font."""
    aligned = any("  " in line.strip() for line in text.split("\n"))
    lines = " \\\\\n".join(_escaped(line).replace("  ", "~~").replace("~ ", "~~") for line in text.split("\n"))
    return f"{{\\ttfamily\n{lines}\\par}}" if aligned else lines


def _tabular(table: Grid) -> str:
    """A table with lines above and below its head and at its foot."""
    sides = "".join("l" if table.left is None or place < table.left else "r" for place in range(len(table.header)))
    head, *rows = (" & ".join(map(_escaped, row)) + " \\\\" for row in (table.header, *table.rows))
    return "\n".join([f"\\begin{{tabular}}{{{sides}}}", "\\hline", head, "\\hline", *rows, "\\hline", "\\end{tabular}"])


class _Latex(Wording):
    """Conditions in mathematics mode."""

    all_of, any_of, opposite, always, never = r" \land ", r" \lor ", r"\lnot ", r"\top", r"\bot"

    def simple(self, stated: Condition) -> str:
        """A condition that is not made of others."""
        match stated:
            case Between() | SumBetween():
                return _latex_interval(stated, self)
            case OneOf() | NoneOf() if stated.values:
                return _latex_values(stated)
        return latex_text(stated)


def _latex_values(condition: OneOf | NoneOf) -> str:
    name, values = latex_text(condition.feature), ", ".join(map(latex_text, condition.values))
    if isinstance(condition, NoneOf):
        return rf"{name} \notin \{{{values}\}}"
    return f"{name} = {values}" if len(condition.values) == 1 else rf"{name} \in \{{{values}\}}"


def _latex_interval(condition: Between | SumBetween, wording: Wording) -> str:
    def number(value: float) -> str:
        return _latex_number(value, wording)

    if isinstance(condition, Between):
        name = latex_text(condition.feature)
    else:
        name = format_sum(map(latex_text, condition.features), condition.weights, times=r" \, ", written=number)
    if condition.at_most == inf:
        return f"{name} > {number(condition.above)}" if condition.above > -inf else latex_text(condition)
    lower = "" if condition.above == -inf else f"{number(condition.above)} < "
    return rf"{lower}{name} \le {number(condition.at_most)}"


def _latex_number(value: float, wording: Wording) -> str:
    r"""A number, with an exponent written as a power of ten, since 1e-09 looks like a difference in mathematics mode."""
    if isinstance(value, TimeNumber):
        return latex_text(wording.number(value))
    digits, *exponent = wording.number(value).split("e")
    return rf"{digits} \cdot 10^{{{int(exponent[0])}}}" if exponent else digits


# Without a command, LaTeX's default font encoding shows other characters instead of the last three.
_COMMANDS = {"\\": "backslash", "~": "asciitilde", "^": "asciicircum", "<": "less", ">": "greater", "|": "bar"}
_SPECIAL = {character: f"\\text{name}{{}}" for character, name in _COMMANDS.items()} | {each: f"\\{each}" for each in "&%$#_{}"}


def latex_text(value: object) -> str:
    r"""A value as upright text on one line in mathematics mode.

    >>> print(latex_text("50 % of x_1"))
    \text{50 \% of x\_1}
    """
    return rf"\text{{{_escaped(value)}}}"


def _escaped(value: object) -> str:
    r"""A text on one line; after `\\`, LaTeX would read a bracket or a star at its start as an argument."""
    escaped = "".join(_SPECIAL.get(character, character) for character in printable(value))
    return f"{{}}{escaped}" if escaped[:1] in ("[", "*") else escaped


# TeX allows 255 nested groups, and forest needs several for each level.
_DEEPEST = 50
# In deeper trees, each subtree gets a band of its own, since packing them tightly takes LaTeX minutes.
_PACKED = 8
# A condition is a node of its own between a branch and its child, since forest reserves no room for edge labels.
_STYLE = (
    "for tree={draw=gray, rounded corners, align=center, l sep=2pt, l=0pt, s sep=6pt, font=\\small, edge={gray}},",
    "condition/.style={draw=none, inner sep=2pt, before computing xy={l+=10pt}}",
)


def to_latex(tree: Tree, *, fit: bool = False) -> Text:
    r"""A tree as an environment `forest`: branches show the tested expression, leaves their label, and both the class counts.

    The document needs `\usepackage{amsmath, forest}`. An empty leaf has the label of its nearest ancestor with cases.
    pdfLaTeX reads Latin letters; LuaLaTeX reads every character in its font. To `fit` a frame of beamer or a page, a large tree
    is made smaller, which needs `\usepackage{adjustbox}`.

    Raises a TypeError for anything but a Tree, a ValueError for a tree with more than 50 splits on a path.

    >>> from ftree import Dataset, grow
    >>> to_latex(grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"], features=["sky"])))
    \begin{forest}
      for tree={draw=gray, rounded corners, align=center, l sep=2pt, l=0pt, s sep=6pt, font=\small, edge={gray}},
      condition/.style={draw=none, inner sep=2pt, before computing xy={l+=10pt}}
      [{$\text{sky}$\\$(1, 1)$}
        [{$\text{rainy}$}, condition [{$\text{stay}$\\$(0, 1)$}]]
        [{$\text{sunny}$}, condition [{$\text{play}$\\$(1, 0)$}]]
      ]
    \end{forest}
    """
    require_boolean("fit", fit)
    tree = tree_of(tree)
    if depth(tree) > _DEEPEST:
        message = f"tree must have at most {_DEEPEST} splits on a path to be drawn by LaTeX, got {depth(tree)}. Prune it first."
        raise ValueError(message)
    packing = [] if depth(tree) <= _PACKED else ["for tree={fit=band},"]
    styles = [f"  {line}" for line in (*packing, *_STYLE)]
    lines = ["\\begin{forest}", *styles, *_lines(tree), "\\end{forest}"]
    return Text("\n".join([_BOX, *lines, "\\end{adjustbox}"] if fit else lines))


_BOX = "\\begin{adjustbox}{max width=\\textwidth, max totalheight=0.8\\textheight, center}"


def _lines(tree: Tree) -> Iterator[str]:
    """The lines of the nodes, in preorder, with a line of brackets after the last child of a branch."""
    shown = outline(tree)
    conditions, stack = [""] * len(shown), [(0, True)]
    while stack:
        number, opens = stack.pop()
        part, condition = shown[number], conditions[number]
        indent, closed = "  " * (part.depth + 1), "]]" if number else "]"
        if not opens:
            yield f"{indent}{closed}"
            continue
        label = latex_text(part.label)
        if isinstance(part.node, Branch):
            label, short = _split_in_words(tree, part.node.split)
            conditions[part.below.start : part.below.stop] = short
            stack += [(number, False), *((kid, True) for kid in reversed(part.below))]
        counts = f"({', '.join(map(format_number, part.node.counts))})" if tree.schema.has_classes else latex_text(part.figures)
        content = f"${label}$\\\\${counts}$" if label else f"${counts}$"
        opened = f"[{{${condition}$}}, condition " if number else ""
        yield f"{indent}{opened}[{{{content}}}{'' if part.below else closed}"


def _split_in_words(tree: Tree, split: Split) -> tuple[str, list[str]]:
    """The expression that a split tests, and the rest of the condition for each child."""
    whole = [latex(Rule((named(tree.schema, stated),), None, ())) for stated in split.conditions]
    tested = latex_text(tested_expression(tree.schema, split))
    short = [text.removeprefix(f"{tested} ").removeprefix("= ") for text in whole]
    return tested if short != whole else "", short
