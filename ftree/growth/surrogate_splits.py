"""Splits with surrogates as arrays, which become objects on demand."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Array
from ftree.growth.split_arrays import Cuts
from ftree.splitters.surrogate_arrays import SurrogateArrays
from ftree.tree.splits.protocol import Split


@frozen(eq=False)
class SurrogateSplits(Sequence[Split]):
    """The binary splits that a mask marks among some cuts, with the surrogates of each, in order.

    `nominal` (F,) marks the features without an order.
    """

    cuts: Cuts
    backed: Array
    surrogates: SurrogateArrays
    nominal: Array

    def __len__(self) -> int:
        """Number of splits."""
        return int(np.count_nonzero(self.backed))

    def __getitem__(self, number: Any) -> Any:
        """One split, or a list of some."""
        return self._made[number]

    def __iter__(self) -> Iterator[Split]:
        """All splits."""
        return iter(self._made)

    @cached_property
    def _made(self) -> Sequence[Split]:
        return self.surrogates.splits(self.cuts.without(~self.backed).present(), self.nominal)
