"""Composing passes: several passes, one after another, are a pass."""

from collections.abc import Callable
from functools import reduce
from typing import Any, Protocol, TypeAlias, runtime_checkable

from attrs import frozen
from toolz import concat

from ftree._lib.fields import name_of
from ftree.prune.decisions import Decision
from ftree.prune.from_function import from_function
from ftree.tree.nodes import Tree

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


@frozen(init=False, repr=False)
class compose:
    """Apply the first pass, then the next to its result, and so on; `compose()` returns the tree itself.

    `decisions` are those of all passes, in order. `toolz.compose_left` gives the same trees, without decisions.

    Raises a TypeError for anything that is not a pass.

    >>> from ftree.prune import collapse
    >>> from ftree.prune import pessimistic
    >>> compose(pessimistic(), collapse())
    compose(pessimistic(), collapse(by='class'))
    """

    passes: tuple[Pass, ...]

    def __init__(self, *passes: Pass) -> None:
        """Take the passes as arguments; compositions among them are flattened."""
        for one in passes:
            _check_is_pass(one)
        flat = concat(one.passes if isinstance(one, compose) else (one,) for one in passes)
        object.__setattr__(self, "passes", tuple(flat))

    def __call__(self, tree: Tree) -> Tree:
        """The tree after all passes."""
        return reduce(lambda pruned, one: one(pruned), self.passes, tree)

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


def decisions_of(one: Pass, tree: Tree) -> tuple[Decision, ...]:
    """The decisions of a pass on a tree; those of a plain function are found by `from_function`, and have no scores.

    Raises a TypeError for anything that is not a pass, a ValueError for a plain function that does more than prune.

    >>> from ftree import collapse_at, grow
    >>> from ftree.datasets import weather
    >>> [each.done for each in decisions_of(lambda tree: collapse_at(tree, (1,)), grow(weather()))]
    ['kept', 'cut', 'kept']
    """
    _check_is_pass(one)
    return one.decisions(tree) if isinstance(one, PassWithDecisions) else from_function(one).decisions(tree)


def _check_is_pass(one: Any) -> None:
    if not callable(one) or isinstance(one, type):
        message = f"A pass must be a function from tree to tree, got {name_of(one)}. Write pessimistic(), with parentheses."
        raise TypeError(message)
