"""R's partykit grows conditional inference trees from the same rows: the same leaves, by the same adjusted p-values."""

import csv
import subprocess
from pathlib import Path

import numpy as np
import peers
import pytest
from attrs import evolve
from browser import needed, needed_file
from test_rpart_regression import dataset

from ftree import CART, Dataset, gain, grow, n_leaves
from ftree.criteria import pearson
from ftree.data.coding import decode
from ftree.datasets import auto_mpg
from ftree.routing import apply
from ftree.splitters import by_permutation_test, subset, threshold
from ftree.stop import min_rows, pure

pytestmark = pytest.mark.consumer

PARTYKIT = Path("/usr/lib/R/site-library/partykit")
TABLES = [
    *["adult", "auto_mpg", "breast_cancer", "iris", "iris_uci", "lenses"],
    *["monks1_train", "monks2_train", "monks3_train", "titanic", "votes"],
]
# Tables of numbers without weights: those of rpart's facts, and two of the others with another target. In one of them, the only
# way to leave 7 cases on both sides does not keep to the order of means, as subset() does.
OF_NUMBERS = [
    f"{name} of rpart"
    for name in peers.tables("anova")
    if name != "car_mileage_gaps" and not peers.facts("anova", name).get("weights")
]
MEASURED = {"auto_mpg by mpg": "mpg", "iris by sepal_length": "sepal_length"}
# The number of each row's leaf; and for each inner node the adjusted p-value of the feature that it splits.
PROGRAM = """
suppressMessages(library(partykit))
rows <- read.csv(commandArgs(TRUE), stringsAsFactors=TRUE, na.strings="")
tree <- ctree(target ~ ., rows, control=ctree_control(majority=TRUE, saveinfo=TRUE, splittry=99))
inner <- setdiff(nodeids(tree), nodeids(tree, terminal=TRUE))
split <- function(node) info_node(node)$criterion["p.value", names(tree$data)[split_node(node)$varid]]
p <- vapply(nodeapply(tree, ids=inner, FUN=split), identity, 0)
cat(predict(tree, type="node"), "\\n", format(p, digits=15), "\\n")
"""


def _least(weight, _):
    """A child's cases: 7, and a hundredth of the node's."""
    return np.maximum(7, 0.01 * weight)


INFERENCE = evolve(
    CART,
    score=pearson,
    splits=(subset(min_cases=_least, exact=12), threshold(min_cases=_least)),
    choose=by_permutation_test(0.05),
    stop=pure() | min_rows(20),
    missing="heaviest",
)
# A hundredth of these tables is less than 7 cases.
OF_MEANS = evolve(INFERENCE, score=gain, splits=(subset(min_cases=7), threshold(min_cases=7)))


def _cell(feature, cell):
    """A cell of a file: the value of a nominal feature is no number there, that of an ordinal one is."""
    if feature.kind == "nominal" or cell is None:
        return "" if cell is None else f"v{cell}"
    return repr(float(feature.values.index(cell) if feature.values else cell))


def written(dataset, path):
    """The rows as a file in which values of nominal features are no numbers."""
    columns = [
        [_cell(feature, cell) for cell in decode(feature, column)]
        for feature, column in zip(dataset.schema.features, dataset.columns, strict=True)
    ]
    prefix = "v" if dataset.schema.has_classes else ""
    labels = [f"{prefix}{label!r}" for label in dataset.target_column.tolist()]
    with path.open("w", newline="") as file:
        names = [*(f"f{number}" for number in range(len(columns))), "target"]
        csv.writer(file).writerows([names, *zip(*columns, labels, strict=True)])


@pytest.mark.parametrize("table", [*TABLES, *OF_NUMBERS, *MEASURED])
def test_the_leaves_and_p_values_of_a_tree_are_those_of_ctree(shared, tmp_path, table):
    needed_file(PARTYKIT, "apt-get install --no-install-recommends r-cran-partykit")
    data = _read(shared, table)
    written(data, tmp_path / "rows.csv")
    script = tmp_path / "ctree.R"
    script.write_text(PROGRAM)
    printed = subprocess.check_output([needed("Rscript", "r-base-core"), "--vanilla", script, tmp_path / "rows.csv"], text=True)  # noqa: S603  # a program of this file
    leaves, p_values = map(str.split, printed.splitlines())
    tree, adjusted = grown_with_p_values(data)
    pairs = set(zip(leaves, apply(tree, data).tolist(), strict=True))
    assert len(pairs) == len(set(leaves)) == n_leaves(tree)
    assert adjusted == pytest.approx(sorted(map(float, p_values)), rel=1e-6, abs=1e-300)


def grown_with_p_values(data):
    """The tree, and the adjusted p-values of its branches in order."""
    p_values = []

    def noting(candidates):
        figures = INFERENCE.choose(candidates)
        n_tests = np.bincount(candidates.every_run.node, INFERENCE.choose.significance(candidates.every_run)[1])
        for node in np.unique(candidates.node[figures > -np.inf]).tolist():
            p_value = 10.0 ** -figures[candidates.node == node].max()
            p_values.append(-np.expm1(n_tests[node] * np.log1p(-p_value)))
        return figures

    return grow(data, evolve(INFERENCE if data.schema.has_classes else OF_MEANS, choose=noting)), sorted(p_values)


def _read(shared, table):
    """At most 5,000 rows; R does not search more than 30 values of a nominal feature."""
    if table in OF_NUMBERS:
        return dataset(peers.facts("anova", table.split()[0]))
    if table in MEASURED:
        path = shared / "data" / f"{table.split()[0]}.csv"
        return Dataset.read_csv(path, target=MEASURED[table], response="numbers", comment="#")
    if table == "auto_mpg":
        return auto_mpg()
    data = Dataset.read_csv(shared / "data" / f"{table}.csv")
    data = data.keep_columns([feature.name for feature in data.schema.features if len(feature.values) <= 30])
    return data.take(np.arange(min(len(data), 5000)))
