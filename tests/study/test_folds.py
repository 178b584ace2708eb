"""Folds: every row is tested once, classes are spread evenly, groups stay whole."""

from functools import partial

import numpy as np
import pytest
from attrs import evolve
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.model_selection import KFold

from ftree import CART, Dataset, cart, cross_validate, grow, prune
from ftree.datasets import titanic
from ftree.stop import max_depth
from ftree.study import compare, grouped, holdout, stratified
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


@st.composite
def tables_of_counts_with_folds(draw):
    """A table whose rows stand for no case, one or several, and folds in any form."""
    kind = draw(st.sampled_from(["classes", "numbers", "events"]))
    table = draw(datasets(missing=True, min_rows=2, max_rows=12, response=kind))
    table = table.with_weights(draw(st.lists(st.integers(0, 5), min_size=len(table), max_size=len(table))))
    n, seed, n_cases = draw(st.integers(2, 4)), draw(st.integers(0, 9)), len(table.cases())
    groups = draw(st.lists(st.sampled_from("pqrs"), min_size=len(table), max_size=len(table)))
    of_cases = [groups[row] for row in table.cases()]
    assume(n_cases >= 4 and len(set(of_cases)) >= 2)
    cut = draw(st.integers(1, n_cases - 1))
    forms = (n, stratified(n, repeats=2, seed=seed), holdout(cut / n_cases, repeats=2, seed=seed))
    whole = np.isin(groups, of_cases[0]) & (table.weights > 0), ~np.isin(groups, of_cases[0]) & (table.weights > 0)
    pairs = draw(
        st.sampled_from(
            [
                *((form, form) for form in forms),
                (grouped(groups, 2, seed=seed), grouped(of_cases, 2, seed=seed)),
                ([whole], [tuple(mask[table.cases()] for mask in whole)]),
            ]
        )
    )
    return table, *pairs


@given(tables_of_counts_with_folds())
def test_scores_of_a_table_of_counts_are_those_of_its_copies(drawn):
    table, folds, folds_of_copies = drawn
    copies = evolve(table, weights=None).take(table.cases())
    metrics = ("accuracy", "auc", "log_loss", "kappa") if table.schema.has_classes else ("r_squared", "deviance", "mae")
    one, other = (
        cross_validate(each, CART, folds=own, metrics=(*metrics, "leaves"))
        for each, own in ((table, folds), (copies, folds_of_copies))
    )
    for mine, theirs in zip(one.folds, other.folds, strict=True):
        assert (mine.n_train, mine.n_test) == (theirs.n_train, theirs.n_test)
        assert mine.scores == pytest.approx(theirs.scores, rel=1e-9, abs=1e-9, nan_ok=True)


def test_the_people_of_the_titanic_are_divided_and_not_their_groups():
    people = titanic()
    copies = evolve(people, weights=None).take(people.cases())
    assert cross_validate(people, CART).mean == cross_validate(copies, CART).mean == pytest.approx(0.7887, abs=1e-4)
    learners = {"CART": CART, "stump": CART.stopping(max_depth(1))}
    found, wanted = (compare(learners, each, metrics=("accuracy", "auc")) for each in (people, copies))
    assert all(found.means("auc")[name] == pytest.approx(wanted.means("auc")[name]) for name in learners)
    assert found.corrected_t_test("CART", "stump") == wanted.corrected_t_test("CART", "stump")
    assert [len(part) for part in stratified(2)(people)[0]] == [1100, 1101]
    assert cart(people) == cart(copies)
    assert prune.cross_validated(people, partial(grow, policy=CART)) == prune.cross_validated(copies, partial(grow, policy=CART))
    by_status = grouped("status", 3)
    assert cross_validate(people, CART, folds=by_status) == cross_validate(copies, CART, folds=by_status)


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


def test_a_group_without_cases_is_none():
    data = Dataset.from_rows([[0], [1], [2]], [0, 0, 0], weights=[0, 1, 1], features=["patient"])
    for by in (["p", "q", "r"], "patient"):
        assert [len(test) for _, test in grouped(by, 2)(data)] == [1, 1]
        with pytest.raises(ValueError, match="from 2 to 2, the number of groups"):
            grouped(by, 3)(data)


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


@pytest.mark.parametrize(
    ("ask", "error", "wanted"),
    [
        (lambda: pairs_of(41, EASY, seed=0), ValueError, "from 2 to 40, the number of rows, got 41"),
        (lambda: stratified(41)(EASY), ValueError, "from 2 to 40, the number of rows, got 41"),
        (lambda: stratified(1), ValueError, "n must be a whole number of folds from 2, got 1"),
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
        (lambda: pairs_of(5, EASY.with_weights(np.zeros(40)), seed=0), ValueError, "dataset must have a row with a weight"),
        (lambda: holdout(1.0), ValueError, "fraction must be above 0 and below 1, got 1.0"),
        (lambda: holdout(0.01)(EASY), ValueError, "leave rows to train and to test on, got 0.01 of 40 rows"),
    ],
)
def test_folds_that_cannot_be_are_refused(ask, error, wanted):
    with pytest.raises(error, match=wanted):
        ask()
