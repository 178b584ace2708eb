"""Which leaves have enough cases and which tree costs least, by exact addition, whatever the weights; and numbers on a grid."""

from fractions import Fraction
from functools import partial
from importlib import import_module

import numpy as np
import pytest
from drawn_problems import least_by_brute_force, sides_of_values
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from ftree import Dataset, optimal
from ftree.exact import Limits, bayes, class_bits, class_errors, costs, errors
from ftree.exact.cuts.ranked_table import ranked_table
from ftree.exact.objectives import checked_objective, class_weights, costs_of
from ftree.exact.rounding import whole_units
from ftree.responses import several
from ftree.routing import apply

OBJECTIVES = {
    "numbers": errors(),
    "several numbers": errors(),
    "errors": errors(),
    "priors": bayes([0.2, 0.5, 0.3]),
    "fractional costs": costs([[0, 0.3, 0.3], [1.7, 0, 1.7], [1, 1, 0]]),
    "uneven costs": costs([[0, 1, 1], [3_000_000, 0, 3_000_000], [1, 1, 0]]),
    "bits": class_bits(),
}


@st.composite
def weights_with_fractions(draw, n):
    """Multiples of an eighth, decimals, floats of one and of very different sizes; also where they add up to some 2^25."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    drawn = {
        "eighths": random.integers(1, 30, n) / 8,
        "decimals": random.choice([0.1, 0.3, 0.7, 1.1], n),
        "floats": random.random(n) + 0.1,
        "sizes": 10.0 ** random.integers(-1, 3, n) * (random.random(n) + 0.1),
    }
    return draw(st.sampled_from([1.0, 1e-6, 3e6])) * drawn[draw(st.sampled_from(sorted(drawn)))]


def table_for(name, random, weights):
    """A table of words with a target for an objective, and a function of rows: what a leaf of these loses."""
    n, features = len(weights), [f"w{number}" for number in range(3)]
    columns = {word: random.choice(list("abc"), n) for word in features}
    options = {"target": "y", "kinds": dict.fromkeys(columns, "nominal"), "weights": weights}
    if "numbers" not in name:
        table = Dataset.from_columns({**columns, "y": random.choice(list("pqr"), n)}, classes=list("pqr"), **options)
        made = checked_objective(OBJECTIVES[name], np.array(table.class_counts(), float))
        return table, lambda rows: float(costs_of(made, np.bincount(table.target_column[rows], weights[rows], 3)))
    targets = random.choice([0.1, 0.7, -5.0, 1e3], (2 if name.startswith("several") else 1, n)) * random.random(n)
    columns |= dict(zip("yz", targets, strict=False))
    response = several(["y", "z"]) if len(targets) > 1 else "numbers"

    def squared_error(rows):
        return sum(weights[rows] @ (each[rows] - np.average(each[rows], weights=weights[rows])) ** 2 for each in targets)

    return Dataset.from_columns(columns, response=response, **options), squared_error


@pytest.mark.parametrize("name", OBJECTIVES)
@given(st.integers(4, 13).flatmap(weights_with_fractions), st.data())
def test_leaves_have_the_least_cases_by_exact_addition_and_no_tree_of_such_leaves_is_better(name, weights, data):
    table, loss = table_for(name, np.random.default_rng(data.draw(st.integers(0, 2**32 - 1))), weights)
    exact, whole = [Fraction(weight) for weight in weights.tolist()], np.arange(len(weights))
    # A limit close to what some leaf has: neither the unit in which weights are added, nor their rounding, may decide.
    sides = sides_of_values(table)
    some = data.draw(st.sampled_from(sides)) & data.draw(st.sampled_from(sides))
    least = float(sum(exact[row] for row in np.flatnonzero(some))) + data.draw(st.sampled_from([-1e-9, 0, 1e-9])) * table.n_cases
    assume(0 < least <= table.n_cases)
    found = optimal(table, max_depth=2, objective=OBJECTIVES[name], limits=Limits(min_leaf=least))
    assert found.proved
    leaf = apply(found.tree, table)
    reached = [sum(exact[row] for row in np.flatnonzero(leaf == number)) for number in set(leaf.tolist())]
    assert min(reached) >= Fraction(least) - len(weights) * Fraction(table.n_cases) / 2**47
    better = least_by_brute_force(
        sides, lambda rows: loss(rows) if sum(exact[row] for row in rows) >= Fraction(least) else np.inf, 2
    )
    assert found.cost <= better + 1e-6 * loss(whole)


@st.composite
def problems_of_very_different_weights(draw):
    """A table of few numbers, some with a class without cases; an objective that weighs classes; least cases and a penalty."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(7, 12))
    sizes = np.array([1, 1, draw(st.sampled_from([1, 3e7, 1e12, 1e15, 1e17, 1e290]))])
    by_class = sizes * draw(st.sampled_from([np.ones(3), np.array([3.0, 0.0, 1.0]), 0.05 + random.random(3) / 4]))
    labels = random.choice(list("pqr"), n, p=draw(st.sampled_from([[0.5, 0.5, 0], [0.45, 0.45, 0.1], [0.4, 0.2, 0.4]])))
    weights = [None, random.integers(1, 4, n), random.integers(10, 30, n) / 10, 2.0**45 + random.integers(0, 9, n)]
    table = Dataset.from_columns(
        {**{f"x{number}": random.integers(0, 3, n) for number in range(2)}, "y": labels},
        target="y",
        kinds={"x0": "numeric", "x1": "numeric"},
        classes=list("pqr"),
        weights=draw(st.sampled_from(weights)),
    )
    by_priors = by_class.min() > 0 and by_class.max() < 1e18 and draw(st.booleans())
    objective = bayes(by_class / by_class.sum()) if by_priors else class_errors(by_class)
    return table, objective, draw(st.sampled_from([0.0, 0.0, 0.55, 0.55, 1.55])), draw(st.sampled_from([0.0, 0.0, 0.07]))


def splits_that_cost_12_and_17(heavy, *, times=1, rows=0):
    """Two splits that cost 12 and 16.8 times a number; and rows apart, of a class of its own, whose errors are heavy."""
    groups = [(1, 1, "p", 1.0, 180), (0, 1, "p", 0.6, 20), (0, 0, "q", 1.0, 188), (0, 1, "q", 1.4, 12), (0, 2, "r", 1.0, rows)]
    x0, x1, y, weights = zip(*(group[:4] for group in groups for _ in range(group[4])), strict=True)
    columns, kinds = {"x0": x0, "x1": x1, "y": y}, {"x0": "numeric", "x1": "numeric"}
    given = {"target": "y", "kinds": kinds, "classes": list("pqr"), "weights": np.round(times * np.array(weights), 3)}
    return Dataset.from_columns(columns, **given), class_errors([1, 1, heavy]), 0.0, 0.0


@pytest.mark.parametrize("fewest", [-1, 999], ids=["among all cuts", "among listed splits"])
@given(problems_of_very_different_weights(), st.integers(1, 2))
@example(splits_that_cost_12_and_17(1e12), 1)
@example(splits_that_cost_12_and_17(1e13), 1)
@example(splits_that_cost_12_and_17(1e15, times=5, rows=1), 2)
@settings(max_examples=300)
def test_no_tree_is_better_than_a_proved_one_by_more_than_a_millionth_of_a_leaf_s_cost(fewest, problem, deepest):
    table, objective, least, penalty = problem
    assume(least <= table.n_cases)
    weights = np.ones(len(table)) if table.weights is None else table.weights
    made = checked_objective(objective, np.array(table.class_counts(), float))
    of_class = list(map(Fraction, class_weights(made, 3).tolist()))
    prices = [Fraction(weight) * of_class[label] for weight, label in zip(weights.tolist(), table.target_column, strict=True)]

    def cost(rows):
        sums = [sum(prices[row] for row in rows if table.target_column[row] == label) for label in range(3)]
        return sum(sums) - max(sums) + Fraction(penalty * table.n_cases) if weights[rows].sum() >= least else np.inf

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module("ftree.exact.optimal"), "ranked_table", partial(ranked_table, fewest=fewest))
        limits = Limits(min_leaf=least)
        found = optimal(table, max_depth=deepest, objective=objective, leaf_penalty=penalty, limits=limits)
    sides = [table.columns[number] <= at for number in range(2) for at in (0, 1)]
    leaf, best = cost(np.arange(len(table))), least_by_brute_force(sides, cost, deepest)
    reached = apply(found.tree, table)
    own = sum(cost(np.flatnonzero(reached == number)) for number in set(reached.tolist()))
    assert found.proved
    assert own <= best + leaf / 10**6
    assert found.cost == pytest.approx(float(own), rel=1e-9)


@given(st.integers(1, 40).flatmap(weights_with_fractions), st.integers(8, 50))
def test_numbers_in_whole_units_add_up_in_the_given_bits(weights, bits):
    whole, unit = whole_units(weights, bits)
    assert np.array_equal(whole, np.rint(whole))
    assert whole.min() >= 1
    assert np.all(np.abs(whole * unit - weights) <= np.maximum(unit / 2, (weights < unit) * unit))
    assert np.array_equal(whole, weights) or whole.sum() <= 2**bits + len(weights)
