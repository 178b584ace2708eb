"""Bounds of the gain in a range, compared with every possible cut in the range."""

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ftree import entropy, gain, gain_ratio, gini, misclassification
from ftree.criteria import dkm, variance
from ftree.scan import gain_bounds
from ftree.scan.gain_bounds import has_bound, upper_bounds


def counts_of(n_classes):
    return st.lists(st.integers(0, 4), min_size=n_classes, max_size=n_classes).map(np.array)


@pytest.mark.parametrize("impurity", [entropy, gini, misclassification, dkm])
@pytest.mark.parametrize("most", [5, 0])
@given(data=st.data(), n_classes=st.integers(1, 4))
def test_no_cut_gains_more_than_the_bound(impurity, most, data, n_classes):
    left, within, right = (data.draw(counts_of(n_classes)) for _ in range(3))
    if not (left + within + right).any():
        return
    every = np.array(list(product(*(range(n + 1) for n in within.tolist()))))
    gains = gain(np.stack([left + every, right + (within - every)], axis=1), impurity)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(gain_bounds, "_CORNERS", most)
        (bound,) = upper_bounds(*(each[None].astype(float) for each in (left, within, right)), impurity)
    assert bound >= gains.max() - 1e-12
    if most:
        assert bound <= gains.max() + 1e-12, "corners are reached, so the bound is tight"


@given(*[st.lists(st.integers(0, 9) | st.just(0), max_size=most) for most in (6, 40, 6)])
@example([5, 1, 1], [1, 2, 2, 6, 6], [9, 2])  # in a division, means vary more at the first end than at the second
@example([7, 8, 4], [9, 1, 0, 7, 0, 0, 7, 0], [6, 0])  # and the other way round
@example([4], [0, 0, 0, 9], [7, 8, 5])  # one case alone on a side gains most
def test_no_cut_of_numbers_gains_more_than_the_bound(left, within, right):
    """Of all cuts with so many cases of the range on the left, one with the smallest or the largest of them gains most."""

    def sums(*lists):
        return np.array([[sum(value**power for each in lists for value in each) for power in range(3)]], dtype=float)

    impurity = variance.relative_to(sums(left, within, right)[0], None)
    bound = upper_bounds(sums(left), sums(within), sums(right), impurity)
    ordered = sorted(within)
    for smallest, largest in ((ordered[:n], ordered[n:]) for n in range(len(within) + 1)):
        for goes_left, goes_right in ((smallest, largest), (largest, smallest)):
            cut = np.stack([sums(left, goes_left), sums(right, goes_right)], axis=1)
            assert gain(cut, impurity) <= bound + 1e-9
    if not within and left and right:
        assert bound == pytest.approx(gain(np.stack([sums(left), sums(right)], axis=1), impurity), abs=1e-9)


def test_only_the_gain_by_a_concave_impurity_has_a_bound():
    assert has_bound(gain, dkm)
    assert has_bound(gain, variance)
    assert not has_bound(gain_ratio, variance)
    assert not has_bound(gain_ratio, entropy)
    assert not has_bound(gain, lambda counts: counts[..., 0])
    for declared, has in ((True, True), (False, False), (1, False)):

        def own(counts):
            return counts[..., 0]

        own.concave = declared
        assert has_bound(gain, own) is has
