"""Ctrl-C ends growth and prediction soon, whatever code is running, and the caller gets a KeyboardInterrupt."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ftree._lib import machine as threads_module
from ftree._lib.machine import thread_pool

# A second, and a margin for a busy machine.
SOON = 5
# Python itself swallows an interrupt that falls into a callback of a weak reference, as of the threads that end, and says so.
SWALLOWED = re.compile(r"Exception ignored in: .*?\nKeyboardInterrupt: ?\n", re.DOTALL)
# A timer replaces a person at the keyboard: its handler runs where Python next checks for signals, like that of Ctrl-C.
SCRIPT = """
import random, signal, time
import numpy as np
from ftree import Dataset, Leaf, Threshold, Tree, grow, predict_counts
from ftree.testing import chain

def interrupt(*_):
    raise KeyboardInterrupt

def longest_wait(run, rounds):
    run()
    start = time.monotonic()
    run()
    whole, waits = time.monotonic() - start, []
    for _ in range(rounds):
        delay = random.uniform(0.001, whole)
        signal.setitimer(signal.ITIMER_REAL, delay)
        start = time.monotonic()
        try:
            run()
            signal.setitimer(signal.ITIMER_REAL, 0)
        except KeyboardInterrupt:
            waits.append(time.monotonic() - start - delay)
    assert len(waits) > rounds / 4
    return max(waits)

signal.signal(signal.SIGALRM, interrupt)
random.seed(0)
numbers = np.random.default_rng(0)
"""
GROW = """
n = %s
columns = {f"x{number}": numbers.random(n) for number in range(6)}
data = Dataset.from_columns({**columns, "y": numbers.integers(0, 2, n).astype(str)}, target="y")
print(longest_wait(lambda: grow(data, engine="%s", n_jobs=%s), %s))
"""
PREDICT = """
tree = chain(1000)
x = np.where(numbers.random(3000) < 0.5, np.nan, 1000 * numbers.random(3000))
rows = Dataset.from_columns({"x": x, "class": ["even"] * 3000})
print(longest_wait(lambda: predict_counts(tree, rows), 4))
"""


def run(code):
    where = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    finished = subprocess.run(  # noqa: S603  # our own code
        [sys.executable, "-c", SCRIPT + code], capture_output=True, text=True, check=False, env=where
    )
    assert (finished.returncode, SWALLOWED.sub("", finished.stderr)) == (0, "")
    return float(finished.stdout)


@pytest.mark.wide
@pytest.mark.parametrize(("engine", "jobs", "rounds"), [("compiled", 1, 40), ("compiled", 2, 40), ("plain", 1, 10)])
def test_growth_ends_soon_with_a_keyboard_interrupt(engine, jobs, rounds):
    """Kernels returned records, for which numba calls Python code: an interruption in it crashed the process."""
    assert run(GROW % (10_000 if engine == "compiled" else 300, engine, jobs, rounds)) < SOON


@pytest.mark.wide
def test_prediction_ends_soon_with_a_keyboard_interrupt():
    assert run(PREDICT) < SOON


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_no_range_of_much_work_is_long(n_jobs, monkeypatch):
    """An interruption takes effect between two ranges."""
    monkeypatch.setattr(threads_module, "_MOST_STEPS", 1000)
    ranges = []
    with thread_pool(n_jobs) as threads:
        threads.share(lambda first, last, _: ranges.append((first, last)), 640, 640_000)
    assert sorted(item for first, last in ranges for item in range(first, last)) == list(range(640))
    assert max(last - first for first, last in ranges) == 1


def test_little_work_is_one_range():
    ranges = []
    with thread_pool(1) as threads:
        threads.share(lambda first, last, _: ranges.append((first, last)), 640, 640)
    assert ranges == [(0, 640)]
    with thread_pool(1) as threads:
        threads.share(lambda *_: ranges.append(()), 0, 0)


def test_an_interruption_is_found_however_many_calls_report_it():
    def interrupted():
        inner = SystemError("returned a result with an exception set")
        inner.__cause__ = KeyboardInterrupt()
        raise SystemError(*inner.args) from inner

    with pytest.raises(KeyboardInterrupt), thread_pool(1):
        interrupted()


@pytest.mark.parametrize("cause", [None, ValueError("3")])
def test_another_system_error_stays_one(cause):
    def broken():
        raise SystemError("broken") from cause

    with pytest.raises(SystemError, match="broken"), thread_pool(1):
        broken()
