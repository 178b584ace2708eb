"""The check of responses finds wrong ones."""

import numpy as np
import pytest
from attrs import frozen
from hypothesis import strategies as st

from ftree import CART, Dataset, grow
from ftree.responses import events
from ftree.testing import check_response

pytestmark = pytest.mark.usefixtures("fewer")


@frozen
class MeanOfRoots:
    """A response that is right: the mean of roots, by its squared error."""

    kind, channels = "roots", ("cases", "roots", "numbers")

    def add(self, values):
        return np.sqrt(values), values

    def answer(self, cases, roots, _):
        return roots / np.where(cases > 0, cases, 1)

    def loss(self, answer, cases, roots, numbers):
        return numbers - 2 * answer * roots + cases * answer**2


class AnswersTwice(MeanOfRoots):
    def answer(self, cases, roots, numbers):
        return 2 * super().answer(cases, roots, numbers)


class LosesTheMean(MeanOfRoots):
    def loss(self, answer, cases, roots, numbers):
        return super().loss(answer, cases, roots, numbers) / np.where(cases > 0, cases, 1)


class LosesNoNumberWithoutCases(MeanOfRoots):
    def loss(self, answer, cases, roots, numbers):
        return np.where(cases > 0, super().loss(answer, cases, roots, numbers), np.nan)


class LosesLessThanNothing(MeanOfRoots):
    def loss(self, answer, cases, roots, numbers):
        return super().loss(answer, cases, roots, numbers) - 99 * cases


@frozen
class GainOfTreatment:
    """The difference of two arms, of which the second column is one, 0 or 1, by the squared error of the numbers in each."""

    kind, channels, further_targets = "effects", ("cases", "treated", "of treated", "of others", "squares"), ("arm",)

    def add(self, values, arm):
        assert np.isin(arm, (0, 1)).all()
        return arm, values * arm, values * (1 - arm), values**2

    def answer(self, cases, treated, ours, others, _):
        return ours / np.where(treated > 0, treated, 1) - others / np.where(cases > treated, cases - treated, 1)

    def loss(self, _, cases, *sums):
        return sums[-1] + 0 * cases


class LosesNothingThatIsANumber(MeanOfRoots):
    def loss(self, _, cases, *__):
        return cases * np.nan


class AnswersInSinglePrecision(MeanOfRoots):
    def answer(self, cases, roots, numbers):
        return super().answer(cases, roots, numbers).astype(np.float32)


class AnswersOfAllNodes(MeanOfRoots):
    def answer(self, cases, roots, _):
        return np.sum(roots) / max(np.sum(cases), 1) + 0 * cases


def test_a_right_response_passes():
    check_response(MeanOfRoots(), oracle=lambda numbers: sum(number**0.5 for number in numbers) / len(numbers))
    check_response(events(), exempt={"least"})
    check_response(GainOfTreatment(), further=[st.sampled_from([0, 1])])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (AnswersTwice(), "no answer loses less than a node's own"),
        (AnswersInSinglePrecision(), "an answer has double precision"),
        (LosesTheMean(), "losses add up"),
        (LosesLessThanNothing(), "a loss is a number from 0"),
        (LosesNoNumberWithoutCases(), "a node without cases loses nothing: got .*nan"),
        (AnswersOfAllNodes(), "the answers of a level are those of its nodes"),
        (events(), "no answer loses less than a node's own: .*exempt="),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_wrong_response_is_found(wrong, message):
    with pytest.raises(AssertionError, match=message):
        check_response(wrong)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (LosesTheMean(), "The losses of roots must add up, got .* for a node, and .* for its children. Return the sum"),
        (LosesLessThanNothing(), "The loss of roots must be a number from 0, got -.* for answer 1.5"),
        (LosesNothingThatIsANumber(), "The loss of roots must be a number from 0, got nan"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_growth_refuses_losses_that_are_wrong_at_the_first_node(wrong, message):
    table = Dataset.from_columns({"x": [1.0, 2.0, 3.0, 3.0], "y": [0, 1, 4, 9]}, target="y", response=wrong)
    with pytest.raises(ValueError, match=message):
        grow(table, CART)


def test_an_oracle_finds_another_answer():
    with pytest.raises(AssertionError, match="a node answers as the oracle"):
        check_response(MeanOfRoots(), oracle=max)
