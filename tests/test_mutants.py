"""`make mutants`: the room and definition of a change, the criterion for killed changes, and what is listed as equivalent."""

import json
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = str(ROOT / ".ci" / "mutants.py")


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(SCRIPT)


@pytest.mark.parametrize(
    ("path", "room"),
    [
        ("ftree/stop.py", "modules"),
        ("ftree/tree/splits/subset.py", "tree"),
        ("ftree/growth/kernels/sorted_cuts.py", "kernels"),
        ("ftree/criteria/impurity_kernels.py", "criteria"),  # machine code, which does not run without it
    ],
)
def test_all_kernels_are_one_room_and_so_are_the_modules(script, path, room):
    assert script["room_of"](path) == room


def changed(outcome="survived", code=0, **fields):
    place = {"path": "ftree/stop.py", "room": "stop", "in": "min_rows", "source": "a < b"}
    return {**place, "before": "a < b", "after": "(a <= b)", "outcome": outcome, "code": code, **fields}


def test_a_change_is_killed_by_a_failing_test_or_endless_running_and_else_survives_unless_it_is_listed(script):
    fate = script["fate"]
    key, line = ("stop", "min_rows", "a < b", "a < b", "(a <= b)"), ("stop", "min_rows", "a < b")
    assert fate(changed(), set()) == "survived"
    assert fate(changed(), {key}) == fate(changed(), {line}) == "equivalent"
    assert fate(changed(after="(a > b)"), {key}) == "survived"
    assert fate(changed(outcome="killed", code=1), {line}) == "killed"
    assert fate(changed(outcome="timeout", code=137), set()) == "timeout"
    assert fate(changed(outcome="killed", code=-9), set()) == "timeout"
    assert [fate(changed(outcome="no test", code=code), set()) for code in (0, 1, 2)] == ["survived", "killed", "killed"]


def test_what_a_test_of_its_room_has_noticed_meets_no_more_tests(script):
    killed = [changed(outcome="no test", code=1), changed(outcome="killed", code=1), changed(outcome="timeout", code=137)]
    alive = [changed(), changed(outcome="no test", code=0), changed(outcome="unknown", code=5)]
    assert script["divided"]([*alive, *killed]) == (killed, alive)


def test_shares_are_of_what_is_not_equivalent_and_low_ones_fail(script):
    rows = [changed(outcome="killed", code=1, after=f"({n})") for n in range(17)] + [changed(after=f"({n})") for n in range(3)]
    found = script["table"](rows)
    assert found["modules"] == found["all"] == {"killed": 17, "timeout": 0, "survived": 3, "equivalent": 0, "share": 0.85}
    assert script["failures"](found) == ["modules 85.0%", "all 85.0%"]
    good = {"modules": script["with_share"]({"killed": 19, "timeout": 1, "survived": 1, "equivalent": 1})}
    assert good["modules"]["share"] == round(20 / 21, 4)
    assert script["failures"]({**good, "all": good["modules"]}) == []
    many = script["with_share"]({"killed": 19, "timeout": 0, "survived": 0, "equivalent": 2})
    assert script["failures"]({"all": many}) == ["too many called equivalent"]


SOURCE = """a, b = 1, 2
@cache
def outer():
    x = 1
    class Inner:
        def deep(self):
            return x
if a:
    pass
"""


def test_a_line_lies_in_its_innermost_definition_or_in_what_is_assigned(script):
    names = ["(a, b)", "outer", "outer", "outer", "outer.Inner", "outer.Inner.deep", "outer.Inner.deep", "<module>", "<module>"]
    assert script["definitions"](SOURCE) == names


def test_an_entry_whose_line_is_in_no_such_definition_of_its_room_is_told_of(script):
    here = {"room": "stop", "in": "never", "source": "never = any_of()", "reason": "None."}
    gone = [{**here, "source": "never = all_of()"}, {**here, "room": "tree"}, {**here, "in": "always"}]
    told = ["stop, never: never = all_of()", "tree, never: never = any_of()", "stop, always: never = any_of()"]
    assert script["stale"]([here, *gone]) == told


def test_no_change_is_listed_as_equivalent_twice(script):
    keys = [script["key_of"](each) for each in json.loads(script["EQUIVALENT"].read_text())]
    assert len(keys) == len(set(keys))
