"""A tree as an HTML page whose branches open and close, with a search and a slider for pruning."""

from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

from ftree.show.characters import printable
from ftree.show.document import Document
from ftree.show.html_page import framed_page
from ftree.show.outline import counts_text, outline
from ftree.show.page_path import path_panel
from ftree.show.page_rows import rows
from ftree.show.palette import colour
from ftree.show.pruning_stages import stages_of
from ftree.tree.nodes import Tree
from ftree.tree.schema import Schema


def page(tree: Tree, *, path: Iterable[Any] = (), max_depth: int | None = None, max_leaves: int | None = 2000) -> Document:
    """A tree as an HTML page, which needs no network and no other file: `page(tree).save("tree.html")`.

    Branches open and close, a search finds conditions and labels, and the keys work as in ARIA's tree pattern.

    `path` is a pruning path of the tree, such as `prune.cost_complexity_path(tree)`; or any trees, each a pruning of
    the one before; or the decisions of a pass, such as `prune.pessimistic().decisions(tree)`. A slider moves along it: the tree
    shrinks as alpha grows, and cut branches are grey, with the reason. With `prune.measured(path, held_out)`, or with
    `prune.cross_validated`, the accuracy of each tree is shown as well.

    `max_depth` closes branches permanently at that depth, `max_leaves` those with the fewest cases, and a row says how many
    leaves are hidden.

    Raises a TypeError for anything but a Tree, or a path without trees. Raises a ValueError for limits that are not whole
    numbers, and if a tree of the path is not a pruning of the one before; an IndexError for decisions about another tree.

    >>> from ftree import datasets, grow
    >>> from ftree.prune import cost_complexity_path
    >>> tree = grow(datasets.weather())
    >>> page(tree, path=cost_complexity_path(tree)).text.count('role="treeitem"')
    8
    """
    shown = outline(tree, max_depth=max_depth, max_leaves=max_leaves)
    stages, cuts = stages_of(tree, path, shown)
    title = f"Decision tree for {printable(tree.schema.target)}"
    digits = max(len(counts_text(part)) for part in shown)
    parts = [
        f"<header><h1>{escape(title)}</h1>{_legend(tree.schema)}{_TOOLS}</header>",
        f"<main><aside>{path_panel(stages)}{_DETAILS}</aside>",
        f'<div role="tree" id="tree" aria-label="Tree" style="--figures:{digits}ch">',
        *rows(tree.schema, shown, cuts),
        "</div></main>",
    ]
    return Document(framed_page(title, parts), "html")


_TOOLS = (
    '<div class="tools"><input id="search" type="search" placeholder="Search" aria-label="Search conditions and labels">'
    '<span id="found" role="status"></span>'
    '<button type="button" id="open">Open all</button><button type="button" id="close">Close all</button></div>'
)
_DETAILS = '<section id="details" aria-live="polite" aria-label="Selected node"></section>'


def _legend(schema: Schema) -> str:
    return f'<ul class="legend" aria-label="Classes">{"".join(_keys(schema))}</ul>'


def _keys(schema: Schema) -> Iterator[str]:
    for number, label in enumerate(schema.classes):
        text = escape(printable(label))
        yield f'<li title="{text}"><i style="background:{colour(number)}"></i><span>{text}</span></li>'
