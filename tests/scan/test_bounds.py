"""Bounds of the gain in a range, compared with every possible cut in the range."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree.criteria import dkm, entropy, gain, gain_ratio, gini, misclassification
from ftree.scan import bounds
from ftree.scan.bounds import gains_of_cuts, has_bound, upper_bounds


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
        monkeypatch.setattr(bounds, "_CORNERS", most)
        (bound,) = upper_bounds(*(each[None].astype(float) for each in (left, within, right)), impurity)
    assert bound >= gains.max() - 1e-12
    if most:
        assert bound <= gains.max() + 1e-12, "corners are reached, so the bound is tight"


def test_only_the_gain_by_a_concave_impurity_has_a_bound():
    assert has_bound(gain, dkm)
    assert not has_bound(gain_ratio, entropy)
    assert not has_bound(gain, lambda counts: counts[..., 0])
    for declared, has in ((True, True), (False, False), (1, False)):

        def own(counts):
            return counts[..., 0]

        own.concave = declared
        assert has_bound(gain, own) is has


@pytest.mark.parametrize(
    ("impurity", "n", "due", "by_kernel"),
    [
        (entropy, 20_000, True, True),
        (gini, 20_000, True, True),
        (gini, 19_999, True, False),
        (gini, 20_000, False, False),
        (misclassification, 20_000, True, False),
    ],
)
def test_bounds_of_many_ranges_take_compiled_code_where_that_is_due(impurity, n, due, by_kernel, monkeypatch):
    """In about a microsecond for each range, NumPy measures all corners."""
    asked, left, right = [], np.ones((n, 1)), np.ones((n, 1))
    monkeypatch.setattr(bounds, "compiled_code_is_due", lambda seconds: asked.append(seconds) or due)
    monkeypatch.setattr(bounds, "corners", lambda *_: "by NumPy")
    assert (upper_bounds(left, np.ones((n, 1)), right, impurity) is not bounds.corners()) == by_kernel
    assert asked == ([n * 1e-6] if n >= 20_000 and impurity is not misclassification else [])


@pytest.mark.parametrize(("n_classes", "tight"), [(5, True), (6, False)])
def test_corners_are_measured_of_up_to_five_classes(n_classes, tight):
    """Beyond, the bound is that of a cut that leaves out the range."""
    within = np.eye(n_classes)[:1]
    left, right = np.ones((2, 1, n_classes))
    (bound,) = upper_bounds(left, within, right, entropy)
    sides = np.stack([np.stack([left + within, right], axis=1), np.stack([left, right + within], axis=1)])
    assert (bound == pytest.approx(gain(sides, entropy).max())) == tight


@pytest.mark.parametrize("impurity", [entropy, gini, misclassification])
def test_the_gain_of_a_cut_does_not_depend_on_the_cuts_beside_it(impurity):
    left, right = np.random.default_rng(4).integers(0, 9, (2, 6, 3)).astype(float) + np.eye(3)[0]
    alone = [gains_of_cuts(left[[row]], right[[row]], impurity).item() for row in range(6)]
    assert gains_of_cuts(left, right, impurity) == pytest.approx(alone)
    assert alone == pytest.approx([gain(np.stack([one, other]), impurity).item() for one, other in zip(left, right, strict=True)])
