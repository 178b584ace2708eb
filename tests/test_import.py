"""The door: what it shows, and what it does not load."""

import re
import subprocess
import sys
from inspect import isfunction, ismodule
from pathlib import Path

import pytest

import ftree
from ftree import linear, neighbors, prune, stop

HEAVY = ("numba", "scipy", "scipy.stats", "sklearn", "matplotlib", "pandas", "polars", "narwhals", "hypothesis")


def test_importing_loads_nothing_heavy():
    code = f"import sys, ftree; print([name for name in {HEAVY!r} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603  # our own code
    assert loaded.stdout.strip() == "[]"


def test_importing_loads_nothing_that_only_files_seeds_or_statistics_need():
    """Unless numpy, attrs or toolz have loaded it already."""
    code = (
        "import sys, numpy, attrs, toolz; before = set(sys.modules); import ftree;"
        "print(sorted({'csv', 'pathlib', 'statistics', 'numpy.random'} & (set(sys.modules) - before)))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603  # our own code
    assert loaded.stdout.strip() == "[]"


def test_growing_and_reading_a_small_tree_loads_nothing_heavy():
    code = (
        "import sys, ftree; t = ftree.grow(ftree.Dataset.from_rows([['a'], ['b']], [0, 1])); str(t); ftree.predict(t, ['a']);"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603  # our own code
    assert loaded.stdout.strip() == "[]"


@pytest.mark.parametrize("module", [ftree, linear, neighbors, stop, prune], ids=["ftree", "linear", "neighbors", "stop", "prune"])
def test_every_public_name_is_listed_and_there(module):
    listed = set(module.__all__)
    assert len(listed) == len(module.__all__)
    assert all(hasattr(module, name) for name in listed)
    if module is not stop:  # where rules and what they are made of share a file
        public = {name for name, value in vars(module).items() if not name.startswith("_") and not ismodule(value)}
        assert public - listed == set()


@pytest.mark.parametrize("module", [ftree, linear, neighbors, stop, prune], ids=["ftree", "linear", "neighbors", "stop", "prune"])
def test_every_public_function_and_class_says_what_it_does(module):
    silent = [name for name in module.__all__ if isfunction(getattr(module, name)) and not getattr(module, name).__doc__]
    assert silent == []


def test_the_readme_has_every_name_in_its_table():
    table = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8").partition("## What there is")[2]
    assert [name for name in ftree.__all__ if not re.search(rf"\b{name}\b", table)] == []


def test_functions_stand_before_their_modules():
    """`ftree.grow` is the verb, though a module of that name holds it."""
    assert callable(ftree.grow)
    assert callable(ftree.predict)
    assert callable(ftree.rules)
    assert callable(ftree.fold)
