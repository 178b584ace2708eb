"""Compile all kernels beforehand: `python -m ftree.compile`, for instance in a container's image or before tests.

Numba keeps machine code beside the library or, where that folder is read-only, in the user's cache; NUMBA_CACHE_DIR names
another folder. Users whose machine has the code there never wait for a compiler.
"""

import os
import signal
import sys
import threading
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from time import perf_counter, time

import numpy as np
from attrs import evolve

from ftree._lib.compilation import count_as_compiled
from ftree._lib.compiled_mark import is_marked, mark, mark_folders, mark_name
from ftree._lib.random_numbers import generator_of
from ftree.criteria.impurity import compiled_impurity, gini
from ftree.data.dataset import Dataset
from ftree.datasets import lenses, monks
from ftree.exact import entropy, optimal
from ftree.growth.grow import grow
from ftree.policy import C45, CART, ID3, Policy
from ftree.prune.compiled_path import compiled_path_losses
from ftree.prune.compiled_raising import raised_in_compiled_code
from ftree.prune.weakest_links import risks_of_counts
from ftree.routing.flat import flat
from ftree.routing.incremental import Descent
from ftree.routing.predict import predict, predict_counts
from ftree.scan.from_dataset import source_of
from ftree.stop import max_depth
from ftree.tree.nodes import Tree, level_order

__all__ = ["compile_kernels"]
__dir__ = __all__.copy  # dir() shows public names only

# Enough rows for each kernel, with columns of few and of many values; rows with missing values take little time to this depth.
_ROWS, _GAPS, _DEPTH = 6000, 0.1, 4
# A part that is large enough for kernels, and more bins than one scan counts.
_PART, _BINS = 20_000, 5000
# A lock older than this many seconds was left by a process that was killed.
_OLD = 600


def compile_kernels() -> Path | None:
    """Compile the kernels of growth and prediction, and mark this as done: the mark's path, or None where no folder is writable.

    It takes about 50 seconds the first time, and one second afterwards.

    >>> compile_kernels()  # doctest: +SKIP
    """
    count_as_compiled()
    for dataset, policy in _cases():
        tree = grow(dataset, evolve(policy, stop=policy.stop | max_depth(_DEPTH)), engine="compiled", n_jobs=1)
        _predicted(tree, dataset)
    _counted()
    _searched_and_pruned()
    large = evolve(monks(2), weights=np.full(len(monks(2)), 100))
    # Two classes with short and long counts, and more classes, have kernels of their own; and so have thresholds.
    for table in (monks(2), large, lenses(), *_tables_of_numbers()):
        optimal(table, max_depth=4, states=30)
        optimal(table, max_depth=3, states=30, objective=entropy())
    return mark()


def _tables_of_numbers() -> Iterator[Dataset]:
    """Columns of many numbers, with the counts of `compile_kernels`."""
    column = np.arange(40.0)
    for n_classes, weight in ((2, 1), (2, 1000), (3, 1)):
        yield Dataset.from_columns({"x": column, "class": column % n_classes}, weights=np.full(40, weight))


def _counted() -> None:
    """Count parts of tables that are not in memory, with and without missing values and weights."""
    for dataset in (dataset for dataset, policy in _cases() if policy is ID3):
        many = dataset.take(np.arange(_PART) % len(dataset))
        grow(source_of(many, bins=_BINS), evolve(ID3, stop=max_depth(2)))


def _searched_and_pruned() -> None:
    """Grow by an impurity that has no kernel, and prune, with and without missing values and weights."""
    for dataset, policy in (dataset for dataset in _cases() if dataset[1] is CART):
        own = evolve(policy, impurity=partial(gini), missing="ignore", stop=max_depth(_DEPTH))
        tree = grow(dataset, own, engine="compiled", n_jobs=1)
        nodes, below = level_order(tree.root)
        raised_in_compiled_code(nodes, below, Descent.of(dataset), confidence=0.25, z=0.5)
        compiled_path_losses(flat(tree.root), risks_of_counts(flat(tree.root).counts, gini), *np.ones((2, len(nodes), 2)))


def _cases() -> Iterator[tuple[Dataset, Policy]]:
    """Small tables and policies which together call every kernel."""
    random = generator_of(0)
    numbers = {f"x{i}": random.normal(size=_ROWS) for i in range(3)}
    gaps = {name: np.where(random.random(_ROWS) < _GAPS, np.nan, column) for name, column in numbers.items()}
    words = {name: random.choice(list("abcdef"), _ROWS) for name in ("u", "v")}
    labels = np.where(numbers["x0"] + random.normal(size=_ROWS) > 0, "yes", "no")
    weights = random.integers(1, 4, _ROWS)
    for policy in (ID3, C45, CART, evolve(ID3, missing="heaviest")):
        for columns, given in ((numbers, None), (gaps | words, weights)):
            yield Dataset.from_columns({**columns, "class": labels}, weights=given), policy
    # A user's function is called by kernels that no other impurity needs.
    own = evolve(ID3, impurity=compiled_impurity(lambda counts: counts.min() / max(counts.sum(), 1.0)))
    yield Dataset.from_columns({**numbers, "class": labels}), own


def _predicted(tree: Tree, dataset: Dataset) -> None:
    """Predict by each compiled method: to one leaf for very many rows, and to several leaves for many rows."""
    many = dataset.take(np.arange(100_000) % len(dataset))
    predict(tree, many)
    predict_counts(tree, dataset)


def main(arguments: list[str] | None = None) -> int:
    """Compile the kernels, and print how long this took and where the machine code is."""
    parser = ArgumentParser(prog="python -m ftree.compile", description="Compile all kernels beforehand.")
    parser.add_argument("--background", action="store_true", help="no output, low priority, end when standard input ends")
    if parser.parse_args(arguments).background:
        return _in_background()
    began = perf_counter()
    place = compile_kernels()
    kept = f"noted in {place}" if place else "not kept, since no folder is writable: set NUMBA_CACHE_DIR"
    print(f"Compiled in {perf_counter() - began:.1f} s; {kept}.")  # noqa: T201  # a command
    return 0 if place else 1


def _in_background() -> int:
    """Compile unless another process does; end when the process that started this one ends."""
    with suppress(AttributeError):  # Windows has no such call
        os.nice(19)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the interrupt is meant for the foreground process
    threading.Thread(target=_end_with_input, daemon=True).start()
    with _alone() as alone:
        if alone and not is_marked():
            compile_kernels()
    return 0


def _end_with_input() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


@contextmanager
def _alone() -> Iterator[bool]:
    """Whether no other process holds the lock; this one holds it until the block ends."""
    lock = next(mark_folders()) / f"{mark_name()}.lock"
    with suppress(OSError):
        lock.parent.mkdir(parents=True, exist_ok=True)
    with suppress(OSError):
        if time() - lock.stat().st_mtime > _OLD:
            lock.unlink()
    try:
        lock.touch(exist_ok=False)
    except FileExistsError:
        yield False
        return
    except OSError:  # the folder is not writable: numba finds another one
        yield True
        return
    try:
        yield True
    finally:
        lock.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main())
