"""A tree as a Mermaid flowchart, which many Markdown pages show as a picture."""

from collections.abc import Iterator

from ftree.show.characters import shortened
from ftree.show.outline import OutlineNode, heading, more_leaves, outline, short_condition
from ftree.show.palette import colour, mixed
from ftree.tree.formats import format_number
from ftree.tree.nodes import Branch, Tree, check_tree
from ftree.tree.schema import Schema

_LABEL = 260.0


def to_mermaid(tree: Tree, *, max_depth: int | None = None, max_leaves: int | None = 200) -> str:
    """A tree as a Mermaid flowchart, for a Markdown block of the language `mermaid`.

    Mermaid refuses more than 500 edges by default, so the number of leaves is limited. See `draw` for the limits.

    Raises a TypeError for anything but a Tree, a ValueError for limits that are not whole numbers.

    >>> from ftree import datasets, grow
    >>> print(to_mermaid(grow(datasets.weather()), max_leaves=3))
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
    check_tree(tree)
    return "\n".join(_lines(tree.schema, outline(tree, max_depth=max_depth, max_leaves=max_leaves)))


def _lines(schema: Schema, shown: list[OutlineNode]) -> Iterator[str]:
    yield "flowchart TD"
    for answer in sorted({part.answer for part in shown if not part.below}):
        yield f"classDef class{answer} fill:{mixed(colour(answer), 0.15)},stroke:{colour(answer)},color:#000"
    for number, part in enumerate(shown):
        yield f"n{number}{_node(schema, part)}"
    for number, part in enumerate(shown):
        above = shown[part.parent].node
        if number and isinstance(above, Branch):
            yield f"n{part.parent} -->|{_quoted(short_condition(schema, above.split, part.condition))}| n{number}"


def _node(schema: Schema, part: OutlineNode) -> str:
    cases = f"{format_number(sum(part.node.counts), decimals=2)} cases"
    text = _quoted(heading(schema, part), cases, *([more_leaves(part.hidden)] if part.hidden else []))
    return f"[{text}]" if part.below else f"([{text}]):::class{part.answer}"


def _quoted(*lines: str) -> str:
    """Lines as a Mermaid string; characters with a meaning in Mermaid, Markdown or HTML are written as numbers."""
    return '"' + "<br/>".join("".join(map(_escaped, shortened(line, _LABEL))) for line in lines) + '"'


def _escaped(character: str) -> str:
    plain = character.isalnum() or character in " ?…≤" or not character.isascii()
    return character if plain else f"#{ord(character)};"
