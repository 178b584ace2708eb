"""The threshold of a rare class: what is chosen is best, and every way to predict follows it."""

import re
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from attrs import evolve
from hypothesis import assume, given
from hypothesis import strategies as st

from ftree import (
    CART,
    Dataset,
    Leaf,
    Schema,
    Tree,
    cart,
    confusion,
    grow,
    n_leaves,
    predict,
    predict_proba,
    stop,
    text,
)
from ftree.estimator import TreeClassifier
from ftree.exchange import from_weka_text, to_python, to_sql
from ftree.study import random_forest, threshold
from ftree.testing import datasets

TWO = datasets(weighted=True).filter(lambda data: len(data.schema.classes) == 2)
SHALLOW = evolve(CART, stop=stop.max_depth(2))


@given(TWO, st.sampled_from([0, 1]), st.sampled_from([0.5, 3, 40]))
def test_each_row_counts_what_predict_finds_by_its_threshold_and_the_cheapest_is_chosen(data, number, ratio):
    assume(data.class_counts()[number])
    tree, label = grow(data, SHALLOW), data.schema.classes[number]
    found = threshold(tree, data, cost_ratio=ratio, of=label)
    costs = []
    for row in found.rows:
        counts = np.array(confusion(lambda rows, at=row.threshold: predict(tree, rows, threshold=at), data).counts)
        assert (row.found, row.missed) == (counts[number, number], counts[number, 1 - number])
        assert (row.mistaken, row.cases) == (counts[1 - number, number], counts.sum())
        costs.append(row.cost(ratio))
    assert found.row.cost(ratio) == pytest.approx(min(costs))
    assert found.threshold == found.row.threshold


@given(TWO, st.sampled_from([0.1, 0.5, 0.9, 1.0]))
def test_a_recall_is_reached_with_the_fewest_flagged_and_a_share_is_used_up(data, share):
    assume(all(data.class_counts()))
    tree = grow(data, SHALLOW)
    recall = threshold(tree, data, recall=share)
    assert recall.row.recall >= share - 1e-9
    assert all(row.recall < share for row in recall.rows if row.flagged < recall.row.flagged - 1e-9)
    assume(min(row.flagged for row in recall.rows) <= share)
    flagged = threshold(tree, data, flagged=share)
    assert flagged.row.flagged <= share + 1e-9
    assert all(row.flagged > share for row in flagged.rows if row.recall > flagged.row.recall + 1e-9)


@given(TWO, st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]))
def test_one_row_and_exports_are_decided_as_tables_are(data, at):
    tree, rows = grow(data, SHALLOW), [list(row.values())[:-1] for row in data.rows()]
    labels = predict(tree, data, threshold=at).tolist()
    second = predict_proba(tree, data)[:, 1] >= at - 1e-12
    assert labels == [data.schema.classes[int(each)] for each in second]
    assert predict(tree, rows[0], threshold=at) == labels[0]
    made = {}
    exec(to_python(tree, threshold=at), made)  # noqa: S102  # our own code
    assert [made["predict"](row) for row in rows] == labels


def rare():
    """Twelve of 1,500 rows are of the class "yes"; where x is 1, they are one in ten."""
    x = np.repeat([0, 1], [1400, 100])
    return Dataset.from_columns(
        {"x": x, "y": np.arange(1500) % 7, "class": ["no"] * 1398 + ["yes"] * 12 + ["no"] * 90}, kinds="numeric"
    )


def test_sql_and_the_estimator_take_the_chosen_threshold():
    data = rare()
    tree = cart(data, policy=evolve(CART, priors=(0.5, 0.5), stop=stop.pure() | stop.no_gain() | stop.max_depth(1)))
    found = threshold(tree, data, cost_ratio=150)
    assert n_leaves(tree) == 2
    assert found.row.recall == pytest.approx(10 / 12)
    labels = predict(tree, data, threshold=found.threshold)
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE t (number, x, y)")
        database.executemany(
            "INSERT INTO t VALUES (?, ?, ?)", [(n, *map(float, row)) for n, row in enumerate(zip(*data.columns, strict=True))]
        )
        asked = f"SELECT {to_sql(tree, dialect='sqlite', threshold=found.threshold)} FROM t ORDER BY number"  # noqa: S608  # our own text
        assert [row[0] for row in database.execute(asked)] == labels.tolist()
    columns, target = np.column_stack(data.columns), data.labels
    model = TreeClassifier(lambda _: tree, threshold=found.threshold).fit(columns, target)
    assert (model.predict(columns) == labels).all()
    assert set(model.set_params(threshold=None).predict(columns)) == {"no"}


def test_a_forest_has_thresholds_too_and_the_table_shows_those_around_the_chosen_one():
    data = rare()
    found = threshold(random_forest(data, n_trees=5, seed=1), data, recall=0.5)
    assert found.row.recall >= 0.5
    assert str(found).count("chosen") == 1
    assert len(str(found).splitlines()) <= 12


def test_a_tree_of_one_leaf_that_hides_a_rare_class_names_priors_and_costs():
    tree = cart(rare())
    assert n_leaves(tree) == 1
    advice = "To find the other 12 of 1500 cases, give the policy priors= or costs=: evolve(CART, priors=(0.5, 0.5))."
    line = f"# Every row gets 'no'. {advice}"
    assert repr(tree) == f"<Tree for 'class': 1 node, 1 leaf>\n{line}"
    assert str(tree) == f"{text(tree)}\n{line}"
    assert n_leaves(cart(rare(), policy=evolve(CART, priors=(0.5, 0.5)))) > 1
    assert advice in tree._repr_html_()
    assert from_weka_text(str(tree), tree.schema).root == tree.root


def test_other_leaves_get_no_such_line():
    three = Schema((), "class", ("a", "b", "c"))
    assert [repr(Tree(three, Leaf(counts))).count("\n") for counts in [(95, 5, 0), (95, 0, 0), (80, 20, 0), (0, 0, 0)]] == [
        1,
        0,
        0,
        0,
    ]
    assert "priors=(0.5, 0.5, 0)" in repr(Tree(three, Leaf((95, 5, 0))))
    assert "\n" not in repr(grow(Dataset.from_rows([[1.0], [2.0]], [0.5, 1.5]), CART))


DATA, PURE = rare(), Dataset.from_rows([["a"], ["b"]], ["no", "yes"])
SURE, THREE = (Dataset.from_rows([[each] for each in xs], ys) for xs, ys in (("aab", ["no", "yes", "yes"]), ("abc", list("xyz"))))
NUMBERS, NO = (
    Dataset.from_rows([[1.0], [2.0]], [0.5, 1.5]),
    Dataset.from_rows([["a"], ["b"]], ["no", "no"], classes=("no", "yes")),
)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: threshold(grow(DATA), DATA), "cost_ratio, recall or flagged must be given, one of them, got 0 of them"),
        (lambda: threshold(grow(DATA), DATA, recall=0.5, flagged=0.1), "got 2 of them"),
        (lambda: threshold(grow(DATA), DATA, cost_ratio=0), "cost_ratio must be a number above 0, got 0"),
        (lambda: threshold(grow(DATA), DATA, recall=1.5), "recall must be a share above 0 and at most 1, got 1.5"),
        (lambda: threshold(grow(DATA), DATA, recall=1, of="maybe"), "of must be one of the classes 'no', 'yes', got 'maybe'"),
        (lambda: threshold(grow(SURE), SURE, flagged=0.1), "flagged must be at least 0.3333 for these rows, some of which"),
        (lambda: threshold(grow(PURE), NO, recall=1, of="no"), "recall must be at most 0.5 for these rows"),
        (lambda: threshold(grow(PURE), NO, recall=1), "dataset must have a case of the class 'yes', got none"),
        (lambda: threshold(grow(THREE), THREE, recall=1), "dataset must be of two classes for a threshold, got 'x', 'y', 'z'"),
        (lambda: predict(grow(THREE), ["a"], threshold=0.5), "from 0 to 1 for a tree of two classes, got 0.5 for 3 classes"),
        (lambda: predict(grow(PURE), ["a"], threshold=0.5, priors=(0.5, 0.5)), "threshold must be None beside priors or costs"),
        (lambda: TreeClassifier(threshold=2).fit([[0], [1]], ["no", "yes"]), "for a tree of two classes, got 2 for 2 classes"),
        (lambda: predict(grow(NUMBERS, CART), [1.0], threshold=0.5), "threshold must be None for a regression tree, got 0.5"),
    ],
)
def test_wrong_choices_are_refused(ask, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        ask()
