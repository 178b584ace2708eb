"""The three Monk's problems: all 432 robots, and the training sets of the paper."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Literal

import numpy as np
from attrs import evolve

from ftree._lib.fields import require_one_of, require_whole_number
from ftree.data.dataset import Dataset


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
    require_one_of("part", part, ("test", "train"))
    concept = (_first, _second, _third)[problem - 1]
    robots = list(product(*MONK_FEATURES.values()))
    labels = ["yes" if concept(robot) else "no" for robot in robots]
    dataset = Dataset.from_rows(robots, labels, features=tuple(MONK_FEATURES), target="monk")
    return dataset if part == "test" else _training_set(dataset, problem)


def _training_set(dataset: Dataset, problem: int) -> Dataset:
    members = np.flatnonzero(np.unpackbits(np.frombuffer(bytes.fromhex(_MEMBERS[problem]), np.uint8)))
    labels, wrong = dataset.target_column.copy(), _MISLABELLED if problem == 3 else []  # noqa: PLR2004  # the one with noise
    labels[wrong] = 1 - labels[wrong]
    return evolve(dataset, target_column=labels).take(members)


def _first(robot: Sequence[str]) -> bool:
    head, body, _, _, jacket, _ = robot
    return head == body or jacket == "red"


def _second(robot: Sequence[str]) -> bool:
    return sum(value == values[0] for value, values in zip(robot, MONK_FEATURES.values(), strict=True)) == 2  # noqa: PLR2004  # the number in the concept


def _third(robot: Sequence[str]) -> bool:
    _, body, _, holding, jacket, _ = robot
    return (jacket == "green" and holding == "sword") or (jacket != "blue" and body != "octagon")


_SHAPES = ("round", "square", "octagon")


MONK_FEATURES: Mapping[str, tuple[str, ...]] = {
    "head_shape": _SHAPES,
    "body_shape": _SHAPES,
    "is_smiling": ("yes", "no"),
    "holding": ("sword", "balloon", "flag"),
    "jacket_color": ("red", "yellow", "green", "blue"),
    "has_tie": ("yes", "no"),
}


# One bit for each of the 432 robots, in hexadecimal digits: whether the robot is in the training set.
_MEMBERS = {
    1: "0c0024300a40698d2110071c22225b1057a30cdb021909123804d587200280884904e004c09010901410814100c400a2a10571870055",
    2: "12ea22c00b50405edf220acf5c36190e45209810569221d509880e9798b1c48d6269a40d0257d49f20715c60ac9cb485ac040080aca1",
    3: "7a91001113cc0838f609b0b0220688e10502c3c01610024005609d104c0208b4085209a1a801412005801208401440860601b2c01485",
}


# The robots of the third problem whose label is wrong: its 5 % noise.
_MISLABELLED = [4, 60, 202, 212, 213, 390]
