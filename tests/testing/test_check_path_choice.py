"""The battery for choices of one tree of a path detects choices that break a law, and wrong errors."""

import pytest
from attrs import evolve

from ftree import prune
from ftree.testing import check_path_choice

pytestmark = pytest.mark.usefixtures("unshrunk")


def largest(rows):
    return max(rows, key=lambda row: row.leaves)


@pytest.mark.parametrize(
    ("wrong", "law"),
    [
        (lambda rows: evolve(rows[0]), "a choice returns one of the rows"),
        (lambda rows: rows[0], "no smaller tree errs as little|the order of the rows does not matter"),
        (largest, "no smaller tree errs as little"),
        (lambda rows: min(rows, key=lambda row: row.error), "no smaller tree errs as little|the order of the rows"),
    ],
)
def test_a_choice_that_breaks_a_law_is_caught(wrong, law):
    with pytest.raises(AssertionError, match=law):
        check_path_choice(wrong)


def test_a_choice_that_is_exempt_from_laws_may_break_them():
    check_path_choice(largest, exempt={"smallest"})
    check_path_choice(lambda rows: rows[-1], exempt={"order", "smallest"})


def test_a_choice_that_differs_from_its_oracle_is_caught():
    with pytest.raises(AssertionError, match="a choice is that of the oracle"):
        check_path_choice(prune.within(0.1), oracle=lambda rows: rows.index(min(rows, key=lambda row: row[1])))


def test_a_choice_is_a_function():
    with pytest.raises(TypeError, match="choice must be a function"):
        check_path_choice(0.1)
