"""A tree's splits and its answers are two things: `recount(response=)` gives a tree the answers of another target."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import C45, CART, Branch, Dataset, grow, predict, prune, recount, text
from ftree.datasets import weather
from ftree.responses import events
from ftree.testing import datasets
from ftree.tree import numbers, preorder
from ftree.tree.additive import exact_sums

KINDS = st.sampled_from(["classes", "numbers", "events"])


@st.composite
def tables(draw, *, missing):
    """A dataset of any kind of target, and the same rows with another target."""
    data = draw(KINDS.flatmap(lambda kind: datasets(response=kind, missing=missing, weighted=True, min_rows=3)))
    answers = np.array(draw(st.lists(st.integers(0, 3), min_size=len(data), max_size=len(data))))
    other = evolve(data.schema, target="other", classes=(), response=numbers(), features=data.schema.features)
    return data, Dataset(other, data.columns, answers.astype(float), data.weights)


def splits_of(tree):
    return [node.split for node in preorder(tree) if isinstance(node, Branch)]


def sizes_of(tree):
    return [float(tree.schema.response.weight(node.counts)) for node in preorder(tree)]


@given(
    tables(missing=True), st.sampled_from(["classes", "numbers", events()]), st.sampled_from(["heaviest", "as_branch", "ignore"])
)
def test_other_answers_leave_splits_and_sizes_and_the_own_answers_come_back(both, response, missing):
    data, other = both
    tree = recount(grow(data, evolve(CART, missing=missing)), data)
    answered = recount(tree, other, response=response)
    assert splits_of(answered) == splits_of(tree)
    assert answered.missing == tree.missing
    assert (answered.schema.target, answered.schema.features) == ("other", tree.schema.features)
    assert sizes_of(answered) == pytest.approx(sizes_of(tree), abs=1e-4)
    own = data.schema.response.own if isinstance(data.schema.response, exact_sums) else data.schema.response.kind
    back = recount(answered, data, response=own)
    assert splits_of(back) == splits_of(tree)
    near = 1e-4 * (1 + tree.schema.response.risk(tree.root.counts))  # parts of cases are rounded
    for found, wanted in zip(preorder(back), preorder(tree), strict=True):
        assert back.schema.response.risk(found.counts) == pytest.approx(tree.schema.response.risk(wanted.counts), 1e-3, near)


@given(tables(missing=False))
def test_a_leaf_answers_with_the_mean_of_the_rows_that_reach_it(both):
    data, other = both
    tree = grow(data, CART)
    answered = recount(tree, other, response="numbers")
    ends = [end_of(tree.root, data, row) for row in range(len(data))]
    for end, answer in zip(ends, predict(answered, other), strict=True):
        here = np.array([each is end for each in ends])
        assert answer == pytest.approx(np.average(other.target_column[here], weights=data.weights[here]))


def end_of(node, data, row):
    while isinstance(node, Branch):
        cells = [data.columns[feature][[row]] for feature in node.split.features]
        node = node.children[int(node.split.child(*cells)[0])]
    return node


def test_an_honest_tree_answers_by_rows_that_it_has_not_seen_and_prunes_as_any():
    days = weather()
    shape, rows = days.split(0.5, seed=1)
    counted = Dataset.from_columns(
        {**columns_of(rows), "umbrellas": [float(n % 3) for n in range(len(rows))]}, target="umbrellas"
    )
    honest = recount(grow(shape, C45), counted, response="numbers")
    assert honest.root.counts[0] == len(rows)
    assert prune.cost_complexity(1e9)(honest).root.counts == honest.root.counts
    assert text(honest).count("\n") == text(grow(shape, C45)).count("\n")


def columns_of(data):
    return {feature.name: data[feature.name] for feature in data.schema.features}


def test_an_exposure_is_a_feature_that_the_response_names_or_that_of_the_rows():
    machines = {"hot": [0, 0, 1, 1], "years": [2.0, 4.0, 2.0, 1.0], "failures": [1, 1, 4, 3]}
    classes = Dataset.from_columns(machines, target="failures", response="classes")
    tree = grow(classes.keep_columns(["hot"]), CART)
    told = recount(tree, classes, response=events("years", shrink=0))
    assert list(predict(told, [[0], [1]])) == pytest.approx([2 / 6, 7 / 3])
    rates = Dataset.from_columns(machines, target="failures", response=events("years", shrink=0))
    assert recount(tree, rates, response=events("years", shrink=0)) == told
    assert list(predict(recount(told, rates, response="numbers"), [[0], [1]])) == pytest.approx([1.0, 3.5])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda tree, _: recount(tree, {"x": [1.0]}, response="numbers"),
            TypeError,
            r"^dataset must be a Dataset, got a dict",
        ),
        (lambda tree, rows: recount(tree, rows, response="means"), ValueError, r"^response must be 'numbers', .* got 'means'"),
        (lambda tree, rows: recount(tree, rows, response="numbers"), ValueError, "play"),
        (lambda tree, rows: recount(tree, rows, response=events("days")), KeyError, "days"),
        (
            lambda tree, rows: recount(tree, rows, response=events("windy")),
            ValueError,
            "play",
        ),
    ],
)
def test_what_answers_no_such_response_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call(grow(weather()), weather())
