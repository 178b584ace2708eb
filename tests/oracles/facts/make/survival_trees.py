"""scikit-survival's trees as JSON, one file a table: python survival_trees.py <folder for the facts>.

It needs scikit-survival, in an environment of its own. Each file also has the concordance of the first column, and the integrated
Brier score of the tree for its own rows.
"""

import json
import sys
from pathlib import Path

import numpy as np
import sksurv
from sksurv.metrics import concordance_index_censored, integrated_brier_score
from sksurv.tree import SurvivalTree
from sksurv.util import Surv


def table(seed, n=90):
    """Numbers of few decimals, in binary as well, and times of few values, since the trees have ties at random."""
    random = np.random.default_rng(seed)
    columns = {f"x{number}": random.normal(0, 8, n).round() / 8 for number in range(3)}
    ended = random.exponential(np.exp(-1.0 * (columns["x0"] > 0.3) - 0.5 * (columns["x1"] > 0)))
    seen = random.exponential(1.5, n)
    return columns | {"time": np.ceil(20 * np.minimum(ended, seen)), "died": (ended <= seen).astype(int)}


def written(tree, number=0):
    """A node: its cases and its curve at the times, or its cases, feature, cut and children."""
    cases = int(tree.n_node_samples[number])
    if tree.children_left[number] < 0:
        return [cases, tree.value[number, :, 1].round(12).tolist()]
    below = [written(tree, child) for child in (tree.children_left[number], tree.children_right[number])]
    return [cases, f"x{tree.feature[number]}", float(tree.threshold[number]), *below]


def fact(seed):
    columns = table(seed)
    features = np.column_stack([columns[f"x{number}"] for number in range(3)])
    target = Surv.from_arrays(columns["died"] == 1, columns["time"])
    model = SurvivalTree(max_depth=3, random_state=0).fit(features, target)
    curves = model.predict_survival_function(features, return_array=True)
    last = columns["time"].max()
    times = model.unique_times_[model.unique_times_ < last]
    return {
        "peer": f"scikit-survival {sksurv.__version__}",
        "times": model.unique_times_.tolist(),
        "tree": written(model.tree_),
        "concordance": concordance_index_censored(columns["died"] == 1, columns["time"], features[:, 0])[0],
        "brier": integrated_brier_score(target, target, curves[:, : len(times)], times),
        "columns": {name: column.tolist() for name, column in columns.items()},
    }


if __name__ == "__main__":
    for seed in range(40):
        path = Path(sys.argv[1]) / "survival_tree" / f"generated_{seed}.json"
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in fact(seed).items())
        path.write_text("{" + lines + "}\n")
