"""A tree with every split type and with names that need quoting, and the programs that are asked, or missing."""

import os
import shutil
import subprocess
from functools import partial
from glob import glob
from importlib import import_module
from math import inf
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from browser import needed
from consumers import CONSUMERS, SLOW, in_postgres

from ftree import Feature, Leaf, Schema, Tree
from ftree.testing import export_rows
from ftree.tree import Groups, Intervals, IsMissing, Multiway, Oblique, Subset, Surrogate, Threshold, WithDefault, WithSurrogates
from ftree.tree.edit import branch_of

collect_ignore_glob = ["others/made/*.py"]  # these write files for tests, and need libraries that tests do not install


@pytest.fixture(scope="session")
def needed_module():
    """A Python library that a test needs. Without it the test skips, or fails in CI."""

    def module(name):
        try:
            return import_module(name)
        except ImportError as error:
            reason = f"needs {name}, of the extra peers: {error}"
            (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)

    return module


@pytest.fixture
def consumer(request):
    """A function from a tree and a rule to one from rows to labels and counts."""
    if request.param.endswith("postgres"):
        return partial(in_postgres, request.getfixturevalue("postgres"), dialect=request.param.split()[0])
    if request.param == "c":
        needed("gcc", SLOW["c"])
    return CONSUMERS[request.param]


@pytest.fixture(scope="session")
def postgres():
    """A function from SQL to lines of PostgreSQL, on a socket in a folder of its own; it refuses to run as root."""
    found = sorted(glob("/usr/lib/postgresql/*/bin/initdb"))  # noqa: PTH207  # a pattern from the root
    programs = str(needed(found[-1] if found else "initdb", SLOW["postgres"])).removesuffix("initdb")
    user = "postgres" if os.getuid() == 0 else None
    with TemporaryDirectory(prefix="ftree-postgres-") as folder:  # not in pytest's folder, which other users may not enter
        if user:
            shutil.chown(folder, user)

        def run(*command, **options):
            options |= {"user": user, "cwd": folder, "capture_output": True, "text": True, "timeout": 300}
            return subprocess.run(command, check=True, **options).stdout  # noqa: S603  # programs of Debian

        run(f"{programs}initdb", "-D", f"{folder}/data", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        start = ["-o", f"-c listen_addresses= -k {folder}", "-l", f"{folder}/log", "-w", "start"]
        run(f"{programs}pg_ctl", "-D", f"{folder}/data", *start)
        psql = [f"{programs}psql", "-qAt", "-h", folder, "-d", "postgres", "-F", "\t", *(["-U", user] if user else [])]
        try:
            yield lambda query: run(*psql, input=query).splitlines()
        finally:
            run(f"{programs}pg_ctl", "-D", f"{folder}/data", "-m", "immediate", "stop")


@pytest.fixture(scope="session")
def mixed_tree():
    """Every split type of the library, leaves without cases, thresholds that are not short decimals, awkward names."""
    number, sky = "numeric", ("ä'b", 'ç"d', "東京", "it\\s?? <&>")
    features = [
        Feature("x", number),
        Feature("gr\"öße 's", "nominal", sky),
        Feature("size", "ordinal", ("S", "M", "L", "XL")),
        Feature("y", number),
        Feature("w", "nominal", (None, "p", "q")),
        Feature("k", "nominal", (1, 2, 3)),
        Feature("unused", "nominal", ("only",)),
    ]
    random = np.random.default_rng(3)
    none = Leaf((0, 0, 0))

    def leaf():
        return Leaf(random.integers(0, 5, 3))

    def branch(split, *below):
        return branch_of(split, below)

    surrogates = [Surrogate(Threshold(3, 2.2), reversed=True), Surrogate(Subset(1, (0,)))]
    sums = branch(Oblique((0.1, 0, 0, -1.7, 0, 0, 0), 0.35), leaf(), leaf())
    known = branch(IsMissing(3), leaf(), leaf())
    with_default = branch(WithDefault(Multiway(1, (0, 1)), default_child=2), leaf(), leaf(), leaf())
    root = branch(
        Intervals(3, (-1, 0.7, 3.3, 5.5, 8)),
        branch(Multiway(1, (0, 2)), leaf(), branch(Threshold(3, -1.1), leaf(), none)),
        branch(Intervals(0, (0.3, 1 / 3, 2.7)), leaf(), none, sums, leaf()),
        branch(
            Subset(1, (1, 3)), branch(Intervals(2, (0.5, 1.5)), leaf(), leaf(), leaf()), branch(Threshold(2, 1.5), none, none)
        ),
        branch(WithSurrogates(Threshold(0, 0.1 + 0.2), surrogates), leaf(), known),
        branch(WithDefault(Threshold(0, -0.7), default_child=0), leaf(), with_default),
        branch(Groups(5, ((0,), (2,))), branch(Multiway(4, (0, 1)), leaf(), leaf()), leaf()),
    )
    return Tree(Schema(features, "label", ("nein", "ja 'x\" \\", "日本")), root)


@pytest.fixture(scope="session")
def mixed_rows(mixed_tree):
    """Three thousand rows that the tree predicts, and the same rows with infinities in place of the largest numbers.

    The tree takes no infinite number, so the former say what the latter must answer. Where x and y are both -inf, their sum
    is NaN, and not what it is for numbers.
    """
    rows = export_rows(mixed_tree, 3000)
    swapped = {1e300: inf, -1e300: -inf}
    asked = [
        row if row[0] == row[3] == -1e300 else [swapped.get(cell, cell) if type(cell) is float else cell for cell in row]
        for row in rows
    ]
    assert len(rows) == 3000
    assert sum(inf in row or -inf in row for row in asked) > 150
    return rows, asked
