"""Tests of significance: the published example, SciPy's numbers, worked statistics, printed tables."""

import re
from collections import Counter
from itertools import pairwise, product
from math import inf, sqrt

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ftree import Dataset, cross_validate
from ftree.study import (
    FoldResult,
    Friedman,
    Trial,
    corrected_t_test,
    friedman,
    grouped,
    holdout,
    holm,
    stratified,
    wilcoxon,
)
from ftree.study.folds import pairs_of

SCIPY = tuple(map(int, scipy.__version__.split(".")[:2]))
# Demšar 2006, table 6: areas under the ROC curve on 14 data sets. On the 13th (voting), C4.5+cf and C4.5+m+cf have the ranks 2
# and 3 with equal printed digits.
AREAS = {
    "C4.5": (0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.0, 0.940, 0.619, 0.972, 0.957),
    "C4.5+m": (0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.0, 0.962, 0.666, 0.981, 0.978),
    "C4.5+cf": (0.771, 0.590, 0.968, 0.654, 0.886, 0.916, 0.609, 0.563, 0.866, 1.0, 0.965, 0.614, 0.9751, 0.946),
    "C4.5+m+cf": (0.798, 0.569, 0.967, 0.657, 0.898, 0.931, 0.685, 0.625, 0.875, 1.0, 0.962, 0.669, 0.975, 0.970),
}


def trial_of(scores, n_train=9, n_test=1):
    return Trial(["accuracy"], [FoldResult(n_train, n_test, [score]) for score in scores])


def test_Demsars_example_has_its_ranks_its_statistics_and_its_critical_differences():
    found = friedman(AREAS)
    assert found.mean_ranks == pytest.approx((3.143, 2.000, 2.893, 1.964), abs=5e-4)
    assert found.statistic == pytest.approx(9.28, abs=5e-3)
    assert found.f_statistic == pytest.approx(3.69, abs=5e-3)
    assert found.p_value < 0.05
    assert found.f_p_value < 0.05
    assert found.critical_difference(0.05) == pytest.approx(1.25, abs=5e-3)
    assert found.critical_difference(0.10) == pytest.approx(1.12, abs=5e-3)


def test_in_Demsars_example_C45_is_worse_than_both_with_m_at_a_tenth_only():
    found = friedman(AREAS)
    assert found.groups(0.05) == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)
    assert found.groups(0.10) == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))


def test_Nemenyis_critical_values_are_those_of_Demsars_table():
    # Table 5(a), for 2 to 10 learners at 0.05; the critical difference is the value times sqrt(k (k + 1) / (6 N)).
    wanted = (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164)
    for k, value in enumerate(wanted, start=2):
        found = Friedman([str(n) for n in range(k)], [1.0] * k, 6)
        assert found.critical_difference() / sqrt(k * (k + 1) / 36) == pytest.approx(value, abs=1.5e-3)


def test_Demsars_example_of_signed_ranks_has_its_sums():
    found = wilcoxon(AREAS["C4.5"], AREAS["C4.5+m"])
    assert (found.first, found.second, found.statistic) == (12, 93, 12)
    assert found.p_value == pytest.approx(0.011, abs=2e-3)


scores = st.lists(st.integers(0, 30), min_size=5, max_size=9)


TIED, UNTIED = st.tuples(*[st.integers(0, 2)] * 4), st.permutations(range(4))


@given(st.lists(TIED, min_size=2, max_size=6) | st.lists(UNTIED, min_size=2, max_size=6))
def test_Friedmans_statistic_corrected_for_ties_is_SciPys_and_the_plain_one_is_so_without_ties(rows):
    table = np.array(rows).T
    found = friedman(dict(zip("abcd", table, strict=True)), correct_for_ties=True)
    plain = friedman(dict(zip("abcd", -table, strict=True)), lower_is_better=True)
    assert plain.mean_ranks == found.mean_ranks
    assert found.ties or plain.statistic == pytest.approx(found.statistic)
    assert found.ties == pytest.approx(sum(sum(n**3 - n for n in Counter(row).values()) for row in rows) / (60 * len(rows)))
    if all(len(set(row)) == 1 for row in rows):
        assert (found.ties, found.statistic, found.p_value) == (1, 0, 1)
    else:
        statistic, p_value = stats.friedmanchisquare(*table)
        assert (found.statistic, found.p_value) == pytest.approx((statistic, p_value))


@settings(max_examples=20)  # each example takes many trees or a slow peer
@given(st.lists(st.integers(-3, 4), min_size=2, max_size=6))
def test_Wilcoxons_p_value_is_the_share_of_signs_that_lie_as_far_out(differences):
    ranks = stats.rankdata(np.abs(differences))
    plain = [float(ranks @ (1 + np.sign(signs) * np.abs(np.sign(differences)))) for signs in product((-1, 1), repeat=len(ranks))]
    found = float(ranks @ (1 + np.sign(differences)))
    wanted = 2 * min(np.mean([each <= found for each in plain]), np.mean([each >= found for each in plain]))
    assert wilcoxon(differences, np.zeros(len(differences))).p_value == pytest.approx(min(1, wanted))


@settings(max_examples=8)  # SciPy permutes where there are ties
@given(scores)
def test_Wilcoxons_test_is_SciPys_and_turning_it_round_exchanges_the_sums(differences):
    other = np.zeros(len(differences))
    found, turned = wilcoxon(np.array(differences) - 10.0, other), wilcoxon(other, np.array(differences) - 10.0)
    assert (found.first, found.second, found.p_value) == pytest.approx((turned.second, turned.first, turned.p_value))
    assert found.first + found.second == len(differences) * (len(differences) + 1) / 2
    if any(score != 10 for score in differences) and SCIPY >= (1, 15):  # older ones guess where there are ties
        wanted = stats.wilcoxon(np.array(differences) - 10.0, zero_method="zsplit")
        assert (found.statistic, found.p_value) == pytest.approx(tuple(wanted))


def test_sixteen_differences_of_one_sign_are_as_far_out_as_any():
    assert wilcoxon(np.arange(1, 17) / 100, np.zeros(16)).p_value == pytest.approx(2 / 2**16)


def test_a_zero_among_many_data_sets_is_divided_between_both_sums_as_SciPy_does():
    """Without one, the ranks of so many differences would be counted out."""
    differences = np.arange(-4.0, 16.0) * 1.5
    differences[differences < 0] -= 0.1  # no two are as large
    wanted = stats.wilcoxon(differences, zero_method="zsplit", method="approx").pvalue
    assert wilcoxon(differences, np.zeros(20)).p_value == pytest.approx(wanted)


@given(scores)
def test_with_tiny_test_sets_the_corrected_test_is_Students_paired_one(drawn):
    drawn = [*drawn, min(drawn) + 40]  # so that they vary
    one, other = trial_of(drawn, n_train=10**12), trial_of([0.0] * len(drawn), n_train=10**12)
    found, wanted = corrected_t_test(one, other), stats.ttest_1samp(drawn, 0)
    assert (found.statistic, found.p_value) == pytest.approx((wanted.statistic, wanted.pvalue))


def test_the_corrected_t_of_ten_folds_is_worked_out_by_hand():
    # Nadeau & Bengio: (1/10 + 1/9) * variance; the differences have mean 0.01 and variance 0.0001 * 10 / 9.
    found = corrected_t_test(trial_of([0.5] * 10), trial_of([0.48, 0.5] * 5))
    assert found.difference == pytest.approx(0.01)
    assert found.statistic == pytest.approx(0.01 / sqrt((1 / 10 + 1 / 9) * 0.0001 * 10 / 9))
    assert found.p_value == pytest.approx(2 * stats.t.sf(found.statistic, 9))


def test_the_best_rank_is_printed_first_with_the_tests():
    lines = repr(friedman(AREAS)).splitlines()
    assert [line.split()[0] for line in lines[1:5]] == ["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"]
    assert lines[5].startswith("chi-squared 9.279 (p 0.0258), F 3.686 (p 0.0198), critical difference 1.254")


@given(st.lists(st.floats(1, 6), min_size=2, max_size=6), st.integers(2, 20))
def test_groups_are_within_the_critical_difference_and_none_contains_another(ranks, n):
    found = Friedman([str(place) for place in range(len(ranks))], ranks, n)
    limit, groups = found.critical_difference(), found.groups()
    for group in groups:
        within = [ranks[int(name)] for name in group]
        assert max(within) - min(within) <= limit
    assert all(not set(one) <= set(other) for one, other in pairwise(groups))


ONE, TWO = trial_of([0.5, 0.6]), trial_of([0.5, 0.6, 0.7])


@pytest.mark.parametrize(
    ("ask", "error", "wanted"),
    [
        (lambda: friedman({"one": [1, 2]}), ValueError, "learners must be at least 2"),
        (lambda: friedman({"one": [1], "other": [2]}), ValueError, "at least 2 data sets"),
        (lambda: friedman({}), ValueError, "at least 2 data sets"),
        (lambda: friedman({"one": [1, 2], "other": [2]}), ValueError, "on 2 data sets, got .2."),
        (lambda: friedman({"one": [1, 2], "other": [2, np.nan]}), ValueError, "numbers on 2 data sets"),
        (lambda: friedman({"one": [1, 2], "other": "ab"}), ValueError, "numbers on 2 data sets, got 'ab'"),
        (lambda: friedman([[1, 2], [2, 3]]), TypeError, "scores must be a dict"),
        (lambda: friedman(AREAS).critical_difference(5), ValueError, "alpha must be above 0 and below 1, got 5"),
        (lambda: Friedman(["a", "b"], [1.0], 5), ValueError, "each with a mean rank"),
        (lambda: wilcoxon([1, 2], [1, 2, 3]), ValueError, "on 2 data sets"),
        (lambda: corrected_t_test(ONE, TWO), ValueError, "of the same folds, at least 2, got 2 and 3 folds"),
        (lambda: corrected_t_test(trial_of([1]), trial_of([1])), ValueError, "at least 2, got 1 and 1"),
        (lambda: corrected_t_test(ONE, [0.5]), TypeError, "a result of cross_validate, got a list"),
        (lambda: corrected_t_test(ONE, ONE, metric="kappa"), KeyError, "metric must be among 'accuracy'"),
    ],
)
def test_what_cannot_be_compared_is_refused(ask, error, wanted):
    with pytest.raises(error, match=wanted):
        ask()


ROWS = Dataset.from_rows([[number / 2, number % 4, number % 3] for number in range(12)], [0, 1] * 6)
BACKWARDS = [(train[::-1], test[::-1]) for train, test in stratified(3)(ROWS)]
FOLDS = [3, stratified(3), BACKWARDS, stratified(3, seed=1), grouped("x1", 3), grouped("x2", 3), holdout(2 / 3, repeats=3)]


@pytest.mark.parametrize("table", [ROWS, ROWS.with_weights([1, 2] * 6)], ids=["rows", "counts"])
@pytest.mark.parametrize("folds", FOLDS, ids=repr)
def test_trials_are_compared_if_their_folds_have_the_same_rows(folds, table):
    def cases(folds):
        parts = [list(map(table.take, pair)) for pair in pairs_of(folds, table, seed=0)]
        return [[sorted(part["x0"][row] for row in part.cases()) for part in pair] for pair in parts]

    message = "Trials must be of the same folds, got folds of other rows. Give both the same dataset, folds and seed."
    one, known = cross_validate(table, folds=folds), cases(folds)
    for other in FOLDS:
        if cases(other) == known:
            assert corrected_t_test(one, cross_validate(table, folds=other)).difference == 0
        else:
            with pytest.raises(ValueError, match=exactly(message)):
                corrected_t_test(one, cross_validate(table, folds=other))


def exactly(text):
    """A pattern that a whole message matches."""
    return f"^{re.escape(text)}$"


def test_an_F_is_infinite_only_where_all_ranks_agree():
    assert Friedman("ab", (1.0, 2.0), 9).f_statistic == inf
    nearly = Friedman("ab", (1 + 1e-6, 2 - 1e-6), 9)
    assert nearly.f_statistic == pytest.approx(8 * (1 - 2e-6) ** 2 / (1 - (1 - 2e-6) ** 2), rel=1e-6)
    assert Friedman("ab", (1 + 1e-10, 2 - 1e-10), 9).f_statistic == inf, "but for rounding"
    for alpha in (0, 1, -0.1, 2):
        with pytest.raises(ValueError, match=exactly(f"alpha must be above 0 and below 1, got {alpha}.")):
            nearly.critical_difference(alpha)
    assert nearly.critical_difference() == nearly.critical_difference(0.05) < nearly.critical_difference(0.01)
    three = Friedman("abc", (1.0, 1.8, 3.0), 12)
    assert three.groups() == three.groups(0.05) == (("a", "b"),)
    assert three.groups(0.0001) == (("a", "b"), ("b", "c"))


def test_post_hoc_p_values_are_those_of_scikit_posthocs():
    """`posthoc_siegel_friedman` of version 0.17.1, plain and with `p_adjust="holm"`; and Demšar's comparison with a control."""
    found = friedman(AREAS).post_hoc()
    assert [round(test.p_value, 6) for test in found] == [0.019172, 0.608408, 0.01572, 0.067278, 0.941653, 0.05704]
    assert [round(test.adjusted, 6) for test in found] == [0.095862, 1, 0.09432, 0.228159, 1, 0.228159]
    control = friedman(AREAS).post_hoc("C4.5")
    assert [(test.other, round(test.adjusted, 3)) for test in control] == [
        ("C4.5+m", 0.047),
        ("C4.5+cf", 0.608),
        ("C4.5+m+cf", 0.047),
    ]
    assert len(control) == 3
    assert "C4.5, C4.5+cf" in control._repr_html_()
    with pytest.raises(KeyError, match=r"control must be one of 'C4\.5', .*got 'ID3'"):
        friedman(AREAS).post_hoc("ID3")


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0.001, 0.999))
def test_Holms_adjusted_p_values_are_those_of_his_steps(p_values, alpha):
    """From the smallest on, hypotheses are rejected while p <= alpha / (m - i), and no more after the first that is not."""
    rejected = 0
    for step, p in enumerate(sorted(p_values)):
        if p * (len(p_values) - step) > alpha:
            break
        rejected += 1
    adjusted = holm(p_values)
    assert sum(p <= alpha for p in adjusted) == rejected
    order = np.argsort(p_values, kind="stable")
    assert (np.diff(np.array(adjusted)[order]) >= 0).all()
