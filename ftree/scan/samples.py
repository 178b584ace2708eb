"""Samples of numbers in order, from which bins are made: each number stands for equally many rows of its part."""

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Floats


@frozen(eq=False)
class Sample:
    """Every `step`-th number of each of `n_parts` parts in order, `numbers` (n,): at most `most` of a part, of all twice as many.

    Ranks in such a sample are closer to those of all rows than in one of rows at random.
    """

    numbers: Floats = field(factory=lambda: np.zeros(0))
    step: int = 1
    most: int = 100_000
    n_parts: int = 0

    @staticmethod
    def of(ordered: Floats, most: int) -> "Sample":
        """The sample of the numbers of a part, which are in order.

        >>> Sample.of(np.arange(9.0), 4).numbers.tolist()
        [2.0, 6.0]
        """
        step: int = 1 << (max(len(ordered) - 1, 0) // most).bit_length()
        return Sample(ordered[step // 2 :: step].copy(), step, most, 1)

    def merged(self, other: "Sample") -> "Sample":
        """The sample of the rows of both."""
        step, n_parts = max(self.step, other.step), self.n_parts + other.n_parts
        both = Sample(np.concatenate([self.thinned(step), other.thinned(step)]), step, self.most, n_parts)
        return evolve(both, numbers=both.thinned(2 * step), step=2 * step) if len(both.numbers) > 2 * self.most else both

    @property
    def error(self) -> float:
        """The error of shares of this sample as shares of all rows: six standard deviations.

        The rank of a number is wrong by up to half a step in each part.
        """
        return 0.0 if self.step == 1 else 6 * (self.n_parts / 12) ** 0.5 / len(self.numbers)

    def thinned(self, step: int) -> Floats:
        """The numbers of the sample with larger steps."""
        ratio = step // self.step
        return self.numbers[ratio // 2 :: ratio]
