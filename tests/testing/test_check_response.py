"""The battery for responses finds wrong ones."""

import numpy as np
import pytest
from attrs import frozen

from ftree.testing import check_response
from ftree.tree import events

pytestmark = pytest.mark.usefixtures("fewer")


@frozen
class MeanOfRoots:
    """A response that is right: the mean of roots, by its squared error."""

    kind, channels = "roots", ("cases", "roots", "numbers")

    def add(self, values, _):
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
    check_response(MeanOfRoots(), oracle=lambda numbers, _: sum(number**0.5 for number in numbers) / len(numbers))
    check_response(events(), exempt={"least"})


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (AnswersTwice(), "no answer loses less than a node's own"),
        (AnswersInSinglePrecision(), "an answer has double precision"),
        (LosesTheMean(), "losses add up"),
        (LosesNothingThatIsANumber(), "a loss is a number from 0"),
        (AnswersOfAllNodes(), "the answers of a level are those of its nodes"),
        (events(), "no answer loses less than a node's own: .*exempt="),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_wrong_response_is_found(wrong, message):
    with pytest.raises(AssertionError, match=message):
        check_response(wrong)


def test_an_oracle_finds_another_answer():
    with pytest.raises(AssertionError, match="a node answers as the oracle"):
        check_response(MeanOfRoots(), oracle=lambda numbers, _: max(numbers))
