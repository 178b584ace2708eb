"""`heaviest`: a row without an answer goes to the child with the most cases, in growth and in prediction."""

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Floats
from ftree._lib.fields import ConstructorRepr


@frozen(repr=False)
class heaviest(ConstructorRepr):
    """A rule for growth and prediction: a row without an answer goes to the child with the most cases, the first of equal ones.

    In growth, only cases with a known value count. Trees grown by this rule predict by it.

    >>> heaviest()(np.array([1.0, 3.0])).tolist()
    [0.0, 1.0]
    """

    broadcasts = True

    def __call__(self, sizes: Floats) -> Floats:
        """1 for the child with the most cases, 0 for the others."""
        shares: Floats = (np.arange(sizes.shape[-1]) == sizes.argmax(axis=-1, keepdims=True)).astype(np.float64)
        return shares

    @property
    def shares(self) -> "heaviest":
        """The rule itself, which also divides rows in growth."""
        return self

    @property
    def predict(self) -> "heaviest":
        """The rule itself, by which the grown trees predict."""
        return self
