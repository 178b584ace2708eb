"""Pessimistic and minimum-error pruning, and that of M5: as plain recursion decides by the formulas, and worked numbers."""

from functools import partial
from math import inf, sqrt

import numpy as np
import pytest
from attrs import evolve
from hypothesis import strategies as st
from plain_passes import KEPT, REGRESSION, TREES, WITHOUT_T2, A, cuts, down, errors, errors_of, made, twig, up

from ftree import CART, Dataset, grow, n_leaves, recount
from ftree.prune import estimated_error, minimum_error, pessimistic
from ftree.responses import linear
from ftree.splitters import threshold
from ftree.stop import max_depth
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


@pytest.mark.parametrize(
    ("m", "static", "backed_up", "paths"), [(10, 0.277778, 0.272189, KEPT), (15, 0.292683, 0.302419, WITHOUT_T2)]
)
def test_minimum_error_with_m_and_the_priors_of_the_root(m, static, backed_up, paths):
    at_t2 = {each.path: each for each in minimum_error(m=m).decisions(A)}[0,]
    assert (at_t2.as_leaf, at_t2.as_subtree) == pytest.approx((static, backed_up), abs=5e-7)
    assert cuts(minimum_error(m=m)) == cuts(minimum_error(m=m, prior=(0.6, 0.4))) == paths


def estimated(tree):
    """The estimated error of each node from the formula, as a share of the root's residual; for the response of the tree."""
    response = tree.schema.response

    def residual(node):
        return sqrt(response.risk(node.counts) / node.counts[0]) if node.counts[0] else 0.0

    def error(node, *_):
        answer = response.answer(node.counts)
        n, v = node.counts[0], 1 + sum(each != 0 for each in answer[1:-1]) if isinstance(answer, tuple) else 1
        return residual(node) / (residual(tree.root) or 1.0) * (n + v) / (n - v) if n > v else inf if n else 0.0

    return error


def mean_of_cases(node, scores, _):
    n = node.counts[0]
    parts = zip(node.children, scores, strict=True)
    return sum(child.counts[0] * score for child, score in parts if child.counts[0]) / n if n else 0.0


@st.composite
def trees_of_models(draw):
    """Drawn trees with linear models of few rows, of which some lack the regressor."""
    tree, random = draw(REGRESSION), np.random.default_rng(draw(st.integers(0, 99)))
    cells = random.integers(-1, 5, 40)
    columns = {"n": np.where(cells < 0, np.nan, cells), "c": random.choice([*"abcd"], 40), "y": random.integers(0, 9, 40) + 0.5}
    return recount(tree, Dataset.from_columns(columns, target="y"), response=linear("n"))


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("given_trees", [REGRESSION, trees_of_models()], ids=["means", "models"])
def test_estimated_errors_are_those_of_the_formula(given_trees):
    oracle = lambda tree: up(tree, leaf=estimated(tree), below=mean_of_cases)  # noqa: E731
    check_pass(estimated_error(), given_trees=given_trees, oracle=oracle)


def test_a_split_into_models_must_save_more_than_their_parameters_cost():
    x = np.arange(12.0)
    noise = np.where(x % 2, 0.25, -0.25)
    for y, n in ((2 * x + noise, 1), (np.where(x < 6, 2 * x, 22 - 2 * x) + noise, 2)):  # one line; two
        table = Dataset.from_columns({"x": x, "y": y}, target="y", response=linear("x"))
        pruned = estimated_error()(grow(table, evolve(CART, splits=(threshold(min_cases=4),), stop=max_depth(2))))
        assert n_leaves(pruned) == n
    (only,) = estimated_error().decisions(pruned)
    residuals = [np.sqrt(np.polyfit(x[rows], y[rows], 1, full=True)[1][0] / rows.sum()) for rows in (x < 99, x < 6, x >= 6)]
    assert (only.as_leaf, only.done) == (pytest.approx((12 + 2) / (12 - 2)), "kept")
    assert only.as_subtree == pytest.approx((6 + 2) / (6 - 2) * np.mean(residuals[1:]) / residuals[0])


def test_errors_are_estimated_for_squared_residuals_only():
    with pytest.raises(ValueError, match=r"tree must be a regression tree, .* got a classification tree"):
        estimated_error()(grow(made(9), CART))
