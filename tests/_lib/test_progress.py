"""A progress line: shown only if requested, and ended only if it was begun."""

import sys
from types import SimpleNamespace

import pytest

from ftree._lib.waiting import is_watched, progress, progress_of_wait


def test_nothing_is_written_where_there_is_nothing_to_say(capsys):
    with progress(shown=True):
        pass
    with progress(shown=False) as line:
        line.write("unseen")
    assert capsys.readouterr() == ("", "")


def test_a_shorter_text_covers_a_longer_one_and_the_line_ends(capsys):
    with progress(shown=True) as line:
        line.write("longer")
        line.write("short")
    assert capsys.readouterr().err == "\rlonger\rshort \n"


def test_each_report_is_a_line_over_the_one_before(capsys):
    with progress(shown=True) as line:
        line.level(2, 1234, 0.5)
        line.rows(1, 2, 3_000_000)
        line.bar(3, 4)
    level, rows, bar = capsys.readouterr().err.removeprefix("\r").rstrip().split("\r")
    assert level == "level 2: 1,234 open nodes, 50% of the cases done"
    assert rows.startswith(level + "; [")
    assert rows.endswith("1 of 2 rows, 3 MB read")
    assert bar.rstrip().endswith("3 of 4")
    assert (bar.count("#"), bar.count(".")) == (22, 8)


def ipython(kernel):
    return SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=kernel))


@pytest.mark.parametrize(("terminal", "notebook"), [(True, False), (False, True), (False, False)])
def test_a_person_looks_at_a_terminal_or_at_a_notebook(terminal, notebook, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    monkeypatch.setitem(sys.modules, "IPython", ipython(object() if notebook else None))
    monkeypatch.setitem(sys.modules, "ipykernel", sys)  # as in a program that starts kernels
    assert is_watched() == (terminal or notebook)


def test_a_notebook_keeps_one_output_that_changes(monkeypatch, capsys):
    """A saved notebook has every text of a stream."""
    seen = []

    class Output:
        def update(self, text, *, raw):
            seen.append(("changed", text["text/plain"], raw))

    def display(text, *, raw, display_id):
        seen.append(("made", text["text/plain"], raw and display_id))
        return Output()

    monkeypatch.setitem(sys.modules, "IPython", ipython(object()))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    with progress(shown=True) as line:
        line.write("one")
        line.write("two")
    assert seen == [("made", "one", True), ("changed", "two", True)]
    assert capsys.readouterr() == ("", "")


def test_a_wait_in_a_script_gets_lines_ever_more_seldom(capsys):
    with progress_of_wait(shown=None) as line:
        line.write("too early")
        line.begins = 0.0  # as if five seconds had passed
        line.bar(1, 2)
        line.bar(2, 2)
    assert capsys.readouterr().err.endswith("] 1 of 2\n")
    assert line.pause == 10.0


def test_a_step_of_a_wait_reports_on_the_line_of_the_wait(capsys):
    with progress_of_wait(shown=None) as outer:
        outer.bar(3, 4)
        with progress_of_wait(shown=None) as inner:
            outer.begins = 0.0
            inner.level(2, 5, 0.5)
    assert capsys.readouterr().err.endswith("] 3 of 4; level 2: 5 open nodes, 50% of the cases done\n")
    with progress_of_wait(shown=False) as line:
        line.write("unseen")
    with progress_of_wait(shown=None) as after:
        assert after.outer is None
