"""A user's prediction rule that sees rows: near a threshold, both children answer. Source: Quinlan 1993, section 5.3 (C4.5)."""

import numpy as np
from attrs import evolve, frozen

from ftree import ID3, Dataset, explain_row, grow, path_of, predict, predict_proba
from ftree.datasets import weather
from ftree.splitters import ignore
from ftree.testing import check_missing
from ftree.tree import Threshold


@frozen
class soft:
    """Shares that rise linearly from 0 to 1 within a width on both sides of a threshold; without a value, as the cases."""

    width: float
    distributions = True

    def __call__(self, sizes):
        return sizes / sizes.sum()

    def of_rows(self, split, columns):
        if not isinstance(split, Threshold):
            return None
        right = np.clip(0.5 + (columns[0] - split.at) / (2 * self.width), 0, 1)
        return np.stack([1 - right, right], axis=1)


def test_it_keeps_the_laws_of_rules():
    check_missing(soft(0.75))


def test_answers_change_little_where_a_threshold_is_crossed():
    data = Dataset.from_columns({"x": [0.0, 1, 2, 3], "class": list("nnyy")})
    tree = grow(data, evolve(ID3, missing=ignore(predict=soft(1.0))))
    assert predict_proba(tree, [[0.5], [1.25], [1.5], [9.0], [None]])[:, 1].tolist() == [0, 0.375, 0.5, 1, 0.5]
    assert predict(tree, [1.6]) == explain_row(tree, [1.6]).label == path_of(tree, [1.6]).label == "y"
    assert predict(grow(weather()), weather(), missing=soft(1.0)).tolist() == predict(grow(weather()), weather()).tolist()
