"""Passes from passes and functions: one after another, from a function of trees or of branches; and what two trees share."""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, runtime_checkable

from attrs import field, frozen
from toolz import concat, pipe

from ftree._lib.faces import Lines
from ftree._lib.fields import a_function, name_of
from ftree._lib.messages import short_repr, type_of
from ftree._lib.objects import gc_paused, is_exactly
from ftree.prune.decisions import Decision, Pruned, decisions_between
from ftree.prune.passes import DecidingPass, cut_at, in_level_order
from ftree.tree.edit import with_children
from ftree.tree.fold import fold
from ftree.tree.nodes import Branch, Leaf, Node, Tree, children

# A pruning pass: a function from tree to tree.
Pass: TypeAlias = Callable[[Tree], Tree]


@runtime_checkable
class PassWithDecisions(Protocol):
    """A pass that reports its decisions."""

    def __call__(self, tree: Tree, /) -> Tree:
        """Prune."""
        ...

    def decisions(self, tree: Tree, /) -> tuple[Decision, ...]:
        """What the pass decides about each branch of a tree."""
        ...


@frozen(init=False)
class compose:
    """Apply the first pass, then the next to its result, and so on; `compose()` returns the tree itself.

    `decisions` are those of all passes, in order. `toolz.compose_left` gives the same trees, without decisions.

    Raises a TypeError for anything that is not a pass.

    >>> from ftree import prune
    >>> compose(prune.pessimistic(), prune.collapse())
    compose(pessimistic(), collapse(by='class'))
    """

    passes: tuple[Pass, ...]

    def __init__(self, *passes: Pass) -> None:
        """Take the passes as arguments; compositions among them are flattened."""
        for one in passes:
            _check_is_pass(one)
        flat = concat(one.passes if is_exactly(one, compose) else (one,) for one in passes)
        self.__attrs_init__(tuple(flat))  # pyright: ignore[reportAttributeAccessIssue]  # attrs writes it

    def __call__(self, tree: Tree) -> Tree:
        """The tree after all passes."""
        return pipe(tree, *self.passes)  # type: ignore[no-any-return]  # toolz has no types

    def decisions(self, tree: Tree) -> tuple[Decision, ...]:
        """The decisions of each pass about the tree that it gets, as `decisions_of` lists them."""
        made: list[Decision] = []
        for one in self.passes:
            made += decisions_of(one, tree)
            tree = one(tree)
        return tuple(made)

    def __repr__(self) -> str:
        """The composition as it is written."""
        return f"compose({', '.join(map(name_of, self.passes))})"


def decisions_of(one: Pass, tree: Tree) -> Lines[Decision]:
    """The decisions of a pass on a tree; those of a plain function are found by `from_function`, and have no scores.

    Raises a TypeError for anything that is not a pass, a ValueError for a plain function that does more than prune.

    >>> from ftree import collapse_at, datasets, grow
    >>> [each.done for each in decisions_of(lambda tree: collapse_at(tree, (1,)), grow(datasets.weather()))]
    ['kept', 'cut', 'kept']
    """
    _check_is_pass(one)
    return Lines((one if isinstance(one, PassWithDecisions) else from_function(one)).decisions(tree))


def _check_is_pass(one: Any) -> None:
    if not callable(one) or isinstance(one, type):
        message = f"A pass must be a function from tree to tree, got {name_of(one)}. Write pessimistic(), with parentheses."
        raise TypeError(message)


@frozen
class _FromFunction(DecidingPass):
    """A pass without scores: what a function makes of a tree, as a pruning of it."""

    function: Callable[..., Any] = field(validator=a_function)
    prunes_regression = True

    def _prune(self, tree: Tree) -> Pruned:
        pruned = _as_pruning(tree, self._result(tree), self.function)
        return Pruned(pruned, lambda: decisions_between(tree, pruned))

    def _result(self, tree: Tree) -> Any:
        return self.function(tree)


@frozen
class from_function(_FromFunction):
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


@frozen
class from_branch_function(_FromFunction):
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

    def _result(self, tree: Tree) -> Any:
        return fold(tree, lambda leaf: leaf, self._pruned)

    def _pruned(self, branch: Branch, below: tuple[Node, ...]) -> Node:
        node = self.function(with_children(branch, below))
        if not isinstance(node, Node):
            remedy = "Return the branch to keep it, Leaf(branch.counts) to cut it."
            raise TypeError(f"{name_of(self.function)} must return a node for each branch, got {type_of(node)}. {remedy}")
        return node


@gc_paused()
def _as_pruning(tree: Tree, result: Any, function: Any) -> Tree:
    """The result of a function, a tree or its root, made of the nodes of the function's input.

    Raises a TypeError for a result that is neither. Raises a ValueError for a result that is not a pruning of the input,
    with the path of the first difference from the root down.
    """
    if not isinstance(result, Tree | Leaf | Branch):
        raise TypeError(f"{name_of(function)} must return a Tree or a node (Leaf or Branch), got {type_of(result)}.")
    if isinstance(result, Tree) and result.schema != tree.schema:
        raise ValueError(f"{name_of(function)} must return a tree with the schema of its input, got another schema.")
    if isinstance(result, Tree) and result.missing not in (None, tree.missing):
        wanted = "a tree with the rule for missing values of its input"
        raise ValueError(f"{name_of(function)} must return {wanted}, {name_of(tree.missing)}, got {name_of(result.missing)}.")
    order = in_level_order(tree)
    cut, pairs = [False] * len(order.nodes), [(0, result.root if isinstance(result, Tree) else result)]
    for number, after in pairs:  # the list grows while it is read
        if order.nodes[number] is not after:
            fault = _fault(order.nodes[number], after)
            if fault:
                where = f"at the path {short_repr(order.path(number))}"
                remedy = "Cut a branch with Leaf(branch.counts), and return all others unchanged."
                raise ValueError(f"{name_of(function)} must return a pruning of its input, got {fault} {where}. {remedy}")
            cut[number] = isinstance(after, Leaf)
            pairs += zip(order.below[number], children(after), strict=False)
    return cut_at(order, cut)


def _fault(node: Node, after: Node) -> str:
    """Why one node cannot replace another in a pruning; empty if it can."""
    if node.counts != after.counts:
        return f"counts {short_repr(after.counts)} in place of {short_repr(node.counts)}"
    if isinstance(after, Branch) and not isinstance(node, Branch):
        return "a branch in place of a leaf"
    if isinstance(after, Branch) and isinstance(node, Branch) and after.split != node.split:
        return f"the split {short_repr(after.split)} in place of {short_repr(node.split)}"
    return ""
