"""Growth that can go on after an interruption: the tree of the levels that are finished is kept, and taken up again."""

from pathlib import Path
from typing import Protocol, runtime_checkable

from attrs import frozen

from ftree.policy import Policy
from ftree.tree.nodes import Tree


@frozen
class GrownLevels:
    """A tree with its first `levels` levels finished: leaves further down are open, all others are leaves for good."""

    tree: Tree
    levels: int


class Checkpoint(Protocol):
    """A place that keeps the finished levels of one growth."""

    def load(self, policy: Policy, /) -> GrownLevels | None:
        """What is kept, None where there is nothing; a ValueError for levels of another policy or table."""
        ...

    def save(self, policy: Policy, grown: GrownLevels, /) -> None:
        """Keep these levels in place of those before."""
        ...

    def remove(self) -> None:
        """Keep nothing."""
        ...


@runtime_checkable
class KeepsLevels(Protocol):
    """A counted table that says where its growth can be kept."""

    def checkpoint(self, path: str | Path, /) -> Checkpoint:
        """The place of that path."""
        ...
