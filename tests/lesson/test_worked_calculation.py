"""Worked calculations: the results are those of `scores`, and the numbers put in give them."""

import re
from math import log, log2

import numpy as np
import pytest
from attrs import frozen
from drawn_policies import SEEN_LATE
from hypothesis import example, given
from hypothesis import strategies as st

from ftree import C45, CART, ID3, Dataset, datasets, evolve, scores
from ftree.criteria import misclassification
from ftree.lesson import work_out
from ftree.responses import events
from ftree.testing import datasets as tables
from ftree.tree import exact_sums

DAYS = datasets.weather()
OF_EVENTS = Dataset.from_columns({"sky": ["a", "b"], "falls": [1.0, 2.0]}, target="falls", response=events())


@given(tables(missing=True, weighted=True), st.sampled_from([ID3, C45, CART]))
@example(SEEN_LATE.head(7), C45)
def test_results_are_those_of_scores(data, policy):
    for row in scores(data, policy):
        if row.children:
            found = work_out(data, row.feature, policy)
            assert found["gain"] == pytest.approx(row.gain, abs=1e-9)
            names = [line.name for line in found.lines]
            assert ("gain ratio" in names) or row.gain_ratio == 0
            if "gain ratio" in names:
                assert found["gain ratio"] == pytest.approx(row.gain_ratio, abs=1e-9)
            if "p-value" in names:
                assert found["p-value"] == pytest.approx(row.p_value, abs=1e-9)


def by_pencil(line):
    """The result of a line's printed numbers; fractional counts are printed with six decimals."""
    plain = re.sub(r"log2 (\S+)", r"* log2(\1)", line.numbers).replace("^", "**")
    return eval(plain, {"log2": log2})  # noqa: S307  # ours


@given(tables(missing=True, weighted=True), st.integers(1, 6))
def test_the_printed_numbers_give_the_printed_result_unless_it_is_marked(data, digits):
    for feature in data.schema.features:
        row = next(row for row in scores(data) if row.feature == feature.name)
        for line in work_out(data, feature.name, digits=digits).lines if row.children else ():
            if line.name == "p-value":
                continue
            mark, result = re.fullmatch(r"(≈ )?(\S+)", line.result(digits)).groups()
            assert mark or by_pencil(line) == pytest.approx(float(result), abs=0.5 * 10**-digits + 1e-5)
            assert line.latex.count("{") == line.latex.count("}")
            assert "\\" not in line.numbers


@frozen
class Distances:
    """Numbers that answer with their mean and lose the squared distance, as a user writes them."""

    kind, channels = "distances", ("cases", "sum", "squares")

    def add(self, values):
        return values, values**2

    def answer(self, cases, total, _):
        return total / np.maximum(cases, 1e-300)

    def loss(self, answer, cases, total, squares):
        return squares - 2 * answer * total + answer**2 * cases


OF_SUMS = tables(response="numbers", missing=True, weighted=True) | tables(response="events", missing=True, weighted=True)
OF_SUMS |= (
    tables(response="numbers", missing=True, weighted=True)
    .filter(lambda data: np.ptp(data.target_column) > 0)
    .map(
        lambda data: Dataset(
            evolve(data.schema, response=exact_sums(Distances()).of(data.target_column)),
            data.columns,
            data.target_column,
            data.weights,
        )
    )
)


@given(OF_SUMS, st.sampled_from([CART, evolve(CART, missing="ignore")]), st.sampled_from([1, 0.3, 1 / 7]), st.integers(1, 6))
def test_a_calculation_with_sums_gives_the_gain_of_scores(data, policy, weight, digits):
    data = evolve(data, weights=data.weights * weight)
    for row in scores(data, policy):
        if not row.children:
            continue
        found = work_out(data, row.feature, policy, digits=digits)
        assert found["gain"] == pytest.approx(row.gain, abs=1e-6)
        for line in found.lines:
            mark, result = re.fullmatch(r"(≈ )?(\S+)", line.result(digits)).groups()
            assert mark or by_pencil(line) == pytest.approx(float(result), abs=0.5 * 10**-digits + 1e-5)


def test_the_deviance_of_falls_by_hand():
    """Of 1 and 2 falls each loses 2 (y log(y / 1.5) - (y - 1.5)) by their mean, and nothing by its own rate."""
    found = work_out(OF_EVENTS, "sky", CART)
    before = sum(2 * (y * log(y / 1.5) - (y - 1.5)) for y in (1, 2)) / 2
    assert (found["loss of 1.5 (falls)"], found["saved"]) == (pytest.approx(before), pytest.approx(before))
    assert not [line.name for line in found.lines if "all rows" in line.name], "they are the rows with a value"
    assert (found["weighted mean"], found["gain"]) == (pytest.approx(0, abs=1e-9), pytest.approx(1))


def test_the_weather_s_root_by_hand():
    found = work_out(DAYS, "outlook")
    assert [round(found[name], 3) for name in ("entropy(play)", "weighted mean", "gain", "gain ratio")] == [
        0.94,
        0.694,
        0.247,
        0.156,
    ]
    assert r"\frac{9}{14} \log_2 \frac{9}{14}" in found.latex()
    assert '<td style="text-align:left">0.940 - 0.694</td>' in found._repr_html_()


def test_numbers_that_are_all_equal_have_no_variance_by_rounding():
    same = Dataset.from_columns({"sky": ["a", "b", "a"], "y": [0.1] * 3}, target="y", response="numbers")
    found = work_out(same, "sky", CART)
    assert (found["variance(y)"], found["gain"]) == (0, 0)


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda: work_out(DAYS, "wind"), KeyError, "feature must be one of 'outlook', "),
        (lambda: work_out(DAYS, "windy")["gini"], KeyError, "name must be one of 'entropy"),
        (lambda: work_out(DAYS, "windy", evolve(ID3, impurity=misclassification)), ValueError, "policy must measure entropy"),
        (lambda: work_out(Dataset.from_rows([["a"], ["a"]], [0, 1]), "x0"), ValueError, "feature must have a split, got 'x0'"),
    ],
)
def test_what_has_no_calculation_is_refused(ask, error, message):
    with pytest.raises(error, match=message):
        ask()
