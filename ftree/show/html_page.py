"""A tree as an HTML page: an outline, a diagram, a search, a form that classifies a row, and a slider along a path."""

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from math import isfinite
from typing import Any

from ftree.show.outline import OutlineNode, outline, preordered
from ftree.show.page_path import CutBranch, path_panel
from ftree.show.pictures import Document
from ftree.show.svg import draw
from ftree.tree.conditions import Between, Condition, NoneOf, OneOf, SumBetween, without_surrogates
from ftree.tree.describe import answered, codes_of
from ftree.tree.formats import printable
from ftree.tree.nodes import Branch, Tree, tree_of
from ftree.tree.schema import Feature, Schema
from ftree.tree.splits.split import primary


def page(tree: Tree, *, path: Iterable[Any] = (), max_depth: int | None = None, max_leaves: int | None = 2000) -> Document:
    """A tree as an HTML page, which needs no network and no other file: `page(tree).save("tree.html")`.

    Branches open and close, a search finds conditions and labels, and the keys work as in ARIA's tree pattern. Beside the outline
    stand a diagram of up to 60 shown leaves, and a form for a row, whose path lights up.

    `path` is a pruning path of the tree, such as `prune.cost_complexity_path(tree)`; or any trees, each a pruning of
    the one before; or the decisions of a pass, such as `prune.pessimistic().decisions(tree)`. A slider moves along it: the tree
    shrinks as alpha grows, and cut branches are grey, with the reason. With `prune.measured(path, held_out)`, or with
    `prune.cross_validated`, the accuracy of each tree, or its mean squared error, is shown as well. Trees that grow up to the
    given one, such as `lesson.growth_steps(dataset)`, are shown from the smallest on; what a step says stands below the slider.

    `max_depth` closes branches permanently at that depth, `max_leaves` those with the fewest cases, and a row says how many
    leaves are hidden.

    Raises a TypeError for anything but a Tree, or a path without trees. Raises a ValueError for limits that are not whole
    numbers, and if a tree of the path is not a pruning of the one before; an IndexError for decisions about another tree.

    >>> from ftree import datasets, grow, prune
    >>> tree = grow(datasets.weather())
    >>> page(tree, path=prune.cost_complexity_path(tree)).text.count('role="treeitem"')
    8
    """
    tree = tree_of(tree)
    shown = outline(tree, max_depth=max_depth, max_leaves=max_leaves)
    panel, cuts = path_panel(tree, path, shown)
    title = printable(answered(tree.schema))
    digits = max(len(part.figures) for part in shown)
    parts = [
        f"<header><h1>{escape(title)}</h1>{legend(shown[0].looks.legend())}{_TOOLS}</header>",
        f"<main><aside>{_diagram(tree, shown, max_depth, max_leaves)}{panel}{_form(tree, shown)}{_DETAILS}</aside>",
        f'<div role="tree" id="tree" aria-label="Tree" style="--figures:{digits}ch">',
        *rows(tree.schema, shown, cuts),
        "</div></main>",
    ]
    return Document(framed_page(title, parts, script=asset("page.js"), style=asset("page.css")), "html")


_TOOLS = (
    '<div class="tools"><input id="search" type="search" placeholder="Search" aria-label="Search conditions and labels">'
    '<span id="found" role="status"></span>'
    '<button type="button" id="open">Open all</button><button type="button" id="close">Close all</button></div>'
)
_DETAILS = '<section id="details" aria-live="polite" aria-label="Selected node"></section>'


# The most leaves of a diagram beside an outline.
_IN_DIAGRAM = 60


def _diagram(tree: Tree, shown: Sequence[OutlineNode], max_depth: int | None, max_leaves: int | None) -> str:
    if not 1 < sum(not part.below for part in shown) <= _IN_DIAGRAM:
        return ""
    drawing = draw(tree, max_depth=max_depth, max_leaves=max_leaves, theme="auto").text
    return f'<section id="diagram" aria-label="Diagram">{drawing}</section>'


def _form(tree: Tree, shown: Sequence[OutlineNode]) -> str:
    """A field for each feature that a shown split tests; no form where a test has no form that the page can evaluate."""
    splits = [part.node.split for part in shown if isinstance(part.node, Branch) and part.below]
    numbers = sorted({number for split in splits for number in primary(split).features})
    tests = [condition_json(tree.schema, stated) for split in splits for stated in split.conditions]
    if not splits or None in tests or any(tree.schema.features[number].time for number in numbers):
        return ""
    fields = "".join(_field(number, tree.schema.features[number]) for number in numbers)
    title = f"{'Classify' if tree.schema.has_classes else 'Predict'} a row"
    inside = f'<h2>{title}</h2><form id="row">{fields}</form><output id="answer"></output>'
    return f'<section aria-label="{title}">{inside}</section>'


def _field(number: int, feature: Feature) -> str:
    if feature.kind == "numeric":
        inside = f'<input name="f{number}" type="number" step="any">'
    else:
        options = (f'<option value="{code}">{_text(value)}</option>' for code, value in enumerate(feature.values))
        inside = f'<select name="f{number}"><option value=""></option>{"".join(options)}</select>'
    return f"<label><span>{_text(feature.name)}</span>{inside}</label>"


def condition_json(schema: Schema, stated: Condition) -> str | None:
    """A condition as JSON for the page: codes of a feature, or bounds of a weighted sum; None for others.

    >>> from ftree.tree.conditions import OneOf
    >>> condition_json(Schema([Feature("age", "numeric")], "ill", ("no", "yes")), Between(0, at_most=18.0))
    '{"of": [0], "times": [1.0], "above": null, "most": 18.0}'
    """
    own = without_surrogates(stated)
    if isinstance(own, Between | OneOf | NoneOf):
        codes = codes_of(schema.features[own.feature], own)  # type: ignore[index]  # a split's conditions have numbers
        if codes is not None:
            return json.dumps({"of": [own.feature], "codes": codes})
    if not isinstance(own, Between | SumBetween):
        return None
    features, times = (own.features, own.weights) if isinstance(own, SumBetween) else ((own.feature,), (1.0,))
    above, most = (float(end) if isfinite(end) else None for end in (own.above, own.at_most))
    return json.dumps({"of": list(features), "times": list(times), "above": above, "most": most})


def legend(keys: Iterable[tuple[str, Any]]) -> str:
    """Colours and what they stand for, as a list.

    >>> legend([("#0072B2", "no")])[:35]
    '<ul class="legend" aria-label="Clas'
    """
    texts = ((shade, escape(printable(label))) for shade, label in keys)
    listed = (f'<li title="{text}"><i style="background:{shade}"></i><span>{text}</span></li>' for shade, text in texts)
    return f'<ul class="legend" aria-label="Classes">{"".join(listed)}</ul>'


def framed_page(title: str, parts: Iterable[str], *, script: str, style: str) -> str:
    """A whole page. Its security policy allows only its own script, identified by its hash, and loads nothing from elsewhere."""
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    head = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(printable(title))}</title><style>{style}</style></head><body>",
    ]
    return "\n".join([*head, *parts, f"<script>{script}</script></body></html>\n"])


@cache
def asset(name: str, package: str = "ftree.show") -> str:
    """The text of a file beside the code of a package.

    >>> asset("page.js")[:12]
    '"use strict"'
    """
    return files(package).joinpath(name).read_bytes().decode()


# Up to this many rows, a page opens with all branches open.
_OPEN_ROWS = 60


def rows(schema: Schema, shown: Sequence[OutlineNode], cuts: Mapping[int, CutBranch]) -> Iterator[str]:
    """An HTML element for each node, parents first: an item of ARIA's tree pattern, flat, so that it may be of any depth."""
    open_depth = _open_depth(shown)
    for number in preordered(shown):
        part = shown[number]
        kids = shown[part.parent].below if number else range(1)
        place = f'aria-level="{part.depth + 1}" aria-setsize="{len(kids)}" aria-posinset="{number - kids[0] + 1}"'
        state = f' aria-expanded="{str(part.depth < open_depth).lower()}"' if part.below else ""
        cut = f' data-cut="{cuts[number].stage}"' if number in cuts else ""
        above = f' data-parent="n{part.parent}"' if number else ""
        node, tested = (shown[part.parent].node, shown[part.parent].tested) if number else (None, "")
        test = condition_json(schema, node.split.conditions[number - kids[0]]) if isinstance(node, Branch) else None
        above += f" data-test={_attribute(test)}" if test else ""
        whole = _attribute("\n".join([part.condition or printable(answered(schema)), *part.tooltip()]))
        opening = f'<div role="treeitem" id="n{number}" tabindex="{-1 if number else 0}" style="--depth:{min(part.depth, 40)}"'
        inside = "".join(_cells(schema, part, tested, cuts.get(number)))
        yield f"{opening} {place}{state}{cut}{above} title={whole}>{inside}</div>"


def _open_depth(shown: Sequence[OutlineNode]) -> int:
    """The depth at which branches are closed at first, so that few enough rows are visible."""
    depths = sorted(part.depth for part in shown)
    return max(depths[min(_OPEN_ROWS, len(depths) - 1)], 1) if len(depths) > _OPEN_ROWS else depths[-1]


def _cells(schema: Schema, part: OutlineNode, tested: str, cut: CutBranch | None) -> Iterator[str]:
    yield '<span class="twisty" aria-hidden="true"></span>'
    yield f'<span class="condition">{_condition(schema, part, tested)}</span>'
    if not part.below or cut is not None:
        yield f'<span class="label" style="--class:{part.shade}">{_text(part.label)}</span>'
    bar = f'<span class="bar" aria-hidden="true">{"".join(_bar(part))}</span>'
    yield f'<span class="figures">{bar}<span class="cases">{part.figures}</span></span>'
    if part.hidden:
        yield f'<span class="more">{part.more}</span>'
    if cut is not None:
        yield f'<span class="reason">{_text(cut.reason)}</span>'


def _condition(schema: Schema, part: OutlineNode, tested: str) -> str:
    """A condition, with what is tested and what follows in elements of their own, so that both are cut where both are long."""
    if tested and part.condition.startswith(tested):
        return f"<span>{_text(tested)}</span><span>{_text(part.condition.removeprefix(tested))}</span>"
    return _text(part.condition or answered(schema))


def _bar(part: OutlineNode) -> Iterator[str]:
    end = 0.0
    for shade, start, length in part.looks.bar(part.node.counts):
        gap = f"margin-left:{100 * (start - end):.1f}%;" if round(start - end, 3) else ""
        yield f'<i style="{gap}width:{100 * length:.1f}%;background:{shade}"></i>'
        end = start + length


def _text(text: object) -> str:
    return escape(printable(text), quote=False)


def _attribute(text: str) -> str:
    return f'"{escape(text)}"'
