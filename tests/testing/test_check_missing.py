"""The check of missing values passes the library's own (tests/routing/test_missing_rules.py), and detects each broken law."""

from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest
from attrs import frozen

from ftree.splitters import ignore
from ftree.testing import check_missing
from ftree.tree import Threshold

pytestmark = pytest.mark.usefixtures("unshrunk")


def changing(sizes):
    sizes += 1
    return np.ones(len(sizes))


def forgetful(sizes, *, calls=count(1)):  # noqa: B008  # the mistake
    return np.full(len(sizes), next(calls))


def mixing(sizes):
    return sizes / sizes.sum()


mixing.broadcasts = True


@frozen
class Wide:
    """Soft thresholds as wide as the numbers at hand vary."""

    def __call__(self, sizes):
        return sizes / sizes.sum()

    def of_rows(self, split, columns):
        if not isinstance(split, Threshold):
            return None
        right = np.clip(0.5 + (columns[0] - split.at) / (np.ptp(columns[0]) + 1), 0, 1)
        return np.stack([1 - right, right], axis=1)


@pytest.mark.parametrize(
    ("wrong", "error", "law"),
    [
        (changing, AssertionError, "a rule does not change the sizes"),
        (forgetful, AssertionError, "many branches the shares of each|the same call gives the same answer"),
        (mixing, AssertionError, "many branches the shares of each"),
        (lambda sizes: -sizes, ValueError, "a finite number from 0 for each"),
        (SimpleNamespace(shares=lambda sizes: np.ones(len(sizes))), ValueError, "shares that add up to 1"),
        (SimpleNamespace(discount=lambda known: known * 0 - 1.0), AssertionError, "finite and never negative"),
        (SimpleNamespace(discount=np.sum), AssertionError, "one factor for each share of known cases"),
    ],
)
def test_what_breaks_a_law_is_caught(wrong, error, law):
    with pytest.raises(error, match=law):
        check_missing(wrong)


@pytest.mark.parametrize("unshrunk", [500], indirect=True)  # few tables have a threshold and rows that differ there
def test_soft_thresholds_of_other_rows_are_caught():
    with pytest.raises(AssertionError, match="each row is predicted as if it were alone"):
        check_missing(Wide())


def test_a_policy_whose_root_is_not_the_oracle_s_is_caught():
    with pytest.raises(AssertionError, match="the root's split is that of the oracle"):
        check_missing(ignore(), oracle=lambda *_: None)
