"""Significance of splits: p-values that agree with other ways to compute them, however small they are."""

from math import log

import numpy as np
import pytest
from scipy.stats import chi2

from ftree.criteria.scores import minus_log10_p


@pytest.mark.parametrize("dof", [1, 2, 3, 8, 50, 999])
def test_small_p_values_go_on_where_floats_end(dof):
    """On both sides of the point where the method of computation changes."""
    statistic = np.linspace(dof + 600, dof + 3000, 400)
    digits = minus_log10_p(statistic, np.full(400, dof))
    assert (np.diff(digits) > 0).all()
    assert digits[-1] > 100
    normal = chi2.sf(statistic, dof) > 1e-300
    assert digits[normal] == pytest.approx(-chi2.logsf(statistic[normal], dof) / log(10), rel=1e-12)
