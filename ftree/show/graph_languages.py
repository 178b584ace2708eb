"""A tree in the languages of graphs: Graphviz's DOT, and Mermaid."""

from collections.abc import Iterator

from ftree._lib.faces import Text
from ftree._lib.fields import require_boolean
from ftree.show.looks import GREY, tinted
from ftree.show.outline import OutlineNode, outline
from ftree.show.pictures import shortened
from ftree.show.svg import bands
from ftree.tree.formats import format_number
from ftree.tree.nodes import Tree, tree_of

_LABEL = 260.0
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "&": "&amp;"})


def to_dot(tree: Tree, *, counts: bool = False, max_depth: int | None = None, max_leaves: int | None = None) -> Text:
    r"""A tree in Graphviz's language DOT: `dot -Tsvg` draws it.

    Leaves have the colours of their classes, branches are as wide as the cases that follow them, and tooltips have the class
    counts and shortened texts in full. With `counts`, nodes show class counts in place of their cases. By default trees of any
    depth are written; `draw` explains `max_depth` and `max_leaves`.

    Raises a TypeError for anything but a Tree, a ValueError for limits that are not whole numbers.

    >>> from ftree import datasets, grow
    >>> to_dot(grow(datasets.lenses()), max_depth=0)
    digraph tree {
    node [shape=box, style="rounded,filled", fillcolor=white, fontname="Helvetica", fontsize=11]
    edge [arrowhead=none, color="#767676", fontname="Helvetica", fontsize=10]
    n0 [label="no lenses\n24 cases\n… 9 more leaves", fillcolor="#FBF1D9", tooltip="no lenses\nhard: 4\nno lenses: 15\nsoft: 5"]
    }
    """
    require_boolean("counts", counts)
    tree = tree_of(tree)
    shown = outline(tree, max_depth=max_depth, max_leaves=max_leaves)
    return Text("\n".join(_dot_lines(shown, counts=counts)))


def _dot_lines(shown: list[OutlineNode], *, counts: bool) -> Iterator[str]:
    yield "digraph tree {"
    yield 'node [shape=box, style="rounded,filled", fillcolor=white, fontname="Helvetica", fontsize=11]'
    yield f'edge [arrowhead=none, color="{GREY}", fontname="Helvetica", fontsize=10]'
    for number, part in enumerate(shown):
        yield f"n{number} [{_dot_node(part, counts=counts)}]"
    for number, (part, (width, _)) in enumerate(zip(shown[1:], bands(shown)[1:], strict=True), 1):
        texts = f"label={_dot_quoted(shortened(part.short, _LABEL))}, tooltip={_dot_quoted(part.condition)}"
        yield f"n{part.parent} -> n{number} [{texts}, penwidth={format_number(width / 2, decimals=2)}]"
    yield "}"


def _figures(part: OutlineNode, *, counts: bool) -> list[str]:
    """The cases or class counts of a node, and its hidden leaves."""
    cases = part.figures if counts else f"{format_number(part.cases, decimals=2)} cases"
    return [cases, *([part.more] if part.hidden else [])]


def _dot_node(part: OutlineNode, *, counts: bool) -> str:
    lines = [shortened(part.heading, _LABEL), *_figures(part, counts=counts)]
    shade = "" if part.below else f', fillcolor="{tinted(part.shade, 0.15)}"'
    return f"label={_dot_quoted(*lines)}{shade}, tooltip={_dot_quoted(part.heading, *part.looks.words(part.node.counts))}"


def _dot_quoted(*lines: str) -> str:
    """Lines as a string of DOT, in which a backslash begins an escape and `&` an entity, as in HTML."""
    return '"' + r"\n".join([line.translate(_ESCAPES) for line in lines]) + '"'


def to_mermaid(tree: Tree, *, counts: bool = False, max_depth: int | None = None, max_leaves: int | None = 200) -> Text:
    """A tree as a Mermaid flowchart, for a Markdown block of the language `mermaid`.

    Mermaid refuses more than 500 edges by default, so the number of leaves is limited. See `draw` for the limits, and
    `to_dot` for `counts`.

    Raises a TypeError for anything but a Tree, a ValueError for limits that are not whole numbers.

    >>> from ftree import datasets, grow
    >>> to_mermaid(grow(datasets.weather()), max_leaves=3)
    flowchart TD
    classDef class0 fill:#D9EAF3,stroke:#0072B2,color:#000
    classDef class1 fill:#FBF1D9,stroke:#E69F00,color:#000
    n0["outlook?<br/>14 cases"]
    n1(["yes<br/>4 cases"]):::class1
    n2(["yes<br/>5 cases<br/>… 2 more leaves"]):::class1
    n3(["no<br/>5 cases<br/>… 2 more leaves"]):::class0
    n0 -->|"overcast"| n1
    n0 -->|"rainy"| n2
    n0 -->|"sunny"| n3
    """
    require_boolean("counts", counts)
    tree = tree_of(tree)
    shown = outline(tree, max_depth=max_depth, max_leaves=max_leaves)
    return Text("\n".join(_mermaid_lines(shown, counts=counts)))


def _mermaid_lines(shown: list[OutlineNode], *, counts: bool) -> Iterator[str]:
    yield "flowchart TD"
    for answer, shade in sorted({(part.answer, part.shade) for part in shown if not part.below}):
        yield f"classDef class{answer} fill:{tinted(shade, 0.15)},stroke:{shade},color:#000"
    for number, part in enumerate(shown):
        yield f"n{number}{_mermaid_node(part, counts=counts)}"
    for number, part in enumerate(shown[1:], 1):
        yield f"n{part.parent} -->|{_mermaid_quoted(part.short)}| n{number}"


def _mermaid_node(part: OutlineNode, *, counts: bool) -> str:
    text = _mermaid_quoted(part.heading, *_figures(part, counts=counts))
    return f"[{text}]" if part.below else f"([{text}]):::class{part.answer}"


def _mermaid_quoted(*lines: str) -> str:
    """Lines as a Mermaid string; characters with a meaning in Mermaid, Markdown or HTML are written as numbers."""
    return '"' + "<br/>".join("".join(map(_escaped, shortened(line, _LABEL))) for line in lines) + '"'


def _escaped(character: str) -> str:
    is_safe = character.isalnum() or character in " ?…≤" or not character.isascii()
    return character if is_safe else f"#{ord(character)};"
