"""The battery for policies catches policies that break a law."""

import pytest
from attrs import evolve

from ftree import CART, ID3
from ftree.splitters import multiway
from ftree.testing import check_policy


def test_a_policy_that_cannot_tell_rows_apart_is_caught():
    with pytest.raises(AssertionError, match="one label only"):
        check_policy(evolve(ID3, splits=(multiway(),)))
    check_policy(CART)
