"""The rows of a page: one for each node, in preorder."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from ftree.show.characters import printable
from ftree.show.outline import (
    OutlineNode,
    counts_in_words,
    counts_text,
    heading,
    more_leaves,
    preordered,
    surrogates_in_words,
)
from ftree.show.palette import colour
from ftree.show.pruning_stages import Cut
from ftree.tree.describe import tested_expression
from ftree.tree.nodes import Branch, Node
from ftree.tree.schema import Schema

# Up to this many rows, a page opens with all branches open.
_OPEN_ROWS = 60


def rows(schema: Schema, shown: Sequence[OutlineNode], cuts: Mapping[int, Cut]) -> Iterator[str]:
    """An HTML element for each node, parents first: an item of ARIA's tree pattern, flat, so that it may be of any depth."""
    open_depth = _open_depth(shown)
    for number in preordered(shown):
        part = shown[number]
        kids = shown[part.parent].below if number else range(1)
        place = f'aria-level="{part.depth + 1}" aria-setsize="{len(kids)}" aria-posinset="{number - kids[0] + 1}"'
        state = f' aria-expanded="{str(part.depth < open_depth).lower()}"' if part.below else ""
        cut = f' data-cut="{cuts[number].stage}"' if number in cuts else ""
        above = f' data-parent="n{part.parent}"' if number else ""
        whole = _attribute("\n".join(_everything(schema, part)))
        opening = f'<div role="treeitem" id="n{number}" tabindex="{-1 if number else 0}" style="--depth:{min(part.depth, 40)}"'
        inside = "".join(_cells(schema, part, shown[part.parent].node if number else None, cuts.get(number)))
        yield f"{opening} {place}{state}{cut}{above} title={whole}>{inside}</div>"


def _open_depth(shown: Sequence[OutlineNode]) -> int:
    """The depth at which branches are closed at first, so that few enough rows are visible."""
    depths = sorted(part.depth for part in shown)
    return max(depths[min(_OPEN_ROWS, len(depths) - 1)], 1) if len(depths) > _OPEN_ROWS else depths[-1]


def _cells(schema: Schema, part: OutlineNode, above: Node | None, cut: Cut | None) -> Iterator[str]:
    yield '<span class="twisty" aria-hidden="true"></span>'
    yield f'<span class="condition">{_condition(schema, part, above)}</span>'
    if not part.below or cut is not None:
        yield f'<span class="label" style="--class:{colour(part.answer)}">{_text(schema.classes[part.answer])}</span>'
    bar = f'<span class="bar" aria-hidden="true">{"".join(_bar(part))}</span>'
    yield f'<span class="figures">{bar}<span class="cases">{counts_text(part)}</span></span>'
    if part.hidden:
        yield f'<span class="more">{more_leaves(part.hidden)}</span>'
    if cut is not None:
        yield f'<span class="reason">{_text(cut.reason)}</span>'


def _condition(schema: Schema, part: OutlineNode, above: Node | None) -> str:
    """A condition, with what is tested and what follows in elements of their own, so that both are cut where both are long."""
    tested = printable(tested_expression(schema, above.split)) if isinstance(above, Branch) else ""
    if tested and part.condition.startswith(tested):
        return f"<span>{_text(tested)}</span><span>{_text(part.condition.removeprefix(tested))}</span>"
    return _text(part.condition or schema.target)


def _bar(part: OutlineNode) -> Iterator[str]:
    total = sum(part.node.counts)
    for number, count in enumerate(part.node.counts):
        if count:
            yield f'<i style="width:{100 * count / total:.1f}%;background:{colour(number)}"></i>'


def _everything(schema: Schema, part: OutlineNode) -> Iterator[str]:
    """The lines of a row's tooltip; nothing in them is shortened."""
    yield part.condition or printable(schema.target)
    yield heading(schema, part)
    if isinstance(part.node, Branch):
        yield from surrogates_in_words(schema, part.node.split)
    yield from counts_in_words(schema, part.node)


def _text(text: object) -> str:
    return escape(printable(text), quote=False)


def _attribute(text: str) -> str:
    return f'"{escape(text)}"'
