"""The differences of two trees, in words."""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from attrs import frozen

from ftree._lib.faces import Face
from ftree._lib.messages import counted, joined
from ftree.tree.describe import condition, tested_expression
from ftree.tree.edit import conditions_along, diff
from ftree.tree.fold import depth, n_leaves
from ftree.tree.formats import format_number
from ftree.tree.nodes import Branch, Leaf, Node, Path, Tree, check_tree, children
from ftree.tree.schema import Schema, names_of

# The difference at a node: only its counts, the label of a leaf, the split of a branch, or that only one of them is a leaf.
_Kind: TypeAlias = Literal["counts", "label", "split", "leaf"]


@frozen(repr=False)
class Difference(Face):
    """A node that differs: its path, the kind of difference, the conditions on the path, and each tree's node in words.

    >>> from ftree import collapse_at, datasets, grow
    >>> tree = grow(datasets.weather())
    >>> found = compare_trees(tree, collapse_at(tree, (1,))).differences[0]
    >>> found.path, found.one, found.other
    ((1,), 'windy, 2 leaves', 'yes, 5 cases')
    """

    path: Path
    kind: _Kind
    conditions: tuple[str, ...]
    one: str
    other: str

    def _parts(self) -> Iterator[str]:
        """The difference in a line."""
        yield f"{' and '.join(self.conditions) or 'at the root'}: {self.one} | {self.other}"


@frozen(repr=False)
class ComparedTrees(Face):
    """Two trees of one schema and their differences, from the root down; nothing is compared below different splits.

    >>> from ftree import collapse_at, datasets, grow
    >>> tree = grow(datasets.weather())
    >>> len(compare_trees(tree, collapse_at(tree, (1,))).differences)
    1
    """

    one: Tree
    other: Tree
    differences: tuple[Difference, ...]

    def _parts(self) -> Iterator[str]:
        """The sizes, each difference of structure, and the number of nodes where only counts differ."""
        yield "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        one, other = (f"{counted(n_leaves(tree), 'leaf', 'leaves')}, depth {depth(tree)}" for tree in (self.one, self.other))
        yield f"{one} | {other}" if self.differences else f"equal trees: {one}"
        yield from (str(each) for each in self.differences if each.kind != "counts")
        n_counts = sum(each.kind == "counts" for each in self.differences)
        if n_counts:
            yield f"counts alone: different at {counted(n_counts, 'node')}"


def compare_trees(one: Tree, other: Tree) -> ComparedTrees:
    """Where two trees of one schema differ: in counts, in a leaf's label, in a split, or in being a leaf; `print` shows it.

    Raises a TypeError for anything but trees, a ValueError for trees of different features, classes or targets.

    >>> from ftree import collapse_at, datasets, grow
    >>> tree = grow(datasets.weather())
    >>> print(compare_trees(tree, collapse_at(tree, (2,))))
    5 leaves, depth 2 | 4 leaves, depth 2
    outlook = sunny: humidity, 2 leaves | no, 5 cases
    """
    check_tree(one)
    check_tree(other)
    if one.schema != other.schema:
        schemas = (f"{joined(names_of(tree.schema.features))} -> {tree.schema.target}" for tree in (one, other))
        raise ValueError(f"other must have the schema of one, got {' and '.join(schemas)}, or other values or classes.")
    paths = diff(one, other)
    stated = zip(paths, conditions_along(one, paths), strict=True)  # above a difference the splits are equal
    return ComparedTrees(one, other, tuple(_difference(one, other, *each) for each in stated))


def _difference(one: Tree, other: Tree, path: Path, conditions: tuple[str, ...]) -> Difference:
    """The difference at a path that both trees have."""
    (a, b), seen = (one.root, other.root), [one.root, other.root]
    for child in path:
        a, b = children(a)[child], children(b)[child]
        seen = [node if any(node.counts) else above for node, above in zip((a, b), seen, strict=True)]
    response = one.schema.response
    labels = [response.text(response.answer(node.counts)) for node in seen]
    kind = _kind(a, b, labels)
    words = (_words(one.schema, node, label, kind) for node, label in zip((a, b), labels, strict=True))
    return Difference(path, kind, conditions, *words)


def _kind(a: Node, b: Node, labels: list[str]) -> _Kind:
    if isinstance(a, Leaf) and isinstance(b, Leaf):
        return "counts" if labels[0] == labels[1] else "label"
    if isinstance(a, Branch) and isinstance(b, Branch):
        return "counts" if a.split == b.split else "split"
    return "leaf"


def _words(schema: Schema, node: Node, label: str, kind: _Kind) -> str:
    """A node in words: its counts if only they differ, its split or its label otherwise."""
    if kind == "counts" and schema.has_classes:
        return " ".join(format_number(count, decimals=2) for count in node.counts)
    if isinstance(node, Leaf) or kind == "counts":
        cases = format_number(float(schema.response.weight(node.counts)), decimals=2)
        return f"{label}, {cases} {'case' if cases == '1' else 'cases'}"
    first = condition(schema, node.split, 0) if kind == "split" else tested_expression(schema, node.split)
    return f"{first}, {n_leaves(node)} leaves"
