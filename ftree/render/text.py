"""A tree as indented text, in the form Weka prints: a bar and three spaces a level, `(total)` or `(total/errors)`."""

from collections.abc import Iterator
from math import floor

from ftree.schema import Schema
from ftree.tree import Branch, Leaf, Node, Tree, check_tree, majority
from ftree.words import condition, number

# Beyond this depth bars say nothing to the eye, and writing them all would take time and space by depth squared.
_DEEPEST = 64
# Weka's own: errors below it are crumbs of rounding.
_SMALL = 1e-6


def text(tree: Tree, *, distributions: bool = False) -> str:
    """Indented text: one line for each child, a leaf's label after a colon, its cases, and its errors if any.

    With `distributions`, every node shows its class counts in brackets, in schema order. Bars stop at 64 levels,
    where the depth is given as a number.

    >>> from ftree.dataset import Dataset
    >>> from ftree.grow import grow
    >>> data = Dataset.from_rows([["sunny"], ["rainy"], ["rainy"]], ["play", "stay", "play"], features=["sky"])
    >>> print(text(grow(data), distributions=True))
    [2 1]
    sky = rainy: play (2.0/1.0) [1 1]
    sky = sunny: play (1.0) [1 0]
    """
    check_tree(tree)
    return "\n".join(lines(tree, distributions=distributions))


def lines(tree: Tree, *, distributions: bool) -> Iterator[str]:
    """The lines of the text; with distributions there is one for each node, in preorder."""
    schema, root = tree.schema, tree.root
    if isinstance(root, Leaf):
        yield _leaf(schema, root, root) + _distribution(root, shown=distributions)
        return
    if distributions:
        yield _distribution(root, shown=True).strip()
    stack: list[tuple[int, str, Node, Node]] = list(_below(schema, root, root, 0))
    while stack:
        depth, words, node, seen = stack.pop()
        answer = _leaf(schema, node, seen) if isinstance(node, Leaf) else ""
        yield _bars(depth) + words + answer + _distribution(node, shown=distributions)
        if isinstance(node, Branch):
            stack.extend(_below(schema, node, seen, depth + 1))


def _below(schema: Schema, branch: Branch, seen: Node, depth: int) -> Iterator[tuple[int, str, Node, Node]]:
    """The lines to come, last first; `seen` is the nearest node with cases, which names an empty leaf."""
    for number_of, child in reversed(list(enumerate(branch.children))):
        yield depth, condition(schema, branch.split, number_of), child, child if any(child.counts) else seen


def _leaf(schema: Schema, leaf: Leaf, seen: Node) -> str:
    label = schema.classes[majority(seen.counts)]
    total, errors = sum(leaf.counts), sum(leaf.counts) - max(leaf.counts)
    missed = f"/{_cases(errors)}" if errors > _SMALL else ""
    return f": {label} ({_cases(total)}{missed})"


def _cases(weight: float) -> str:
    """A weight as Java prints it after rounding half up to two decimals, so that a whole one ends in .0."""
    return str(floor(weight * 100 + 0.5) / 100)


def _distribution(node: Node, *, shown: bool) -> str:
    return f" [{' '.join(number(count, decimals=2) for count in node.counts)}]" if shown else ""


def _bars(depth: int) -> str:
    return "|   " * depth if depth <= _DEEPEST else "|   " * _DEEPEST + f"({depth}) "
