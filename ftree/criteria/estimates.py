"""Estimates of class probabilities from class counts."""

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from ftree._lib.arrays import Floats
from ftree._lib.fields import as_tuple
from ftree.criteria.impurity import proportions


def laplace(counts: npt.ArrayLike) -> Floats:
    """Class probabilities by Laplace's law of succession: (n_c + 1)/(n + K); (..., K) kept.

    Source: Niblett & Bratko 1987.

    >>> laplace([15, 1]).round(6).tolist()
    [0.888889, 0.111111]
    """
    weights = np.asarray(counts, dtype=np.float64)
    return proportions(weights + 1.0)


@frozen
class m_estimate:  # written as a function is
    """Class probabilities as if m more cases had come with the prior's shares: (n_c + m p_c)/(n + m).

    Raises a ValueError for a negative m, or a prior that is not a distribution.

    Source: Cestnik & Bratko 1991.

    >>> m_estimate(2, prior=(0.6, 0.4))([15, 1]).round(6).tolist()
    [0.9, 0.1]
    """

    m: float
    prior: tuple[float, ...] = field(converter=as_tuple)

    def __attrs_post_init__(self) -> None:
        """Check both together."""
        if not (self.m >= 0 and min(self.prior, default=-1) >= 0 and abs(sum(self.prior) - 1) < 1e-9):  # noqa: PLR2004  # rounding
            message = f"m_estimate takes m >= 0 and a prior whose shares sum to 1; m={self.m}, prior={self.prior} came."
            raise ValueError(message)

    def __call__(self, counts: npt.ArrayLike) -> Floats:
        """Estimate shares from counts (..., K)."""
        return proportions(np.asarray(counts, dtype=np.float64) + self.m * np.array(self.prior))
