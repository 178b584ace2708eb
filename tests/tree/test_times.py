"""Numbers that stand for times: they print as times in every form of a tree, and remain numbers."""

import pickle
from datetime import date, datetime

import numpy as np
import pytest

from ftree import Branch, Feature, Leaf, Schema, Threshold, Tree, dnf, holds, latex, rules
from ftree.data.values import TimesInUTC
from ftree.tree.times import TimeNumber, format_time

DAY = 86400.0
SCHEMA = Schema([Feature("born", "numeric", time="date")], "class", ("no", "yes"))
TREE = Tree(SCHEMA, Branch((2, 1), Threshold(0, DAY), (Leaf((2, 0)), Leaf((0, 1)))))


def test_a_tree_reads_as_dates_in_text_rules_and_formulas():
    assert "born <= 1970-01-02" in str(TREE)
    assert "born > 1970-01-02" in str(rules(TREE)[1])
    assert "1970-01-02" in str(dnf(TREE, "yes"))
    assert r"\text{1970-01-02}" in latex(dnf(TREE, "yes"))
    assert [holds(rules(TREE)[1], {"born": born}) for born in (date(1970, 1, 3), datetime(1970, 1, 1))] == [True, False]  # noqa: DTZ001


def test_times_print_as_times_nearly_as_far_as_numpy_counts_microseconds():
    last = 2**63 / 1e6
    assert format_time(0.97 * last, "datetime").startswith("285")
    assert format_time(last, "datetime") == str(last)


def test_a_time_number_is_pickled_as_one():
    copy = pickle.loads(pickle.dumps(TimeNumber(DAY, "date")))  # noqa: S301  # the bytes are ours
    assert (copy, copy.time, str(copy)) == (DAY, "date", "1970-01-02")


def test_beyond_what_numpys_times_can_hold_a_number_prints_as_a_number():
    assert [format_time(1e13, "date"), format_time(float("inf"), "duration")] == ["10000000000000.0", "inf"]


def test_only_numbers_can_stand_for_times():
    with pytest.raises(ValueError, match="time must be None for a feature that is nominal, got 'date' for 'sky'"):
        Feature("sky", "nominal", "ab", time="date")


def test_times_in_utc_are_listed_as_pythons():
    times = TimesInUTC(np.array(["2020-01-01T12", "NaT"], "M8[us]"))
    first, missing = times
    assert (len(times), first.isoformat(), missing) == (2, "2020-01-01T12:00:00+00:00", None)
    assert np.asarray(times).dtype == np.dtype("M8[us]")
