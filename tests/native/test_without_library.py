"""Without a library NumPy gives every answer that the native library gives."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

ANSWERS = """
import numpy as np, ftree as ft
from attrs import evolve
from ftree.scan.source import source_of
random = np.random.default_rng(0)
numbers, n = random.normal(size=(1300, 4)), 1300  # just enough for the native library
words = random.choice(list("abc"), n)
y = np.where(numbers[:, 0] * numbers[:, 1] + random.normal(size=n) > 0, "yes", "no")
gaps = np.where(random.random(numbers.shape) < 0.1, np.nan, numbers)
plain = ft.Dataset.from_columns({**{f"x{i}": column for i, column in enumerate(numbers.T)}, "y": y}, target="y")
mixed = ft.Dataset.from_columns({**{f"x{i}": column for i, column in enumerate(gaps.T)}, "u": words, "y": y}, target="y")
of_numbers = ft.Dataset.from_columns({**{f"x{i}": column for i, column in enumerate(numbers.T)}, "y": numbers.sum(1)}, target="y")
own = evolve(ft.ID3, impurity=lambda counts: ft.gini(counts))
policies = [policy.stopping(ft.stop.max_depth(4 if policy != own else 2)) for policy in (own, ft.ID3, ft.C45, ft.CART)]
trees = [ft.grow(data, policy) for data in (plain, mixed) for policy in policies]
for tree, data in zip(trees, [plain] * 4 + [mixed] * 4):
    many = data.take(np.arange(20_000) % n)
    print(ft.n_nodes(tree), (ft.predict(tree, many) == "yes").sum(), ft.predict_counts(tree, data).sum(axis=0).round(6))
print(ft.n_nodes(ft.prune.error_based(raise_with=mixed)(trees[6])), ft.n_nodes(ft.prune.error_based(raise_with=plain)(trees[2])))
print([round(step.alpha, 9) for step in ft.prune.cost_complexity_path(trees[1])][-5:])
print(ft.n_nodes(ft.grow(of_numbers, ft.CART.stopping(ft.stop.max_depth(4)))))
print(ft.n_nodes(ft.grow(source_of(plain.take(np.arange(30_000) % n)), ft.ID3.stopping(ft.stop.max_depth(3)))))
best = ft.optimal(ft.datasets.monks(2), max_depth=3)
print(best.cost, best.proved)
"""


def answers(native):
    where = os.environ | {"PYTHONPATH": str(ROOT), "FTREE_NATIVE": native}
    done = subprocess.run([sys.executable, "-c", ANSWERS], env=where, capture_output=True, text=True, check=False)  # noqa: S603  # ours
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.wide
def test_numpy_gives_the_answers_of_the_native_library():
    assert answers("off") == answers("")
