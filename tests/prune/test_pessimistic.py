"""Pessimistic and minimum-error pruning: as plain recursion decides by the formulas, and worked numbers."""

from functools import partial
from math import sqrt

import pytest
from plain_passes import KEPT, TREES, WITHOUT_T2, A, cuts, down, errors, errors_of, made, twig, up

from ftree import CART, grow, n_leaves
from ftree.prune import minimum_error, pessimistic
from ftree.testing import check_pass


def within_one_error(node, score):
    n = sum(node.counts)
    return score + (sqrt(max(score * (n - score), 0) / n) if n else 0)


@pytest.mark.usefixtures("fewer")
def test_pessimistic_allows_one_standard_error():
    def estimate(counts, tree):
        return errors_of(counts, tree) + 0.5

    oracle = partial(down, leaf=lambda node: errors(node) + 0.5, limit=within_one_error)
    check_pass(pessimistic(), given_trees=TREES, oracle=oracle, exempt={"once"}, estimate=estimate)


def test_pessimistic_twice_may_be_more_than_once():
    first = [pessimistic()(grow(made(60, seed=seed), CART)) for seed in range(40)]
    assert any(n_leaves(tree) > n_leaves(pessimistic()(tree)) for tree in first)


def test_pessimistic_cuts_within_one_standard_error():
    (only,) = pessimistic().decisions(twig((3, 2, 0), (2, 1, 0), (4, 2, 0)))
    assert (only.as_leaf, only.as_subtree, only.done) == (5.5, 6.5, "cut")
    assert only.threshold == pytest.approx(6.5 + 1.866050, abs=5e-7)
    assert cuts(pessimistic()) == KEPT


def m_estimate(tree, m, prior):
    total = sum(tree.root.counts)
    prior = prior or [n / total if total else 0 for n in tree.root.counts]

    def error(node, *_):
        n = sum(node.counts) + m * sum(prior)
        return 1 - max(count + m * p for count, p in zip(node.counts, prior, strict=True)) / n if n else 0.0

    return error


def backed_up(node, scores, _):
    n = sum(node.counts)
    return sum(sum(child.counts) * s for child, s in zip(node.children, scores, strict=True)) / n if n else max(scores)


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize(
    ("pass_", "m", "prior"),
    [
        (minimum_error(m=3, prior=(0.5, 0.2, 0.3)), 3, (0.5, 0.2, 0.3)),
        (minimum_error(m=0), 0, None),
        (minimum_error(), 3, [1 / 3] * 3),
    ],
    ids=["prior", "m=0", "Laplace"],
)
def test_minimum_error_backs_up_the_estimates_of_leaves(pass_, m, prior):
    check_pass(pass_, given_trees=TREES, oracle=lambda tree: up(tree, leaf=m_estimate(tree, m, prior), below=backed_up))


def test_minimum_error_compares_the_static_with_the_backed_up_error():
    (only,) = minimum_error().decisions(twig((6, 0), (2, 1)))
    assert (only.as_leaf, only.as_subtree) == pytest.approx((0.181818, 0.216667), abs=5e-7)
    assert only.done == "cut"
    assert cuts(minimum_error()) == KEPT


@pytest.mark.parametrize(
    ("m", "static", "backed_up", "paths"), [(10, 0.277778, 0.272189, KEPT), (15, 0.292683, 0.302419, WITHOUT_T2)]
)
def test_minimum_error_with_m_and_the_priors_of_the_root(m, static, backed_up, paths):
    at_t2 = {each.path: each for each in minimum_error(m=m).decisions(A)}[0,]
    assert (at_t2.as_leaf, at_t2.as_subtree) == pytest.approx((static, backed_up), abs=5e-7)
    assert cuts(minimum_error(m=m)) == cuts(minimum_error(m=m, prior=(0.6, 0.4))) == paths
