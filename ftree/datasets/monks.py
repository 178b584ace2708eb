"""The MONK's problems: three concepts over all 432 robots of six features."""

from collections.abc import Sequence
from itertools import product
from typing import Any, Literal

from attrs import evolve

from ftree._lib.fields import require_whole_number
from ftree._lib.messages import short_repr
from ftree.data.dataset import Dataset
from ftree.datasets.monk_features import MONK_FEATURES
from ftree.datasets.monk_training import training_numbers


def monks(problem: int, *, part: Literal["test", "train"] = "test") -> Dataset:
    """All 432 robots with 6 features; the target is whether the robot is a monk of that problem (216, 142 or 228 robots are).

    They are the test set. `part="train"` returns the published training set of 124, 169 or 122 robots; six labels of the
    third one are wrong, its 5 % noise.

    1. Head and body have one shape, or the jacket is red.
    2. Exactly two of the six features have the first of their values.
    3. The jacket is green and it holds a sword, or the jacket is not blue and the body is not an octagon.

    Raises a ValueError for a problem other than 1, 2 and 3, and for another part.

    Source: Thrun et al. (1991), "The MONK's Problems: A Performance Comparison of Different Learning Algorithms".

    >>> [monks(problem).class_counts() for problem in (1, 2, 3)]
    [(216, 216), (290, 142), (204, 228)]
    >>> len(monks(1, part="train"))
    124
    """
    require_whole_number("problem", problem, 1, most=3)
    _check_part(part)
    concept = (_first, _second, _third)[problem - 1]
    robots = list(product(*MONK_FEATURES.values()))
    labels = ["yes" if concept(robot) else "no" for robot in robots]
    dataset = Dataset.from_rows(robots, labels, features=tuple(MONK_FEATURES), target="monk")
    return dataset if part == "test" else _training_set(dataset, problem)


def _check_part(part: Any) -> None:
    if not isinstance(part, str) or part not in ("test", "train"):
        message = f"part must be one of 'test', 'train', got {short_repr(part)}."
        raise ValueError(message)


def _training_set(dataset: Dataset, problem: int) -> Dataset:
    members, wrong = training_numbers(problem)
    labels = dataset.labels.copy()
    labels[wrong] = 1 - labels[wrong]
    return evolve(dataset, labels=labels).take(members)


def _first(robot: Sequence[str]) -> bool:
    head, body, _, _, jacket, _ = robot
    return head == body or jacket == "red"


def _second(robot: Sequence[str]) -> bool:
    return sum(value == values[0] for value, values in zip(robot, MONK_FEATURES.values(), strict=True)) == 2  # noqa: PLR2004  # the number in the concept


def _third(robot: Sequence[str]) -> bool:
    _, body, _, holding, jacket, _ = robot
    return (jacket == "green" and holding == "sword") or (jacket != "blue" and body != "octagon")
