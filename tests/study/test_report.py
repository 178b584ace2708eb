"""Reports add up, and the table of a path has rpart's numbers."""

from functools import partial
from inspect import isfunction, signature

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import classification_report

from ftree import (
    C45,
    CART,
    CHAID,
    ID3,
    Branch,
    Dataset,
    Leaf,
    Tree,
    accuracy,
    confusion,
    grow,
    n_nodes,
    predict,
    prune,
    rules,
    scores,
    stop,
    study,
)
from ftree.criteria import gini
from ftree.datasets import titanic, weather
from ftree.exchange import from_weka_text
from ftree.show import rule_statistics
from ftree.study import Predictions, bagging, check_answers, cp_table, metrics, report
from ftree.testing import datasets
from ftree.tree import Multiway, leaves, preorder

STUMP = evolve(ID3, stop=stop.max_depth(1))


@given(datasets(weighted=True))
def test_a_report_adds_up(dataset):
    tree = grow(dataset, STUMP)
    found = report(tree, dataset)
    assert found.accuracy == pytest.approx(accuracy(tree, dataset))
    assert found.confusion == confusion(tree, dataset)
    rows = np.array(found.confusion.counts).sum(axis=1)
    assert np.average(np.nan_to_num(found.confusion.recall), weights=rows) == pytest.approx(found.accuracy)
    assert found.brier == metrics.brier(Predictions(tree, dataset))
    printed = repr(found).splitlines()
    assert printed[0].split()[1:4] == [f"{np.trace(found.confusion.counts):g}", "of", f"{rows.sum():g}"]


def test_a_report_has_the_numbers_of_scikit_learns():
    data = Dataset.from_rows([["a"]] * 4 + [["b"]] * 5 + [["c"]] * 3, list("xxxyyyyyxzzy"))
    tree = grow(data)
    found, true = report(tree, data), data.labels.tolist()
    wanted = classification_report(true, predict(tree, data), output_dict=True)
    mean = next(line for line in repr(found).splitlines() if line.startswith("mean")).split()[1:4]
    assert mean == [f"{wanted['weighted avg'][name]:.3f}" for name in ("precision", "recall", "f1-score")]


def test_a_report_of_a_function_leaves_out_what_it_does_not_know():
    data = Dataset.from_rows([["a"], ["b"]], ["x", "y"])
    printed = repr(report(lambda _: ["x", "x"], data))
    assert "kappa" in printed
    assert not any(word in printed for word in ("Brier", "log loss", "AUC", "leaves", "depth"))
    assert "y              -   0.000  0.000     1" in printed
    assert "mean       0.250   0.500  0.333     2" in printed, "a share of nothing counts as 0"
    of_forest = report(bagging(data, n_trees=3), data)
    assert "leaves" in repr(of_forest)
    answers = Predictions(bagging(data, n_trees=3), data)
    assert (of_forest.brier, of_forest.log_loss, of_forest.auc) == (
        metrics.brier(answers),
        metrics.log_loss(answers),
        metrics.auc(answers),
    ), "a function that has probabilities"
    assert np.isnan([getattr(report(lambda _: ["x", "x"], data), name) for name in ("brier", "log_loss", "auc")]).all()


def test_a_value_that_the_tree_has_not_seen_counts_as_missing_unless_it_is_refused():
    tree = grow(Dataset.from_rows([["a"], ["b"], ["b"]], ["x", "y", "y"]))
    new = Dataset.from_rows([["a"], ["c"]], ["x", "y"])
    assert report(tree, new).accuracy == 1
    for ask in (report, confusion):
        with pytest.raises(ValueError, match="'c'"):
            ask(tree, new, unseen="raise")


@given(datasets(min_rows=4))
def test_a_table_of_a_path_is_relative_to_the_root_and_marks_what_the_rules_choose(dataset):
    path = prune.cross_validated(dataset, grow, folds=2)
    if len(set(dataset.target_column)) < 2:
        with pytest.raises(ValueError, match="root has errors"):
            cp_table(path)
        return
    table = cp_table(path)
    assert len(table.rows) == len(path)
    assert cp_table(iter(path)) == table
    assert (table.rows[0].n_splits, table.rows[0].rel_error) == (0, 1)
    assert [row.cp for row in table.rows] == sorted((row.cp for row in table.rows), reverse=True)
    for row, step in zip(table.rows[::-1], path, strict=True):
        assert row.n_splits == sum(isinstance(node, Branch) for node in preorder(step.tree))
        assert row.xerror * table.root_risk == pytest.approx(step.error)
        assert row.xstd * table.root_risk == pytest.approx(step.standard_error)
        assert row.rel_error * table.root_risk == pytest.approx(1 - accuracy(step.tree, dataset))
    assert path[::-1][table.lowest] == prune.lowest_error(path)
    assert path[::-1][table.one_standard_error] == prune.one_standard_error(path)
    assert table.rows[table.one_standard_error].xerror <= table.limit + 1e-9


def test_the_votes_have_the_first_split_that_rpart_prints(shared):
    votes = Dataset.read_csv(shared / "data" / "votes.csv")
    table = cp_table(prune.cross_validated(votes, lambda rows: grow(rows, evolve(CART, stop=CART.stop | stop.max_depth(2)))))
    assert "Root node error: 168/435 = 0.38621" in repr(table)
    assert table.rows[1].rel_error == pytest.approx(20 / 168)
    assert repr(table).count("lowest") == repr(table).count("1-SE line") == 1


def test_each_share_of_a_table_is_of_the_root_by_the_same_measure():
    """A path by Gini indices is cross-validated by errors, and a root that nothing splits has all of both."""
    rides = titanic()
    path = prune.cross_validated(rides, lambda rows: grow(rows, evolve(CART, stop=stop.max_depth(3))), risk=gini, folds=5)
    by_gini, by_errors = cp_table(path, risk=gini), cp_table(path)
    assert (by_gini.rows[0].rel_error, by_gini.rows[0].xerror) == (1, pytest.approx(1, abs=0.01))
    assert [row.xerror for row in by_gini.rows] == [row.xerror for row in by_errors.rows]
    for row, step in zip(by_gini.rows[::-1], path, strict=True):
        left = sum(sum(leaf.counts) * gini(np.array(leaf.counts)) for leaf in leaves(step.tree))
        assert row.rel_error * by_gini.root_risk * rides.n_cases == pytest.approx(left)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("k", [0, 1, 2])
def test_shares_of_no_rows_are_unknown(k):
    """As those of a report on numbers, whose confusion has no classes."""
    found = study.Confusion(tuple("ab"[:k]), [[0] * k] * k)
    assert np.isnan([found.accuracy, found.kappa, found.balanced_accuracy, *found.precision, *found.recall, *found.f]).all()
    with pytest.raises(ValueError, match=f"^counts must be {k} rows of {k} numbers, as there are classes, got "):
        study.Confusion(found.classes, [[0] * (k + 1)] * (k + 1))


@pytest.mark.parametrize(
    ("ask", "error", "wanted"),
    [
        (lambda: cp_table(3), TypeError, "path must be a result of prune.cross_validated, got an int"),
        (lambda: cp_table([3]), TypeError, "path must be a result of prune.cross_validated, got .3."),
        (lambda: cp_table([]), ValueError, "path must be at least one tree"),
    ],
)
def test_what_cannot_be_reported_is_refused(ask, error, wanted):
    with pytest.raises(error, match=wanted):
        ask()


CLAIMS = """
outlook = sunny: {sunny}
outlook = overcast: {overcast}
outlook = rainy
|   windy = True: {rainy}
|   windy = False: yes (3.0)
"""


@pytest.mark.parametrize(
    ("claimed", "problems"),
    [
        ({}, ["", "", "", ""]),
        ({"sunny": "yes (5.0/2.0)"}, ["", "", "", "label"]),
        ({"overcast": "yes (5.0)"}, ["cases", "", "", ""]),
        ({"sunny": "no (5.0/1.0)", "rainy": "no (1.0)"}, ["", "", "cases", "errors"]),
    ],
)
def test_a_tree_written_by_hand_is_held_to_the_rows(claimed, problems):
    days = weather()
    written = CLAIMS.format(**{"sunny": "no (5.0/2.0)", "overcast": "yes (4.0)", "rainy": "no (2.0)"} | claimed)
    found = check_answers(from_weka_text(written, days.schema), days)
    assert sorted(leaf.problem for leaf in found.leaves) == sorted(problems)
    assert found.is_right == (not any(problems))
    assert all(leaf.leaf in repr(found) and leaf.leaf in found._repr_html_() for leaf in found.leaves)


@given(datasets(), st.sampled_from([ID3, CART, evolve(ID3, impurity=gini)]))
def test_a_grown_tree_has_the_right_splits_and_another_split_only_if_it_ties(data, policy):
    tree = grow(data, policy)
    found = check_answers(tree, data, policy)
    assert found.is_right
    assert len(found.splits) == n_nodes(tree) - len(found.leaves)
    rows = scores(data, policy).rows
    for row in (each for each in rows if each.split):
        stump = Tree(data.schema, Branch(tree.root.counts, row.split, [Leaf(of) for _, of in row.children]))
        (judged,) = check_answers(stump, data, policy).splits
        assert judged.best == rows[0].feature
        ties = row.score >= rows[0].score - 1e-9 and row.gain_ratio >= rows[0].gain_ratio - 1e-9
        assert (judged.problem == "split") == (not ties)


def test_the_values_that_a_branch_forgets_are_named():
    days = weather()
    forgotten = from_weka_text("outlook = sunny: no (5.0/2.0)\noutlook = overcast: yes (4.0)", days.schema)
    (split,) = check_answers(forgotten, days).splits
    assert (split.branch, split.claimed, split.best, split.problem) == ("(every row)", "outlook", "", "no branch for rainy")
    assert not check_answers(forgotten, days).is_right
    assert "no branch for rainy" in str(check_answers(forgotten, days, ID3))
    pure = days.take([2, 6, 11, 12])
    assert check_answers(grow(days, ID3), pure, CHAID).splits[0].best == "no split"


def test_a_leaf_that_no_row_reaches_is_named():
    days = weather()
    found = check_answers(
        from_weka_text("windy = True: no (6.0/3.0)\nwindy = False: yes (8.0/2.0)", days.schema), days.take([1, 5])
    )
    assert {leaf.leaf: leaf.problem for leaf in found.leaves} == {"windy = True": "cases", "windy = False": "no rows"}
    [alone] = check_answers(grow(days, evolve(ID3, stop=stop.always)), days).leaves
    assert (alone.leaf, alone.problem) == ("(every row)", "")


def test_a_report_of_numbers_has_their_errors_in_place_of_classes():
    cars = Dataset.from_rows([[1.0], [1.0], [3.0]], [10.5, 12.5, 20.0])
    found = report(grow(cars, CART), cars)
    assert " ".join(str(found).split()) == "R squared 0.960 deviance 0.667 RMSE 0.816 MAE 0.667 leaves 2 depth 1"
    assert found == report(grow(cars, CART), cars) != report(lambda _: [11.5] * 3, cars)


def test_tables_of_many_values_have_at_most_200_characters_a_line():
    names = [f"name of a country {number:03d}" for number in range(150)]
    rows = [[name, name[-2:], number % 7] for number, name in enumerate(names * 2)]
    data = Dataset.from_rows(rows, [number % 3 == 0 for number in range(300)], kinds={"x0": "nominal", "x1": "nominal"})
    tree = grow(data, CART)
    lone = Tree(tree.schema, Branch(tree.root.counts, Multiway(0, range(150)), [Leaf((1, 1))] * 150))
    statistics = map(str, rule_statistics(rules(tree), data))
    for printed in (scores(data, C45), check_answers(tree, data, CART), check_answers(lone, data, C45), *statistics):
        assert max(map(len, str(printed).splitlines())) <= 200
    assert "…" in str(scores(data, C45))


IMPORTANCES = partial(study.permutation_importances, repeats=1)
ANSWERED = {"report": report, "confusion": confusion, "threshold": partial(study.threshold, cost_ratio=2)}


@pytest.mark.parametrize("ask", [*ANSWERED.values(), IMPORTANCES], ids=[*ANSWERED, "permutation_importances"])
def test_a_rule_for_missing_values_is_used_or_refused(ask):
    """A function has its own rules, so it would not hear of this one."""
    days = weather()
    for option in ({"missing": "heaviest"}, *([{"unseen": "missing"}] if ask is not IMPORTANCES else [])):
        ask(grow(days), days, **option)
        with pytest.raises(ValueError, match=f"^{min(option)} must be left out for a classifier that is no tree, since it has "):
            ask(bagging(days, n_trees=2), days, **option)


PUBLIC = [function for function in (getattr(study, name) for name in dir(study)) if isfunction(function)]
NEEDED = {"tree": grow(weather()), "learner": ID3, "sizes": [4], "size": 4, "cost_ratio": 2}


@pytest.mark.parametrize("ask", [each for each in PUBLIC if "dataset" in signature(each).parameters])
def test_a_study_answers_for_a_table_as_for_its_dataset_or_refuses_it(ask):
    table = weather().to_polars()
    given = {name: value for name, value in NEEDED.items() if name in signature(ask).parameters}
    try:
        found = ask(dataset=table, **given)
    except TypeError as error:
        assert str(error).startswith("dataset must be a Dataset, got a DataFrame. ")  # noqa: PT017  # or there is none
    else:
        assert found == ask(dataset=weather(), **given)
