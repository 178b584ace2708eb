"""Choices between cuts that are nearly equally good, kernel by kernel, as plain Python (NUMBA_DISABLE_JIT=1)."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ftree._lib.jit import is_disabled
from ftree.criteria import entropy, gain, gain_ratio, gini
from ftree.criteria.impurity_kernels import native
from ftree.growth.kernels import run_splits, sorted_cuts, weighted_cuts
from ftree.growth.kernels.records import ENTROPY, FLAGS, GAIN, GAIN_RATIO, GINI, GUARD, CriterionTables, Run
from ftree.growth.kernels.sorted_cuts import bits_of

pytestmark = [
    pytest.mark.in_python,
    pytest.mark.skipif(not is_disabled(), reason="plain Python is what this looks at; tests/_lib runs such files"),
]

SHIFT = 2 + FLAGS
NOTHING = np.empty(0)


def squares(counts):
    """Gini, written as a user would."""
    return 1.0 - ((counts / counts.sum()) ** 2).sum() if counts.sum() > 0 else 0.0


WAYS = {"entropy": entropy, "gini": gini, "weighted entropy": entropy, "weighted gini": gini, "own": gini, "values": gini}
each_way = pytest.mark.parametrize("way", WAYS)


def run_of(counts):
    """Counts of values in rows as a search holds them."""
    n, k = counts.shape
    return Run(np.arange(n), counts, counts.sum(axis=1), np.arange(n), np.empty(n), np.empty(max(n, 4)), np.empty(k), np.empty(k))


def measure_by(impurity, score, factors=NOTHING):
    """A measure of runs, which need no tables."""
    return CriterionTables(impurity, score, score == GAIN, np.nan, factors, NOTHING, NOTHING, np.inf, NOTHING)


def cut(way, labels, tie):
    """The cut that a kernel chooses if each row has its own value, and whether it was too close to call."""
    n, k = len(labels), max(2, max(labels) + 1)
    keys = np.arange(n) << SHIFT | bits_of(SHIFT)[1] | np.array(labels)
    ones = np.eye(k)[labels]
    total = ones.sum(axis=0)
    run, left, scratch = (keys, 0, n, SHIFT), np.zeros(k, np.int64), (np.empty(n, np.int64), np.empty(n, np.int64))
    with pytest.MonkeyPatch.context() as patch:
        for module in (sorted_cuts, weighted_cuts, run_splits):
            patch.setattr(module, "TIE", tie)
        if way == "values":
            _, place, unsure, _ = run_splits.best_cut(run_of(ones), n, 0.0, measure_by(GINI, GAIN), None)
            return place, unsure
        if way == "own":
            found = sorted_cuts.own_cut(*run, NOTHING, np.zeros(k), np.zeros(k), total, native(squares).entry)
        elif way.startswith("weighted"):
            scratch = np.zeros(k), np.empty((k + 1, n)), np.empty(n), scratch[0]
            found = weighted_cuts.weighted_cut(*run, np.ones(n), *scratch, total, ENTROPY if way.endswith("entropy") else GINI)
        elif way == "entropy":
            table, unit = sorted_cuts.whole_table(n)
            found = sorted_cuts.entropy_cut(*run, left, total.astype(np.int64), table, np.diff(table), unit, *scratch)
        else:
            found = sorted_cuts.gini_cut(*run, left, total.astype(np.int64), *scratch)
    return found[1], bool(found[2])


def gains_of(way, labels):
    """The gain of each cut."""
    below = np.eye(max(2, max(labels) + 1))[labels].cumsum(axis=0)
    return gain(np.stack([below[:-1], below[-1] - below[:-1]], axis=1), WAYS[way])


@each_way
@pytest.mark.parametrize("third", [False, True], ids=["two classes", "three"])
def test_where_cuts_get_better_little_by_little_the_first_near_the_best_is_taken_and_not_the_first_of_all(way, third):
    labels = [2, 2] * third + [0] * 10 + [1] * 10
    gains = gains_of(way, labels)
    tie = 1.05 * np.diff(gains[: gains.argmax() + 1]).max()
    first = 1 + int((gains >= gains.max() - tie).argmax())
    assert cut(way, labels, tie) == (first, False)
    assert 1 < first < 1 + gains.argmax()


@each_way
@given(labels=st.lists(st.integers(0, 2), min_size=3, max_size=12), data=st.data())
def test_a_cut_at_the_very_edge_of_a_tie_is_too_close_to_call_but_for_ones_own_impurity(way, labels, data):
    gains = gains_of(way, labels)
    best = int(gains.argmax())
    assume(best > 0)
    edge = data.draw(st.integers(0, best - 1))
    tie = float(gains[best] - gains[edge])
    # No earlier cut is as good, and no cut between the two is chosen instead.
    assume(tie > 4 * GUARD and (gains[:edge] < gains[edge] - 4 * GUARD).all())
    for wider in (tie + 2 * GUARD, tie - 2 * GUARD):
        place, unsure = cut(way, labels, wider)
        first = 1 + int((gains >= gains.max() - wider).argmax())
        if abs(gains - (gains.max() - wider)).min() > 1.5 * GUARD:
            assert (place, unsure) == (first, False)
    if way == "own":
        assert not cut(way, labels, tie)[1]
    else:
        assert cut(way, labels, tie)[1]


@pytest.mark.parametrize(("score", "of_nothing"), [(GAIN, gain), (GAIN_RATIO, gain_ratio)])
@pytest.mark.parametrize("impurity", [ENTROPY, GINI])
def test_where_only_classes_without_weight_have_cases_a_split_scores_as_one_of_no_cases(score, of_nothing, impurity):
    counts, weightless = np.array([[2.0, 1, 0], [1, 3, 0]]), np.array([0.0, 0, 1])
    wanted = float(of_nothing(counts * weightless, entropy))
    run, measure = run_of(counts), measure_by(impurity, score, weightless)
    assert run_splits.multiway_score(run, 2, 0.0, measure, None) == (wanted, False)
    assert run_splits.best_cut(run, 2, 0.0, measure, None)[::2] == (wanted, False)
    assert run_splits.best_subset(run, 2, 0.0, 4, measure, None)[::2] == (wanted, False)
