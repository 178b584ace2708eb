"""Pruning by chi-squared and by critical values: SciPy's statistic of each branch above leaves, and worked numbers."""

from functools import partial

import numpy as np
import pytest
from plain_passes import TREES, WITHOUT_T2, WITHOUT_T5, A, cuts, twig, up
from scipy.special import chdtri
from scipy.stats import chi2_contingency

from ftree import Branch, Leaf, criteria, gain_ratio
from ftree.criteria import pearson
from ftree.prune import chi_squared, critical_value
from ftree.testing import check_pass


def statistic(node, *_):
    """Pearson's statistic and degrees of freedom of a branch's split."""
    table = np.array([child.counts for child in getattr(node, "children", ())] or [node.counts])
    table = table[table.any(axis=1)][:, table.any(axis=0)]
    found = chi2_contingency(table, correction=False) if min(table.shape) > 1 else None
    return (found.statistic, found.dof) if found else (0.0, 0)


def score_of(score, impurity=criteria.entropy):
    def scored(node, *_):
        return float(score([child.counts for child in node.children], impurity)) if isinstance(node, Branch) else 0.0

    return scored


def above(limit):
    return {"below": lambda *_: 0.0, "limit": lambda node, _: limit(node), "twigs": True}


def critical(node, alpha=0.05):
    _, dof = statistic(node)
    return float(chdtri(dof, alpha)) if dof else 0.0


BY_GINI = score_of(gain_ratio, criteria.gini)


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize(
    ("pass_", "oracle"),
    [
        (chi_squared(), partial(up, leaf=lambda node, *_: statistic(node)[0], **above(critical))),
        (critical_value(0.1), partial(up, leaf=score_of(criteria.gain), ties=False, **above(lambda _: 0.1))),
        (
            critical_value(0.3, score=gain_ratio, impurity=criteria.gini),
            partial(up, leaf=BY_GINI, ties=False, **above(lambda _: 0.3)),
        ),
        (chi_squared(1.0), None),
        (critical_value(3, score=pearson), None),
    ],
    ids=["chi squared", "gain", "gain ratio", "alpha 1", "pearson"],
)
def test_a_branch_above_leaves_is_cut_if_its_split_scores_too_little(pass_, oracle):
    check_pass(pass_, given_trees=TREES, oracle=oracle)


def test_chi_squared_of_the_nodes_of_tree_A():
    judged = critical_value(9, score=pearson).decisions(A)
    assert [each.as_leaf for each in judged] == pytest.approx([3.6, 6.635417, 8.864469], abs=5e-7)
    assert [cuts(critical_value(c, score=pearson)) for c in (5, 7, 9)] == [WITHOUT_T5, WITHOUT_T2, ((),)]


def test_the_critical_value_of_the_statistic_has_alpha_as_p_value():
    t5, t2 = chi_squared(0.05).decisions(A)[:2]
    assert (t5.as_leaf, t5.threshold) == pytest.approx((3.6, 3.841459), abs=5e-7)
    assert (t5.done, t2.done) == ("cut", "kept")
    assert cuts(chi_squared(0.05)) == WITHOUT_T5
    assert [chi_squared(alpha).decisions(A)[0].cut for alpha in (0.0577, 0.0578)] == [True, False]
    assert [chi_squared(alpha).decisions(A)[1].cut for alpha in (0.00999, 0.01)] == [True, False]


def test_a_split_whose_p_value_is_alpha_stays():
    independent = twig((2, 4), (1, 2))
    assert chi_squared(1.0)(independent) is independent
    assert chi_squared(0.999)(independent).root == Leaf((3, 6))


def test_a_score_of_ones_own_is_called_with_children_of_the_same_number():
    seen = []

    def score(children, impurity):
        seen.append((children.shape, children.dtype))
        return gain_ratio(children, impurity)

    critical_value(0.1, score=score)(A)
    assert seen == [((3, 2, 2), float)]
