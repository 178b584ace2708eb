"""The battery for missing values passes the library's own (tests/routing/test_missing_rules.py), and detects each broken law."""

import numpy as np
import pytest
from attrs import frozen

from ftree.splitters import ignore
from ftree.testing import check_missing
from ftree.tree import Threshold

pytestmark = pytest.mark.usefixtures("unshrunk")


def test_a_rule_that_changes_the_sizes_is_caught():
    def changing(sizes):
        sizes += 1
        return np.ones(len(sizes))

    with pytest.raises(AssertionError, match="a rule does not change the sizes"):
        check_missing(changing)


def test_a_rule_with_a_state_is_caught():
    calls = []

    def forgetful(sizes):
        calls.append(1)
        return np.full(len(sizes), len(calls))

    with pytest.raises(AssertionError, match="a rule returns the same for the same sizes"):
        check_missing(forgetful)


def test_a_rule_that_mixes_branches_is_caught():
    def mixing(sizes):
        return sizes / sizes.sum()

    mixing.broadcasts = True
    with pytest.raises(AssertionError, match="many branches the shares of each"):
        check_missing(mixing)


def test_shares_that_are_negative_are_caught():
    with pytest.raises(ValueError, match="a finite number from 0 for each"):
        check_missing(lambda sizes: -sizes)


def test_shares_of_growth_that_do_not_add_up_are_caught():
    @frozen
    class Doubling:
        def shares(self, sizes):
            return np.ones(len(sizes))

    with pytest.raises(ValueError, match="shares that add up to 1"):
        check_missing(Doubling())


@pytest.mark.parametrize(("factor", "law"), [(-1.0, "finite and never negative"), (np.nan, "finite and never negative")])
def test_a_discount_that_is_no_factor_is_caught(factor, law):
    @frozen
    class Discounting:
        def discount(self, known):
            return known * 0 + factor

    with pytest.raises(AssertionError, match=law):
        check_missing(Discounting())


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


@pytest.mark.parametrize("unshrunk", [500], indirect=True)  # few tables have a threshold and rows that differ there
def test_soft_thresholds_of_other_rows_are_caught():
    with pytest.raises(AssertionError, match="each row is predicted as if it were alone"):
        check_missing(Wide())


def test_a_policy_whose_root_is_not_the_oracle_s_is_caught():
    with pytest.raises(AssertionError, match="the root's split is that of the oracle"):
        check_missing(ignore(), oracle=lambda *_: None)


def test_a_discount_is_one_factor_for_each_share():
    @frozen
    class Discounting:
        def discount(self, known):
            return known.sum()

    with pytest.raises(AssertionError, match="one factor for each share of known cases"):
        check_missing(Discounting())
