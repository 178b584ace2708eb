"""A table in parts, for rows that do not fit in memory together."""

from collections.abc import Callable
from typing import Protocol, TypeVar, runtime_checkable

from ftree.data.dataset import Dataset

Answer = TypeVar("Answer")


@runtime_checkable
class FoldsDatasets(Protocol):
    """A table in parts, each a dataset: sources of `ftree.scan` are such tables."""

    def fold_datasets(self, function: Callable[[Dataset], Answer], merge: Callable[[Answer, Answer], Answer], /) -> Answer:
        """The results of a function for all parts, merged; their order is arbitrary."""
        ...
