"""A pruning returned by a function, rebuilt with the nodes of the function's input wherever they are equal."""

from typing import Any

from ftree._lib.fields import name_of
from ftree._lib.gc_pause import gc_paused
from ftree._lib.messages import short_repr, type_of
from ftree.prune.base import with_root
from ftree.tree.nodes import Branch, Leaf, Link, Node, Tree, children, path_along, with_children


def as_pruning(tree: Tree, result: Any, function: Any) -> Tree:
    """The result of a function, a tree or its root, made of the nodes of the function's input.

    Raises a TypeError for a result that is neither. Raises a ValueError for a result that is not a pruning of the input,
    with the path of the first difference from the root down.
    """
    if not isinstance(result, Tree | Leaf | Branch):
        message = f"{name_of(function)} must return a Tree or a node (Leaf or Branch), got {type_of(result)}."
        raise TypeError(message)
    if isinstance(result, Tree) and result.schema != tree.schema:
        message = f"{name_of(function)} must return a tree with the schema of its input, got another schema."
        raise ValueError(message)
    return with_root(tree, _shared(tree.root, result.root if isinstance(result, Tree) else result, function))


@gc_paused()
def _shared(root: Node, pruned: Node, function: Any) -> Node:
    """The pruned node, with the nodes below `root` wherever they are equal."""
    pairs, below = _pairs(root, pruned, function)
    made = [node for node, _ in pairs]
    for number in reversed(range(len(pairs))):
        node, after = pairs[number]
        if isinstance(node, Branch) and node is not after:
            kids = made[below[number].start : below[number].stop]
            made[number] = with_children(node, kids) if kids else Leaf(node.counts)
    return made[0]


def _pairs(root: Node, pruned: Node, function: Any) -> tuple[list[tuple[Node, Node]], list[range]]:
    """Nodes at equal paths, level by level down to where both are one object, and the numbers of each pair's children."""
    pairs, links, below = [(root, pruned)], list[Link]([None]), list[range]()
    for (node, after), link in zip(pairs, links, strict=True):  # the lists grow while they are read
        _check_pair(node, after, link, function)
        kids = [] if node is after else list(zip(children(node), children(after), strict=False))
        below.append(range(len(pairs), len(pairs) + len(kids)))
        pairs += kids
        links += [(link, number) for number in range(len(kids))]
    return pairs, below


def _check_pair(node: Node, after: Node, link: Link, function: Any) -> None:
    """Raise a ValueError if `after` cannot replace `node` in a pruning."""
    if node is after:
        return
    if node.counts != after.counts:
        fault = f"counts {short_repr(after.counts)} in place of {short_repr(node.counts)}"
    elif isinstance(after, Branch) and not isinstance(node, Branch):
        fault = "a branch in place of a leaf"
    elif isinstance(after, Branch) and isinstance(node, Branch) and after.split != node.split:
        fault = f"the split {short_repr(after.split)} in place of {short_repr(node.split)}"
    else:
        return
    where = f"at the path {short_repr(path_along(link))}"
    remedy = "Cut a branch with Leaf(branch.counts), and return all others unchanged."
    message = f"{name_of(function)} must return a pruning of its input, got {fault} {where}. {remedy}"
    raise ValueError(message)
