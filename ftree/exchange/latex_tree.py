"""A tree as a drawing for LaTeX, by the package forest."""

from collections.abc import Iterator

from ftree.show.formulas import Rule
from ftree.show.latex import latex
from ftree.show.latex_escapes import latex_text
from ftree.tree.conditions import Condition
from ftree.tree.describe import named
from ftree.tree.formats import format_number
from ftree.tree.measure import depth
from ftree.tree.nodes import Branch, Node, Tree, check_tree, majority

# TeX has groups in groups up to 255 deep, and forest needs several for a level.
DEEPEST = 50
_STYLE = "for tree={align=center, l sep+=2em, s sep+=1em, edge={-latex}, font=\\small}"


def to_latex(tree: Tree) -> str:
    r"""A tree as an environment `forest`: the condition on each edge, the class counts in each node, the label in each leaf.

    The document needs `\usepackage{amsmath, forest}`. An empty leaf has the label of the nearest node above with cases.

    Raises a TypeError for anything but a Tree, a ValueError for one with more than 50 splits on a way.

    >>> from ftree import Dataset, grow
    >>> print(to_latex(grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"], features=["sky"]))))
    \begin{forest}
      for tree={align=center, l sep+=2em, s sep+=1em, edge={-latex}, font=\small}
      [{$(1, 1)$}
        [{$\text{stay}$\\$(0, 1)$}, edge label={node[midway, fill=white]{$\text{sky} = \text{rainy}$}}]
        [{$\text{play}$\\$(1, 0)$}, edge label={node[midway, fill=white]{$\text{sky} = \text{sunny}$}}]
      ]
    \end{forest}
    """
    check_tree(tree)
    if depth(tree) > DEEPEST:
        message = f"tree must have at most {DEEPEST} splits on a way to be drawn by LaTeX, got {depth(tree)}. Prune it first."
        raise ValueError(message)
    return "\n".join(["\\begin{forest}", f"  {_STYLE}", *_lines(tree), "\\end{forest}"])


def _lines(tree: Tree) -> Iterator[str]:
    """The lines of the nodes, in preorder, with a bracket after the last child of a branch."""
    stack: list[tuple[Node | None, Node, Condition | None, int]] = [(tree.root, tree.root, None, 1)]
    while stack:
        node, above, stated, level = stack.pop()
        if node is None:
            yield "  " * level + "]"
            continue
        answer = node if any(node.counts) else above
        edge = "" if stated is None else f", edge label={{node[midway, fill=white]{{${_condition(tree, stated)}$}}}}"
        closed = "" if isinstance(node, Branch) else "]"
        yield "  " * level + f"[{{{_content(tree, node, answer)}}}{edge}{closed}"
        if isinstance(node, Branch):
            stack.append((None, node, None, level))
            pairs = list(zip(node.children, node.split.conditions, strict=True))
            stack += [(child, answer, each, level + 1) for child, each in reversed(pairs)]


def _content(tree: Tree, node: Node, answer: Node) -> str:
    """The counts of a node, under its label where it is a leaf."""
    counts = f"$({', '.join(map(format_number, node.counts))})$"
    if isinstance(node, Branch):
        return counts
    return f"${latex_text(tree.schema.classes[majority(answer.counts)])}$\\\\{counts}"


def _condition(tree: Tree, stated: Condition) -> str:
    return latex(Rule((named(tree.schema, stated),), None, ()))
