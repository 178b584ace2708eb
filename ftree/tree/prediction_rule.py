"""What a prediction rule for missing values is: a function from the sizes of a branch's children to shares of a row."""

from typing import Protocol

import numpy.typing as npt

from ftree._lib.arrays import Floats


class PredictionRule(Protocol):
    """The share of a row without an answer that each child of a branch gets, such as `ftree.missing.weighted()`.

    A plain function from sizes to shares is one. It must be a pure function of the sizes: they alone decide. Two attributes
    may say more, and are False by default:

    - `distributions`: whether the class counts of the leaves that a row reaches add up as distributions, not as counts.
    - `broadcasts`: whether it takes the sizes of many branches at once, (..., V), children on the last axis.
    """

    def __call__(self, sizes: Floats, /) -> npt.ArrayLike:
        """Shares (V,), finite and from 0, for the cases (V,) of the children, one of which has some.

        A share of 1 is the whole row. What no child gets stays, and the branch's own counts answer for it.
        """
        ...
