"""Compile all kernels beforehand: `python -m ftree.compile`, for instance in a container's image or before tests.

Numba keeps machine code beside the library or, where that folder is read-only, in the user's cache; NUMBA_CACHE_DIR names
another folder. Users whose machine has the code there never wait for a compiler.
"""

import gc
import os
import signal
import sys
import threading
from argparse import ArgumentParser
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from time import perf_counter, sleep

import numpy as np
from attrs import evolve

from ftree._lib.compilation import KINDS, compiled, is_compiled, kernels_are_off, mark
from ftree._lib.machine import locked
from ftree._lib.random_numbers import generator_of
from ftree.criteria.impurity import gini
from ftree.data.dataset import Dataset
from ftree.growth.growing import grow
from ftree.policy import C45, CART, ID3, Policy
from ftree.stop import max_depth

__all__ = ["compile_kernels"]
__dir__ = __all__.copy  # dir() shows public names only
# Enough rows for each kernel, with columns of few and of many values; rows with missing values take little time to this depth.
_ROWS, _GAPS, _DEPTH = 6000, 0.1, 4
# A compiler makes many objects that live long: with Python's thresholds, looking for garbage takes a sixth of the time.
_SELDOM = 100_000, 50, 1000
# Numba's usual level, 3, takes a tenth longer, and the kernels are no faster.
_OPTIMIZATION = "2"
# Seconds that compilation goes on after the program that needs it: a single kernel may take longer than a short program.
_SOON, _LONGEST = 10, 300


def compile_kernels(*kinds: str) -> Path | None:
    """Compile the kernels of growth, or those of some kinds, and mark each kind as done.

    The result is the path of the last mark, or None where no folder is writable or there is no compiler. It takes some minutes
    the first time, and seconds afterwards. One process compiles at a time; the others wait, and have nothing left to do.

    >>> compile_kernels()  # doctest: +SKIP
    """
    place = None
    for kind in () if kernels_are_off() else kinds or KINDS:
        place = mark(LOCK)
        if place is None:
            return None
        with locked(place):
            if not is_compiled(kind):
                compiled.add(kind)
                _CASES[kind]()
            place = mark(kind)
    return place


# The name of the file that is locked, as that of a mark.
LOCK = "lock"


@cache
def _numbers() -> Dataset:
    """Columns of many numbers, without missing values and weights."""
    random = generator_of(0)
    numbers = {f"x{i}": random.normal(size=_ROWS) for i in range(3)}
    labels = np.where(numbers["x0"] + random.normal(size=_ROWS) > 0, "yes", "no")
    return Dataset.from_columns({**numbers, "class": labels})


def _with_words() -> Dataset:
    """The same columns and one of words, since the native library grows trees of numbers alone."""
    table = _numbers()
    columns = {f"x{i}": column for i, column in enumerate(table.columns)}
    return Dataset.from_columns({**columns, "u": generator_of(2).choice(list("abcdef"), _ROWS), "class": table.labels})


def _with_gaps() -> Dataset:
    """The columns of numbers with missing values."""
    random, table = generator_of(3), _numbers()
    gaps = {f"x{i}": np.where(random.random(_ROWS) < _GAPS, np.nan, column) for i, column in enumerate(table.columns)}
    return Dataset.from_columns({**gaps, "class": table.labels})


@cache
def _mixed() -> Dataset:
    """The same rows with missing values, words and weights."""
    random, table = generator_of(1), _numbers()
    gaps = {f"x{i}": np.where(random.random(_ROWS) < _GAPS, np.nan, column) for i, column in enumerate(table.columns)}
    words = {name: random.choice(list("abcdef"), _ROWS) for name in ("u", "v")}
    labels = table.labels
    return Dataset.from_columns({**gaps, **words, "class": labels}, weights=random.integers(1, 4, _ROWS))


def _grow(*cases: tuple[Callable[[], Dataset], Policy]) -> None:
    for dataset, policy in cases:
        grow(dataset(), evolve(policy, stop=policy.stop | max_depth(_DEPTH)), engine="compiled", n_jobs=1)


_POLICIES = ID3, evolve(ID3, missing="heaviest"), evolve(CART, missing="ignore")
# A user's function in Python, for which kernels only count.
_COUNTED = evolve(CART, impurity=partial(gini), missing="ignore")
# What calls every kernel of a kind.
_CASES: dict[str, Callable[[], None]] = {
    "trees": partial(_grow, (_numbers, ID3), (_with_words, ID3), (_with_gaps, ID3), *((_mixed, each) for each in _POLICIES)),
    "trees by gain ratio": partial(_grow, (_numbers, C45), (_mixed, C45)),
    "surrogates": partial(_grow, (_mixed, CART)),
    "counts": partial(_grow, (_numbers, _COUNTED), (_mixed, _COUNTED)),
}


def main(arguments: list[str] | None = None) -> int:
    """Compile the kernels, and print how long this took and where the machine code is."""
    parser = ArgumentParser(prog="python -m ftree.compile", description="Compile all kernels beforehand.")
    parser.add_argument("kinds", nargs="*", metavar="kind", help=f"only kernels of these kinds: {', '.join(KINDS)}")
    parser.add_argument("--background", action="store_true", help="deaf to Ctrl-C, and ends some time after standard input")
    given = parser.parse_args(arguments)
    if given.background:  # end with the process that started this one, or some time afterwards
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the interrupt is meant for the foreground process
        threading.Thread(target=_end_with_input, daemon=True).start()
    gc.set_threshold(*_SELDOM)
    os.environ.setdefault("NUMBA_OPT", _OPTIMIZATION)  # before numba is loaded
    began, place = perf_counter(), None
    for kind in given.kinds or KINDS:
        begun, place = perf_counter(), compile_kernels(kind)
        print(f"{kind:32}{perf_counter() - begun:8.1f} s", flush=True)  # noqa: T201  # a command
    kept = f"noted in {place.parent}" if place else "not kept: numba must be installed, and NUMBA_CACHE_DIR or the home writable"
    print(f"Compiled in {perf_counter() - began:.1f} s; {kept}.")  # noqa: T201  # as above
    return 0 if place else 1


def _end_with_input() -> None:
    """End after the process at the other end of standard input, soon if this one only waits for the lock."""
    os.read(0, 1)  # not through sys.stdin, whose lock would then be held when the interpreter ends
    sleep(_SOON)
    sleep(_LONGEST if compiled else 0)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
