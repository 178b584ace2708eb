"""Studies as values: worked statistics, limits on both sides, and results that are tuples whatever they came in."""

import re
from math import inf, isnan, nan

import numpy as np
import pytest

from ftree import ID3, Dataset, grow
from ftree.study import (
    Comparison,
    Confusion,
    CpRow,
    CpTable,
    FoldResult,
    Friedman,
    Predictions,
    Trial,
    compare,
    confusion,
    corrected_t_test,
    friedman,
    metrics,
    wilcoxon,
)
from ftree.study.comparison_text import _largest
from ftree.study.fold_pairs import pairs_of
from ftree.study.significance import scores_of

ROWS = Dataset.from_rows([["a"], ["a"], ["b"], ["b"]], ["no", "yes", "yes", "yes"], weights=[1, 2, 3, 4])
PLAIN = Dataset.from_rows([["a"], ["a"], ["b"], ["b"]], ["no", "yes", "yes", "yes"])


def exactly(text):
    """A pattern that a whole message matches."""
    return f"^{re.escape(text)}$"


def test_two_learners_on_two_data_sets_are_the_fewest():
    assert Friedman(["a", "b"], [1.0, 2.0], 2).statistic == pytest.approx(2)
    for learners, ranks, n in (
        (["a"], [1.0], 5),
        (["a", "b"], [1.0, 2.0], 1),
        (["a", "b"], [1.0], 5),
        (["a", "b"], [1.0] * 3, 5),
    ):
        got = f"{len(learners)} learners with {len(ranks)} ranks on {n}"
        words = f"learners must be at least 2, each with a mean rank, on at least 2 data sets, got {got}."
        with pytest.raises(ValueError, match=exactly(words)):
            Friedman(learners, ranks, n)


def test_ranks_are_tuples_and_results_are_values():
    found = Friedman(["a", "b"], [1.0, 2.0], 2)
    assert (found.learners, found.mean_ranks, found.ties) == (("a", "b"), (1.0, 2.0), 0.0)
    assert hash(found) == hash(Friedman(("a", "b"), (1.0, 2.0), n_datasets=2, ties=0.0))


def test_ties_divide_the_statistic_by_what_they_leave_of_the_variance():
    ranks = (1.2, 1.9, 2.9)
    plain = Friedman("abc", ranks, 10)
    assert plain.statistic == pytest.approx(12 * 10 / 12 * (1.2**2 + 1.9**2 + 2.9**2 - 12))
    assert Friedman("abc", ranks, 10, ties=0.5).statistic == pytest.approx(2 * plain.statistic)
    assert Friedman("abc", ranks, 10, ties=1.0).statistic == 0.0
    assert plain.f_statistic == pytest.approx(9 * plain.statistic / (20 - plain.statistic))
    scores = {"a": [1, 1, 3], "b": [1, 2, 3], "c": [2, 3, 1]}
    assert friedman(scores, correct_for_ties=True).ties == pytest.approx((6 + 0 + 6) / (3 * 24))
    assert friedman(scores).ties == 0.0
    assert friedman(scores, lower_is_better=True).mean_ranks == pytest.approx((5 / 3, 2, 7 / 3))
    assert friedman({"a": [0.1 + 0.2, 1], "b": [0.3, 0]}).mean_ranks == (1.25, 1.75), "rounding does not break a tie"
    assert friedman({"a": [1e-11, 1], "b": [0, 0]}).mean_ranks == (1.0, 2.0)


def test_an_F_is_infinite_only_where_all_ranks_agree():
    assert Friedman("ab", (1.0, 2.0), 9).f_statistic == inf
    nearly = Friedman("ab", (1 + 1e-6, 2 - 1e-6), 9)
    assert nearly.f_statistic == pytest.approx(8 * (1 - 2e-6) ** 2 / (1 - (1 - 2e-6) ** 2), rel=1e-6)
    assert Friedman("ab", (1 + 1e-10, 2 - 1e-10), 9).f_statistic == inf, "but for rounding"
    for alpha in (0, 1, -0.1, 2):
        with pytest.raises(ValueError, match=exactly(f"alpha must be above 0 and below 1, got {alpha}.")):
            nearly.critical_difference(alpha)
    assert nearly.critical_difference() == nearly.critical_difference(0.05) < nearly.critical_difference(0.01)
    three = Friedman("abc", (1.0, 1.8, 3.0), 12)
    assert three.groups() == three.groups(0.05) == (("a", "b"),)
    assert three.groups(0.0001) == (("a", "b"), ("b", "c"))


def test_an_exact_probability_counts_signs_up_to_thirteen_pairs_or_fifty_without_ties():
    assert wilcoxon([1, 2, 3], [0, 0, 0]).p_value == 0.25
    assert wilcoxon([1, 2, -3], [0, 0, 0]).p_value == 1.0
    assert wilcoxon([1, 1], [0, 0]).p_value == 0.5
    told = {n: wilcoxon(np.arange(1, n + 1), np.zeros(n)).p_value for n in (13, 14, 50, 51)}
    assert [told[n] == 2 * 2.0**-n for n in (13, 14, 50, 51)] == [True, True, True, False]
    tied = {n: wilcoxon(np.ones(n), np.zeros(n)).p_value for n in (13, 14)}
    assert [tied[n] == 2 * 2.0**-n for n in (13, 14)] == [True, False]
    zero = wilcoxon([0, *range(1, 14)], np.zeros(14)).p_value
    assert zero != pytest.approx(2 * 2.0**-13, rel=1e-3), "with a zero of fourteen, no exact count"
    assert (wilcoxon([1, 2, 3], [0, 0, 0]).first, wilcoxon([1, 2, -3], [0, 0, 0]).statistic) == (6.0, 3.0)


def test_scores_are_as_many_numbers_as_wanted():
    assert scores_of([1, 2]).tolist() == [1, 2]
    assert scores_of([1], least=1).tolist() == [1]
    for scores, options, wanted in [
        ([1], {}, "at least 2 data sets"), ([], {"least": 1}, "at least 1 data sets"), ([[1, 2]], {}, "at least 2 data sets"),
        ([1, nan], {}, "at least 2 data sets"), ("ab", {}, "at least 2 data sets"), (None, {}, "at least 2 data sets"),
        ([1, 2], {"like": [1]}, "1 data sets"), ([1], {"like": [1, 2]}, "2 data sets"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=exactly(f"Scores must be numbers on {wanted}, got {scores!r}.")):
            scores_of(scores, **options)


def trial_of(*scores, sizes=(8, 2)):
    return Trial(["accuracy", "leaves"], [FoldResult(*sizes, [score, 10 * score], 0.5) for score in scores])


def test_a_t_test_is_by_the_first_metric_or_by_another():
    one, other = trial_of(0.5, 1.0), trial_of(0.5, 0.5)
    assert corrected_t_test(one, other).difference == 0.25
    assert corrected_t_test(one, other, metric="leaves").difference == 2.5
    assert corrected_t_test(one, other).statistic == pytest.approx(0.25 / ((1 / 2 + 2 / 8) * 0.125) ** 0.5)
    assert corrected_t_test(other, one).statistic == -corrected_t_test(one, other).statistic
    assert corrected_t_test(trial_of(0.5, 0.5), trial_of(1.0, 1.0)).statistic == -inf
    for pair in ((one, trial_of(0.5)), (one, trial_of(0.5, 1.0, sizes=(7, 3))), (trial_of(0.5), trial_of(0.5))):
        n, m = (len(trial.folds) for trial in pair)
        with pytest.raises(ValueError, match=exactly(f"Trials must be of the same folds, at least 2, got {n} and {m} folds.")):
            corrected_t_test(*pair)


@pytest.fixture(scope="module")
def comparison():
    small, large = [trial_of(0.3, 0.5), trial_of(0.2, 0.2)], [trial_of(0.9, 0.7), trial_of(0.8, 0.9)]
    return Comparison(
        iter(["small", "large"]), iter(["t0", "t1"]), iter(["accuracy", "leaves"]), iter([iter(small), iter(large)])
    )


def test_a_comparison_is_a_value_whatever_its_parts_came_in(comparison):
    assert (comparison.learners, comparison.datasets, comparison.metrics) == (
        ("small", "large"),
        ("t0", "t1"),
        ("accuracy", "leaves"),
    )
    assert type(comparison.trials) is type(comparison.trials[0]) is tuple
    assert hash(comparison) == hash(Comparison(comparison.learners, comparison.datasets, comparison.metrics, comparison.trials))
    assert comparison.means() == comparison.means("accuracy") == {"small": (0.4, 0.2), "large": (0.8, pytest.approx(0.85))}
    assert comparison.means("leaves")["small"] == (4, 2)
    assert comparison.rows()[5] == {
        "learner": "large", "dataset": "t0", "fold": 1, "n_train": 8, "n_test": 2, "accuracy": 0.7, "leaves": 7, "seconds": 0.5,
    }  # fmt: skip
    assert comparison.columns()["dataset"] == ["t0", "t0", "t1", "t1"] * 2


def test_tests_of_a_comparison_are_by_the_metric_and_the_better_way_up(comparison):
    assert comparison.friedman().mean_ranks == comparison.friedman("accuracy").mean_ranks == (2, 1)
    assert comparison.friedman("leaves").mean_ranks == (1, 2)
    assert comparison.friedman("seconds", correct_for_ties=True).ties == 1
    assert comparison.friedman("seconds").ties == 0
    assert (comparison.wilcoxon("small", "large").first, comparison.wilcoxon("small", "large", metric="leaves").first) == (0, 3)
    assert comparison.corrected_t_test("small", "large").difference == pytest.approx(-0.4)
    assert comparison.corrected_t_test("small", "large", dataset="t1", metric="leaves").difference == pytest.approx(-6.5)
    for ask, words in [
        (lambda: comparison["tiny", "t0"], "learner must be among 'small', 'large', got 'tiny'."),
        (lambda: comparison["small", "t2"], "dataset must be among 't0', 't1', got 't2'."),
    ]:
        with pytest.raises(KeyError, match=re.escape(words)):
            ask()


def test_means_that_are_no_numbers_have_no_size():
    assert [_largest(means) for means in ([1, -3, nan], [nan], [])] == [3, 0.0, 0.0]


def test_a_confusion_matrix_counts_rows_as_integers_and_weights_as_they_are():
    tree = grow(PLAIN)
    counts = confusion(tree, PLAIN).counts
    assert counts == ((1, 0), (1, 2))
    assert {type(count) for row in counts for count in row} == {int}
    assert confusion(tree, ROWS).counts == ((1, 0), (2, 7))
    table = Confusion(("no", "yes"), iter([[1, 0], [2, 7]]))
    assert (table.counts, hash(table)) == (((1, 0), (2, 7)), hash(Confusion(("no", "yes"), ((1, 0), (2, 7)))))
    assert table.accuracy == 0.8
    assert table.kappa == pytest.approx((0.8 - (0.1 * 0.3 + 0.9 * 0.7)) / (1 - 0.66))
    assert table.precision == pytest.approx((1 / 3, 1))
    assert table.recall == pytest.approx((1, 7 / 9))
    assert table.f == pytest.approx((2 * 1 / 4, 2 * 7 / 16))
    assert table.balanced_accuracy == pytest.approx((1 + 7 / 9) / 2)
    assert Confusion(("no", "yes"), ((0, 0), (1, 1))).balanced_accuracy == 0.5
    assert isnan(Confusion(("no", "yes"), ((0, 0), (1, 1))).recall[0])
    assert Confusion(("no",), ((3,),)).kappa == 1.0
    assert str(table) == "true \\ predicted\n     no  yes\n no   1    0\nyes   2    7"


def test_metrics_weigh_rows_and_costs_are_a_value():
    answers = Predictions(grow(PLAIN), ROWS)
    assert metrics.accuracy(answers) == 0.8
    assert metrics.brier(answers) == pytest.approx((1 * 0.5 + 2 * 0.5) / 10)
    assert metrics.log_loss(answers) == pytest.approx(3 * np.log(2) / 10)
    assert metrics.auc(answers) == pytest.approx((7 + 2 / 2) / 9)
    cost = metrics.mean_cost([[0, 5], [1, 0]])
    assert (cost, hash(cost)) == (metrics.mean_cost(((0.0, 5.0), (1.0, 0.0)), decide=True),) * 1 + (hash(cost),)
    assert cost(answers) == pytest.approx(2 / 10)
    assert metrics.mean_cost([[0, 1], [5, 0]])(answers) == pytest.approx(1 / 10)
    assert metrics.mean_cost([[0, 1], [5, 0]], decide=False)(answers) == pytest.approx(10 / 10)
    assert answers.weights.tolist() == [1, 2, 3, 4]
    assert Predictions(grow(PLAIN), PLAIN).weights.dtype.kind == "i"


def test_a_table_of_a_path_prints_as_rparts():
    table = CpTable(0.4, 50.0, [CpRow(0.5, 0, 1.0, 1.0, 0.1), CpRow(0.012345678, 1, 0.5, 0.75, 0.125)], 1, 1)
    assert repr(table) == (
        "Root node error: 20/50 = 0.4\n\n"
        "         CP  nsplit  rel error   xerror     xstd\n"
        "1       0.5       0    1.00000  1.00000  0.10000\n"
        "2  0.012346       1    0.50000  0.75000  0.12500  lowest, 1-SE\n\n"
        "1-SE line: xerror 0.87500"
    )


def test_data_sets_have_names_or_numbers_from_one():
    by_list = compare({"ID3": ID3}, [PLAIN, PLAIN], folds=2)
    assert by_list.datasets == ("dataset 1", "dataset 2")
    assert compare({"ID3": ID3}, PLAIN, folds=2).datasets == ("dataset 1",)
    assert compare({1: ID3}, {7: PLAIN}, folds=2).datasets == ("7",)
    assert compare({1: ID3}, {7: PLAIN}, folds=2).learners == ("1",)


def test_folds_are_taken_in_any_form_and_a_fold_has_rows_on_both_sides():
    wanted = "a number, a function of a dataset such as stratified(10, seed=0), or pairs of training and test rows"
    for folds in ("ab", b"ab", 2.5, None, [3], [(1, 2, 3)]):
        with pytest.raises(TypeError, match=re.escape(f"folds must be {wanted}, got ")):
            pairs_of(folds, PLAIN, seed=0)
    for pair, sizes in ((([], [1]), "0 and 1"), (([0], []), "1 and 0")):
        words = f"A fold must have rows to train on and rows to test on, got {sizes}."
        with pytest.raises(ValueError, match=exactly(words)):
            pairs_of([pair], PLAIN, seed=0)
    found = pairs_of(lambda data: [(range(len(data) - 1), [3])], PLAIN, seed=0)
    assert [(train.tolist(), test.tolist()) for train, test in found] == [([0, 1, 2], [3])]
    one, other = (pairs_of(2, PLAIN, seed=seed)[0][1].tolist() for seed in (0, 3))
    assert one != other or pairs_of(2, PLAIN, seed=5)[0][1].tolist() != one
