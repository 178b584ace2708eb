"""A choice by tests of independence: its figures are those of definitions, and it favours no kind of feature."""

from itertools import permutations

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import CART, Branch, Dataset, Feature, Schema, grow
from ftree.criteria import pearson
from ftree.criteria.scores import p_value
from ftree.splitters import by_permutation_test
from ftree.stop import max_depth
from ftree.testing import check_choice, check_policy
from ftree.testing.splitter_laws import Table, as_runs, tables

KINDS = ("nominal", "numeric", "ordinal")


def quadratic_form(table):
    """Statistic and degrees of freedom by the matrices of Strasser & Weber 1999, equations 1 to 3."""
    counts, values = table.counts, np.array(table.values)
    kept = counts.sum(axis=0) > 0
    counts = counts[:, kept]
    spread = (values - values[0]) / (np.ptp(values) or 1.0)  # the statistic knows no units, the tolerances below do
    g = np.eye(len(values)) if table.feature.kind == "nominal" else spread[:, None]
    n, of_value, h_mean = counts.sum(), counts.sum(axis=1), counts.sum(axis=0) / counts.sum()
    linear = (g.T @ counts).ravel()
    mean = np.outer(of_value @ g, h_mean).ravel()
    h_covariance = np.diag(h_mean) - np.outer(h_mean, h_mean)
    total = of_value @ g
    covariance = np.kron(g.T @ (g * of_value[:, None]) * n / (n - 1) - np.outer(total, total) / (n - 1), h_covariance)
    inverse = np.linalg.pinv(covariance, rcond=1e-9)
    return (linear - mean) @ inverse @ (linear - mean), np.linalg.matrix_rank(covariance, tol=1e-9)


@given(tables(KINDS))
def test_asymptotic_figures_are_those_of_the_covariance_matrix(level):
    # The last class has no case.
    level = [Table(each.number, each.feature, each.values, np.pad(each.counts * 2, ((0, 0), (0, 1)))) for each in level]
    digits, testable = by_permutation_test().significance(as_runs(level))
    for table, own, is_testable in zip(level, digits.tolist(), testable.tolist(), strict=True):
        statistic, dof = quadratic_form(table) if table.counts.sum() > 1 else (0, 0)
        assert is_testable == (dof > 0)
        assert 10**-own == pytest.approx(float(p_value(statistic, dof)), abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from([0.0, 1.5, -7.25])), min_size=2, max_size=9))
def test_figures_of_numbers_are_those_of_correlations_and_of_means(rows):
    """The statistic is n - 1 times the share of the variance that a line explains, or the means of values."""
    x, code, y = map(np.array, zip(*rows, strict=True))
    numbers = Dataset.from_columns({"x": x, "w": [f"v{each}" for each in code], "y": y}, target="y", response="numbers")
    found, n = [], len(rows)

    def noting(candidates):
        found.append(by_permutation_test().significance(candidates.every_run))
        return candidates.score

    grow(numbers, evolve(CART, choose=noting).stopping(max_depth(1)))
    if y.std() > 0 and found:  # where no value divides the rows, nothing is chosen
        [(digits, testable)], means = found, np.array([y[code == each].mean() for each in code])
        statistic = (n - 1) * np.array([0 if x.std() == 0 else np.corrcoef(x, y)[0, 1] ** 2, means.var() / y.var()])
        dof = np.array([min(len(set(x)), 2), len(set(code))]) - 1
        assert testable.tolist() == (dof > 0).tolist()
        assert 10**-digits == pytest.approx(p_value(statistic, dof), abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), min_size=2, max_size=6), st.sampled_from(["nominal", "numeric"]))
def test_drawn_permutations_approach_all_permutations(rows, kind):
    values, labels = map(np.array, zip(*rows, strict=True))
    present = np.unique(values)
    counts = np.array([[np.sum((values == value) & (labels == label)) for label in range(2)] for value in present])
    table = Table(0, Feature("x", kind, () if kind == "numeric" else tuple("abc")), present.astype(float).tolist(), counts)

    def statistic(permuted):
        own = np.array([[np.sum((values == value) & (permuted == label)) for label in range(2)] for value in present])
        return quadratic_form(Table(0, table.feature, table.values, own))[0]

    [digits], [testable] = by_permutation_test(resamples=4000, seed=1).significance(as_runs([table]))
    if testable:
        exact = np.mean([statistic(np.array(each)) >= statistic(labels) - 1e-9 for each in permutations(labels.tolist())])
        assert abs(10**-digits - exact) < 6 * np.sqrt(exact * (1 - exact) / 4000) + 1e-3


def test_choices_and_policies_by_tests_keep_the_laws():
    for choose in (by_permutation_test(0.9), by_permutation_test(1, bonferroni=False, resamples=9)):
        check_choice(choose)
    check_policy(evolve(CART, choose=by_permutation_test(0.9), missing="heaviest"), exempt={"apart", "best"})
    check_policy(evolve(CART, choose=by_permutation_test(1, resamples=19, seed=3), missing="heaviest"), exempt={"apart", "best"})


def test_an_adjusted_p_value_above_alpha_makes_a_leaf():
    """One feature's p-value is .0455, so that of two is .089."""
    columns = {"x": list("aabb"), "class": list("nnyy")}
    for others, alpha, splits in ((0, 0.084, True), (0, 0.083, False), (1, 0.16, True), (1, 0.159, False), (2, 0, False)):
        data = Dataset.from_columns(columns | {f"noise {number}": list("abab") for number in range(others)})
        grown = grow(data, evolve(CART, choose=by_permutation_test(alpha)))
        assert isinstance(grown.root, Branch) == splits, (others, alpha)
    plain = by_permutation_test(0.084, bonferroni=False)
    assert isinstance(grow(data, evolve(CART, choose=plain)).root, Branch)


def test_numbers_at_the_edge_of_floats_are_tested_as_others():
    wide, narrow = ([1e308, -1e308, 0.0, 5e307], [2.0, -2.0, 0.0, 1.0])
    for choose in (by_permutation_test(), by_permutation_test(resamples=99)):
        found = [choose.significance(as_runs([_of(values)])) for values in (wide, narrow)]
        assert found[0][0] == pytest.approx(found[1][0])


def _of(values):
    counts = np.array([[3, 0], [0, 3], [1, 2], [2, 1]])[np.argsort(values)]
    return Table(0, Feature("x", "numeric"), sorted(values), counts)


def test_fractions_of_cases_cannot_be_permuted():
    data = Dataset.from_columns({"x": [1, 2, 3], "class": [0, 1, 1]}, weights=[0.5, 1, 1])
    with pytest.raises(ValueError, match="resamples must be None for fractions of cases, got 9"):
        grow(data, evolve(CART, choose=by_permutation_test(resamples=9)))


LETTERS = tuple("abcdefghi")
WITHOUT_SIGNAL = Schema(
    [
        *[Feature("two", "nominal", LETTERS[:2]), Feature("nine", "nominal", LETTERS), Feature("five", "ordinal", LETTERS[:5])],
        *[Feature("numbers", "numeric"), Feature("gaps", "numeric")],
    ],
    "class",
    (0, 1),
)


def without_signal(random, n=60):
    """Rows whose features say nothing of the class; half of the last one's values are missing."""
    codes = [random.integers(0, n_values, n).astype(np.int8) for n_values in (2, 9, 5)]
    numbers = random.normal(size=(2, n))
    numbers[1, : n // 2] = np.nan
    return Dataset(WITHOUT_SIGNAL, [*codes, *numbers], random.integers(0, 2, n).astype(np.int8), None)


def test_without_signal_features_are_chosen_alike_and_few_roots_are_split():
    """By 300 tables: the chosen features are uniform, and alpha of the roots are split, within five standard errors."""
    random, chosen, split, n = np.random.default_rng(1), np.zeros(5), 0, 300
    root_only = evolve(CART, score=pearson, missing="heaviest").stopping(max_depth(1))
    for _ in range(n):
        data = without_signal(random)
        chosen[grow(data, evolve(root_only, choose=by_permutation_test(1))).root.split.feature] += 1
        split += isinstance(grow(data, evolve(root_only, choose=by_permutation_test(0.1))).root, Branch)
    assert float(p_value(np.sum((chosen - n / 5) ** 2 / (n / 5)), 4)) > 1e-5
    assert abs(split - 0.1 * n) < 5 * np.sqrt(0.1 * 0.9 * n)
