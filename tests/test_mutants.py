"""`make mutants`: the room of a change, the criterion for killed changes, and the message without the shared folder."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = str(ROOT / ".ci" / "mutants.py")


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(SCRIPT)


@pytest.mark.parametrize("named", [True, False])
def test_where_the_shared_folder_lacks_the_tool_it_says_so(named, monkeypatch, tmp_path):
    monkeypatch.setattr("sys.argv", [SCRIPT])
    monkeypatch.setenv("FTREE_SHARED", str(tmp_path))
    if not named:
        monkeypatch.delenv("FTREE_SHARED")
        monkeypatch.setattr(Path, "exists", lambda _: False)
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(SCRIPT, run_name="__main__")
    assert "FTREE_SHARED must name the folder that has tools/mutate.py" in ended.value.code
    assert f"got {tmp_path if named else 'none, and'}" in ended.value.code


@pytest.mark.parametrize(
    ("path", "room"),
    [
        ("ftree/stop.py", "modules"),
        ("ftree/tree/splits/subset.py", "tree"),
        ("ftree/growth/kernels/scan.py", "kernels"),
        ("ftree/_lib/kernels/shares.py", "kernels"),
        ("ftree/_lib/kernels/callback.py", "_lib"),  # it writes machine code, and does not run without it
    ],
)
def test_all_kernels_are_one_room_and_so_are_the_modules(script, path, room):
    assert script["room_of"](path) == room


def changed(path="ftree/stop.py", outcome="survived", code=0, **fields):
    return {"path": path, "source": "a < b", "before": "a < b", "after": "(a <= b)", "outcome": outcome, "code": code, **fields}


def test_a_change_is_killed_by_a_failing_test_or_endless_running_and_else_survives_unless_it_is_listed(script):
    fate = script["fate"]
    key, line = ("ftree/stop.py", "a < b", "a < b", "(a <= b)"), ("ftree/stop.py", "a < b")
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


def test_an_entry_whose_line_has_changed_is_told_of(script):
    here = {"path": "ftree/stop.py", "source": "never = any_of()", "reason": "None."}
    assert script["stale"]([here, {**here, "source": "never = all_of()"}, {**here, "path": "ftree/gone.py"}]) == [
        "ftree/stop.py: never = all_of()",
        "ftree/gone.py: never = any_of()",
    ]
