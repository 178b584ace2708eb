"""Ctrl-C ends growth and prediction soon, whatever code is running, and the caller gets a KeyboardInterrupt."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

# A second, and a margin for a busy machine.
SOON = 5
# Python itself swallows an interrupt that falls into a callback of a weak reference, as of the threads that end, and says so.
SWALLOWED = re.compile(r"Exception ignored in: .*?\nKeyboardInterrupt: ?\n", re.DOTALL)
# A timer replaces a person at the keyboard: its handler runs where Python next checks for signals, like that of Ctrl-C.
SCRIPT = """
import random, signal, time
import numpy as np
from ftree import CART, Dataset, Leaf, Tree, grow, predict_counts
from ftree.tree import Threshold
from ftree.testing import chain

def interrupt(*_):
    raise KeyboardInterrupt

def seconds(run):
    start = time.monotonic()
    run()
    return time.monotonic() - start

def longest_wait(run, rounds):
    whole, waits = min(seconds(run) for _ in range(4)), []  # a visit of the garbage collector takes longer than a growth
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
# Codes, numbers with gaps and surrogates.
GROW_KINDS = """
n = 20_000
columns = {f"x{number}": np.where(numbers.random(n) < 0.1, np.nan, numbers.random(n)) for number in range(4)}
columns |= {f"c{number}": numbers.integers(0, 5, n).astype(str) for number in range(2)}
data = Dataset.from_columns({**columns, "y": numbers.integers(0, 2, n).astype(str)}, target="y")
for n_jobs in (1, 2):
    print(longest_wait(lambda: grow(data, CART, engine="compiled", n_jobs=n_jobs), 12))
"""
PREDICT = """
tree = chain(1000)
x = np.where(numbers.random(3000) < 0.5, np.nan, 1000 * numbers.random(3000))
rows = Dataset.from_columns({"x": x, "class": ["even"] * 3000})
print(longest_wait(lambda: predict_counts(tree, rows), 12))
"""


@pytest.mark.wide
def test_growth_and_prediction_end_soon_with_a_keyboard_interrupt():
    grown = [GROW % given for given in ((10_000, "compiled", 1, 20), (10_000, "compiled", 2, 20), (300, "plain", 1, 10))]
    where = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    finished = subprocess.run(  # noqa: S603  # our own code
        [sys.executable, "-c", "".join([SCRIPT, *grown, GROW_KINDS, PREDICT])],
        capture_output=True,
        text=True,
        check=False,
        env=where,
    )
    assert (finished.returncode, SWALLOWED.sub("", finished.stderr)) == (0, "")
    waits = list(map(float, finished.stdout.split()))
    assert len(waits) == 6
    assert max(waits) < SOON
