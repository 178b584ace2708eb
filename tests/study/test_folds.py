"""Folds: every row is tested once, classes are spread evenly, groups stay whole."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold

from ftree import Dataset, cross_validate
from ftree.study import grouped, holdout, stratified
from ftree.study.folds import pairs_of
from ftree.testing import datasets

EASY = Dataset.from_rows([["a", 0.0], ["b", 1.0]] * 20, ["no", "yes"] * 20, features=["good", "bad"])


@st.composite
def divisions(draw):
    """A dataset, and folds that are at most as many as its rows."""
    dataset = draw(datasets(min_rows=2, max_rows=12))
    n, seed = draw(st.integers(2, len(dataset))), draw(st.integers(0, 9))
    return dataset, stratified(n, repeats=draw(st.integers(1, 2)), seed=seed)


@given(divisions())
def test_every_row_is_in_exactly_one_test_fold_of_each_repeat_and_else_in_training(division):
    dataset, folds = division
    pairs = folds(dataset)
    assert len(pairs) == folds.n * folds.repeats
    for repeat in range(folds.repeats):
        tests = [test for _, test in pairs[repeat * folds.n : (repeat + 1) * folds.n]]
        assert sorted(np.concatenate(tests)) == list(range(len(dataset)))
    for train, test in pairs:
        assert sorted([*train, *test]) == list(range(len(dataset)))


@given(divisions())
def test_counts_of_a_class_and_sizes_differ_by_at_most_one_between_folds(division):
    dataset, folds = division
    counts = np.array([np.bincount(dataset.target_column[test], minlength=4) for _, test in folds(dataset)])
    assert np.ptp(counts, axis=0).max() <= 1
    assert np.ptp(counts.sum(axis=1)) <= 1


@given(divisions())
def test_a_number_of_folds_means_those_of_the_dataset(division):
    dataset, folds = division
    ours = pairs_of(folds.n, dataset, seed=folds.seed)
    assert [(dataset.take(train), dataset.take(test)) for train, test in ours] == list(dataset.folds(folds.n, seed=folds.seed))


@given(st.lists(st.sampled_from(["p", "q", "r", "s"]), min_size=4, max_size=12), st.integers(0, 9))
def test_groups_are_never_divided(groups, seed):
    data = Dataset.from_rows([[group] for group in groups], [0] * len(groups), features=["patient"])
    n = len(set(groups))
    if n < 2:
        with pytest.raises(ValueError, match="number of groups"):
            grouped(groups, 2)(data)
        return
    for folds in (grouped(groups, n, seed=seed), grouped("patient", n, seed=seed)):
        pairs = folds(data)
        assert sorted(np.concatenate([test for _, test in pairs])) == list(range(len(groups)))
        for train, test in pairs:
            assert not {groups[row] for row in train} & {groups[row] for row in test}


def test_groups_fill_the_smallest_fold_and_rows_without_a_value_are_one_group():
    data = Dataset.from_rows([["p"]] * 3 + [["q"]] * 2 + [[None]] * 2, [0] * 7, features=["patient"])
    assert sorted(len(test) for _, test in grouped("patient", 2)(data)) == [3, 4]
    numeric = Dataset.from_rows([[1.0], [None], [None], [2.0]], [0] * 4, kinds="numeric", features=["patient"])
    assert sorted(test.tolist() for _, test in grouped("patient", 3)(numeric)) == [[0], [1, 2], [3]]


def test_a_holdout_trains_on_a_fraction_and_tests_on_the_rest():
    pairs = holdout(0.75, repeats=3, seed=1)(EASY)
    assert [(len(train), len(test)) for train, test in pairs] == [(30, 10)] * 3
    assert all(sorted([*train, *test]) == list(range(40)) for train, test in pairs)
    assert len({tuple(test) for _, test in pairs}) == 3
    assert cross_validate(EASY, folds=holdout(0.75, repeats=3)).size == 30


def test_folds_are_also_pairs_of_numbers_or_masks_and_what_scikit_learn_splits():
    rows = np.arange(40)
    given_pairs = [(rows < 30, rows >= 30), (range(10, 40), range(10))]
    assert [len(test) for _, test in pairs_of(given_pairs, EASY, seed=0)] == [10, 10]
    assert cross_validate(EASY, folds=KFold(4).split(rows)).accuracies == (1.0,) * 4


def test_folds_print_as_they_are_written():
    assert repr(stratified(5, seed=2)) == "stratified(5, repeats=1, seed=2)"
    assert repr(grouped(["a", "b"], 2)) == "grouped(('a', 'b'), 2, seed=0)"


@pytest.mark.parametrize(
    ("ask", "error", "wanted"),
    [
        (lambda: pairs_of(41, EASY, seed=0), ValueError, "from 2 to 40, the number of rows, got 41"),
        (lambda: stratified(41)(EASY), ValueError, "from 2 to 40, the number of rows, got 41"),
        (lambda: stratified(1), ValueError, "n must be a whole number of folds from 2, got 1"),
        (lambda: stratified(2, seed=-1), ValueError, "seed must be a whole number from 0, got -1"),
        (lambda: pairs_of("ten", EASY, seed=0), TypeError, "folds must be a number, a function .* got 'ten'"),
        (lambda: pairs_of(2.5, EASY, seed=0), TypeError, "folds must be a number, a function .* got 2.5"),
        (lambda: pairs_of(stratified, EASY, seed=0), TypeError, "folds must be a number, a function"),
        (lambda: pairs_of([1, 2], EASY, seed=0), TypeError, "folds must be a number, a function .* got 1"),
        (lambda: pairs_of([], EASY, seed=0), ValueError, "at least one pair"),
        (lambda: pairs_of([([0], [])], EASY, seed=0), ValueError, "rows to train on and rows to test on, got 1 and 0"),
        (lambda: pairs_of([([0], [40])], EASY, seed=0), IndexError, "rows must be .* numbers from 0 to 39"),
        (lambda: grouped([1, 2], 2)(EASY), ValueError, "a group for each of the 40 rows, got 2 groups"),
        (lambda: grouped(7, 2)(EASY), ValueError, "a group for each of the 40 rows, got 7"),
        (lambda: grouped("good", 3)(EASY), ValueError, "from 2 to 2, the number of groups, got 3"),
        (lambda: grouped("ugly", 2)(EASY), KeyError, "ugly"),
        (lambda: holdout(1.0), ValueError, "fraction must be above 0 and below 1, got 1.0"),
        (lambda: holdout(0.01)(EASY), ValueError, "leave rows to train and to test on, got 0.01 of 40 rows"),
    ],
)
def test_folds_that_cannot_be_are_refused(ask, error, wanted):
    with pytest.raises(error, match=wanted):
        ask()
