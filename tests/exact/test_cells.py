"""Columns of many thresholds: counts by joint histograms equal counts by bits, and optima those of the plain search."""

import numpy as np
import pytest
from attrs import evolve
from drawn_problems import every_second, examine_all, numbers, objectives, problem_for
from hypothesis import given, settings
from hypothesis import strategies as st

from ftree import Dataset, optimal
from ftree._lib.jit import is_disabled
from ftree.exact import Limits, quantiles
from ftree.exact.branch_and_bound import BranchAndBound
from ftree.exact.cells import intervals_of
from ftree.exact.items import items_of
from ftree.exact.row_set import all_rows
from ftree.exact.shallow_trees import best_depth_three
from ftree.splitters import multiway, subset


@st.composite
def tables(draw):
    """A table of words, and of numbers of 28 values, which have histograms; possibly with missing values and weights."""
    random, n = np.random.default_rng(draw(st.integers(0, 2**32 - 1))), 28 * draw(st.integers(1, 2))
    columns = {f"x{i}": random.permutation(n) % 28.0 for i in range(draw(st.integers(1, 2)))}
    if draw(st.booleans()):
        columns["x0"][random.random(n) < 0.2] = np.nan
    kinds = dict.fromkeys(columns, "numeric") | {"w": "nominal"}
    columns["w"] = random.choice(list("abcd"), n)
    classes = "pqr"[: draw(st.integers(2, 3))]
    labels = np.append(list(classes), random.choice(list(classes), n))[:n]
    weights = draw(st.sampled_from([None, random.integers(1, 4, n), random.random(n) + 0.6]))
    return Dataset.from_columns({**columns, "class": labels}, target="class", weights=weights, kinds=kinds, classes=list(classes))


def in_both_forms(problem):
    """Items of a problem that histograms count, and the same as bits only."""
    items = items_of(problem)
    assert items.cells is not None
    return items, evolve(items, cells=None)


@pytest.mark.in_python
@given(tables(), st.sampled_from([0.0, 0.05]), st.sampled_from([0, 1.7]), st.booleans())
@settings(max_examples=10)  # the plain twin looks at every tree
def test_histograms_count_pairs_and_find_trees_of_depth_three_as_bits_do(table, penalty, min_leaf, alone):
    rows, by_bits = map(all_rows, in_both_forms(problem_for(table, leaf_penalty=penalty, min_leaf=min_leaf)))
    n, answers = rows.items.n, []
    assert np.array_equal(rows.pairs(), by_bits.pairs())
    for each in (rows, by_bits):
        two = np.full((n, 2), np.inf)
        cost, _ = best_depth_three(each, np.arange(n), np.full(n, -np.inf), np.inf, two, alone=alone and each is rows)
        answers.append((cost, two))
    assert answers[0][0] == answers[1][0]
    assert (answers[0][1] <= answers[1][1]).all()
    assert alone or np.array_equal(answers[0][1], answers[1][1])


@given(tables(), st.data(), st.sampled_from([0.0, 0.05]), st.integers(1, 4))
@settings(max_examples=8)  # the plain twin looks at every tree
def test_optima_by_histograms_are_those_by_bits_and_of_the_plain_search(table, data, penalty, deepest):
    objective = data.draw(st.sampled_from(objectives(table)[:-1]))
    problem = problem_for(table, objective=objective, leaf_penalty=penalty)
    found, by_bits = (BranchAndBound(items) for items in in_both_forms(problem))
    for search in (found, by_bits):
        search.run(all_rows(search.items), deepest, None)
    assert found.best[0] == by_bits.best[0] == found.bound
    if deepest <= 2:
        assert found.best[0] == pytest.approx(examine_all(problem, deepest)[0], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("penalty", [0, 0.004])
def test_columns_of_many_thresholds_have_the_optimum_of_binary_features(penalty):
    table = numbers(300, 3, 30)
    assert items_of(problem_for(table)).cells is not None
    deepest, binary = 2 if is_disabled() else 4, {}  # plain Python takes minutes to depth four
    for feature, column in zip(table.schema.features, table.columns, strict=True):
        for at in np.unique(column)[:-1]:
            binary[f"{feature.name}_{at}"] = np.where(column <= at, "low", "high")
    yes_or_no = Dataset.from_columns({**binary, "class": table["class"]}, target="class", kinds="nominal")
    by_bits = optimal(yes_or_no, max_depth=deepest, leaf_penalty=penalty, limits=Limits(max_candidates=2000))
    found = optimal(table, max_depth=deepest, leaf_penalty=penalty)
    assert (found.cost, found.proved) == (by_bits.cost, True)
    order = np.random.default_rng(4).permutation(len(table))
    assert optimal(table.take(order), max_depth=deepest, leaf_penalty=penalty) == found
    for states in (2, 20):
        stopped = optimal(table, max_depth=deepest, leaf_penalty=penalty, limits=Limits(states=states))
        assert stopped.bound <= found.cost <= stopped.cost


def test_items_that_are_no_intervals_or_few_are_counted_as_bits():
    table, letters = numbers(60, 2, 30), list("abcdefghijklmn")
    words = Dataset.from_columns({"w": letters * 5, "class": list("pqqqp") * 14}, target="class")
    few = Dataset.from_columns({"w": list("abcde") * 5, "class": list("pqqqp") * 5}, target="class")
    assert intervals_of(problem_for(table)) is not None
    assert intervals_of(problem_for(table, (quantiles(5),))) is None
    assert intervals_of(problem_for(words)) is not None
    assert intervals_of(problem_for(words, (multiway(),))) is None
    assert intervals_of(problem_for(few)) is intervals_of(problem_for(few, (subset(),))) is None
    fewer = intervals_of(problem_for(table, (every_second(),)))
    assert all(column.cell.max() == len(column.low) for column in fewer)
    constant = Dataset.from_rows([[1.0], [1.0]], ["p", "q"], kinds="numeric")
    assert optimal(constant, max_depth=3).cost == 1
