"""Which leaves have enough cases, by exact addition, whatever the weights and the objective; and numbers on a grid."""

from fractions import Fraction

import numpy as np
import pytest
from drawn_problems import least_by_brute_force, sides_of_values
from hypothesis import assume, given
from hypothesis import strategies as st

from ftree import Dataset, optimal
from ftree.exact import Limits, bayes, class_bits, costs, errors
from ftree.exact.objectives import checked_objective, costs_of
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


@given(st.integers(1, 40).flatmap(weights_with_fractions), st.integers(8, 50))
def test_numbers_in_whole_units_add_up_in_the_given_bits(weights, bits):
    whole, unit = whole_units(weights, bits)
    assert np.array_equal(whole, np.rint(whole))
    assert whole.min() >= 1
    assert np.all(np.abs(whole * unit - weights) <= np.maximum(unit / 2, (weights < unit) * unit))
    assert np.array_equal(whole, weights) or whole.sum() <= 2**bits + len(weights)
