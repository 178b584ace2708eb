"""`all_routes`: a row without an answer goes to every child."""

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Floats
from ftree._lib.fields import ConstructorRepr


@frozen(repr=False)
class all_routes(ConstructorRepr):
    """A prediction rule: a row without an answer goes whole to every child, and the counts of the leaves it reaches are added.

    >>> all_routes()(np.array([1.0, 3.0])).tolist()
    [1.0, 1.0]
    """

    broadcasts = True

    def __call__(self, sizes: Floats) -> Floats:
        """A share of 1 for each child."""
        return np.ones_like(sizes)
