"""Nobody waits for a compiler unannounced: what does a task while nothing is compiled, and the messages meanwhile."""

import io
import os
import runpy
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
from attrs import evolve
from skipped_examples import run_example

from ftree import C45, CART, ID3, Branch, Dataset, Subset, Threshold
from ftree import compile as compile_module
from ftree._lib import compilation, compiled_mark, jit
from ftree._lib.compilation import SECONDS, compile_in_background, compiled_code_is_due, is_compiled, tell_of_compilation
from ftree._lib.compiled_mark import is_marked, mark, mark_folders
from ftree.stop import max_depth


@pytest.fixture
def uncompiled(tmp_path, monkeypatch):
    """A machine on which nothing is compiled, and the list of processes that it starts."""
    started = []
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kernels"))
    monkeypatch.delenv("FTREE_COMPILE")
    monkeypatch.setattr(compilation, "_here", {"compiled": False})
    monkeypatch.setattr(compilation, "compile_in_background", lambda: started.append("process"))
    return started


def test_a_quick_task_is_done_without_compiled_code_which_a_process_makes_meanwhile(uncompiled, capsys):
    assert not compiled_code_is_due(1.9)
    assert uncompiled == ["process"]
    assert capsys.readouterr().err == ""


def test_a_task_of_some_seconds_says_why_it_is_slow(uncompiled, capsys):
    assert not compiled_code_is_due(SECONDS)
    assert uncompiled == ["process"]
    told = capsys.readouterr().err
    assert f"about {SECONDS} s, while that is compiled, once. `python -m ftree.compile` does it beforehand." in told


def test_a_task_that_would_take_longer_than_compilation_waits_for_it_and_says_so_once(uncompiled, capsys):
    assert [compiled_code_is_due(SECONDS + 1), compiled_code_is_due(0)] == [True, True]
    assert uncompiled == []
    assert capsys.readouterr().err.count(f"compiling the code for large tables, which takes about {SECONDS} s, once") == 1


@pytest.mark.parametrize(("how", "due"), [("now", True), ("never", False)])
def test_the_environment_says_when_kernels_are_compiled(uncompiled, monkeypatch, capsys, how, due):
    monkeypatch.setenv("FTREE_COMPILE", how)
    assert compiled_code_is_due(3) is due
    assert uncompiled == []
    assert ("since FTREE_COMPILE=never" in capsys.readouterr().err) is not due


def test_another_value_in_the_environment_is_refused(uncompiled, monkeypatch):
    monkeypatch.setenv("FTREE_COMPILE", "later")
    with pytest.raises(ValueError, match="FTREE_COMPILE must be one of background, now, never, got 'later'"):
        compiled_code_is_due(0)
    assert uncompiled == []


def test_where_compilation_is_disabled_it_is_never_due_and_never_told_of(uncompiled, monkeypatch, capsys):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    mark()
    tell_of_compilation()
    assert not compiled_code_is_due(1000)
    assert not is_compiled()
    assert "compiling" not in capsys.readouterr().err
    assert uncompiled == []


def test_a_mark_holds_until_kernels_or_the_folder_change(uncompiled, monkeypatch, tmp_path):
    assert not is_marked()
    assert mark().parent == tmp_path / "kernels"
    assert is_marked()
    assert compiled_code_is_due(0)
    monkeypatch.setattr(compiled_mark, "mark_name", lambda: "ftree-another.compiled")
    assert not is_marked()
    assert uncompiled == []


def test_without_a_folder_of_its_own_the_mark_is_beside_the_kernels_or_in_the_users_cache(monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert [folder.parts[-2:] for folder in mark_folders()] == [("kernels", "__pycache__"), (".cache", "ftree")]


def test_where_no_folder_can_be_written_to_there_is_no_mark(uncompiled, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    assert mark() is None
    assert not is_marked()
    assert uncompiled == []


@pytest.fixture
def popen(monkeypatch):
    """Calls of subprocess.Popen, which start nothing."""
    calls = []

    def record(command, **given):
        calls.append((command, given))
        return SimpleNamespace(terminate=lambda: calls.append("ended"), communicate=lambda: None)

    monkeypatch.setattr(subprocess, "Popen", record)
    compile_in_background.cache_clear()
    yield calls
    compile_in_background.cache_clear()


def test_one_process_is_started_with_this_library_and_ends_with_this_process(popen, monkeypatch):
    registered = []
    monkeypatch.setattr("atexit.register", lambda *given: registered.append(given))
    assert compile_in_background() is compile_in_background()
    ((command, given),) = popen
    assert command == [sys.executable, "-P", "-m", "ftree.compile", "--background"]
    assert given["env"]["PYTHONPATH"].split(":") == [path for path in sys.path if path]
    ((end, process, owner),) = registered
    end(process, owner + 1)
    assert popen[1:] == [], "a fork leaves it alone"
    end(process, owner)
    assert popen[1:] == ["ended"]


def test_workers_and_programs_without_an_interpreter_start_none(popen, monkeypatch):
    for name, value in [("parent_process", lambda: 1), ("current_process", lambda: SimpleNamespace(daemon=True))]:
        with monkeypatch.context() as patch:
            patch.setattr(f"multiprocessing.{name}", value)
            assert compile_in_background() is None
        compile_in_background.cache_clear()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert compile_in_background() is None
    assert popen == []


def test_a_machine_that_starts_no_process_goes_on_without(monkeypatch):
    def refuse(*_, **__):
        raise OSError("no processes left")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    compile_in_background.cache_clear()
    assert compile_in_background() is None
    compile_in_background.cache_clear()


@pytest.fixture
def compiled(uncompiled, monkeypatch):  # noqa: ARG001  # whose machine it is
    """The number of compilations of kernels, which take no time here."""
    calls = []
    monkeypatch.setattr(compile_module, "grow", lambda *_, **__: calls.append("grown"))
    monkeypatch.setattr(compile_module, "_predicted", lambda *_: None)
    monkeypatch.setattr(compile_module, "_searched_and_pruned", lambda: None)
    monkeypatch.setattr(compile_module, "optimal", lambda *_, **__: None)
    return calls


def test_the_command_says_how_long_it_took_and_where_the_mark_is(compiled, capsys, monkeypatch):
    assert compile_module.main([]) == 0
    assert "s; noted in " in capsys.readouterr().out
    assert compilation.is_compiled(), "so that nothing tells of compilation once more"
    assert len(compiled) == 11
    monkeypatch.setattr(compile_module, "mark", lambda: None)
    assert compile_module.main([]) == 1
    assert "not kept, since no folder is writable: set NUMBA_CACHE_DIR" in capsys.readouterr().out


def test_in_the_background_only_one_process_compiles_and_only_once(compiled, monkeypatch, tmp_path):
    done = []
    monkeypatch.setattr(compile_module.signal, "signal", lambda *given: done.append(given))
    monkeypatch.setattr(compile_module.os, "nice", done.append)
    watch = {"target": compile_module._end_with_input, "daemon": True}
    monkeypatch.setattr(
        compile_module.threading, "Thread", lambda **given: SimpleNamespace(start=lambda: done.append(given == watch))
    )
    with compile_module._alone() as first:
        assert first
        assert compile_module.main(["--background"]) == 0
        assert compiled == [], "another process compiles"
        assert done == [19, (signal.SIGINT, signal.SIG_IGN), True], "of low priority, deaf to Ctrl-C, and it ends with its parent"
    compile_module.main(["--background"])
    assert len(compiled) == 11
    compile_module.main(["--background"])
    assert len(compiled) == 11, "it is marked"
    assert not list((tmp_path / "kernels").glob("*.lock"))


def test_a_lock_that_was_left_behind_is_taken_over(compiled, monkeypatch, tmp_path):
    with compile_module._alone():
        monkeypatch.setattr(compile_module, "_OLD", -1)
        with compile_module._alone() as second:
            assert second
    assert compiled == []
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    with compile_module._alone() as where_no_lock_can_be:
        assert where_no_lock_can_be


WATCH = """
import os, signal, sys, time
from ftree import compile as module
module.compile_kernels = lambda: time.sleep(60)
sys.exit(module.main(["--background"]))
"""


def test_the_process_in_the_background_ends_with_the_one_that_started_it(tmp_path):
    environment = {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": ":".join(filter(None, sys.path))}
    with subprocess.Popen([sys.executable, "-c", WATCH], stdin=subprocess.PIPE, env=environment) as process:  # noqa: S603  # the text above
        process.stdin.close()
        assert process.wait(timeout=50) == 1


COUNTS = """
import numpy as np
from attrs import evolve
from numba.core import event
import ftree
from ftree import C45, CART, ID3, Dataset, grow, predict, predict_counts
from ftree.stop import max_depth
compiled = []
class Listener(event.Listener):
    def on_start(self, started):
        compiled.append(started.data["dispatcher"].py_func.__name__)
    def on_end(self, ended):
        pass
random = np.random.default_rng(1)
columns = {f"x{i}": random.normal(size=5000) for i in range(4)}
gaps = {name: np.where(random.random(5000) < 0.2, np.nan, column) for name, column in columns.items()}
words = {"u": random.choice(list("abc"), 5000)}
labels = random.choice(["no", "maybe", "yes"], 5000)
with event.install_listener("numba:compile", Listener()):
    for given in (columns, words, columns | words, gaps, gaps | words):
        for weights in (None, random.integers(1, 3, 5000)):
            data = Dataset.from_columns({**given, "y": labels}, target="y", weights=weights)
            for policy in (ID3, C45, CART):
                tree = grow(data, evolve(policy, stop=policy.stop | max_depth(4)), engine="compiled")
            predict(tree, data.take(np.arange(100_000) % 5000)), predict_counts(tree, data)
print(compiled)
"""


@pytest.mark.wide
def test_once_compiled_no_table_waits_for_the_compiler():
    assert compile_module.compile_kernels() is not None
    run_example(compile_module.compile_kernels)
    counted = subprocess.run([sys.executable, "-c", COUNTS], capture_output=True, text=True, check=True)  # noqa: S603  # as above
    assert counted.stdout == "[]\n"


def test_prediction_is_compiled_for_very_many_rows_and_for_rows_with_gaps(monkeypatch):
    asked = []
    monkeypatch.setattr(compile_module, "predict", lambda _, rows: asked.append(len(rows)))
    monkeypatch.setattr(compile_module, "predict_counts", lambda _, rows: asked.append(len(rows)))
    compile_module._predicted(None, Dataset.from_rows([["a"], ["b"]], [0, 1]))
    assert asked == [100_000, 2]


def test_a_lock_is_left_behind_when_it_is_ten_minutes_old(uncompiled, tmp_path):
    assert uncompiled == []
    with compile_module._alone():
        (lock,) = (tmp_path / "kernels").glob("*.lock")
        for age, alone in ((590, False), (610, True)):
            os.utime(lock, (time.time() - age,) * 2)
            with compile_module._alone() as second:
                assert second is alone


def test_what_is_compiled_for_has_numbers_and_words_gaps_and_weights_by_each_algorithm_and_an_impurity_of_ones_own():
    *cases, (last, own) = compile_module._cases()
    for (complete, policy), (whole, same) in zip(cases[::2], cases[1::2], strict=True):
        assert policy == same
        assert complete.weights is None
        assert len(complete.columns) == 3
        assert all(len(set(column)) == len(complete) == 6000 for column in complete.columns), "too many values for codes"
        assert [feature.kind for feature in whole.schema.features] == ["numeric"] * 3 + ["nominal"] * 2
        for column, numbers in zip(whole.columns, complete.columns, strict=False):
            known = ~np.isnan(column)
            assert 0.08 < 1 - known.mean() < 0.12
            assert (column[known] == numbers[known]).all()
        assert set(whole.weights) == {1, 2, 3}
        assert np.corrcoef(complete.columns[0], complete.labels)[0, 1] > 0.3, "there is something to learn"
    assert [policy for _, policy in cases[::2]] == [ID3, C45, CART, evolve(ID3, missing="heaviest")]
    assert last.columns[0].tolist() == cases[0][0].columns[0].tolist()
    assert [float(own.impurity(np.array(counts))) for counts in ([1.0, 3.0], [0.0, 0.0], [0.25, 0.5])] == [0.25, 0.0, 0.25]


def test_parts_are_counted_as_compiled_with_more_bins_than_a_look_takes_in_and_with_rows_enough(monkeypatch):
    counted = []
    monkeypatch.setattr(compile_module, "source_of", lambda rows, bins: (len(rows), bins))
    monkeypatch.setattr(compile_module, "grow", lambda source, policy: counted.append((*source, policy)))
    compile_module._counted()
    assert counted == [(20_000, 5000, evolve(ID3, stop=max_depth(2)))] * 2


def test_whoever_waits_for_other_code_is_told_once(uncompiled, capsys):  # noqa: ARG001  # whose machine it is
    for _ in range(2):
        compilation.tell_of_compiling("the search for something", 10)
    assert capsys.readouterr().err == (
        "ftree: compiling the search for something, which takes about 10 s, once. `python -m ftree.compile` does it beforehand.\n"
    )


def test_searches_without_kernels_and_pruning_are_compiled_with_missing_values_and_weights_and_without(monkeypatch):
    small = [(data.take(np.arange(300)), policy) for data, policy in compile_module._cases() if policy == CART]
    seen = []
    monkeypatch.setattr(compile_module, "_cases", lambda: iter([*small, (None, ID3)]))
    kinds = set()

    def raised(nodes, *_, **given):
        seen.append((len(nodes), given))
        kinds.update(type(node.split) for node in nodes if isinstance(node, Branch))

    monkeypatch.setattr(compile_module, "raised_in_compiled_code", raised)
    monkeypatch.setattr(compile_module, "compiled_path_losses", lambda tree, *_: seen.append(len(tree.arity)))
    compile_module._searched_and_pruned()
    assert [each[1] for each in seen[::2]] == [{"confidence": 0.25, "z": 0.5}] * 2
    assert [each[0] for each in seen[::2]] == seen[1::2]
    assert min(seen[1::2]) > 3, "there is something to prune"
    assert kinds == {Threshold, Subset}, "which kernels take"


def test_the_watch_ends_the_process_when_its_input_ends(monkeypatch):
    ended = []
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO()))
    monkeypatch.setattr(compile_module.os, "_exit", ended.append)
    compile_module._end_with_input()
    assert ended == [1]


def test_it_is_a_command(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["ftree.compile", "--help"])
    monkeypatch.delitem(sys.modules, "ftree.compile")
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("ftree.compile", run_name="__main__")
    assert ended.value.code == 0
    told = capsys.readouterr().out
    assert "python -m ftree.compile" in told
    assert "--background  no output, low priority" in told


@pytest.mark.skipif(jit.is_disabled(), reason="a kernel is a Python function here")
def test_kernels_let_other_threads_run_and_small_ones_count_no_references():
    def nothing():
        pass

    plain, free, inner = (make(nothing).targetoptions for make in (jit.kernel, jit.alloc_free, jit.inlined))
    assert all(options["nogil"] and options["error_model"] == "numpy" for options in (plain, free, inner))
    assert plain.get("_nrt", True) is True
    assert free["_nrt"] is inner["_nrt"] is False
    assert (free.get("forceinline", False), inner["forceinline"]) == (False, True)
    assert jit.inlined_section(nothing).targetoptions["inline"] == "always"


def test_a_lock_makes_the_folders_above_it(monkeypatch, tmp_path):
    monkeypatch.setattr(compile_module, "mark_folders", lambda: iter([tmp_path / "home" / "cache" / "ftree"]))
    with compile_module._alone() as first, compile_module._alone() as second:
        assert (first, second) == (True, False)
