"""Mutation testing, `make mutants`: change the code at random places, and count by room how many changes no test notices.

The tool that changes places, `tools/mutate.py`, lies in the folder of shared data: the one that FTREE_SHARED names, or
`../shared`. It changes a copy of the project below `build/mutants`, and runs the quickest tests that reach the changed lines.
What survives is tried a second time with more tests. Kernels run as plain Python, since no tracer sees compiled code.
"""

import os
import subprocess
import sys
from collections import Counter
from math import ceil
from pathlib import Path
from shlex import join

HERE = Path(__file__).resolve().parent
ROOT, WORK = HERE.parent, HERE.parent / "build" / "mutants"
PROJECT = WORK / "project"
SHARED = Path(os.environ.get("FTREE_SHARED", ROOT.parent / "shared")).resolve()
TOOL = SHARED / "tools" / "mutate.py"
BASELINE, EQUIVALENT = HERE / "mutants_baseline.json", HERE / "mutants_equivalent.json"

# Mutants of each file, and at least so many of each room: one survivor of ten would say little about a room of three files.
PER_FILE, PER_ROOM = 3, 24
# The shares that must be killed: of all mutants, and of those of each room.
LEAST, LEAST_OF_ROOM = 0.95, 0.90
MARKED = "not (slow or consumer or wide)"
# What runs kernels on small tables.
KERNEL_TESTS = ["tests/growth", "tests/routing", "tests/_lib"]
PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
# Derandomized, so that a test cannot fail by chance; the same environment for measuring and for killing.
QUIET = {"FTREE_SHARED": str(SHARED), "HYPOTHESIS_PROFILE": "mutants", "PYTHONPATH": "."}
IN_PYTHON = QUIET | {"NUMBA_DISABLE_JIT": "1"}


def room_of(path: str) -> str:
    """The room of a file, with all kernels as one room, and the modules beside the rooms as another."""
    parts = Path(path).parts
    return "kernels" if "kernels" in parts else "(modules)" if len(parts) == 2 else parts[1]  # noqa: PLR2004  # ftree/stop.py


def specifications(*, kernels: bool) -> list[str]:
    """Each file of the package with the number of its mutants, as the tool takes them."""
    paths = [str(path.relative_to(PROJECT)) for path in sorted(PROJECT.glob("ftree/**/*.py"))]
    sizes = Counter(map(room_of, (path for path in paths if not path.endswith("__init__.py"))))
    asked = [path for path in paths if (room_of(path) == "kernels") == kernels]
    return [f"{path}:{max(PER_FILE, ceil(PER_ROOM / sizes[room_of(path)]))}" for path in asked]


def measure(name: str, environment: dict[str, str], *options: str) -> None:
    """Run tests, and write which lines each of them runs, and how long each takes."""
    command = [*PYTEST, "-n", "2", "-m", MARKED, "--cov-context=test", "--cov-report=", "--durations=0", *options]
    with (WORK / f"{name}.log").open("w") as log:
        where = os.environ | environment | {"COVERAGE_FILE": str(WORK / f"{name}.coverage")}
        if subprocess.run(command, cwd=PROJECT, env=where, stdout=log, check=False).returncode:  # noqa: S603  # our own tests
            sys.exit(f"The tests must pass before anything is changed; {log.name} tells which do not.")


def mutate(name: str, environment: dict[str, str], seed: int, jobs: int) -> list[dict[str, object]]:
    """The mutants of some files with what became of each; those that tests did not notice at first are tried with more tests."""
    tests = join(
        [
            *PYTEST,
            "-x",
            "-p",
            "no:xdist",
            "-p",
            "no:cov",
            "-p",
            "no:randomly",
            "-o",
            "addopts=--doctest-modules --strict-markers -rfE",
        ]
    )
    command = [
        sys.executable,
        str(TOOL),
        str(PROJECT),
        *specifications(kernels=name == "kernels"),
        "--seed",
        str(seed),
        "--jobs",
        str(jobs),
    ]
    command += [
        "--coverage",
        str(WORK / f"{name}.coverage"),
        "--durations",
        str(WORK / f"{name}.log"),
        "--command",
        f"{tests} @{{tests}}",
    ]
    first, second = WORK / f"{name}.1.jsonl", WORK / f"{name}.2.jsonl"
    for options in (
        ["--most", "150", "--slowest", "2", "--timeout", "120", "--out", str(first)],
        ["--most", "1000", "--slowest", "10", "--timeout", "600", "--out", str(second), "--only", str(first)],
    ):
        subprocess.run([*command, *options], env=os.environ | environment, check=True)
    return [*(each for each in read(first) if each["outcome"] == "killed"), *read(second)]
