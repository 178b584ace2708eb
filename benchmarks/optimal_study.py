"""When does an optimal tree predict better? Greedy, pruned, look-ahead and optimal trees of depth 4 on twenty tables.

Each is trained on half of a table and tested on the rest, three times; large tables are sampled. It takes some minutes:
`python benchmarks/optimal_study.py --all`. Without --all, three tables show the form. `--numbers` compares trees of depth 3, by
all thresholds, on the tables of numbers in `../shared/contree`.
"""

import sys
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve

from ftree import CART, Dataset, Tree, datasets, look_ahead, optimal, prune
from ftree.exact import Limits, quantile_cuts
from ftree.splitters import one_value
from ftree.stop import max_depth
from ftree.study import compare, holdout

DEPTH, PENALTY, ROWS = 4, 0.005, 600
SPLITTERS, FEW = (one_value(), quantile_cuts(5)), Limits(max_candidates=5000)


def best(table: Dataset, penalty: float = 0.0) -> Tree:
    """The optimal tree, or the best one found within 2 seconds."""
    return optimal(table, max_depth=DEPTH, leaf_penalty=penalty, splitters=SPLITTERS, limits=Limits(seconds=2)).tree


def tables() -> dict[str, Dataset]:
    """Twenty tables: puzzles, seeded generators, and the same with noise."""
    easy = {
        "tic-tac-toe": datasets.tic_tac_toe(),
        "balance": datasets.balance_scale(),
        "monks-1": datasets.monks(1),
        "monks-2": datasets.monks(2),
        "monks-3": datasets.monks(3),
        "led": datasets.led(600, noise=0.1, seed=1),
        "waveform": datasets.waveform(600, seed=1),
    }
    for number in range(1, 11):
        easy[f"agrawal {number}"] = datasets.agrawal(600, function=number, seed=number)
    for name in ("tic-tac-toe", "balance", "agrawal 5"):
        easy[f"{name}, noisy"] = datasets.noisy_labels(easy[name], 0.1, seed=2)
    return {name: table.shuffle(seed=0).take(np.arange(min(len(table), ROWS))) for name, table in easy.items()}


def tables_of_numbers() -> dict[str, Dataset]:
    """The public tables of ConTree's repository that lie beside the project, a sample of 2,000 rows of each."""
    found = {}
    for file in sorted((Path(__file__).parents[2] / "shared" / "contree").glob("*.txt.gz")):
        labels, *columns = np.loadtxt(file).T
        named = {f"x{number}": column for number, column in enumerate(columns)}
        kinds = dict.fromkeys(named, "numeric")
        table = Dataset.from_columns({**named, "class": labels.astype(int).astype(str)}, target="class", kinds=kinds)
        found[file.name.split(".")[0]] = table.shuffle(seed=0).take(np.arange(min(len(table), 2000)))
    return found


def best_of_numbers(table: Dataset, penalty: float = 0.0) -> Tree:
    """The optimal tree of depth 3 by all thresholds, or the best one found within 20 seconds."""
    return optimal(table, max_depth=3, leaf_penalty=penalty, limits=Limits(seconds=20)).tree


def compare_numbers() -> None:
    """Print a comparison of trees of depth 3 on tables of numbers."""
    greedy = CART.stopping(max_depth(3))
    learners: dict[str, Any] = {
        "greedy": greedy,
        "pruned": (greedy, prune.cost_complexity(PENALTY)),
        "look-ahead": partial(look_ahead, max_depth=3, steps=2, splitters=(quantile_cuts(50),), limits=FEW),
        "optimal": best_of_numbers,
        "optimal, penalty": partial(best_of_numbers, penalty=PENALTY),
    }
    _show(learners, tables_of_numbers(), repeats=5)


def _show(learners: dict[str, Any], chosen: dict[str, Dataset], repeats: int) -> None:
    found = compare(learners, chosen, folds=holdout(1 / 2, repeats=repeats), metrics=("accuracy", "leaves"))
    print(found)
    for metric in ("accuracy", "leaves"):
        means = {learner: np.mean([found[learner, name][metric] for name in chosen]) for learner in learners}
        print(metric, ", ".join(f"{learner} {mean:.3f}" for learner, mean in means.items()))


def main(arguments: list[str]) -> None:
    """Print a comparison: test accuracy, leaves, and seconds of training."""
    if "--numbers" in arguments:
        compare_numbers()
        return
    chosen = tables()
    if "--all" not in arguments:
        chosen = {name: chosen[name] for name in ("monks-1", "balance", "agrawal 5")}
    greedy = evolve(CART, splits=(one_value(), *CART.splits[1:])).stopping(max_depth(DEPTH))
    learners = {
        "greedy": greedy,
        "pruned": (greedy, prune.cost_complexity(PENALTY)),
        "look-ahead": partial(look_ahead, max_depth=DEPTH, splitters=SPLITTERS),
        "optimal": best,
        "optimal, penalty": partial(best, penalty=PENALTY),
    }
    _show(learners, chosen, repeats=3 if "--all" in arguments else 2)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(sys.argv[1:])
