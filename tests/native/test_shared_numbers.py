"""Numbers that C and Python both state: one that is changed on one side only would be found as a wrong tree, or not at all."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ftree import native
from ftree._lib import arrays
from ftree.criteria import impurity
from ftree.exact.cuts import all_cuts
from ftree.exact.listed import items
from ftree.exact.listed.leaf_formulas import LeafKind
from ftree.exact.optimal import MOST_DEPTH
from ftree.growth import split_arrays
from ftree.growth.depth_first import growing_parts, presorted_growth, table_growth, target_sums, what_c_knows
from ftree.native import SIGNATURES, build
from ftree.native.signatures import arguments_of
from ftree.prune import decisions, subtree_raising
from ftree.splitters import cuts
from ftree.splitters.surrogates import _SAME
from ftree.tree.splits import split

ROOT = Path(__file__).parents[2]
MACRO = re.compile(r"#define (\w+) (.+)")
ENUM = re.compile(r"enum \{([^}]*)\}")


def stated_by_c(file):
    """The macros of numbers and the enumerators of a file in C, with those of the headers that it includes."""
    text = (build.HERE / file).read_text(encoding="utf-8")
    found = {name: value for header in re.findall(r'#include "(\w+\.h)"', text) for name, value in stated_by_c(header).items()}
    for name, value in MACRO.findall(text):
        plain = re.sub(r"/\*.*|\(int64_t\)", "", value)
        if re.fullmatch(r"[-+*/() .0-9e<]+", plain):
            found[name] = eval(plain, {"__builtins__": {}})  # noqa: S307  # our own source
    for body in ENUM.findall(text):
        number = -1
        for each in body.split(","):
            name, _, value = map(str.strip, each.partition("="))
            number = eval(value, {"__builtins__": {}}, found) if value else number + 1  # noqa: S307  # as above
            found[name] = number
    return found


@pytest.mark.parametrize(
    ("file", "name", "here"),
    [
        ("native.h", "TIE", arrays.TIE),
        ("sides.h", "ROUNDING", impurity.ROUNDING),
        ("runs.c", "SLACK", cuts.SLACK),
        ("surrogates.c", "SAME", _SAME),
        ("lanes.h", "MOST_NUMBERS", target_sums._MOST_TARGETS),
        ("sorted_trees.c", "MOST_DEPTH", MOST_DEPTH),
        ("two_classes.c", "STRIDE", items.MOST + items.PAD),
        ("classes.c", "MOST_EXACT", what_c_knows._MOST_ROWS),
        ("raise.c", "ERROR_SLACK", subtree_raising.SLACK),
        ("raise.c", "AS_LARGE", subtree_raising.AS_LARGE),
        ("raise.c", "RELATIVE", decisions._RELATIVE),
        ("raise.c", "ABSOLUTE", decisions._ABSOLUTE),
    ],
)
def test_a_limit_is_the_same_number_in_c_and_in_python(file, name, here):
    assert stated_by_c(file)[name] == here


def numbers_of(module, *names, prefix=""):
    return {name: getattr(module, prefix + name) for name in names}


NEEDED = [f"NEEDED_{what}" for what in ("KEYS", "NODES", "LISTED", "STAND_INS", "COPIES")]


@pytest.mark.parametrize(
    ("file", "here"),
    [
        ("native.h", numbers_of(split, "LEAF", "ABOVE", "CODE", "BETWEEN", "SUM")),
        ("table.h", numbers_of(split_arrays, "THRESHOLD", "MULTIWAY", "SUBSET", "ONE_VALUE") | {"NO_SPLIT": split_arrays.NONE}),
        ("table.h", numbers_of(impurity, "ENTROPY", "GINI", "MISCLASSIFICATION", "OWN", "VARIANCE", "POISSON")),
        ("native.h", numbers_of(table_growth, "UNSURE", "LACKS_ROOM", prefix="_")),
        ("native.h", numbers_of(growing_parts, "N_NODES", "N_OPEN", "IS_DECIDED")),
        ("table.h", numbers_of(table_growth, "N_LISTED", "N_STAND_INS", prefix="_")),
        ("table.h", numbers_of(table_growth, *NEEDED, prefix="_")),
    ],
)  # fmt: skip
def test_a_choice_has_the_same_number_in_c_and_in_python(file, here):
    stated = stated_by_c(file)
    assert {name: stated[name] for name in here} == here


def test_kinds_of_leaf_costs_are_all_those_of_c():
    (body,) = ENUM.findall((build.HERE / "depth_two.c").read_text(encoding="utf-8"))
    assert list(map(str.strip, body.split(","))) == [kind.name for kind in LeafKind]
    assert list(LeafKind) == list(range(len(LeafKind)))


@pytest.mark.parametrize("name", ["GROWN", "UNSURE"])
def test_growth_in_sorted_columns_tells_by_a_number_whether_it_is_unsure(name, monkeypatch):
    """`PresortedPart.grow` takes it for a truth."""
    monkeypatch.setattr(native, "call", lambda *_, **__: stated_by_c("grow.c")[name])
    columns = SimpleNamespace(features=range(2), given={})
    assert presorted_growth.PresortedPart.below(0, 3, np.ones(2)).grow(columns) is (name == "UNSURE")


@pytest.mark.parametrize(
    ("function", "file", "last"), [("grow_lanes", "native.h", "IS_DECIDED"), ("grow_table", "table.h", "NEEDED_COPIES")]
)
def test_the_state_of_a_tree_in_growth_ends_with_the_last_number_that_c_has_there(function, file, last):
    (length,) = (each.dimensions for each in arguments_of(SIGNATURES[function]) if each.name == "state")
    assert length == (str(stated_by_c(file)[last] + 1),)


@pytest.mark.parametrize("depth", range(5))
def test_the_plan_of_a_depth_has_one_place_in_c_and_in_python(depth):
    """`plan_begin` of sorted_trees.c."""
    text = (build.HERE / "sorted_trees.c").read_text(encoding="utf-8")
    place = re.search(r" plan_begin\(.*?return (.*?);", text)[1].replace("(int64_t)", "")
    assert eval(place, {"__builtins__": {}, "depth": depth}) == all_cuts.plan_begin(depth)  # noqa: S307  # our own source


def test_the_makefile_names_tests_that_are_there():
    """Otherwise the sanitizers would run nothing."""
    named = re.search(r"^USE_NATIVE = (.*?)^CHECKED", (ROOT / "Makefile").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    folders = "criteria", "exact", "growth", "responses", "routing"
    files = re.findall(rf"\b(?:{'|'.join(folders)})/test_\w+", named[1])
    assert len(files) > len(folders)
    assert [file for file in files if not (ROOT / "tests" / f"{file}.py").is_file()] == []
