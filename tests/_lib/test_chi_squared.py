"""The chi-squared distribution: SciPy's tails and critical values, for any whole degrees of freedom."""

from math import inf, isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import chdtrc, chdtri, gammaln

from ftree._lib.tail_probabilities import critical, log_gamma, upper_tail

degrees = st.integers(1, 30) | st.integers(1, 100_000)


@given(degrees, st.floats(0, 3, exclude_min=True) | st.floats(1e-300, 1e300))
def test_tails_are_those_of_scipy(dof, share):
    x = min(dof * share, 1e300)
    wanted = chdtrc(dof, x)
    assert upper_tail(dof, x) == pytest.approx(wanted, rel=1e-9, abs=1e-300)


@given(degrees, st.floats(1e-12, 1 - 1e-6))
def test_a_critical_value_leaves_its_tail(dof, alpha):
    assert critical(dof, alpha) == pytest.approx(chdtri(dof, alpha), rel=1e-9)
    assert upper_tail(dof, critical(dof, alpha)) == pytest.approx(alpha, rel=1e-7)


@given(st.lists(st.integers(-1, 5), min_size=1, max_size=4), st.lists(st.floats(-1, 50), min_size=1, max_size=4))
def test_arrays_broadcast_and_tails_fall_as_numbers_and_grow_as_degrees(dof, x):
    tails = upper_tail(np.sort(dof)[:, None], np.sort(x))
    assert tails.shape == (len(dof), len(x))
    assert (np.diff(tails, axis=1) <= 0).all()
    assert (tails[np.sort(dof) < 1] == 1).all()
    assert (np.diff(tails[np.sort(dof) > 0], axis=0) >= -1e-15).all()


def test_ends():
    assert upper_tail([1, 2, 9, 9], [inf, inf, inf, -1.0]).tolist() == [0, 0, 0, 1]
    assert isnan(upper_tail(3, nan))
    assert critical([1, 4, 0], 0.0).tolist() == [inf, inf, 0]
    assert critical([0, -1], 0.05).tolist() == [0, 0]
    assert critical([1, 4], 1.0).tolist() == [0, 0]
    assert log_gamma([[0.5, 3.0]]) == pytest.approx(gammaln([[0.5, 3.0]]))
