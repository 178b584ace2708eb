"""Impurities of other responses than classes: functions of sums of cases, of which the first is their number.

Such an impurity says how much of a parent's impurity a child takes off. What a split takes off is then a sum over its children,
without the small difference of two large numbers.
"""

from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
from attrs import evolve, field, frozen

from ftree._lib.arrays import Array, Floats, added, exactly


@runtime_checkable
class ImpurityOfSums(Protocol):
    """An impurity of the sums of a response, (..., C) to (...), such as `variance`.

    >>> isinstance(variance, ImpurityOfSums)
    True
    """

    def __call__(self, sums: Any, /) -> Any:
        """The impurity of nodes."""
        ...

    def weight(self, sums: Any, /) -> Any:
        """Cases in nodes, (...)."""
        ...

    def taken_off(self, children: Any, parents: Any, /) -> Any:
        """What each child takes off its parent's impurity times its cases, given the sums (..., C) of both."""
        ...

    def relative_to(self, root: Any, /) -> "ImpurityOfSums":
        """The same impurity, as a share of that of a node with these sums (C,)."""
        ...


@frozen(repr=False)
class Variance:
    """The variance of numbers, the impurity of regression trees: sums of cases, numbers and squares (..., C) to (...).

    Sums may be written in limbs (`ftree._lib.arrays`). Their difference is exact, and becomes a float at the end.
    `scale` multiplies all variances.

    Source: Breiman et al. 1984, section 8.4; rpart's anova.

    >>> float(variance([2, 5.0, 13.0]))
    0.25
    >>> variance.taken_off(np.array([2.0, 5.0, 13.0]), np.array([4.0, 14.0, 56.0])).tolist()
    2.0
    """

    scale: float = field(default=1.0)

    def __call__(self, sums: npt.ArrayLike) -> Floats:
        """The variance of nodes; sums (..., C) to (...)."""
        array = np.asarray(sums, dtype=np.float64)
        rows = array.reshape(-1, array.shape[-1])
        found = np.fromiter(map(_variance, rows.tolist()), np.float64, len(rows))
        return (found * self.scale).reshape(array.shape[:-1])[()]

    def weight(self, sums: Any) -> Any:
        """Cases in nodes."""
        return sums[..., 0]

    def taken_off(self, children: Array, parents: Array) -> Floats:
        """The child's cases times the squared distance of its mean from that of its parent."""
        distance = mean(children) - mean(parents)
        taken: Floats = children[..., 0] * (distance * distance) * self.scale
        return taken

    def relative_to(self, root: npt.ArrayLike) -> "Variance":
        """The variance as a share of the root's."""
        whole = float(self(root))
        return evolve(self, scale=self.scale / whole) if whole > 0 else self

    def __repr__(self) -> str:
        """The name, with the scale if there is one."""
        return "variance" if self.scale == 1 else f"variance * {self.scale}"


# The only value that users need.
variance = Variance()


def mean(sums: Array) -> Floats:
    """The mean of nodes, 0 without cases; sums (..., C) to (...).

    >>> mean(np.array([[2.0, 5.0, 13.0], [0.0, 0.0, 0.0]])).tolist()
    [2.5, 0.0]
    """
    cases = sums[..., 0]
    means: Floats = added(sums[..., 1 : 1 + _n_limbs(sums.shape[-1])]) / np.where(cases > 0, cases, 1)
    return means


def _n_limbs(n_channels: int) -> int:
    """Limbs of the sum of numbers; that of squares has the others, as many or twice as many."""
    return n_channels // 3


def _variance(sums: list[float]) -> float:
    n = _n_limbs(len(sums))
    cases, total, squares = exactly(sums[:1]), exactly(sums[1 : 1 + n]), exactly(sums[1 + n :])
    return float((cases * squares - total * total) / (cases * cases)) if cases else 0.0
