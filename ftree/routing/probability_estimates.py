"""Class probabilities from the counts of a leaf: Laplace's rule and the m-estimate."""

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from ftree._lib.arrays import Floats
from ftree._lib.fields import a_finite_number, as_tuple, is_distribution, must_be
from ftree._lib.messages import short_repr
from ftree.criteria.impurity import checked_counts, proportions


def laplace(counts: npt.ArrayLike) -> Floats:
    """Class probabilities by Laplace's rule of succession: (n_c + 1)/(n + K); the shape (..., K) is kept.

    Source: Niblett & Bratko 1987.

    >>> laplace([15, 1]).round(6).tolist()
    [0.888889, 0.111111]
    """
    return proportions(checked_counts(counts) + 1.0)


@frozen
class m_estimate:  # named like a function
    """Class probabilities with m additional cases distributed by the prior: (n_c + m p_c)/(n + m); the shape (..., K) is kept.

    Raises a ValueError for a negative m, or for a prior that is not a distribution or has another number of classes.

    Source: Cestnik & Bratko 1991.

    >>> m_estimate(2, prior=(0.6, 0.4))([15, 1]).round(6).tolist()
    [0.9, 0.1]
    """

    m: float = field(validator=a_finite_number)
    prior: tuple[float, ...] = field(
        converter=as_tuple, validator=must_be("numbers from 0 that sum to 1, one for each class", is_distribution)
    )

    def __call__(self, counts: npt.ArrayLike) -> Floats:
        """Estimate probabilities from counts (..., K)."""
        cases = checked_counts(counts)
        if cases.shape[-1:] != (len(self.prior),):
            wanted = f"class counts (..., {len(self.prior)}), one for each share of the prior"
            raise ValueError(f"counts must be {wanted}, got {short_repr(counts)}.")
        return proportions(cases + self.m * np.array(self.prior))
