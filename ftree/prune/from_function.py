"""Passes made from plain functions: of a whole tree, or of each branch.

The function may rebuild the tree, as a fold does. The pass replaces whatever did not change by the nodes of its input.
"""

from collections.abc import Callable

from attrs import field, frozen

from ftree._lib.fields import ConstructorRepr, a_function, name_of
from ftree._lib.messages import type_of
from ftree.prune.decisions import Decision, decisions_between
from ftree.prune.sharing import as_pruning
from ftree.tree.fold import fold
from ftree.tree.nodes import Branch, Node, Tree, check_tree, with_children


@frozen(repr=False)
class from_function(ConstructorRepr):
    """The pass made from a function from a Tree to a pruned Tree, or to the root of one.

    A subtree that the function rebuilt without a change is that of the input, and a tree without a cut is the input itself.
    `decisions` are found by comparing the two trees, from the root down; they have no scores.

    Raises, when called, a TypeError for a result that is not a tree, a ValueError for one that is not a pruning of the input.

    >>> from ftree import Dataset, Leaf, fold, grow
    >>> tree = grow(Dataset.from_rows([["a"], ["a"], ["b"], ["b"]], [0, 1, 0, 0], features=["x"]))
    >>> def stump(tree):
    ...     return Leaf(tree.root.counts)
    >>> from_function(stump)
    from_function(stump)
    >>> print(from_function(stump)(tree))
    : 0 (4.0/1.0)
    """

    function: Callable[[Tree], Tree | Node] = field(validator=a_function)

    def __call__(self, tree: Tree) -> Tree:
        """The pruned tree; the same tree when nothing is cut."""
        check_tree(tree)
        return as_pruning(tree, self.function(tree), self.function)

    def decisions(self, tree: Tree) -> tuple[Decision, ...]:
        """Every branch down to those that are cut, the root first, without scores."""
        return decisions_between(tree, self(tree))


@frozen(repr=False)
class from_branch_function(ConstructorRepr):
    """The pass made from a function that is called with each Branch, children first, and returns the Node to replace it.

    The branch has its pruned children. To cut it, the function returns `Leaf(branch.counts)`; to keep it, the
    branch itself. Sharing and `decisions` are those of `from_function`.

    Raises, when called, a TypeError for a result that is not a node, a ValueError if the tree is not a pruning of the input.

    >>> from ftree import Dataset, Leaf, grow
    >>> tree = grow(Dataset.from_rows([["a"], ["a"], ["b"], ["b"]], [0, 1, 0, 0], features=["x"]))
    >>> def at_least_five(branch):
    ...     return branch if sum(branch.counts) >= 5 else Leaf(branch.counts)
    >>> print(from_branch_function(at_least_five)(tree))
    : 0 (4.0/1.0)
    """

    function: Callable[[Branch], Node] = field(validator=a_function)

    def __call__(self, tree: Tree) -> Tree:
        """The pruned tree; the same tree when nothing is cut."""
        check_tree(tree)
        return as_pruning(tree, fold(tree, lambda leaf: leaf, self._pruned), self.function)

    def decisions(self, tree: Tree) -> tuple[Decision, ...]:
        """Every branch down to those that are cut, the root first, without scores."""
        return decisions_between(tree, self(tree))

    def _pruned(self, branch: Branch, below: tuple[Node, ...]) -> Node:
        node = self.function(with_children(branch, below))
        if not isinstance(node, Node):
            remedy = "Return the branch to keep it, Leaf(branch.counts) to cut it."
            message = f"{name_of(self.function)} must return a node for each branch, got {type_of(node)}. {remedy}"
            raise TypeError(message)
        return node
