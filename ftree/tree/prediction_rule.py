"""The protocol of prediction rules for missing values: functions from the sizes of a branch's children to shares of a row."""

from typing import Protocol

import numpy.typing as npt

from ftree._lib.arrays import Floats


class PredictionRule(Protocol):
    """The share of a row with a missing value that each child of a branch gets, such as `ftree.missing.weighted()`.

    A plain function from sizes to shares is such a rule. It must be a pure function of the sizes. Two attributes
    give details, and are False by default:

    - `distributions`: whether the class counts of the leaves that a row reaches add up as distributions, not as counts.
    - `broadcasts`: whether it takes the sizes of many branches at once, (..., V), with children on the last axis.
    """

    def __call__(self, sizes: Floats, /) -> npt.ArrayLike:
        """Shares (V,), finite and from 0, for the cases (V,) of the children; at least one child has cases.

        A share of 1 is the whole row. The share that no child gets stays at the branch, whose own counts answer for it.
        """
        ...
