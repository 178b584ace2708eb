"""A tree as indented text in Weka's form."""

from collections.abc import Iterator
from math import floor
from typing import Literal, TypeAlias

from ftree._lib.faces import LINE, Text
from ftree._lib.fields import require_boolean
from ftree.tree.conditions import Condition, Wording, cut_to, wording_for
from ftree.tree.describe import Arriving, arriving, condition, describe_condition
from ftree.tree.formats import format_number, printable
from ftree.tree.nodes import Branch, Leaf, Node, Tree, check_tree, tree_of
from ftree.tree.schema import Schema
from ftree.tree.splits.split import Split, stand_ins

# Bars beyond this depth would be unreadable, and their number would grow with the square of the depth; where nothing is cut.
_DEEPEST, _DEEPEST_WHOLE = 24, 64
# A condition keeps so many characters in any case.
_LEAST = 20
# From here on all floats are whole numbers.
_ALL_WHOLE = 2**53
# Weka's limit: smaller errors are rounding errors.
_SMALL = 1e-6


def text(
    tree: Tree,
    *,
    distributions: bool = False,
    surrogates: bool = False,
    digits: int | None = None,
    values: Literal["few"] | None = "few",
) -> Text:
    """Indented text with one line for each child; a leaf has its label after a colon, its cases, and any errors; or its mean.

    With `distributions`, every node shows its class counts in brackets, in schema order; or what rpart prints of a node of
    numbers or events, its cases, its deviance, and its answer. With `surrogates`, a line for
    each surrogate stands above the lines of its split. Below level 24, the depth is a number in place of more bars. Names
    stay on their line: line ends and tabs are blanks, other controls U+FFFD.

    Thresholds have all digits that tell rows apart, or `digits` significant ones. Lines have about 200 characters: of many
    values the shorter side ("not in") and the first few stand there, "… and 193 more", and long names are cut. With
    `values=None` nothing is cut, so that `from_weka_text` can read the tree.

    Raises a TypeError for anything but a Tree, and for flags that are not bools; a ValueError for digits below 1 or above 17,
    and for other `values`.

    >>> from ftree import Dataset, grow
    >>> data = Dataset.from_rows([["sunny"], ["rainy"], ["rainy"]], ["play", "stay", "play"], features=["sky"])
    >>> text(grow(data), distributions=True)
    [2 1]
    sky = rainy: play (2.0/1.0) [1 1]
    sky = sunny: play (1.0) [1 0]
    """
    tree = tree_of(tree)
    require_boolean("distributions", distributions)
    require_boolean("surrogates", surrogates)
    wording = wording_for(tree.schema, digits, values)
    return Text("\n".join(map(printable, lines(tree, wording, distributions=distributions, surrogates=surrogates))))


def lines(tree: Tree, wording: Wording | None = None, *, distributions: bool, surrogates: bool = False) -> Iterator[str]:
    """The lines of the text; with distributions and without surrogates, one line for each node, in preorder.

    >>> from ftree import datasets, grow
    >>> next(iter(lines(grow(datasets.xor()), distributions=False)))
    ': False (4.0/2.0)'
    """
    check_tree(tree)
    schema, root, wording = tree.schema, tree.root, wording or Wording(schema=tree.schema)
    if isinstance(root, Leaf):
        yield _leaf(schema, root, root, wording) + _distribution(schema, root, root, shown=distributions)
        return
    if distributions:
        yield _distribution(schema, root, root, shown=True).strip()
    yield from _surrogate_lines(schema, root.split, 0, wording, shown=surrogates)
    stack = list(_below(schema, root, root, 0, {}))
    while stack:
        depth, stated, node, seen, known = stack.pop()
        answer = _leaf(schema, node, seen, wording) if isinstance(node, Leaf) else ""
        answer += _distribution(schema, node, seen, shown=distributions)
        yield _line(depth, describe_condition(schema, stated, wording), answer, wording)
        if isinstance(node, Branch):
            yield from _surrogate_lines(schema, node.split, depth + 1, wording, shown=surrogates)
            stack.extend(_below(schema, node, seen, depth + 1, known))


_Below: TypeAlias = tuple[int, Condition, Node, Node, Arriving]


def _below(schema: Schema, branch: Branch, seen: Node, depth: int, known: Arriving) -> Iterator[_Below]:
    """The lines of a branch's children, in reverse order; `seen` is the nearest node with cases, which labels empty leaves."""
    for child, stated in reversed(list(zip(branch.children, branch.split.conditions, strict=True))):
        narrowed, below = arriving(schema, known, stated)
        yield depth, narrowed, child, child if any(child.counts) else seen, below


def _surrogate_lines(schema: Schema, split: Split, depth: int, wording: Wording, *, shown: bool) -> Iterator[str]:
    """A line for each surrogate: its condition that replaces that of the split's first child."""
    for surrogate in stand_ins(split) if shown else ():
        other = condition(schema, surrogate.split, int(surrogate.reversed), wording)
        stands = f"{other} in place of {condition(schema, split, 0, wording)}"
        yield _line(depth, stands, f" (agreement {format_number(surrogate.agreement, decimals=2)})", wording)


def _leaf(schema: Schema, leaf: Leaf, seen: Node, wording: Wording) -> str:
    label = wording.label(schema.response.text(schema.response.answer(seen.counts)))
    if not schema.has_classes:
        return f": {label} ({_cases(leaf.counts[0])})"
    total, errors = sum(leaf.counts), sum(leaf.counts) - max(leaf.counts)
    missed = f"/{_cases(errors)}" if errors > _SMALL else ""
    return f": {label} ({_cases(total)}{missed})"


def _cases(weight: float) -> str:
    """A weight as Java prints it, rounded half up to two decimals; a whole weight ends in .0."""
    return str(floor(weight * 100 + 0.5) / 100 if weight < _ALL_WHOLE else float(weight))


def _distribution(schema: Schema, node: Node, seen: Node, *, shown: bool) -> str:
    if not shown:
        return ""
    if schema.has_classes:
        return f" [{' '.join(format_number(count, decimals=2) for count in node.counts)}]"
    risk, answer = schema.response.risk(node.counts), schema.response.answer(seen.counts)
    return f" [{format_number(node.counts[0], decimals=2)} {format_number(risk)} {schema.response.text(answer)}]"


def _line(depth: int, words: str, answer: str, wording: Wording) -> str:
    """Bars, a condition, which is cut where the line would be too long, and what follows."""
    most = _DEEPEST if wording.cuts else _DEEPEST_WHOLE
    bars = "|   " * depth if depth <= most else "|   " * most + f"({depth}) "
    return bars + (cut_to(words, max(LINE - len(bars) - len(answer), _LEAST)) if wording.cuts else words) + answer
