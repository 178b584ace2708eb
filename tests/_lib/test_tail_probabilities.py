"""Tails are those of SciPy for chi-squared, and of a discretised generator and printed tables for a squared Bessel bridge."""

from itertools import pairwise
from math import exp, gamma, inf, isnan, log, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import eigh_tridiagonal
from scipy.special import chdtrc, chdtri, gammaln

from ftree._lib.tail_probabilities import critical, log_gamma, log_tail, upper_tail

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


def by_differences(dof, x, span, n=3000):
    """The probability by finite differences of the generator v f'' + (dof/2 - v) f' in the root of v, with absorption at x/2."""
    ends = np.linspace(0, np.sqrt(x / 2), n + 1)
    middles, step = (ends[1:] + ends[:-1]) / 2, ends[1]
    at_ends, density = (each ** (dof - 1) * np.exp(-each * each) for each in (ends, middles))
    between = at_ends[1:-1] / (2 * step) ** 2
    main = np.append(between, 2 * at_ends[-1] / (2 * step) ** 2)
    main[1:] += between
    rates, vectors = eigh_tridiagonal(
        main / density, -between / np.sqrt(density[:-1] * density[1:]), select="i", select_range=(0, 60)
    )
    shares = (vectors.T @ np.sqrt(density * step)) ** 2 * 2 / gamma(dof / 2)
    return 1 - (shares * np.exp(-rates * span)).sum()


SHORT = [(1, 1, 0.5), (2, 3, 0.5), (3, 0.3, 0.2), (3, 9.44, 0.24), (3, 15, 0.24), (6, 15, 0.8)]


@pytest.mark.parametrize(("dof", "x", "span"), [*SHORT, (1, 8.85, 3.47), (3, 20, 4.4), (12, 40, 3)])
def test_tails_are_those_of_the_discretised_generator(dof, x, span):
    assert exp(log_tail(dof, x, span)) == pytest.approx(by_differences(dof, x, span), rel=1e-3, abs=1e-5)


@pytest.mark.parametrize(("dof", "x", "share"), [(1, 8.85, 0.05), (2, 11.79, 0.05), (3, 14.15, 0.05), (1, 12.35, 0.01)])
def test_tails_are_near_the_simulated_ones_of_andrews(dof, x, share):
    assert exp(log_tail(dof, x, 2 * log(0.85 / 0.15))) == pytest.approx(share, rel=0.1)


@given(st.integers(1, 30), st.floats(0.5, 60), st.floats(0.2, 6))
def test_tails_fall_with_the_statistic_and_rise_with_the_span(dof, x, span):
    own = log_tail(dof, x, span)
    assert log(max(float(upper_tail(dof, x)), 1e-300)) <= own + 1e-2
    assert own <= 1e-12
    assert log_tail(dof, x * 1.1, span) <= own <= log_tail(dof, x, span * 1.1) + 1e-3  # the precision of a probability


def test_far_tails_go_on_where_near_ones_end():
    for dof in (1, 3, 10):
        steps = [log_tail(dof, x, 4.0) - log_tail(dof, x + 0.5, 4.0) for x in np.arange(30, 90, 0.5).tolist()]
        assert all(abs(one - other) < 0.02 for one, other in pairwise(steps))
    assert log_tail(3, 0.0, 4.0) == log_tail(3, 1e-6, 4.0) == 0.0
    assert exp(log_tail(3, 7.0, 1e-4)) == pytest.approx(float(upper_tail(3, 7.0)), rel=0.05)
    assert -inf < log_tail(3, 1e5, 4.0) < -49_000


@pytest.mark.parametrize("dof", [1, 2, 4, 11])
def test_every_statistic_and_span_has_a_probability_at_once(dof):
    spans = [0.0, 1e-12, 2.6e-6, 1.1e-4, 1e-3, 0.01, 0.5, 4.4, 30.0]
    for x in (0.0, 1e-6, 1e-4, 0.003, 0.05, 0.62, 3.0, 20.0, 400.0):
        tails = [log_tail(dof, x, span) for span in spans]
        assert all(-inf < one <= other + 0.05 <= 0.06 for one, other in pairwise(tails))
