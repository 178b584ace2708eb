"""Columns of many thresholds: counts by joint histograms equal counts by bits, and optima those of the plain search."""

from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ftree import Dataset, Threshold, multiway, one_value, optimal, subset, threshold
from ftree.exact import costs, entropy, errors, quantiles, tree_cost
from ftree.exact.intervals import intervals_of
from ftree.exact.items import items_of
from ftree.exact.plain import plain
from ftree.exact.problem import problem_of
from ftree.exact.row_set import all_rows
from ftree.exact.shallow import depth_three
from ftree.missing import as_branch

BINARY = one_value(), threshold()


@contextmanager
def items_of_columns(at_least):
    """Tables whose columns have this many items on average are counted by histograms."""
    with patch("ftree.exact.intervals._MANY", at_least):
        yield


@st.composite
def tables(draw, most=40):
    """A table of numbers and words, possibly with missing values and weights."""
    random, n = np.random.default_rng(draw(st.integers(0, 2**32 - 1))), draw(st.integers(3, most))
    columns = {f"x{i}": random.integers(0, draw(st.integers(2, 9)), n).astype(float) for i in range(draw(st.integers(1, 3)))}
    if draw(st.booleans()):
        columns["x0"][random.random(n) < 0.2] = np.nan
    kinds = dict.fromkeys(columns, "numeric") | {"w": "nominal"}
    columns["w"] = random.choice(list("abcd"), n)
    classes = "pqr"[: draw(st.integers(2, 3))]
    labels = np.append(list(classes), random.choice(list(classes), n))[:n]
    weights = draw(st.sampled_from([None, random.integers(1, 4, n), random.random(n) + 0.6]))
    return Dataset.from_columns({**columns, "class": labels}, target="class", weights=weights, kinds=kinds, classes=list(classes))


def problem_for(table, splitters=BINARY, objective=errors(), penalty=0.0, min_leaf=0):  # noqa: B008  # a constant
    options = {"objective": objective, "leaf_penalty": penalty, "feature_costs": None}
    return problem_of(table, splitters, missing=as_branch(), min_leaf=min_leaf, most=999, **options)


def sides(rows, by_bits, of_item):
    """The costs of both sides of each item, in the order of sides of the other form of the problem."""
    turned = rows.items.flipped != by_bits.items.flipped
    return np.where(turned[:, None], of_item[:, ::-1], of_item)


@pytest.mark.in_python
@given(tables(most=20), st.sampled_from([0.0, 0.05]), st.sampled_from([0, 1.7]), st.booleans())
@settings(max_examples=25)
def test_histograms_count_pairs_and_find_trees_of_depth_three_as_bits_do(table, penalty, min_leaf, alone):
    problem = problem_for(table, penalty=penalty, min_leaf=min_leaf)
    with items_of_columns(99):
        by_bits = all_rows(items_of(problem))
    with items_of_columns(0):
        rows = all_rows(items_of(problem))
    assert by_bits.items.cells is None
    assert (rows.items.cells is None) == (rows.items.n == 0)
    assume(rows.items.cells)
    n = rows.items.n
    has = ((rows.rows()[0][:, None, :n] >> np.arange(64, dtype=np.uint64)[None, :, None]) & np.uint64(1)).reshape(-1, n)
    cells, labels, weights = rows.items.cells.table
    expected = [
        (has[labels == k].T * weights[labels == k].astype(float)) @ has[labels == k].astype(float) for k in range(len(rows.total))
    ]
    assert np.array_equal(rows.pairs(), np.triu(expected))
    assert cells.shape == (len(has), len({split.features for split in problem.splits}))
    answers = []
    for each in (rows, by_bits):
        two = np.full((n, 2), np.inf)
        cost, _ = depth_three(each, np.arange(n), np.full(n, -np.inf), np.inf, two, alone=alone and each is rows)
        answers.append((cost, sides(each, by_bits, two)))
    assert answers[0][0] == answers[1][0]
    assert (answers[0][1] <= answers[1][1]).all()
    assert alone or np.array_equal(answers[0][1], answers[1][1])


@given(tables(most=14), st.sampled_from([errors(), entropy(), costs]), st.sampled_from([0.0, 0.05]), st.integers(1, 4))
@settings(max_examples=30)
def test_optima_by_histograms_are_those_of_the_plain_search(table, objective, penalty, deepest):
    if objective is costs:
        k = len(table.schema.classes)
        objective = costs((1 - np.eye(k)) * (1 + np.arange(k * k).reshape(k, k) % 3))
    with items_of_columns(0):
        found = optimal(table, max_depth=deepest, objective=objective, leaf_penalty=penalty)
    expected, _ = plain(problem_for(table, objective=objective, penalty=penalty), deepest)
    assert found.proved
    assert found.cost == tree_cost(found.tree, objective=objective, leaf_penalty=penalty)
    assert found.cost == pytest.approx(expected, rel=1e-9, abs=1e-9)


def numbers(n, n_columns, n_values):
    random = np.random.default_rng(3)
    columns = {f"x{i}": random.integers(0, n_values, n).astype(float) for i in range(n_columns)}
    noise = random.integers(-n_values // 4, n_values // 4, n)
    labels = np.where(columns["x0"] + noise > n_values / 2, "p", np.where(columns["x1"] > n_values / 3, "p", "q"))
    return Dataset.from_columns({**columns, "class": labels}, target="class", kinds=dict.fromkeys(columns, "numeric"))


@pytest.mark.parametrize("penalty", [0, 0.004])
def test_columns_of_many_thresholds_have_the_optimum_of_binary_features(penalty):
    table = numbers(300, 3, 30)
    assert items_of(problem_for(table)).cells is not None
    deepest, binary = 4, {}
    for feature, column in zip(table.schema.features, table.columns, strict=True):
        for at in np.unique(column)[:-1]:
            binary[f"{feature.name}_{at}"] = np.where(column <= at, "low", "high")
    yes_or_no = Dataset.from_columns({**binary, "class": table["class"]}, target="class", kinds="nominal")
    by_bits = optimal(yes_or_no, max_depth=deepest, leaf_penalty=penalty, max_candidates=2000)
    found = optimal(table, max_depth=deepest, leaf_penalty=penalty)
    assert (found.cost, found.proved) == (by_bits.cost, True)
    order = np.random.default_rng(4).permutation(len(table))
    assert optimal(table.take(order), max_depth=deepest, leaf_penalty=penalty) == found
    for states in (2, 20):
        stopped = optimal(table, max_depth=deepest, leaf_penalty=penalty, states=states)
        assert stopped.bound <= found.cost <= stopped.cost


class every_other_value:  # noqa: N801  # named as splitters are
    kinds = ("numeric",)

    def candidates(self, column):
        return [Threshold(column.feature, float(value)) for value in column.values[:-1:2]]


def test_items_that_are_no_intervals_or_few_are_counted_as_bits():
    table = numbers(60, 2, 30)
    words = Dataset.from_columns({"w": list("abcdefgh") * 5, "class": list("pqqqp") * 8}, target="class")
    assert intervals_of(problem_for(table)) is not None
    assert intervals_of(problem_for(table, (quantiles(5),))) is None
    with items_of_columns(0):
        assert intervals_of(problem_for(words, (one_value(),))) is not None
        assert intervals_of(problem_for(words, (subset(),))) is None
        assert intervals_of(problem_for(words, (multiway(),))) is None
        fewer = intervals_of(problem_for(table, (every_other_value(),)))
        assert all(column.cell.max() == len(column.low) for column in fewer)
        constant = Dataset.from_rows([[1.0], [1.0]], ["p", "q"], kinds="numeric")
        assert optimal(constant, max_depth=3).cost == 1
