"""Trees from trees: take a subtree, replace or collapse it, map the leaves, compare two trees.

No tree is changed. The new tree shares all unchanged nodes with the old one, so an edit copies only the nodes on a path.
"""

from collections.abc import Callable, Sequence
from numbers import Integral

from attrs import evolve

from ftree._lib.messages import short_repr
from ftree.tree.fold import fold
from ftree.tree.nodes import (
    Branch,
    Leaf,
    Link,
    Node,
    Path,
    Tree,
    check_tree,
    children,
    path_along,
    root_of,
    with_children,
)


def subtree_at(tree: Tree, path: Path) -> Tree:
    """The subtree at a path of child numbers.

    Raises an IndexError that says where the path leaves the tree.

    >>> from ftree import Dataset, grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"]))
    >>> subtree_at(tree, (1,)).root
    Leaf(counts=(1, 0))
    """
    return evolve(tree, root=_follow(tree, path)[1])


def replace_at(tree: Tree, path: Path, node: Node | Tree) -> Tree:
    """The tree with another node at a path; the same object if that node is already there. Counts above stay unchanged.

    Raises an IndexError that says where the path leaves the tree, a ValueError for a tree of another schema.

    >>> from ftree import Dataset, grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"]))
    >>> replace_at(tree, (), Leaf((1, 1))).root
    Leaf(counts=(1, 1))
    """
    above, old = _follow(tree, path)
    new = root_of(node)
    if isinstance(node, Tree) and node.schema != tree.schema:
        message = "node must have the schema of the tree, got a Tree of another schema. Pass its root if its numbers fit."
        raise ValueError(message)
    if new is old:
        return tree
    for branch, number in zip(reversed(above), reversed(path), strict=True):
        new = with_children(branch, (*branch.children[:number], new, *branch.children[number + 1 :]))
    return evolve(tree, root=new)


def collapse_at(tree: Tree, path: Path) -> Tree:
    """The tree with the subtree at a path collapsed to a leaf (rpart's snip); the same object if a leaf is already there.

    Raises an IndexError that says where the path leaves the tree.

    >>> from ftree import Dataset, grow
    >>> collapse_at(grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"])), ()).root
    Leaf(counts=(1, 1))
    """
    _, node = _follow(tree, path)
    return tree if isinstance(node, Leaf) else replace_at(tree, path, Leaf(node.counts))


def map_leaves(tree: Tree, function: Callable[[Leaf], Node]) -> Tree:
    """The tree with each leaf replaced by `function(leaf)`; the same object when every leaf is returned unchanged.

    >>> from ftree import Dataset, grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"]))
    >>> map_leaves(tree, lambda leaf: leaf) is tree
    True
    """
    check_tree(tree)
    root = fold(tree, function, with_children)
    return tree if root is tree.root else evolve(tree, root=root)


def is_pruning_of(small: Tree | Node, big: Tree | Node) -> bool:
    """Whether the small tree is the big one with some branches collapsed to leaves, with equal counts.

    >>> is_pruning_of(Leaf((1, 2)), Leaf((1, 2)))
    True
    """
    pairs = [(root_of(small), root_of(big))]
    while pairs:
        one, other = pairs.pop()
        if one is other:
            continue
        if one.counts != other.counts:
            return False
        if isinstance(one, Branch):
            if not isinstance(other, Branch) or one.split != other.split:
                return False
            pairs.extend(zip(one.children, other.children, strict=True))
    return True


def diff(one: Tree | Node, other: Tree | Node) -> tuple[Path, ...]:
    """Paths where two trees differ in counts, in split, or in being a leaf; nothing is compared below different splits.

    >>> diff(Leaf((1, 2)), Leaf((1, 2))), diff(Leaf((1, 2)), Leaf((2, 1)))
    ((), ((),))
    """
    paths: list[Path] = []
    stack: list[tuple[Link, Node, Node]] = [(None, root_of(one), root_of(other))]
    while stack:
        link, a, b = stack.pop()
        if a is b:
            continue
        split_a, split_b = getattr(a, "split", None), getattr(b, "split", None)
        if a.counts != b.counts or split_a != split_b:
            paths.append(path_along(link))
        if split_a == split_b:
            pairs = zip(children(a), children(b), strict=True)
            stack.extend(((link, number), x, y) for number, (x, y) in reversed(list(enumerate(pairs))))
    return tuple(paths)


def _follow(tree: Tree, path: Path) -> tuple[list[Branch], Node]:
    """The branches along a path from the root, and the node at its end."""
    check_tree(tree)
    if not isinstance(path, Sequence) or not all(isinstance(number, Integral) for number in path):
        message = f"path must be a tuple of child numbers from the root, got {short_repr(path)}. The root's path is ()."
        raise TypeError(message)
    above: list[Branch] = []
    node = tree.root
    for at, number in enumerate(path):
        if not isinstance(node, Branch) or not 0 <= number < len(node.children):
            step = f"step {at} goes to child {number} of a node with {len(children(node))} children"
            message = f"path must lead to a node of the tree, got {short_repr(tuple(path))}, where {step}."
            raise IndexError(message)
        above.append(node)
        node = node.children[number]
    return above, node
