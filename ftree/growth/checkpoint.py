"""Growth that can continue after an interruption: the tree of the finished levels is saved, and loaded again."""

from pathlib import Path as FilePath
from typing import Protocol, runtime_checkable

from attrs import frozen

from ftree.policy import Policy
from ftree.tree.nodes import Path, Tree


@frozen
class GrownLevels:
    """A tree with its first `levels` levels finished: leaves further down are open, all other leaves are final.

    `finished` has the paths of nodes that were grown to the end in memory. If there are any, only other small leaves are open.
    """

    tree: Tree
    levels: int
    finished: tuple[Path, ...] = ()


class Checkpoint(Protocol):
    """A store for the finished levels of one growth."""

    def load(self, policy: Policy, /) -> GrownLevels | None:
        """The saved levels, None if there are none; a ValueError for levels of another policy or table."""
        ...

    def save(self, policy: Policy, grown: GrownLevels, /) -> None:
        """Replace the saved levels by these."""
        ...

    def remove(self) -> None:
        """Remove the saved levels."""
        ...


@runtime_checkable
class KeepsLevels(Protocol):
    """A counted table that provides a checkpoint for its growth."""

    def checkpoint(self, path: str | FilePath, /) -> Checkpoint:
        """The checkpoint at that path."""
        ...
