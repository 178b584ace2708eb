"""`weighted`: a row without an answer is divided in proportion to the children's cases (Quinlan 1993, chapter 3)."""

from attrs import frozen

from ftree._lib.arrays import Floats
from ftree._lib.fields import ConstructorRepr


@frozen(repr=False)
class weighted(ConstructorRepr):
    """A prediction rule: each child gets a share of the row equal to its share of the cases; distributions add up by shares.

    Source: Quinlan 1993, chapter 3.

    >>> import numpy as np
    >>> weighted()(np.array([1.0, 3.0])).tolist()
    [0.25, 0.75]
    """

    broadcasts = True
    distributions = True

    def __call__(self, sizes: Floats) -> Floats:
        """Each child's share of the cases."""
        shares: Floats = sizes / sizes.sum(axis=-1, keepdims=True)
        return shares
