"""Batteries refuse anything but a part of their kind before they draw examples, and say what they need."""

import importlib
import sys

import pytest

from ftree import Feature, Schema, testing

NAMES = {
    testing.check_choice: "choose",
    testing.check_engine: "start",
    testing.check_export: "to",
    testing.check_impurity: "impurity",
    testing.check_joint_splitter: "splitter",
    testing.check_missing: "missing",
    testing.check_pass: "pass_",
    testing.check_path: "path",
    testing.check_path_choice: "choice",
    testing.check_policy: "policy",
    testing.check_response: "response",
    testing.check_rule: "rule",
    testing.check_score: "score",
    testing.check_source: "make",
    testing.check_splitter: "splitter",
}


@pytest.mark.parametrize("battery", NAMES, ids=lambda battery: battery.__name__)
def test_a_battery_names_the_argument_that_is_no_part_of_its_kind(battery):
    with pytest.raises((TypeError, ValueError), match=rf"^{NAMES[battery]} must be .*got (3|an int)"):
        battery(3)


def test_every_battery_is_asked():
    batteries = {name for name in testing.__all__ if name.startswith("check_")}
    assert {battery.__name__ for battery in NAMES} == batteries - {"check_split"}


def test_what_is_no_split_is_said_with_what_a_split_has():
    schema = Schema([Feature("x", "numeric")], "y", (0, 1))
    with pytest.raises(AssertionError, match="a split has features, n_children, child and conditions"):
        testing.check_split(3, schema)


def test_without_hypothesis_the_error_names_the_extra(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    monkeypatch.delitem(sys.modules, "ftree.testing")
    with pytest.raises(ImportError, match=r"pip install 'ftrees\[testing\]'"):
        importlib.import_module("ftree.testing")
