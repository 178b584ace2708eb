"""Choosing a tree of a path with reasons: measures, cross-validation, choices, explanations, pictures."""

from functools import partial
from math import sqrt

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import (
    CART,
    Branch,
    Dataset,
    Feature,
    Leaf,
    Schema,
    Tree,
    accuracy,
    datasets,
    gini,
    grow,
    misclassification,
    prune,
    study,
)
from ftree._lib.random_numbers import generator_of
from ftree.criteria import cost_risk, variance
from ftree.data.cases import fold_numbers
from ftree.prune import Measured, lowest_error, one_standard_error, within
from ftree.prune.path_choice import measured_step
from ftree.responses import events
from ftree.stop import max_depth
from ftree.testing import check_path_choice
from ftree.tree import Multiway

cart = partial(grow, policy=CART)


def noisy(n, seed):
    """Two numbers with a border between two classes, and one label in five changed."""
    random = np.random.default_rng(seed)
    cells = random.normal(size=(n, 2))
    return Dataset.from_columns(
        {"x": cells[:, 0], "y": cells[:, 1], "z": (cells[:, 0] > 0) ^ (random.random(n) < 0.2)}, target="z"
    )


TRAIN, HELD_OUT = noisy(150, 0), noisy(150, 1)
TREE = cart(TRAIN)
PATH = tuple(prune.cost_complexity_path(TREE))


def rows(*pairs):
    """Measured trees with given numbers of leaves and errors in a hundred cases."""
    schema = Schema([Feature("f", "nominal", range(12))], "class", "ab")
    trees_ = {k: Tree(schema, Branch((k, 0), Multiway(0, range(k)), [Leaf((1, 0))] * k)) for k, _ in pairs if k > 1}
    return [Measured(k, error, 100, trees_.get(k, Tree(schema, Leaf((1, 0))))) for k, error in pairs]


WORKED = rows((10, 0.22), (7, 0.20), (5, 0.21), (3, 0.23), (1, 0.40))


def smallest_up_to(limit, rows):
    """The number of the smallest tree with at most this error."""
    return min((leaves, error, number) for number, (leaves, error, _) in enumerate(rows) if error <= limit + 1e-9)[-1]


def least(rows):
    """The lowest error, and its standard error: that of the smallest tree among equal ones."""
    return min((error, leaves, deviation) for leaves, error, deviation in rows)[::2]


CHOICES = {
    lowest_error: lambda rows: smallest_up_to(least(rows)[0], rows),
    one_standard_error: lambda rows: smallest_up_to(sum(least(rows)), rows),
    within(0): lambda rows: smallest_up_to(least(rows)[0], rows),
    within(0.05): lambda rows: smallest_up_to(least(rows)[0] + 0.05, rows),
}


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("choice", CHOICES)
def test_a_choice_keeps_the_laws_and_takes_the_smallest_tree_that_is_good_enough(choice):
    check_path_choice(choice, oracle=CHOICES[choice])


def test_of_equally_small_trees_the_best_is_taken():
    assert within(0.5)(rows((3, 0.3), (3, 0.2), (4, 0.1))).error == 0.2


def test_errors_that_are_equal_but_for_rounding_are_so():
    assert lowest_error(rows((5, 0.3), (1, 0.1 + 0.2))).leaves == 1


def test_a_path_is_measured_on_a_set():
    chosen = prune.select(PATH, by=prune.lowest_error, on=HELD_OUT)
    assert accuracy(chosen, HELD_OUT) == max(accuracy(step.tree, HELD_OUT) for step in PATH)
    assert chosen == prune.select(prune.measured(PATH, HELD_OUT), by=prune.lowest_error)
    assert chosen == prune.select([step.tree for step in PATH], by=prune.lowest_error, on=HELD_OUT)


def test_any_path_of_trees_can_be_chosen_from():
    path = list(prune.reduced_error(HELD_OUT, order="best_first").path(TREE))
    assert prune.select(path, by=prune.lowest_error, on=HELD_OUT) == prune.reduced_error(HELD_OUT, order="best_first")(TREE)


def test_cross_validation_is_what_the_definition_says():
    folds, seed = 3, 7
    validated = prune.cross_validated(TRAIN, cart, folds=folds, seed=seed, risk=gini)
    path = list(prune.cost_complexity_path(TREE, risk=gini))
    order = np.random.default_rng(seed).permutation(len(TRAIN))
    in_fold = np.empty(len(TRAIN), dtype=int)
    in_fold[sorted(order, key=lambda row: TRAIN.target_column[row])] = np.arange(len(TRAIN)) % folds
    for at, row in enumerate(validated):
        alpha = sqrt(path[at].alpha * path[at + 1].alpha) if at + 1 < len(path) else np.inf
        pass_ = prune.cost_complexity(alpha, risk=gini)
        wrong = 0
        for fold in range(folds):
            test = TRAIN.take(in_fold == fold)
            wrong += (1 - accuracy(pass_(cart(TRAIN.take(in_fold != fold))), test)) * len(test)
        assert row.error == pytest.approx(wrong / len(TRAIN))


@given(st.integers(0, 99))
def test_a_tree_of_one_leaf_is_measured_by_the_leaf_of_each_fold(seed):
    """The leaf is best for every alpha, however large the trees are that the folds grow."""
    leaf = partial(grow, policy=CART.stopping(max_depth(0)))

    def leaf_of_all_rows(rows):
        return (leaf if len(rows) == len(TRAIN) else cart)(rows)

    for ask in (prune.cross_validated, prune.cross_predicted):
        assert np.array_equal(ask(TRAIN, leaf_of_all_rows, folds=3, seed=seed), ask(TRAIN, leaf, folds=3, seed=seed))


COSTS = [[0, 1], [3, 0]]
NUMBERS = Dataset.from_rows(
    [[n, n % 7] for n in range(60)], [float(n % 20 > 9) + n % 3 for n in range(60)], kinds="numeric", response="numbers"
)


def cost_of(answers, target):
    return [COSTS[int(own)][int(answer)] for own, answer in zip(target, answers, strict=True)]


@pytest.mark.parametrize(
    ("data", "risk", "loss"),
    [
        (TRAIN, misclassification, np.not_equal),
        (TRAIN, cost_risk(TRAIN.class_counts(), costs=COSTS), cost_of),
        (NUMBERS, misclassification, lambda answers, target: (answers - target) ** 2),
    ],
)
def test_predictions_along_the_path_have_the_errors_of_cross_validation(data, risk, loss):
    for folds in (4, np.arange(len(data)) % 3):
        found = prune.cross_predicted(data, cart, risk=risk, folds=folds, seed=3, cp=0.01)
        measured = prune.cross_validated(data, cart, risk=risk, folds=folds, seed=3, cp=0.01)
        true = data.labels if data.schema.has_classes else data.target_column
        assert found.shape == (len(data), len(measured))
        assert [np.mean(loss(column, true)) for column in found.T] == pytest.approx([row.error for row in measured])


def test_answers_of_several_numbers_have_an_axis_more():
    columns = {"a": range(40), "y": [float(n**2) for n in range(40)], "z": [float(n % 7) for n in range(40)]}
    data = Dataset.from_columns(columns, target=["y", "z"], kinds="numeric")
    shallow = partial(grow, policy=CART.stopping(max_depth(2)))
    found, path = prune.cross_predicted(data, shallow, folds=4), prune.cross_validated(data, shallow, folds=4)
    assert found.shape == (40, len(path), 2)


CARS = datasets.auto_mpg(numeric=True)
NUMBERS = grow(CARS, CART.stopping(max_depth(2)))
COUNTED = Dataset.from_rows([["a"], ["b"]], ["no", "yes"], weights=[12, 15])
NO_ALPHAS = "against must be 'leaves' for a path without alphas"
FOLDS = "folds must be a number of folds, or a fold number for each of 150 rows"


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda: prune.select([], by=prune.lowest_error), ValueError, "at least one tree, got an empty path"),
        (lambda: prune.select(PATH, by=prune.lowest_error), TypeError, "got a PathStep, which has no error"),
        (lambda: prune.measured([TREE.root], TRAIN), TypeError, "got a Branch"),
        (lambda: prune.measured([TREE], TRAIN.take([])), ValueError, "weight above 0"),
        (lambda: prune.measured([TREE], TRAIN, risk="gini"), TypeError, "risk must be a function of class counts .* got 'gini'"),
        (lambda: prune.measured([TREE], TRAIN, risk=variance), ValueError, "risk must be a function of class counts"),
        (lambda: prune.measured([NUMBERS], CARS, risk=gini), ValueError, "risk must be variance, or left out, for a regression"),
        (
            lambda: prune.measured([NUMBERS], CARS, risk=cost_risk((1, 2))),
            ValueError,
            "risk must be variance, or left out, for a regression",
        ),
        (lambda: prune.collapse(by="errors")(NUMBERS), ValueError, "by must be 'class' for a regression tree, got 'errors'"),
        (
            lambda: prune.reduced_error(CARS, labels="backfit")(NUMBERS),
            ValueError,
            "labels must be 'growing' for a regression tree, got 'backfit'",
        ),
        (lambda: prune.within(-0.1), ValueError, "at least 0, got -0.1"),
        (lambda: prune.cross_predicted(TRAIN, cart, folds=1), ValueError, "from 2 to 150, the number of rows, got 1"),
        (lambda: prune.cross_predicted(TRAIN, cart, folds=[1, 2]), ValueError, FOLDS),
        (lambda: prune.cross_predicted(COUNTED, cart), ValueError, "folds must be the fold of each row where weights are counts"),
        (lambda: prune.cross_validated(TRAIN, cart, folds=1), ValueError, "from 2 to 150, the number of rows, got 1"),
        (lambda: prune.cross_validated(TRAIN, cart, folds=[1, 2]), ValueError, FOLDS),
        (lambda: prune.cross_validated(TRAIN, cart, folds=np.ones(150, int)), ValueError, FOLDS),
        (lambda: prune.cross_validated(TRAIN, cart, folds=np.ones((150, 2), int)), ValueError, FOLDS),
        *[
            (partial(prune.cross_validated, TRAIN, cart, folds=(np.arange(150) % 3).astype(records)), ValueError, FOLDS)
            for records in ("i8,f8", "i8,O", "V8")
        ],
        *[
            (partial(prune.cross_validated, TRAIN, cart, folds=missing), ValueError, FOLDS)
            for missing in ([0, 1, np.nan] * 50, [0, 1, None] * 50, np.ma.array([0, 1, 2] * 50, mask=[True] + [False] * 149))
        ],
        (lambda: prune.cross_validated(TRAIN, cart, cp=-1), ValueError, "cp must be a number of at least 0"),
        (lambda: prune.cross_validated(TRAIN, cart, cp=np.nan), ValueError, "cp must be a number of at least 0"),
        (lambda: prune.cross_validated(TRAIN, cart, cp=10**400), ValueError, "cp must be a number of at least 0"),
        (lambda: study.plot_path({}), ValueError, "at least one curve"),
        (lambda: study.plot_path({"training": ()}), ValueError, "at least one curve"),
        (lambda: study.plot_path({"one": WORKED, "other": WORKED[1:]}), ValueError, "of one path"),
        (lambda: study.plot_path({"one": WORKED}, against="alpha"), ValueError, NO_ALPHAS),
        (lambda: study.plot_path({"one": [evolve(WORKED[0], alpha=0.1), *WORKED[1:]]}, against="alpha"), ValueError, NO_ALPHAS),
        (lambda: study.plot_path({"one": WORKED}, against="error"), ValueError, "'alpha', 'cp', 'leaves'"),
        (lambda: study.plot_path(WORKED), TypeError, r"curves must be a dict such as .*, got \[Measured"),
    ],
)
def test_what_has_no_meaning_is_refused(ask, error, message):
    with pytest.raises(error, match=message):
        ask()


def test_what_was_raised_is_explained_where_it_stood():
    """The left half of the tree is raised; nodes judged after that have other paths."""
    left = [["l", "a", 0], ["l", "a", 1]] + [["l", "b", 0]] * 7 + [["l", "b", 1]] * 5
    right = [["r", "a", 0]] * 6 + [["r", "a", 1]] * 6
    labels = ["P", "Q"] + ["P"] * 7 + ["Q"] * 5 + ["Q"] * 6 + ["P"] * 6
    data = Dataset.from_rows(left + right, labels, features=["side", "x", "B"], kinds="nominal")
    b_left = Branch((7, 5), Multiway(2, (0, 1)), (Leaf((7, 0)), Leaf((0, 5))))
    x_left = Branch((8, 6), Multiway(1, (0, 1)), (Leaf((1, 1)), b_left))
    b_right = Branch((6, 6), Multiway(2, (0, 1)), (Leaf((0, 6)), Leaf((6, 0))))
    tree = Tree(data.schema, Branch((14, 12), Multiway(0, (0, 1)), (x_left, b_right)))
    shown = prune.explain(prune.error_based(raise_with=data), tree).splitlines()
    judged = [(line[:12].strip(), line.split()[-1]) for line in shown[1:] if line.endswith(("kept", "cut", "raised"))]
    # The child that took its parent's place was judged before, and again there.
    assert judged == [
        ("[14 12]", "kept"),
        ("side = l [8", "raised"),
        ("|   x = b [7", "kept"),
        ("", "kept"),
        ("side = r [6", "kept"),
    ]


def test_a_picture_has_a_curve_for_each_name():
    pytest.importorskip("matplotlib", reason="needs matplotlib, the extra plot")
    curves = {
        "training": prune.measured(PATH, TRAIN),
        "pruning set": prune.measured(PATH, HELD_OUT),
        "cross-validated": prune.cross_validated(TRAIN, cart),
    }
    axes = study.plot_path(curves, against="alpha")
    rule = "lowest error + 1 standard error", "chosen by the one-standard-error rule"
    assert sorted(text.get_text() for text in axes.get_legend().get_texts()) == sorted([*curves, *rule])
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("alpha", "error rate")
    drawn = axes.get_lines()[0].get_ydata().tolist()
    assert drawn == [row.error for row in curves["training"]]
    for against, ticks in (("cp", [f"{step.cp:.2g}" for step in PATH]), ("leaves", [str(step.leaves) for step in PATH])):
        axes = study.plot_path(curves, against=against)
        assert (axes.get_xlabel(), [text.get_text() for text in axes.get_xticklabels()]) == (
            against,
            ticks[:: max(len(PATH) // 12, 1)],
        )


def test_folds_can_be_given_row_by_row():
    fold_of = fold_numbers(TRAIN.target_column, 4, random=generator_of(0))
    assert prune.cross_validated(TRAIN, cart, folds=fold_of) == prune.cross_validated(TRAIN, cart, folds=4, seed=0)
    named = [f"fold {number}" for number in fold_of]
    assert prune.cross_validated(TRAIN, cart, folds=named) == prune.cross_validated(TRAIN, cart, folds=4, seed=0)


def test_threads_change_nothing():
    assert prune.cross_validated(TRAIN, cart, n_jobs=2) == prune.cross_validated(TRAIN, cart)


def test_a_cp_leaves_out_larger_trees():
    whole = prune.cross_validated(TRAIN, cart, folds=4)
    for number, row in enumerate(whole[:-1]):
        part = prune.cross_validated(TRAIN, cart, folds=4, cp=row.cp)
        assert part[1:] == whole[number + 1 :]
        assert part[0].tree == row.tree
        between = prune.cross_validated(TRAIN, cart, folds=4, cp=(row.cp + whole[number + 1].cp) / 2)
        assert (between[0].tree, between[0].cp) == (row.tree, (row.cp + whole[number + 1].cp) / 2)
    lonely = prune.cross_validated(Dataset.from_rows([[0], [0], [0], [0]], [0, 1, 0, 1]), grow, folds=2, cp=0.1)
    assert [row.leaves for row in lonely] == [1]


@pytest.mark.parametrize(
    ("response", "label"), [("classes", "error rate"), ("numbers", "mean squared error"), (events(), "mean deviance")]
)
def test_the_errors_of_a_path_are_named_by_what_they_are(response, label):
    table = Dataset.from_columns({"x": [0.0, 1.0, 2.0, 3.0], "y": [0, 0, 1, 4]}, target="y", response=response)
    path = prune.measured(prune.cost_complexity_path(grow(table, CART)), table)
    assert study.plot_path({"training": path}).get_ylabel() == label


def test_an_error_rate_has_the_standard_error_of_a_proportion_and_a_cost_that_of_its_mean():
    rate = Measured(3, 0.2, 100.0, TREE)
    assert (rate.alpha, rate.cp, rate.deviation) == (None, None, None)
    assert rate.standard_error == sqrt(0.2 * 0.8) / 10
    assert evolve(rate, error=1.5).standard_error == 0, "a share above 1 has no deviation"
    assert evolve(rate, deviation=3.0).standard_error == pytest.approx(0.3)
    step = Measured(3, 0.0, 1.0, TREE, 0.5, 0.25)
    assert measured_step(step, (20.0, 60.0), 10.0, misclassification) == Measured(3, 2.0, 10.0, TREE, 0.5, 0.25)
    priced = measured_step(step, (20.0, 60.0), 10.0, cost_risk((5, 5), costs=((0, 1), (2, 0))))
    assert priced.deviation == pytest.approx(sqrt(6 - 4))
    assert measured_step(step, (20.0, 39.0), 10.0, cost_risk((5, 5), costs=((0, 1), (2, 0)))).deviation == 0, "but for rounding"
