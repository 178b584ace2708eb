"""Significance of splits: p-values that agree with other ways to compute them, however small they are."""

from math import log

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import chi2, chi2_contingency

from ftree.criteria import g_significance, significance
from ftree.criteria.scores import minus_log10_p

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
