"""The option `min_cases` of splitters: the least weight of a child, as a number of cases or a function of those of the node."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import Array
from ftree._lib.fields import QUIET, ConstructorRepr, a_finite_number, a_function, is_finite
from ftree._lib.messages import short_repr
from ftree.splitters.runs import Runs

# The least weight of a child: a number, or a function of the weight known at each run and the number of classes.
LeastWeight: TypeAlias = "float | Callable[[Array, int], Array]"
# C4.5's share of the mean class.
C45_SHARE = 0.1


@frozen
class c45_min_branch(ConstructorRepr):
    """C4.5's least weight of both children of a numeric cut: a tenth of the mean class, between `least` and `most` cases.

    If `least` is above `most`, `least` applies. Pass it as the `min_cases` of `threshold`.

    Source: Quinlan 1993, section 2.4 and release 8.

    >>> import numpy as np
    >>> c45_min_branch(2)(np.array([10.0, 150.0, 9000.0]), 3).tolist()
    [2.0, 5.0, 25.0]
    """

    least: float = field(default=2, validator=a_finite_number)
    most: float = field(default=25, kw_only=True, metadata=QUIET, validator=a_finite_number)

    def __call__(self, weight: Array, n_classes: int) -> Array:
        """The least weight for each weight known at a node."""
        return np.maximum(np.minimum(C45_SHARE * weight / n_classes, self.most), self.least)


def a_least_weight(_: Any, attribute: Any, value: Any) -> None:
    """A validator of fields that hold the least weight of a child."""
    if callable(value):
        a_function(_, attribute, value)
    elif not (is_finite(value) and value >= 0):
        wanted = "a finite number of cases from 0, or a function of the cases and the number of classes"
        raise ValueError(f"{attribute.name} must be {wanted}, got {short_repr(value)}.")


def least_weight(runs: Runs, least: LeastWeight) -> Array:
    """The least weight of a child in each run; a function may return one number for all runs."""
    weight = least(runs.weight, runs.counts.shape[1]) if callable(least) else least
    return np.broadcast_to(np.asarray(weight, dtype=np.float64), runs.start.shape)


def reach_weight(weights: Array, least: Array) -> Array:
    """Where weights reach a minimum, except for rounding errors."""
    return weights >= least - SLACK


# Weights may fall short of a minimum by this much, since fractional cases are sums of rounded numbers.
SLACK = 1e-6
