"""A table whose rows come in parts, since they are not in memory together."""

from collections.abc import Callable
from typing import Protocol, TypeVar, runtime_checkable

from ftree.data.dataset import Dataset

Answer = TypeVar("Answer")


@runtime_checkable
class FoldsDatasets(Protocol):
    """A table in parts, each a dataset: sources of `ftree.scan` are such tables."""

    def fold_datasets(self, function: Callable[[Dataset], Answer], merge: Callable[[Answer, Answer], Answer], /) -> Answer:
        """The answers of a function for all parts, merged; the order is free."""
        ...
