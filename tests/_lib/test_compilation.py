"""Nobody waits for a compiler unannounced: what does a task while nothing is compiled, and the messages meanwhile."""

import os
import runpy
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from skipped_examples import run_example

from ftree import compile as compile_module
from ftree._lib import compilation
from ftree._lib.machine import locked

pytest.importorskip("numba", reason="there is nothing to compile without it")

TREES, OTHERS = "trees", "counts"


@pytest.fixture
def uncompiled(tmp_path, monkeypatch):
    """A machine on which nothing is compiled, and the kinds for which it starts a compiler, which ends at once."""
    started = []
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kernels"))
    monkeypatch.delenv("FTREE_COMPILE")
    monkeypatch.setattr(compilation, "compiled", set())
    monkeypatch.setattr(compilation, "_told", set())
    monkeypatch.setattr(compilation, "_in_numpy", [0.0])

    def start(kind):
        started.append(kind)
        return SimpleNamespace(wait=lambda: compilation.mark(kind))

    monkeypatch.setattr(compilation, "compile_in_background", start)
    return started


def test_a_quick_task_is_done_without_compiled_code_which_a_process_makes_meanwhile(uncompiled, capsys):
    assert not compilation.is_ready(TREES, 0.9)
    assert uncompiled == [TREES]
    assert capsys.readouterr().err == ""


def test_a_task_of_some_seconds_says_once_why_it_is_slow(uncompiled, capsys):
    assert not any(compilation.is_ready(kind, 2) for kind in (TREES, TREES, OTHERS))
    assert set(uncompiled) == {TREES, OTHERS}
    told = "ftree: compiling in the background, once per installation; NumPy grows this tree meanwhile (about 2 s)\n"
    assert capsys.readouterr().err == told


def test_a_longer_task_waits_for_the_kernels_that_it_needs_and_says_so_once(uncompiled, capsys):
    assert [compilation.is_ready(TREES, 3), compilation.is_ready(TREES, 0)] == [True, True]
    assert uncompiled == [TREES]
    told = f"compiling the code for {TREES}, which takes up to {compilation.KINDS[TREES]} s, once per installation"
    assert capsys.readouterr().err.count(told) == 1
    assert not compilation.is_compiled(OTHERS), "other kernels are marked by themselves"


@pytest.mark.parametrize(("how", "ready"), [("now", True), ("never", False)])
def test_the_environment_says_when_kernels_are_compiled(uncompiled, monkeypatch, capsys, how, ready):
    monkeypatch.setenv("FTREE_COMPILE", how)
    assert compilation.is_ready(TREES, 1.5) is ready
    assert uncompiled == [TREES] * ready
    assert ("working without compiled code (about 2 s)" in capsys.readouterr().err) is not ready


def test_another_value_in_the_environment_is_refused(uncompiled, monkeypatch):
    monkeypatch.setenv("FTREE_COMPILE", "later")
    with pytest.raises(ValueError, match="FTREE_COMPILE must be one of background, now, never, got 'later'"):
        compilation.is_ready(TREES, 0)
    assert uncompiled == []


def test_where_compilation_is_disabled_nothing_is_ready_and_nobody_waits(uncompiled, monkeypatch, capsys):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    compilation.mark(TREES)
    compilation.tell_of_compilation(TREES)
    assert not compilation.is_ready(TREES, 1000)
    assert not compilation.is_compiled(TREES)
    assert not compilation.pays(TREES, 1000, 10, 1)
    assert "compiling" not in capsys.readouterr().err
    assert uncompiled == []


def test_a_mark_holds_for_its_kind_in_its_folder(uncompiled, monkeypatch, tmp_path):
    assert compilation.mark(TREES).parent == tmp_path / "kernels"
    assert (compilation.is_compiled(TREES), compilation.is_compiled(OTHERS)) == (True, False)
    monkeypatch.setattr(compilation, "compiled", set())
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "others"))
    assert not compilation.is_compiled(TREES)
    assert uncompiled == []


def test_without_a_folder_of_its_own_the_mark_is_beside_the_kernels_or_in_the_users_cache(monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert [folder.parts[-2:] for folder in compilation.mark_folders()] == [("kernels", "__pycache__"), (".cache", "ftree")]


def test_where_no_folder_can_be_written_to_there_is_no_mark_and_nothing_to_compile(uncompiled, monkeypatch, tmp_path, capsys):
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    assert compilation.mark(TREES) is None
    assert not compilation.is_compiled(TREES)
    assert compile_module.main([TREES]) == 1
    assert "not kept" in capsys.readouterr().out
    assert uncompiled == []


@pytest.mark.parametrize(
    ("n", "loaded", "compiled", "wanted"),
    [
        (99, True, True, False),
        (100, True, True, True),
        (100, False, True, False),
        (1000, False, True, True),
        (100, True, False, False),
    ],
)
def test_compiled_code_pays_for_enough_items_where_it_is_loaded_or_saves_the_time_of_loading(
    n, loaded, compiled, wanted, uncompiled, monkeypatch
):
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    if loaded:
        monkeypatch.setitem(sys.modules, "numba", sys)
    if compiled:
        compilation.mark(TREES)
    assert compilation.pays(TREES, n, 100, 1e-3) == wanted
    assert uncompiled == []
    assert any(compilation.pays(TREES, n, 100, 1e-3) for _ in range(9)) == (compiled and n >= 100), "many tasks count as one"


@pytest.mark.parametrize("given", [{"executable": ""}, {"frozen": True}, {"executable": "/no/such/python"}])
def test_where_no_process_can_be_started_there_is_none(given, monkeypatch):
    for name, value in given.items():
        monkeypatch.setattr(sys, name, value, raising=False)
    assert compilation.compile_in_background(f"{TREES} of {given}") is None


# Processes: those of a user, which start others.


def environment(folder, **others):
    path = os.pathsep.join([str(Path(__file__).parents[2]), *filter(None, sys.path)])
    kept = {name: value for name, value in os.environ.items() if name != "FTREE_COMPILE"}
    return kept | {"NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": path} | others


def run(code, folder, **others):
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment(folder, **others), capture_output=True, text=True, check=True)  # noqa: S603  # ours


def started(folder, *arguments):
    """A compiler that stops at once where the process that started it ends while it waits, in place of ten seconds later."""
    code = f"from ftree import compile; compile._SOON = 0; compile.main({['--background', *arguments]})"
    command = [sys.executable, "-c", code]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment(folder))  # noqa: S603  # ours


def test_a_killed_compiler_leaves_no_lock_and_who_waits_for_one_ends_with_its_parent(tmp_path):
    with started(tmp_path, OTHERS) as first:
        while not (locks := [*tmp_path.glob("*-lock.compiled")]):
            time.sleep(0.1)
        first.kill()
    touched = locks[0].stat().st_mtime_ns
    with locked(locks[0]), started(tmp_path, OTHERS) as second:
        while locks[0].stat().st_mtime_ns == touched:
            time.sleep(0.1)
        time.sleep(0.5)
        assert second.poll() is None, "it waits"
        second.stdin.close()
        assert second.wait(timeout=50) == 1


HOLD = """
import sys, time
from pathlib import Path
from ftree._lib.machine import locked
with locked(Path(sys.argv[1])):
    print("in", flush=True)
    time.sleep(0.2)
    print("out", flush=True)
"""


def test_one_process_at_a_time_holds_a_lock(tmp_path):
    command = [sys.executable, "-c", HOLD, str(tmp_path / "lock")]
    with (tmp_path / "order").open("w") as order:
        both = [subprocess.Popen(command, stdout=order, env=environment(tmp_path)) for _ in range(2)]  # noqa: S603  # ours
    assert [process.wait(timeout=60) for process in both] == [0, 0]
    assert (tmp_path / "order").read_text().split() == ["in", "out"] * 2


POOL = """
from concurrent.futures import ProcessPoolExecutor
from functools import partial
import numpy as np, ftree as ft
random = np.random.default_rng(0)
data = ft.Dataset.from_frame(random.normal(size=(20_000, 18)), random.integers(0, 2, 20_000))
with ProcessPoolExecutor(2) as pool:
    print(*map(ft.depth, pool.map(partial(ft.grow, data), [ft.ID3.stopping(ft.stop.max_depth(2))] * 4)))
"""


def test_processes_of_a_pool_print_nothing_and_start_nothing(tmp_path):
    done = run(POOL, tmp_path / "kernels")
    assert done.stdout.split() == ["2"] * 4
    assert done.stderr == ""
    assert not (tmp_path / "kernels").exists()


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
    assert all(map(compilation.is_compiled, compilation.KINDS))
    counted = subprocess.run([sys.executable, "-c", COUNTS], capture_output=True, text=True, check=True)  # noqa: S603  # as above
    assert counted.stdout == "[]\n"


def test_where_no_process_starts_a_long_task_compiles_as_it_goes(uncompiled, monkeypatch, capsys):
    monkeypatch.setattr(compilation, "compile_in_background", lambda _: None)
    assert compilation.is_ready(TREES, 3)
    assert capsys.readouterr().err.startswith(f"ftree: compiling the code for {TREES}")
    assert uncompiled == []


@pytest.mark.parametrize("kind", compilation.KINDS)
def test_kernels_of_each_kind_are_compiled_and_marked(kind, monkeypatch, tmp_path):
    """Only the marks are in a folder of this test, so kernels that are on disk are read from there."""
    monkeypatch.setattr(compilation, "compiled", set())
    monkeypatch.setattr(compile_module, "compiled", compilation.compiled)
    monkeypatch.setattr(compilation, "mark_folders", lambda: iter([tmp_path]))
    assert not compilation.is_compiled(kind)
    assert compile_module.compile_kernels(kind).is_relative_to(tmp_path)
    assert compilation.is_compiled(kind)
    assert compile_module.compile_kernels(kind).is_file()


def test_the_command_says_how_long_it_took_and_where_the_mark_is(capsys):
    assert compile_module.main([OTHERS]) == 0
    assert "s; noted in " in capsys.readouterr().out
    assert compilation.is_compiled(OTHERS)


def test_it_is_a_command(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["ftree.compile", "--help"])
    monkeypatch.delitem(sys.modules, "ftree.compile")
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("ftree.compile", run_name="__main__")
    assert ended.value.code == 0
    told = capsys.readouterr().out
    assert "python -m ftree.compile" in told
    assert "--background" in told
