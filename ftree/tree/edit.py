"""Trees from trees: take a subtree, replace or collapse it, map the leaves, compare two trees; and many nodes made at once.

No tree is changed. The new tree shares all unchanged nodes with the old one, so an edit copies only the nodes on a path. Nodes
made at once, from arrays or with other counts, are not checked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress, repeat
from operator import is_
from sys import maxsize
from typing import cast

from attrs import evolve

from ftree._lib.fields import is_whole_number
from ftree._lib.messages import short_repr
from ftree._lib.objects import exhaust, gc_paused
from ftree.tree.conditions import Condition
from ftree.tree.describe import term
from ftree.tree.fold import fold
from ftree.tree.nodes import (
    Branch,
    Leaf,
    Node,
    Path,
    Tree,
    check_tree,
    children,
    differences,
    level_order,
    new_tree,
    path_along,
    root_of,
)
from ftree.tree.response import Counts
from ftree.tree.splits.split import Split


def node_at(tree: Tree, path: Path) -> Node:
    """The node at a path of child numbers. Raises an IndexError that says where the path leaves the tree.

    >>> from ftree import Dataset, grow
    >>> node_at(grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"])), (1,))
    Leaf(counts=(1, 0))
    """
    return _follow(tree, path)[1]


def conditions_along(tree: Tree, paths: Iterable[Path]) -> Iterator[tuple[str, ...]]:
    """The conditions on each path from the root, in words. Raises an IndexError as `node_at` does.

    >>> from ftree import datasets, grow
    >>> list(conditions_along(grow(datasets.weather()), [(), (1, 0)]))
    [(), ('outlook = rainy', 'windy = False')]
    """
    stated = dict[int, Sequence[Condition]]()  # of a split once, since it may have thousands
    for path in paths:
        above = _follow(tree, path)[0]
        stated |= {id(each): each.split.conditions for each in above if id(each) not in stated}
        yield tuple([term(tree.schema, stated[id(each)][child]) for each, child in zip(above, path, strict=True)])


def subtree_at(tree: Tree, path: Path) -> Tree:
    """The subtree at a path of child numbers, a tree with the same schema and rule.

    Raises an IndexError that says where the path leaves the tree.

    >>> from ftree import Dataset, grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"]))
    >>> subtree_at(tree, (1,)).root
    Leaf(counts=(1, 0))
    """
    check_tree(tree)
    return new_tree(tree.schema, node_at(tree, path), missing=tree.missing)


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
        raise ValueError("node must have the schema of the tree, got a Tree of another schema. Pass its root if its numbers fit.")
    if new is old:
        return tree
    for branch, number in zip(reversed(above), reversed(path), strict=True):
        new = with_children(branch, (*branch.children[:number], new, *branch.children[number + 1 :]))
    Tree(tree.schema, root_of(node))  # checks that its splits fit, as all others do
    return new_tree(tree.schema, new, missing=tree.missing)


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
    unlike = differences(root_of(small), root_of(big))
    return all(isinstance(one, Leaf) and one.counts == other.counts for _, one, other in unlike)


def diff(one: Tree | Node, other: Tree | Node) -> tuple[Path, ...]:
    """Paths where two trees differ in counts, in split, or in being a leaf; nothing is compared below different splits.

    >>> diff(Leaf((1, 2)), Leaf((1, 2))), diff(Leaf((1, 2)), Leaf((2, 1)))
    ((), ((),))
    """
    return tuple(path_along(link) for link, _, _ in differences(root_of(one), root_of(other)))


def _follow(tree: Tree, path: Path) -> tuple[list[Branch], Node]:
    """The branches along a path from the root, and the node at its end."""
    check_tree(tree)
    if not isinstance(path, Sequence) or not all(is_whole_number(number, -maxsize) for number in path):
        raise TypeError(f"path must be a tuple of child numbers from the root, got {short_repr(path)}. The root's path is ().")
    above: list[Branch] = []
    node = tree.root
    for at, number in enumerate(path):
        if not isinstance(node, Branch) or not 0 <= number < len(node.children):
            step = f"step {at} goes to child {number} of a node with {len(children(node))} children"
            raise IndexError(f"path must lead to a node of the tree, got {short_repr(tuple(path))}, where {step}.")
        above.append(node)
        node = node.children[number]
    return above, node


def with_children(branch: Branch, nodes: Sequence[Node]) -> Branch:
    """The branch with other children; the same object if they are the children that it has.

    >>> from ftree.tree import Threshold
    >>> twig = Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1))))
    >>> with_children(twig, twig.children) is twig
    True
    """
    unchanged = len(branch.children) == len(nodes) and all(map(is_, branch.children, nodes))
    return branch if unchanged else Branch(branch.counts, branch.split, nodes)


def branch_of(split: Split, nodes: Sequence[Node]) -> Branch:
    """A branch that has the sums of its children's counts.

    >>> from ftree.tree import Threshold
    >>> branch_of(Threshold(0, 0.5), [Leaf((2, 0)), Leaf((1, 1))]).counts
    (3, 1)
    """
    return Branch([sum(column) for column in zip(*(node.counts for node in nodes), strict=True)], split, nodes)


# Many nodes made at once, unchecked


def tree_with_counts(tree: Tree, counts: Sequence[Counts]) -> Tree:
    """The tree with other counts of its nodes, in level order."""
    return new_tree(tree.schema, with_counts(*level_order(tree.root), counts, shared=False)[0], missing=tree.missing)


@gc_paused()
def with_counts(nodes: Sequence[Node], below: Sequence[range], counts: Sequence[Counts], *, shared: bool = True) -> list[Node]:
    """The nodes of `level_order(root)` with other counts; with `shared`, a subtree without changes stays the same object."""
    changed = [not shared or now != node.counts for node, now in zip(nodes, counts, strict=True)]
    for number in reversed(range(len(nodes))):
        kids = below[number]
        changed[number] = changed[number] or any(changed[kids.start : kids.stop])
    made, numbers = list(nodes), list(compress(range(len(nodes)), changed))
    ends, inner = [number for number in numbers if not below[number]], [number for number in numbers if below[number]]
    renew(made, ends, inner, below, counts)
    return made


def renew(
    nodes: list[Node],
    ends: Sequence[int],
    inner: Sequence[int],
    below: Sequence[range] | Mapping[int, range],
    counts: Sequence[Counts] | Mapping[int, Counts] | None = None,
) -> None:
    """Replace the nodes of a list that have these numbers: by leaves at `ends`, by branches with the present children at `inner`.

    Splits stay, and without `counts` those of the nodes.
    """
    count_of = (lambda number: nodes[number].counts) if counts is None else counts.__getitem__
    branches = new_branches(map(count_of, inner), [cast("Branch", nodes[number]).split for number in inner])
    news: Iterable[Node] = chain(new_leaves(map(count_of, ends)), branches)
    for number, new in zip(chain(ends, inner), news, strict=True):
        nodes[number] = new
    set_children(branches, (tuple(nodes[below[number].start : below[number].stop]) for number in inner))


def new_leaves(counts: Iterable[Counts]) -> list[Leaf]:
    """Unchecked leaves with the given class counts.

    Slots are set through their descriptors, as attrs does, at a tenth of the cost of calling constructors.

    >>> new_leaves([(1, 0), (0, 1)])
    [Leaf(counts=(1, 0)), Leaf(counts=(0, 1))]
    """
    listed = list(counts)
    leaves: list[Leaf] = list(map(object.__new__, repeat(Leaf, len(listed))))
    exhaust(map(_SET_LEAF_COUNTS, leaves, listed))
    return leaves


def new_branches(counts: Iterable[Counts], splits: Sequence[Split]) -> list[Branch]:
    """Unchecked branches without children; `set_children` must complete them."""
    branches: list[Branch] = list(map(object.__new__, repeat(Branch, len(splits))))
    exhaust(map(_SET_COUNTS, branches, counts))
    exhaust(map(_SET_SPLIT, branches, splits))
    return branches


def set_children(branches: Iterable[Branch], children_of: Iterable[tuple[Node, ...]]) -> None:
    """Give new branches their children.

    >>> from ftree.tree import Threshold
    >>> twigs = new_branches([(1, 1)], [Threshold(0, 0.5)])
    >>> set_children(twigs, [(Leaf((1, 0)), Leaf((0, 1)))])
    >>> twigs
    [Branch(counts=(1, 1), split=Threshold(feature=0, at=0.5), children=(Leaf(counts=(1, 0)), Leaf(counts=(0, 1))))]
    """
    exhaust(map(_SET_CHILDREN, branches, children_of))


_SET_LEAF_COUNTS = vars(Leaf)["counts"].__set__
_SET_COUNTS, _SET_SPLIT, _SET_CHILDREN = (vars(Branch)[name].__set__ for name in ("counts", "split", "children"))
