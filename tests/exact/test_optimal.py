"""Optimal trees: no tree of the same splits and depth costs less, by the plain search that looks at every tree."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ftree import Dataset, depth, multiway, one_value, optimal, threshold
from ftree.exact import bayes, costs, entropy, errors, tree_cost
from ftree.exact.plain import plain, tree_of
from ftree.exact.problem import problem_of
from ftree.missing import as_branch

BINARY, WIDE = (one_value(), threshold()), (one_value(), multiway(), threshold())


def twice_the_least(counts):
    return 2.0 * np.asarray(counts).min(axis=-1)


@st.composite
def tables(draw, *, missing=True):
    """A table of few rows, with words and numbers, perhaps weights and missing values."""
    n, seed = draw(st.integers(1, 24)), draw(st.integers(0, 2**32 - 1))
    random = np.random.default_rng(seed)
    n_classes = draw(st.integers(2, 3))
    columns = {f"w{i}": random.choice(list("abc")[: random.integers(2, 4)], n) for i in range(draw(st.integers(0, 3)))}
    columns["x"] = random.integers(0, 4, n).astype(float)
    if missing and draw(st.booleans()):
        columns["x"][random.random(n) < 0.2] = np.nan
    weights = draw(st.sampled_from([None, random.integers(1, 4, n), random.random(n) + 0.1]))
    labels = random.choice(list("pqr")[:n_classes], n)
    kinds = {name: "numeric" if name == "x" else "nominal" for name in columns}
    return Dataset.from_columns(
        {**columns, "class": labels}, target="class", weights=weights, kinds=kinds, classes=list("pqr")[:n_classes]
    )


def objectives(table):
    k = len(table.schema.classes)
    by_class = (1 - np.eye(k)) * np.arange(1, k + 1)[:, None]
    any_matrix = (1 - np.eye(k)) * (1 + np.arange(k * k).reshape(k, k) % 3)
    return [errors(), costs(by_class), costs(any_matrix), bayes(np.full(k, 1 / k)), entropy(), twice_the_least]


@given(tables(), st.data())
def test_the_search_equals_looking_at_every_tree(table, data):
    options = {
        "objective": data.draw(st.sampled_from(objectives(table))),
        "leaf_penalty": data.draw(st.sampled_from([0.0, 0.01, 0.1])),
        "feature_costs": data.draw(st.sampled_from([None, {"x": 0.03}])),
    }
    grown = {"splitters": data.draw(st.sampled_from([BINARY, WIDE])), "min_leaf": data.draw(st.sampled_from([1, 1, 2]))}
    assume(grown["min_leaf"] <= (len(table) if table.weights is None else table.weights.sum()))
    deepest = data.draw(st.integers(0, 4))
    problem = problem_of(table, grown["splitters"], missing=as_branch(), min_leaf=grown["min_leaf"], most=1000, **options)
    least, plan = plain(problem, deepest)
    found = optimal(table, max_depth=deepest, **grown, **options)
    assert found.proved
    assert found.gap == 0
    assert found.cost == tree_cost(found.tree, **options) == pytest.approx(least, rel=1e-6, abs=1e-9)
    assert depth(found.tree) <= deepest
    assert tree_cost(tree_of(problem, plan), **options) == pytest.approx(found.cost, rel=1e-6, abs=1e-9)
