"""A tree as a drawing for LaTeX, by the package forest."""

from collections.abc import Iterator

from ftree.show.formulas import Rule
from ftree.show.latex import latex
from ftree.show.latex_escapes import latex_text
from ftree.tree.describe import named, tested_expression
from ftree.tree.formats import format_number
from ftree.tree.measure import depth
from ftree.tree.nodes import Branch, Node, Tree, check_tree, children, majority

# TeX allows 255 nested groups, and forest needs several for each level.
DEEPEST = 50
# In deeper trees, each subtree gets a band of its own, since packing them tightly takes LaTeX minutes.
_PACKED = 8
# A condition is a node of its own between a branch and its child, since forest reserves no room for edge labels.
_STYLE = (
    "for tree={draw=gray, rounded corners, align=center, l sep=2pt, l=0pt, s sep=6pt, font=\\small, edge={gray}},",
    "condition/.style={draw=none, inner sep=2pt, before computing xy={l+=10pt}}",
)


def to_latex(tree: Tree) -> str:
    r"""A tree as an environment `forest`: branches show the tested expression, leaves their label, and both the class counts.

    The document needs `\usepackage{amsmath, forest}`. An empty leaf has the label of its nearest ancestor with cases.
    pdfLaTeX reads Latin letters; LuaLaTeX reads every character in its font.

    Raises a TypeError for anything but a Tree, a ValueError for a tree with more than 50 splits on a path.

    >>> from ftree import Dataset, grow
    >>> print(to_latex(grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"], features=["sky"]))))
    \begin{forest}
      for tree={draw=gray, rounded corners, align=center, l sep=2pt, l=0pt, s sep=6pt, font=\small, edge={gray}},
      condition/.style={draw=none, inner sep=2pt, before computing xy={l+=10pt}}
      [{$\text{sky}$\\$(1, 1)$}
        [{$\text{rainy}$}, condition [{$\text{stay}$\\$(0, 1)$}]]
        [{$\text{sunny}$}, condition [{$\text{play}$\\$(1, 0)$}]]
      ]
    \end{forest}
    """
    check_tree(tree)
    if depth(tree) > DEEPEST:
        message = f"tree must have at most {DEEPEST} splits on a path to be drawn by LaTeX, got {depth(tree)}. Prune it first."
        raise ValueError(message)
    packing = [] if depth(tree) <= _PACKED else ["for tree={fit=band},"]
    styles = [f"  {line}" for line in (*packing, *_STYLE)]
    return "\n".join(["\\begin{forest}", *styles, *_lines(tree), "\\end{forest}"])


def _lines(tree: Tree) -> Iterator[str]:
    """The lines of the nodes, in preorder, with a line of brackets after the last child of a branch."""
    stack: list[tuple[Node | None, Node, str, int]] = [(tree.root, tree.root, "", 1)]
    while stack:
        node, above, condition, level = stack.pop()
        indent, opened, closed = "  " * level, f"[{{${condition}$}}, condition " if condition else "", "]]" if condition else "]"
        if node is None:
            yield f"{indent}{closed}"
            continue
        answer = node if any(node.counts) else above
        tested, conditions = _split_in_words(tree, node)
        counts = f"$({', '.join(map(format_number, node.counts))})$"
        label = tested if conditions else latex_text(tree.schema.classes[majority(answer.counts)])
        content = f"${label}$\\\\{counts}" if label else counts
        yield f"{indent}{opened}[{{{content}}}{'' if conditions else closed}"
        if conditions:
            stack.append((None, node, condition, level))
            pairs = zip(children(node), conditions, strict=True)
            stack += reversed([(child, answer, each, level + 1) for child, each in pairs])


def _split_in_words(tree: Tree, node: Node) -> tuple[str, list[str]]:
    """The expression that a split tests, and the rest of the condition for each child; a leaf has neither."""
    if not isinstance(node, Branch):
        return "", []
    whole = [latex(Rule((named(tree.schema, stated),), None, ())) for stated in node.split.conditions]
    tested = latex_text(tested_expression(tree.schema, node.split))
    short = [text.removeprefix(f"{tested} ").removeprefix("= ") for text in whole]
    return tested if short != whole else "", short
