"""`stop_here`: a row without an answer goes no further."""

import numpy as np
from attrs import frozen

from ftree._lib.arrays import Floats
from ftree._lib.fields import ConstructorRepr


@frozen(repr=False)
class stop_here(ConstructorRepr):
    """A prediction rule: a row without an answer stops, and the branch's own counts predict.

    >>> stop_here()(np.array([1.0, 3.0])).tolist()
    [0.0, 0.0]
    """

    broadcasts = True

    def __call__(self, sizes: Floats) -> Floats:
        """No share for any child."""
        return np.zeros_like(sizes)
