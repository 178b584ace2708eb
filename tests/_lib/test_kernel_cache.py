"""Kernels on disk: stale ones are compiled again, and a missing folder is no error."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ftree._lib import jit
from ftree._lib.compilation import clear_stale_kernels
from ftree._lib.jit import kernel

config = pytest.importorskip("numba", reason="kernels need numba").config


def twice(x):
    return x + x


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder where numba keeps kernels, set by NUMBA_CACHE_DIR."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    jit._fresh.cache_clear()
    return tmp_path


def was_read():
    """Compile or read `twice`, check what it returns, and say whether it was read."""
    compiled = kernel(twice)
    assert compiled(21) == 42
    return bool(compiled.stats.cache_hits)


def test_a_kernel_is_read_from_the_folder_that_NUMBA_CACHE_DIR_names(folder):
    assert [was_read() for _ in range(3)] == [False, True, True]
    assert {path.suffix for path in folder.glob("*/*")} == {".nbi", ".nbc", ".digest"}


def test_kernels_are_compiled_as_numbas_documentation_says():
    compiled = kernel(twice)
    options = {"nogil": True, "error_model": "numpy", "nopython": True, "boundscheck": None, "no_cfunc_wrapper": True}
    assert compiled.targetoptions == options


def test_kernels_are_compiled_again_when_any_file_with_kernels_has_changed(folder):
    """Numba checks only the file of a kernel, and not the files of the kernels that it calls."""
    assert [was_read(), was_read()] == [False, True]
    (mark,) = folder.glob("*/*.digest")
    mark.rename(mark.with_name("ftree-another.digest"))
    jit._fresh.cache_clear()
    assert [was_read(), was_read()] == [False, True]
    assert [path.name for path in folder.glob("*/*.digest")] == [mark.name]


def test_a_folder_that_cannot_be_written_to_stays_as_it_is(tmp_path):
    (tmp_path / "file").touch()
    clear_stale_kernels(tmp_path / "file")
    assert (tmp_path / "file").is_file()


def test_a_kernel_without_a_file_is_compiled_for_its_process_only():
    """As where numba finds no folder to write to."""
    names = {}
    exec("def twice(x): return x + x", names)  # noqa: S102  # a function without a file
    compiled = kernel(names["twice"])
    assert (compiled(21), compiled.stats.cache_path) == (42, None)


def test_without_numba_a_kernel_is_its_function(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    names = runpy.run_path(jit.__file__)
    assert names["is_disabled"]()
    assert names["kernel"](twice)(21) == 42


def test_without_compilation_a_kernel_is_its_function_which_does_not_warn(monkeypatch):
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    doubled = kernel(twice)
    assert doubled(np.uint64(2**63 + 1)) == 2


GROWN = """
import numpy as np, ftree
random = np.random.default_rng(0)
columns = {"x": random.random(99), "sky": random.choice(list("abc"), 99), "y": random.choice(list("pqr"), 99)}
data = ftree.Dataset.from_columns(columns, target="y")
for policy in (ftree.ID3, ftree.CART):
    tree = ftree.grow(data, policy, engine="compiled")
    assert tree == ftree.grow(data, policy, engine="plain")
    assert list(ftree.predict(tree, data)) == list(ftree.predict(tree, list(zip(columns["x"], columns["sky"]))))
    assert ftree.predict_counts(tree, [[None, "a"], [0.5, None]]).shape == (2, 3)
"""


def test_trees_grow_and_predict_without_compilation_and_without_warnings():
    where = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(Path(__file__).parents[2])}
    finished = subprocess.run(  # noqa: S603  # our own code
        [sys.executable, "-W", "error", "-c", GROWN], capture_output=True, text=True, check=False, env=where
    )
    assert (finished.returncode, finished.stderr) == (0, "")


def test_kernels_are_tested_one_by_one_as_plain_python():
    root = Path(__file__).parents[2]
    where = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(root), "HYPOTHESIS_PROFILE": "quick"}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "--no-cov",
        "tests/growth/test_kernels.py",
    ]
    finished = subprocess.run(command, capture_output=True, text=True, check=False, env=where, cwd=root)  # noqa: S603  # our own code
    assert finished.returncode == 0, finished.stdout
