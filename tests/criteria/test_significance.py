"""Significance of splits: p-values that agree with other ways to compute them, however small they are."""

from math import lgamma, log

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import log_ndtr, logsumexp
from scipy.stats import chi2, chi2_contingency

from ftree.criteria.independence import _log_far_tail, degrees_of_freedom, minus_log10_p, p_value
from ftree.criteria.scores import g_significance, likelihood_ratio, pearson, significance

tables = st.integers(1, 4).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 20), min_size=k, max_size=k), min_size=1, max_size=5)
)


def with_cases(table):
    """The children and the classes that have cases."""
    counts = np.array(table)
    return counts[counts.any(axis=1)][:, counts.any(axis=0)]


@given(tables)
@example([[3, 1, 0], [1, 3, 0], [0, 0, 0]])
@example([[1, 0], [0, 1]])
def test_it_is_the_p_value_of_a_contingency_table(table):
    present = with_cases(table)
    if min(present.shape) < 2:
        assert significance(table) == g_significance(table) == 0
        return
    for score, by in ((significance, "pearson"), (g_significance, "log-likelihood")):
        p_value = chi2_contingency(present, correction=False, lambda_=by).pvalue
        assert 10 ** -score(table) == pytest.approx(p_value, rel=1e-7, abs=1e-12)


@given(tables, st.integers(1, 3))
def test_a_level_s_answer_is_its_nodes_answers(table, copies):
    for score in (significance, g_significance):
        assert score([table] * copies).tolist() == [float(score(table))] * copies
        assert score(np.zeros((0, *np.shape(table)))).shape == (0,)


@pytest.mark.parametrize("dof", [1, 2, 3, 8, 50, 999])
def test_small_p_values_go_on_where_floats_end(dof):
    """On both sides of the point where the method of computation changes."""
    statistic = np.linspace(dof + 600, dof + 3000, 400)
    digits = minus_log10_p(statistic, np.full(400, dof))
    assert (np.diff(digits) > 0).all()
    assert digits[-1] > 100
    normal = chi2.sf(statistic, dof) > 1e-300
    assert digits[normal] == pytest.approx(-chi2.logsf(statistic[normal], dof) / log(10), rel=1e-12)


@pytest.mark.parametrize("dof", [2, 4, 20, 1000, 100_000])
@pytest.mark.parametrize("times", [1.0, 2.0, 100.0, 1e8])
def test_far_tails_are_those_of_the_sum_for_even_degrees_of_freedom(dof, times):
    """Q(m, x) is e^-x times the sum of x^i / i! below m."""
    x = (dof + 2000) * times
    terms = [i * log(x) - lgamma(i + 1) for i in range(dof // 2)]
    assert _log_far_tail(dof / 2, x) == pytest.approx(logsumexp(terms) - x, rel=1e-11)


@pytest.mark.parametrize("statistic", [1300.0, 1e4, 1e6, 1e12])
def test_far_tails_of_one_degree_of_freedom_are_the_normal_distribution_s(statistic):
    twice_the_tail = log(2) + log_ndtr(-(statistic**0.5))
    assert minus_log10_p(statistic, 1) == pytest.approx(-twice_the_tail / log(10), rel=1e-13)


def test_a_million_cases_told_apart_are_significant_in_so_many_digits():
    split = [[10**6, 0], [0, 10**6]]
    assert pearson(split) == 2 * 10**6
    assert significance(split) == pytest.approx(-(log(2) + log_ndtr(-(2e6**0.5))) / log(10))
    assert g_significance(split) == pytest.approx(minus_log10_p(likelihood_ratio(split), 1))
    assert np.isfinite(significance([[10**15, 0, 0], [0, 10**15, 0], [0, 0, 10**15]]))


def test_near_and_far_p_values_share_a_call():
    near, far = [[6, 4], [4, 6]], [[10**6, 0], [0, 10**6]]
    assert significance([near, far]).tolist() == [float(significance(near)), float(significance(far))]


def test_degrees_of_freedom_are_those_of_the_children_and_classes_beyond_the_first():
    children, classes = np.meshgrid(np.arange(5), np.arange(5))
    wanted = [[(v - 1) * (k - 1) if v and k else 0 for v in range(5)] for k in range(5)]
    assert degrees_of_freedom(children, classes).tolist() == wanted
    assert p_value([5.0, 0.0], [0, 0]).tolist() == [1, 1]
    assert minus_log10_p([5.0, 0.0], [0, 0]).tolist() == [0, 0]
