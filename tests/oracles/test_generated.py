"""The peers once more, on generated tables: small ones with missing values, made from a seed.

Weka and R run here, each once for all tables, by the programs of `facts/make`; the claims are those of the facts' tests.
"""

import json
import subprocess
from collections import Counter
from importlib import import_module
from pathlib import Path

import generated
import numpy as np
import peers
import pytest
import test_rpart
import test_weka
from attrs import evolve
from browser import needed

from ftree import CART, Branch, Dataset, grow, recount, stop
from ftree.splitters import as_branch, threshold
from ftree.tree import WithSurrogates, walk

WEKA, RPART = Path("/usr/share/java/weka.jar"), Path("/usr/lib/R/library/rpart")


def facts_of(kind, program, folder, *, needs, packages):
    """A program's results for the generated tables."""
    for each in needs:
        needed(each, packages)
    names = generated.write_tables(folder)
    (folder / kind).mkdir()
    subprocess.run([*program, folder / "data", folder, *names], cwd=peers.FACTS / "make", check=True, timeout=300)  # noqa: S603
    return [json.loads((folder / kind / f"{name}.json").read_text()) for name in names]


@pytest.mark.consumer
def test_C45_is_J48_on_generated_tables(tmp_path):
    needs, packages = [WEKA, "javac"], "weka default-jdk-headless"
    for fact in facts_of("j48", ["java", "-cp", WEKA, "WekaFacts.java"], tmp_path, needs=needs, packages=packages):
        table = peers.dataset(tmp_path, fact)
        trees = [recount(peers.from_weka(peers.weka(tree), table.schema), table) for tree in fact["trees"]]
        test_weka.test_C45_grows_and_prunes_J48s_trees(fact, table)
        test_weka.test_cases_with_missing_values_are_counted_in_J48s_fractions(fact, trees)
        test_weka.test_sizes_and_right_answers_are_J48s(fact, table, trees)
        test_weka.test_rows_with_missing_values_are_given_J48s_classes(fact, table, trees)


def sends_the_rest_to_the_larger_child(tree):
    """Otherwise rpart contradicts itself: it grows by the cases that a split knows, and predicts by all cases."""
    branches = [node for _, node in walk(tree) if isinstance(node, Branch) and isinstance(node.split, WithSurrogates)]
    sizes = ([sum(child.counts) for child in node.children] for node in branches)
    return all(
        node.split.default_child in (None, low < high) and low != high for node, (low, high) in zip(branches, sizes, strict=True)
    )


@pytest.mark.consumer
def test_CART_with_surrogates_is_rpart_on_generated_tables(tmp_path, monkeypatch):
    monkeypatch.setattr(import_module("ftree.splitters.surrogates"), "_of_values", peers.values_as_rpart_asks)
    needs, packages = ["Rscript", RPART], "r-cran-rpart"
    seen = Counter()
    for fact in facts_of("rpart", ["Rscript", "rpart_facts.R"], tmp_path, needs=needs, packages=packages):
        rows = peers.dataset(tmp_path, fact)
        table = rows.take(~np.all([np.isnan(cells) if cells.dtype.kind == "f" else cells < 0 for cells in rows.columns], axis=0))
        trees = [(run, test_rpart.pruned(run, table)) for run in fact["runs"]]
        causes = [test_rpart.compared_all(run, table, tree) for run, tree in trees]
        seen += sum(causes, Counter())
        alike = [pair for pair, cause in zip(trees, causes, strict=True) if set(cause) <= {"same", "left behind"}]
        answered = [(run, tree) for run, tree in alike if sends_the_rest_to_the_larger_child(tree)]
        seen["answered"] += len(answered)
        test_rpart.test_as_many_rows_are_given_their_own_class_as_by_rpart(tmp_path, fact, table, answered)
        test_rpart.test_rows_with_missing_values_are_given_rparts_classes(tmp_path, fact, table, answered)
        test_rpart.test_the_path_of_weakest_links_is_rparts_where_rparts_is_one(table, trees)
    # `test_rpart` checks each of these causes where trees diverge: there are 39 such nodes, and 1,779 equal ones.
    assert set(seen) == {"same", "answered", "tie", "left behind", "otherwise"}
    assert seen["same"] > 40 * (seen["tie"] + seen["left behind"] + seen["otherwise"])
    assert seen["answered"] > 20


# How weights are passed to the peer; the minimum cases of a child, and the minimum rows of a branch.
CASES = {
    "grown out": (lambda _: {}, 0, 0),
    "least rows of a leaf": (lambda _: {"min_samples_leaf": 5}, 5, 0),
    "least rows of a branch": (lambda _: {"min_samples_split": 10}, 0, 10),
    "least weight of a leaf": (lambda weights: {"min_weight_fraction_leaf": 6.5 / weights.sum()}, 6.5, 0),
}


@pytest.mark.wide
@pytest.mark.parametrize("gaps", [0, generated.MISSING], ids=["complete", "missing values"])
@pytest.mark.parametrize(("told", "cases", "rows"), CASES.values(), ids=CASES)
def test_CART_is_scikit_learns_tree_on_generated_tables(told, cases, rows, gaps):
    """The peer sends missing values where they score best, as `as_branch` does; its minimum number of rows ignores weights."""
    peer = pytest.importorskip("sklearn.tree", reason="needs scikit-learn, the peer to agree with").DecisionTreeClassifier
    policy = evolve(CART, splits=(threshold(min_cases=cases),), stop=stop.pure() | stop.min_rows(rows))
    policy, seen = evolve(policy, missing=as_branch()) if gaps else policy, Counter()
    for number in range(generated.N_TABLES):
        cells, labels, weights = generated.points(number, gaps=gaps)
        weights = weights if cases == 6.5 else None
        data = Dataset.from_columns({**{f"x{n}": column for n, column in enumerate(cells.T)}, "class": labels}, weights=weights)
        fitted = peer(random_state=0, **told(weights)).fit(cells, labels, sample_weight=weights).tree_
        seen += Counter(peers.compared(data, policy, grow(data, policy).root, peers.OfSklearn(fitted, np.arange(len(data)))))
    assert seen["same"] > 5 * seen["tie"]
