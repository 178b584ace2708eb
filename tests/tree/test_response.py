"""A response adds cases up exactly, answers with what loses least, and rounds a number once."""

from fractions import Fraction
from math import isclose

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree import Branch, Feature, Leaf, Schema, Tree, predict
from ftree.responses import events
from ftree.testing import schemas, trees
from ftree.tree import Threshold, exact_sums, level_order
from ftree.tree.response import classes, majority, numbers

FINITE = st.floats(-1e100, 1e100)
NAMES = {each.__name__: each for each in (Feature, numbers, exact_sums, events)}
SEVERAL = st.lists(FINITE, min_size=1, max_size=8)


@given(SEVERAL)
def test_a_number_is_rounded_by_at_most_a_trillionth_of_the_range(values):
    response = numbers.of(values)
    spread = Fraction(max(values)) - Fraction(min(values))
    for value, whole in zip(values, response.whole(values).tolist(), strict=True):
        assert abs(Fraction(response.centre) + whole * Fraction(response.unit) - Fraction(value)) <= spread / 10**12


@given(st.lists(st.integers(-(2**30), 2**30), min_size=1), st.integers(-60, 60))
def test_multiples_of_a_power_of_two_are_not_rounded(whole, exponent):
    values = [number * 2.0**exponent for number in whole]
    response = numbers.of(values)
    assert [response.centre + response.unit * number for number in response.whole(values).tolist()] == values


@given(SEVERAL, st.sampled_from([0.125, 2.0, 2.0**50]))
def test_a_power_of_two_as_a_factor_changes_no_whole_number(values, factor):
    scaled = [value * factor for value in values]
    exact = all(Fraction(value) * Fraction(factor) == Fraction(twin) for value, twin in zip(values, scaled, strict=True))
    if exact and numbers.of(values).line[2] == numbers.of(scaled).line[2] == 1:  # decimals count in tenths, hundredths, ...
        assert numbers.of(values).whole(values).tolist() == numbers.of(scaled).whole(scaled).tolist()


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1), st.integers(0, 12))
def test_decimals_are_not_rounded_and_a_leaf_answers_them(whole, digits):
    values = [float(f"{number}e-{digits}") for number in whole]
    response = numbers.of(values)
    for value, steps in zip(values, response.whole(values).tolist(), strict=True):
        assert response.answer((3, 3 * steps, 3 * steps**2)) == value
    assert response.fitting(np.array(values)) is response


@given(st.sampled_from(["numbers", "events"]), st.data())
def test_the_risks_of_many_nodes_are_those_of_each_to_the_last_bit(response, draws):
    tree = draws.draw(trees(response=response))
    counts = [node.counts for node in level_order(tree.root)[0]]
    assert tree.schema.response.risks(counts).tolist() == list(map(tree.schema.response.risk, counts))


@given(st.lists(st.tuples(*[st.integers(1, 2**40)] * 3), min_size=1), st.sampled_from([1.0, 0.5, 2.0**-20]))
def test_the_risks_of_parts_and_of_large_sums_are_those_of_each_node(nodes, part):
    response, counts = (
        numbers(0.1, 0.3, part),
        [(n * part, total * n, square * total * n) for n, total, square in [*nodes, (0, 0, 0)]],
    )
    assert response.risks(counts).tolist() == list(map(response.risk, counts))


@given(st.lists(st.integers(0, 2**40), min_size=1, max_size=6), FINITE)
def test_answer_risk_and_loss_are_those_of_fractions(whole, other):
    response, n = numbers(), len(whole)
    sums = n, sum(whole), sum(number**2 for number in whole)
    mean = Fraction(sum(whole), n)
    risk = sum((number - mean) ** 2 for number in whole)
    assert response.answer(sums) == float(mean)
    assert response.risk(sums) == float(risk)
    assert isclose(response.loss(other, sums), float(sum((number - Fraction(other)) ** 2 for number in whole)), rel_tol=1e-9)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=4))
def test_the_answer_of_classes_is_the_majority_and_its_loss_the_risk(counts):
    response = classes(tuple(range(len(counts))))
    assert response.answer(counts) == majority(counts)
    assert (
        response.loss(response.answer(counts), counts)
        == response.risk(counts)
        == min(response.loss(label, counts) for label in response.labels)
    )
    assert response.loss("another", counts) == response.weight(counts) == sum(counts)


@given(trees(response="numbers") | trees(response="events"))
def test_cutting_a_branch_needs_no_data(tree):
    response = tree.schema.response
    for node in level_order(tree.root)[0]:
        assert response.weight(node.counts) == node.counts[0]
        if isinstance(node, Branch):
            assert Tree(tree.schema, Leaf(node.counts)).root.counts == tuple(
                sum(column) for column in zip(*(child.counts for child in node.children), strict=True)
            )
            losses = [response.loss(response.answer(node.counts), child.counts) for child in node.children]
            assert sum(losses) == pytest.approx(response.risk(node.counts), rel=1e-9, abs=1e-6)
            if response.kind == "numbers":
                risks = sum(map(response.risk, (child.counts for child in node.children)))
                assert risks <= response.risk(node.counts) * (1 + 1e-9)


@pytest.mark.parametrize("missing", ["all_routes", "weighted", "heaviest", "stop_here"])
def test_a_regression_tree_without_cases_predicts_the_centre(missing):
    schema, none = Schema([Feature("x", "numeric")], "y", (), response=numbers(3.0)), Leaf((0, 0, 0))
    tree = Tree(schema, Branch(none.counts, Threshold(0, 0.5), (none, none)))
    assert predict(tree, [[0.0], [None]], missing=missing) == [3.0, 3.0]


@given(schemas(response="numbers") | schemas(response="events"))
def test_a_schema_of_numbers_has_no_classes_and_reads_like_its_call(schema):
    assert (schema.classes, schema.has_classes) == ((), False)
    assert eval(repr(schema), {"Schema": Schema, **NAMES}) == schema  # noqa: S307
    with pytest.raises(ValueError, match=r"root must count cases, (sum, squares|events, exposure, deviance), got 2 counts"):
        Tree(schema, Leaf((1, 2)))


def test_what_is_no_response_is_refused():
    for wrong in ({"part": 3.0}, {"unit": 0.0}, {"part": -1.0}, {"centre": float("nan")}):
        with pytest.raises(ValueError, match=r"must be a (power of two|finite number|number above 0)"):
            numbers(**wrong)
    with pytest.raises(ValueError, match="classes must be \\(\\) for a target of numbers"):
        Schema((), "mpg", ("no",), response=numbers())
    for centre, unit in ((-1e308, 1.0), (1.7e308, 1e-300)):
        with pytest.raises(ValueError, match="Numbers must lie less than 2\\^63 units from the response's centre"):
            numbers(centre, unit).wholes([1.0])
    with pytest.raises(ValueError, match="The range of a numeric target must fit a float64"):
        numbers.of(np.array([-1.7e308, 1.7e308]))


def test_answers_print_as_labels_and_numbers():
    assert (classes(("no", "yes")).text("yes"), numbers().text(2.5)) == ("yes", "2.5")
