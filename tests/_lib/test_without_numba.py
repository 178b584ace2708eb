"""Where numba cannot be imported, NumPy gives every answer that compiled code gives; only who asks for it by name is refused."""

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
numbers, n = random.normal(size=(1300, 4)), 1300  # just enough for the compiled engine, once numba is loaded
words = random.choice(list("abc"), n)
y = np.where(numbers[:, 0] * numbers[:, 1] + random.normal(size=n) > 0, "yes", "no")
gaps = np.where(random.random(numbers.shape) < 0.1, np.nan, numbers)
plain = ft.Dataset.from_columns({**{f"x{i}": column for i, column in enumerate(numbers.T)}, "y": y}, target="y")
mixed = ft.Dataset.from_columns({**{f"x{i}": column for i, column in enumerate(gaps.T)}, "u": words, "y": y}, target="y")
own = evolve(ft.ID3, impurity=ft.misclassification)
policies = [policy.stopping(ft.stop.max_depth(4 if policy != own else 2)) for policy in (own, ft.ID3, ft.C45, ft.CART)]
trees = [ft.grow(data, policy) for data in (plain, mixed) for policy in policies]
for tree, data in zip(trees, [plain] * 4 + [mixed] * 4):
    many = data.take(np.arange(20_000) % n)
    print(ft.n_nodes(tree), (ft.predict(tree, many) == "yes").sum(), ft.predict_counts(tree, data).sum(axis=0).round(6))
print(ft.n_nodes(ft.prune.error_based(raise_with=mixed)(trees[6])), ft.n_nodes(ft.prune.error_based(raise_with=plain)(trees[2])))
print([round(step.alpha, 9) for step in ft.prune.cost_complexity_path(trees[1])][-5:])
print(ft.n_nodes(ft.grow(source_of(plain.take(np.arange(30_000) % n)), ft.ID3.stopping(ft.stop.max_depth(3)))))
best = ft.optimal(ft.datasets.monks(2), max_depth=3)
print(best.cost, best.proved)
"""


def run(code, folder, *, numba, native=""):
    path = os.pathsep.join([*[str(ROOT / ".ci" / "without_numba")] * (not numba), str(ROOT)])
    where = os.environ | {"PYTHONPATH": path, "FTREE_COMPILE": "never", "FTREE_CACHE": str(folder), "FTREE_NATIVE": native}
    return subprocess.run([sys.executable, "-c", code], env=where, capture_output=True, text=True, check=False)  # noqa: S603  # ours


@pytest.mark.wide
def test_numpy_gives_the_answers_of_compiled_code(tmp_path):
    without, with_it = (run(ANSWERS, tmp_path, numba=numba) for numba in (False, True))
    assert without.returncode == with_it.returncode == 0, without.stderr + with_it.stderr
    assert without.stdout == with_it.stdout


NAMED = """
import ftree as ft
try:
    ft.grow(ft.datasets.weather(), engine="compiled")
except ImportError as error:
    print(error)
from ftree.compile import main
print(main([]))
"""


def test_who_asks_for_compiled_code_by_name_is_told_what_is_missing(tmp_path):
    done = run(NAMED, tmp_path, numba=False, native="off")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("engine='compiled' needs the native library, or numba; neither is here: ")
    assert "not kept: numba must be installed" in done.stdout
    assert done.stdout.endswith("1\n")
