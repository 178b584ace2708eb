"""Kernels on disk: stale or damaged ones are compiled again, and neither a missing folder nor a full disk is an error."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from numba import config
from numba.core.caching import InTreeCacheLocator
from numba.core.codegen import CPUCodegen

from ftree._lib import kernel_cache
from ftree._lib.jit import alloc_free, inlined, inlined_section, internal, kernel
from ftree._lib.kernel_digest import sources_digest


def twice(x):
    return x + x


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder where numba keeps kernels, set by NUMBA_CACHE_DIR."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    return tmp_path


def was_read():
    """Compile or read `twice`, check what it returns, and say whether it was read."""
    compiled = kernel(twice)
    assert compiled(21) == 42
    return bool(compiled.stats.cache_hits)


def test_a_kernel_is_read_from_the_folder_that_NUMBA_CACHE_DIR_names(folder):
    assert [was_read() for _ in range(3)] == [False, True, True]
    assert {path.suffix for path in folder.glob("*/*")} == {".nbi", ".nbc"}


def test_a_folder_that_is_read_only_now_serves_kernels_that_were_compiled_before(monkeypatch, tmp_path):
    monkeypatch.setattr(config, "CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    beside = Path(__file__).parent / "__pycache__"
    try:
        was_read()
        assert list(beside.glob("test_kernel_cache.twice-*.nbi"))
        monkeypatch.setattr(InTreeCacheLocator, "from_function", classmethod(lambda *_: None))  # as where writing fails
        assert was_read()
    finally:
        for file in beside.glob("test_kernel_cache.twice-*"):
            file.unlink()
    assert [was_read(), was_read()] == [False, True], "without any, the user's folder"
    assert list(tmp_path.glob("numba/*/*.nbi"))


@pytest.mark.usefixtures("folder")
def test_a_chosen_folder_that_is_read_only_now_serves_kernels_too(monkeypatch):
    assert not was_read()
    monkeypatch.setattr(kernel_cache._Chosen, "from_function", classmethod(lambda *_: None))  # as where writing fails
    assert was_read()
    monkeypatch.setattr(config, "CACHE_DIR", "")
    assert kernel_cache._ReadOnlyChosen.from_function(twice, __file__) is None


ZEROS = """
import numpy as np
from ftree._lib.jit import kernel

@kernel
def zeros(n):
    return np.zeros(n)
"""


def test_a_process_that_compiles_nothing_makes_arrays_in_kernels_that_it_reads(folder, monkeypatch):
    (folder / "kernel_of_zeros.py").write_text(ZEROS)
    monkeypatch.syspath_prepend(folder)
    assert import_module("kernel_of_zeros").zeros(2).tolist() == [0, 0]
    where = os.environ | {"NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": f"{Path(__file__).parents[2]}{os.pathsep}{folder}"}
    tried = "from kernel_of_zeros import zeros; print(zeros(3).tolist(), len(zeros.stats.cache_hits))"
    finished = subprocess.run([sys.executable, "-c", tried], capture_output=True, text=True, check=False, env=where)  # noqa: S603  # our own code
    assert (finished.returncode, finished.stdout) == (0, "[0.0, 0.0, 0.0] 1\n")


# Kernels release Python's lock, and divide as numpy does; C code calls none.
EVERY_KERNEL = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True, "nopython": True, "boundscheck": None}


@pytest.mark.parametrize(
    ("compiler", "own"),
    [
        (kernel, {}),
        (alloc_free, {"_nrt": False}),  # counts no references
        (internal, {"_nrt": False, "no_cpython_wrapper": True}),
        (inlined, {"_nrt": False, "no_cpython_wrapper": True, "forceinline": True}),
        (inlined_section, {"inline": "always"}),
    ],
)
def test_each_kind_of_kernel_is_compiled_as_its_name_says(compiler, own):
    assert compiler(twice).targetoptions == EVERY_KERNEL | own


@pytest.mark.usefixtures("folder")
def test_processes_that_compile_at_once_leave_files_that_others_read(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(kernel_cache.KernelCache, "load_overload", lambda *_: None)  # neither finds what the other writes
        kernels = [kernel(twice) for _ in range(4)]
        with ThreadPoolExecutor(4) as threads:
            assert list(threads.map(lambda compiled: compiled(21), kernels)) == [42] * 4
    assert was_read()


@pytest.mark.usefixtures("folder")
def test_a_folder_that_several_machines_share_has_kernels_for_each_processor(monkeypatch):
    assert [was_read(), was_read()] == [False, True]
    with monkeypatch.context() as patch:
        patch.setattr(CPUCodegen, "magic_tuple", lambda _: ("another", "processor", ""))
        assert [was_read(), was_read()] == [False, True]
    assert was_read()


def cut(share):
    return lambda whole: whole[: int(len(whole) * share)]


def with_another_byte(share):
    def damaged(whole):
        at = int(len(whole) * share)
        return whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :]

    return damaged


DAMAGES = [cut(0), cut(0.01), cut(0.5), cut(0.99), lambda _: b"what is no pickle", lambda _: b"\x80\x04N."]
DAMAGES += [with_another_byte(share) for share in (0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99)]


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", range(len(DAMAGES)))
def test_a_damaged_file_is_given_up_and_the_kernel_compiled_again(folder, suffix, damage):
    was_read()
    (file,) = folder.glob(f"*/*.{suffix}")
    file.write_bytes(DAMAGES[damage](file.read_bytes()))
    was_read()
    assert was_read(), "what was compiled again is on disk again"


def test_machine_code_with_another_byte_is_not_run(folder):
    was_read()
    (file,) = folder.glob("*/*.nbc")
    file.write_bytes(with_another_byte(0.5)(file.read_bytes()))
    assert not was_read()


def test_a_damaged_file_that_cannot_be_replaced_stops_nobody(folder, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    was_read()
    (file,) = folder.glob("*/*.nbi")
    file.write_bytes(b"")
    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile._open_for_write", full)
    assert [was_read(), was_read()] == [False, False]


def test_kernels_are_compiled_again_when_any_file_with_kernels_has_changed(folder, monkeypatch):
    """Numba checks only the file of a kernel, and not the files of the kernels that it calls."""
    assert [was_read(), was_read()] == [False, True]
    monkeypatch.setattr(kernel_cache, "kernel_digest", lambda: "another")
    assert [was_read(), was_read()] == [False, True]
    assert len(list(folder.glob("*/*"))) == 2, "stale files are replaced"


def test_the_digest_is_that_of_all_files_with_kernels(tmp_path):
    source = tmp_path / "growth" / "kernels" / "scan.py"
    source.parent.mkdir(parents=True)
    digests = [sources_digest(tmp_path)]
    for text in ("one = 1", "one = 2", "one = 1"):
        source.write_text(text)
        digests.append(sources_digest(tmp_path))
    (tmp_path / "growth" / "grow.py").write_text("not compiled")
    assert sources_digest(tmp_path) == digests[1] == digests[3]
    assert len(set(digests)) == 3


def test_without_any_place_for_a_cache_kernels_are_compiled_for_the_process(monkeypatch):
    def nowhere(_):
        raise RuntimeError("no locator available")

    monkeypatch.setattr("ftree._lib.jit.KernelCache", nowhere)
    assert [was_read(), was_read()] == [False, False]


def test_without_compilation_a_kernel_is_its_function_which_does_not_warn(monkeypatch):
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    doubled = kernel(twice)
    assert doubled(np.uint64(2**63 + 1)) == 2


GROWN = """
import numpy as np, ftree
random = np.random.default_rng(0)
columns = {"x": random.random(99), "sky": random.choice(list("abc"), 99), "y": random.choice(list("pqr"), 99)}
data = ftree.Dataset.from_columns(columns, target="y")
mixed = ftree.evolve(ftree.ID3, impurity=ftree.compiled_impurity(lambda counts: 1.0 - counts.max() / max(counts.sum(), 1.0)))
for policy in (ftree.ID3, ftree.CART, mixed):
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
    where = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(root)}
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
        "tests/exact/test_exact_kernels.py",
        "tests/growth/test_kernels.py",
        "tests/growth/test_small_kernels.py",
        "tests/growth/test_one_call.py",
        "tests/growth/test_close_choices.py",
        "tests/growth/test_level_counts.py",
        "tests/growth/test_partition_kernels.py",
        "tests/routing/test_columns_in_memory.py",
        "tests/prune/test_path_kernels.py",
        "tests/prune/test_raising_kernels.py",
        "tests/routing/test_walk_kernels.py",
        "tests/scan/test_count_kernels.py",
    ]
    finished = subprocess.run(command, capture_output=True, text=True, check=False, env=where, cwd=root)  # noqa: S603  # our own code
    assert finished.returncode == 0, finished.stdout
