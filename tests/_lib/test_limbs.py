"""Limbs hold whole numbers exactly, and their sums are rounded once."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree._lib.limbs import added, limbs, squares


@given(st.lists(st.integers(0, 2**43) | st.integers(2**31 - 1, 2**32 + 1), min_size=1, max_size=5), st.integers(1, 40))
def test_limbs_of_squares_add_up_to_them_whatever_their_size(numbers, bits):
    written = limbs(squares(np.array(numbers)), bits, -(-86 // bits) + 1)
    assert [sum(map(int, row)) for row in written.tolist()] == [number**2 for number in numbers]
    place = 2.0 ** (bits * np.arange(written.shape[1])[::-1])
    assert ((written / place < 2.0**bits) & (written % place == 0)).all()


@given(st.integers(2**40, 2**50), st.integers(2**40, 2**52), st.integers(-1000, 1000))
def test_a_centre_is_taken_from_fractions_of_cases_without_rounding(centre, cases, rest):
    part = Fraction(cases, 2**32)
    high = float(centre * part + rest)
    low = float(centre * part + rest - Fraction(high))
    left = Fraction(high) + Fraction(low) - centre * part
    found = added(np.array([[high, low]]), float(part), float(centre))
    assert found.tolist() == [pytest.approx(float(left), rel=1e-12)]
