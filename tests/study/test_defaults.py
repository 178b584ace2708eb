"""Evaluation: defaults, missing values, and error messages."""

import pytest
from attrs import evolve

from ftree import ID3, Dataset, confusion, cross_validate, grow, learning_curve, root_feature_counts
from ftree.stop import max_depth
from ftree.study import CpRow, CpTable, FoldResult, Predictions, Report, Trial

EASY = Dataset.from_rows([["a", 0.0], ["b", 1.0]] * 20, ["no", "yes"] * 20, features=["good", "bad"])
STUMP = evolve(ID3, stop=max_depth(1))
NOISY = Dataset.from_rows([[n % 7, n % 5] for n in range(24)], [n % 3 == 0 or n % 11 == 0 for n in range(24)])


def test_folds_and_repeats_and_the_seed_have_defaults():
    assert cross_validate(NOISY, STUMP) == cross_validate(NOISY, STUMP, folds=10, seed=0)
    assert learning_curve(NOISY, STUMP, sizes=[12]) == learning_curve(NOISY, STUMP, sizes=[12], repeats=10, seed=0)
    assert root_feature_counts(NOISY, STUMP, size=12) == root_feature_counts(NOISY, STUMP, size=12, repeats=100, seed=0)


def test_another_seed_draws_other_rows():
    assert cross_validate(NOISY, STUMP) != cross_validate(NOISY, STUMP, seed=1)
    assert learning_curve(NOISY, STUMP, sizes=[12]) != learning_curve(NOISY, STUMP, sizes=[12], seed=1)
    assert root_feature_counts(NOISY, STUMP, size=12) != root_feature_counts(NOISY, STUMP, size=12, seed=1)


# The heaviest branch gives "no" to rows without a value; with `stop_here`, the node above gives "yes".
GAPS = Dataset.from_rows([["a"]] * 6 + [["b"]] * 10 + [[None]] * 8, ["yes"] * 6 + ["no"] * 10 + ["yes"] * 8, features=["x"])


def test_rows_with_missing_values_are_predicted_by_the_rule_asked_for():
    def differs(measure, *arguments, **options):
        return measure(*arguments, **options, missing="heaviest") != measure(*arguments, **options, missing="stop_here")

    assert differs(confusion, grow(GAPS), GAPS)
    assert differs(cross_validate, GAPS, folds=4)
    assert differs(learning_curve, GAPS, sizes=[12])


def test_whole_weights_make_whole_counts_in_columns_as_wide_as_their_longest_cell():
    table = confusion(grow(EASY), EASY)
    assert repr(table.counts) == "((20, 0), (0, 20))"
    wide = Dataset.from_rows([["a"], ["b"]], ["a long name", "b"], weights=[3, 12345])
    assert str(confusion(grow(wide), wide)).splitlines() == [
        "true \\ predicted",
        "             a long name      b",
        "a long name            3      0",
        "          b            0  12345",
    ]


def test_two_accuracies_have_a_standard_error():
    folds = [FoldResult(8, 2, [score]) for score in (0.5, 0.7)]
    assert Trial(["accuracy"], folds).standard_error == pytest.approx(0.1)


def test_sizes_are_those_that_leave_a_row_and_a_subset_may_be_all_rows():
    assert root_feature_counts(EASY, size=1, repeats=2) == {None: 2}
    assert root_feature_counts(EASY, size=len(EASY), repeats=2) == {"good": 2}
    assert learning_curve(EASY, sizes=[1, len(EASY) - 1], repeats=1)[1].accuracies == (1.0,)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: learning_curve(EASY, sizes=[0]), "sizes must be from 1 to 39, so that rows remain for testing, got 0."),
        (lambda: learning_curve(EASY, sizes=[40]), "sizes must be from 1 to 39, so that rows remain for testing, got 40."),
        (lambda: learning_curve(EASY, sizes=[5], repeats=0), "repeats must be a whole number from 1, got 0."),
        (lambda: root_feature_counts(EASY, size=5, repeats=0), "repeats must be a whole number from 1, got 0."),
        (lambda: root_feature_counts(EASY, size=0), "size must be from 1 to 40, the number of rows, got 0."),
        (lambda: root_feature_counts(EASY, size=41), "size must be from 1 to 40, the number of rows, got 41."),
        (lambda: root_feature_counts([[1]], size=0), "dataset must be a Dataset, got a list."),
        (lambda: confusion(3, EASY), "tree must be a Tree, got an int."),
        (lambda: confusion(grow(EASY), EASY.take([])), "dataset must have a row with a weight above 0, got 0 rows without one."),
    ],
)
def test_each_refusal_names_its_argument(ask, words):
    with pytest.raises((ValueError, TypeError)) as caught:
        ask()
    assert str(caught.value).startswith(words)


# Trials and tables of results --------------------------------------------------------------------------------------


def test_a_trial_is_summed_up_by_its_first_metric_and_its_largest_training_set():
    trial = Trial(["accuracy", "leaves"], [FoldResult(4, 2, [0.5, 3]), FoldResult(6, 2, [1.0, 9]), FoldResult(5, 2, [1.0, 9])])
    assert (trial.size, trial.mean, trial["leaves"]) == (6, pytest.approx(2.5 / 3), (3, 9, 9))
    assert trial.standard_error == pytest.approx((1 / 12 / 3) ** 0.5)
    assert trial.accuracies == (0.5, 1.0, 1.0)
    assert (trial.metrics, type(trial.folds)) == (("accuracy", "leaves"), tuple)


def test_rows_of_a_table_of_a_path_are_a_tuple_so_that_it_is_a_value():
    rows = [CpRow(0.5, 0, 1.0, 1.0, 0.1), CpRow(0.01, 1, 0.5, 0.75, 0.125)]
    table = CpTable(0.4, 50, rows, lowest=1, one_standard_error=1)
    assert table.rows == tuple(rows)
    assert hash(table) == hash(CpTable(0.4, 50, iter(rows), 1, 1))
    assert table.limit == 0.875


def test_the_figures_of_a_report_are_given_by_name():
    with pytest.raises(TypeError, match="positional"):
        Report(confusion(grow(EASY), EASY), 1, 2, 3, 4, 5)
    with pytest.raises(TypeError, match="positional"):
        Predictions(grow(EASY), EASY, "weighted")


@pytest.mark.parametrize("name", ["leaves", "depth", "brier", "log_loss", "auc"])
def test_no_figure_of_a_report_is_given_by_position(name):
    others = dict.fromkeys({"leaves", "depth", "brier", "log_loss", "auc"} - {name}, 0.5)
    with pytest.raises(TypeError, match="positional"):
        Report(confusion(grow(EASY), EASY), 0.5, **others)


def test_there_are_no_more_folds_than_rows():
    data = Dataset.from_rows([["a"], ["b"], ["c"]], [0, 1, 0])
    for folds in (1, 4):
        with pytest.raises(ValueError, match=f"folds must be a whole number from 2 to 3, the number of rows, got {folds}"):
            cross_validate(data, folds=folds)
