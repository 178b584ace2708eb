"""Passes one after another, as a pass."""

from collections.abc import Callable
from functools import reduce
from typing import Any, Protocol, TypeAlias, runtime_checkable

from attrs import frozen
from toolz import concat

from ftree._lib.fields import name_of
from ftree.prune.base import Decision
from ftree.tree.nodes import Tree

Pass: TypeAlias = Callable[[Tree], Tree]


@runtime_checkable
class Reasoned(Protocol):
    """A pass that gives its reasons."""

    def __call__(self, tree: Tree, /) -> Tree:
        """Prune."""
        ...

    def decisions(self, tree: Tree, /) -> tuple[Decision, ...]:
        """Tell what was decided about each branch."""
        ...


@frozen(init=False, repr=False)
class compose:
    """The first pass, then the next on what it returns, and so on; their trails are concatenated. None leaves the tree.

    `toolz.compose_left` gives the same trees, without the trail.

    Raises a TypeError for something that is no pass.

    >>> from ftree.prune import collapse
    >>> from ftree.prune import pessimistic
    >>> compose(pessimistic(), collapse())
    compose(pessimistic(), collapse(by='class'))
    """

    passes: tuple[Pass, ...]

    def __init__(self, *passes: Pass) -> None:
        """Take the passes as arguments, flattening those that are compositions themselves."""
        for one in passes:
            if not callable(one) or isinstance(one, type):
                message = f"A pass is a function from tree to tree, such as pessimistic(), with parentheses; {one!r} came."
                raise TypeError(message)
        flat = concat(one.passes if isinstance(one, compose) else (one,) for one in passes)
        object.__setattr__(self, "passes", tuple(flat))

    def __call__(self, tree: Tree) -> Tree:
        """The tree after all passes."""
        return reduce(lambda pruned, one: one(pruned), self.passes, tree)

    def decisions(self, tree: Tree) -> tuple[Decision, ...]:
        """The decisions of each pass about the tree that it got. Raises a TypeError for a pass that has none."""
        made: list[Decision] = []
        for one in self.passes:
            made += reasons(one, tree)
            tree = one(tree)
        return tuple(made)

    def __repr__(self) -> str:
        """Read as it is written."""
        return f"compose({', '.join(map(name_of, self.passes))})"


def reasons(one: Any, tree: Tree) -> tuple[Decision, ...]:
    """The decisions of a pass on a tree. Raises a TypeError for a pass that gives none."""
    if not isinstance(one, Reasoned) or isinstance(one, type):
        message = f"Reasons are asked of a pass with a method `decisions`, such as pessimistic(); {name_of(one)} has none."
        raise TypeError(message)
    return one.decisions(tree)
