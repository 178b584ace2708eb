"""Checks refuse anything but a part of their kind, and exemptions from no law, before they draw examples."""

import importlib
import inspect
import sys
from typing import get_args

import pytest

from ftree import ID3, Feature, Schema, gain, gini, prune, splitters, testing, to_dict
from ftree.responses import events

# The argument that is the part; and a part of the kind, if one can be exempt from laws.
CHECKS = {
    testing.check_choice: ("choose", None),
    testing.check_engine: ("start", None),
    testing.check_export: ("to", to_dict),
    testing.check_impurity: ("impurity", gini),
    testing.check_joint_splitter: ("splitter", splitters.oblique()),
    testing.check_missing: ("missing", None),
    testing.check_pass: ("pass_", prune.collapse()),
    testing.check_path: ("path", None),
    testing.check_path_choice: ("choice", prune.within(0.1)),
    testing.check_policy: ("policy", ID3),
    testing.check_response: ("response", events()),
    testing.check_rule: ("rule", None),
    testing.check_score: ("score", gain),
    testing.check_source: ("make", None),
    testing.check_splitter: ("splitter", splitters.threshold()),
}
WITH_EXEMPTIONS = [check for check in CHECKS if "exempt" in inspect.signature(check).parameters]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_check_names_the_argument_that_is_no_part_of_its_kind(check):
    with pytest.raises((TypeError, ValueError), match=rf"^{CHECKS[check][0]} must be .*got (3|an int)"):
        check(3)


def test_every_check_is_asked():
    checks = {name for name in testing.__all__ if name.startswith("check_")}
    assert {check.__name__ for check in CHECKS} == checks - {"check_split"}


@pytest.mark.parametrize("check", WITH_EXEMPTIONS, ids=lambda check: check.__name__)
def test_a_check_tells_the_laws_from_which_a_part_may_be_exempt_and_refuses_others(check):
    (law,) = get_args(inspect.signature(check).parameters["exempt"].annotation)
    own, code = set(get_args(law)), inspect.getsource(inspect.getmodule(check)).replace(check.__doc__, "")
    assert {name for name in own if f'"{name}"' not in check.__doc__ or code.count(f'"{name}"') < 2} == set()
    for wrong in ("no law", {*own, "no law"}, *own):  # a text is no list of names
        with pytest.raises(ValueError, match=r"^exempt must be one of '.*, got '.*'\."):
            check(CHECKS[check][1], exempt=wrong)


def test_what_is_no_split_is_said_with_what_a_split_has():
    schema = Schema([Feature("x", "numeric")], "y", (0, 1))
    with pytest.raises(AssertionError, match="a split has features, n_children, child and conditions"):
        testing.check_split(3, schema)


def test_without_hypothesis_the_error_names_the_extra(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    monkeypatch.delitem(sys.modules, "ftree.testing")
    with pytest.raises(ImportError, match=r"pip install 'ftrees\[testing\]'"):
        importlib.import_module("ftree.testing")


def test_the_table_of_checks_has_the_arguments_of_each():
    lines = [line for line in testing.__doc__.splitlines() if line.startswith("| `check_")]
    rows = {name.strip("` "): [cell.strip() for cell in cells] for name, *cells in (line.strip("|").split("|") for line in lines)}
    assert list(rows) == [name for name in testing.__all__ if name.startswith("check_")]
    for name, (oracle, exempt, further) in rows.items():
        _, *options = inspect.signature(getattr(testing, name)).parameters.values()
        by_name = {each.name: each.annotation for each in options if each.kind is each.KEYWORD_ONLY}
        laws = sorted(get_args(get_args(by_name["exempt"])[0])) if "exempt" in by_name else []
        assert (bool(oracle), exempt) == ("oracle" in by_name, ", ".join(laws)), name
        assert further == ", ".join(each for each in by_name if each not in ("oracle", "exempt")), name
