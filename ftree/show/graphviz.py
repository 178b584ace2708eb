"""A tree in Graphviz's language DOT."""

from collections.abc import Iterator

from ftree.show.characters import shortened
from ftree.show.outline import OutlineNode, counts_in_words, heading, more_leaves, outline, short_condition
from ftree.show.palette import GREY, colour, mixed
from ftree.show.svg_edges import bands
from ftree.tree.formats import format_number
from ftree.tree.nodes import Branch, Tree, check_tree
from ftree.tree.schema import Schema

_LABEL = 260.0
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "&": "&amp;"})


def to_dot(tree: Tree, *, max_depth: int | None = None, max_leaves: int | None = None) -> str:
    r"""A tree in Graphviz's language DOT: `dot -Tsvg` draws it.

    Leaves have the colours of their classes, branches are as wide as the cases that follow them, and tooltips have the class
    counts and shortened texts in full. By default trees of any depth are written; `draw` explains `max_depth` and `max_leaves`.

    Raises a TypeError for anything but a Tree, a ValueError for limits that are not whole numbers.

    >>> from ftree import datasets, grow
    >>> print(to_dot(grow(datasets.lenses()), max_depth=0))
    digraph tree {
    node [shape=box, style="rounded,filled", fillcolor=white, fontname="Helvetica", fontsize=11]
    edge [arrowhead=none, color="#767676", fontname="Helvetica", fontsize=10]
    n0 [label="no lenses\n24 cases\n… 9 more leaves", fillcolor="#FBF1D9", tooltip="no lenses\nhard: 4\nno lenses: 15\nsoft: 5"]
    }
    """
    check_tree(tree)
    return "\n".join(_lines(tree.schema, outline(tree, max_depth=max_depth, max_leaves=max_leaves)))


def _lines(schema: Schema, shown: list[OutlineNode]) -> Iterator[str]:
    yield "digraph tree {"
    yield 'node [shape=box, style="rounded,filled", fillcolor=white, fontname="Helvetica", fontsize=11]'
    yield f'edge [arrowhead=none, color="{GREY}", fontname="Helvetica", fontsize=10]'
    for number, part in enumerate(shown):
        yield f"n{number} [{_node(schema, part)}]"
    for number, (part, (width, _)) in enumerate(zip(shown, bands(shown), strict=True)):
        above = shown[part.parent].node
        if number and isinstance(above, Branch):
            label = shortened(short_condition(schema, above.split, part.condition), _LABEL)
            texts = f"label={_quoted(label)}, tooltip={_quoted(part.condition)}"
            yield f"n{part.parent} -> n{number} [{texts}, penwidth={format_number(width / 2, decimals=2)}]"
    yield "}"


def _node(schema: Schema, part: OutlineNode) -> str:
    title = heading(schema, part)
    cases = f"{format_number(sum(part.node.counts), decimals=2)} cases"
    lines = [shortened(title, _LABEL), cases, *([more_leaves(part.hidden)] if part.hidden else [])]
    shade = "" if part.below else f', fillcolor="{mixed(colour(part.answer), 0.15)}"'
    return f"label={_quoted(*lines)}{shade}, tooltip={_quoted(title, *counts_in_words(schema, part.node))}"


def _quoted(*lines: str) -> str:
    """Lines as a string of DOT, in which a backslash begins an escape and `&` an entity, as in HTML."""
    return '"' + r"\n".join([line.translate(_ESCAPES) for line in lines]) + '"'
