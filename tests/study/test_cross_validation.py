"""Evaluation: counts, random draws, averages and errors."""

from statistics import fmean, stdev

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given

from ftree import ID3, Dataset, Policy, accuracy, confusion, cross_validate, grow, learning_curve, prune, root_feature_counts
from ftree.stop import max_depth
from ftree.study import FoldResult, Trial, learn
from ftree.testing import datasets

EASY = Dataset.from_rows([["a", 0.0], ["b", 1.0]] * 20, ["no", "yes"] * 20, features=["good", "bad"])


def trial_of(*accuracies):
    return Trial(["accuracy"], [FoldResult(10, 5, [score]) for score in accuracies])


@given(datasets(weighted=True))
def test_the_diagonal_of_the_confusion_is_the_accuracy(dataset):
    tree = grow(dataset, evolve(ID3, stop=max_depth(1)))
    table = confusion(tree, dataset)
    assert table.accuracy == pytest.approx(accuracy(tree, dataset))
    assert tuple(map(sum, table.counts)) == dataset.class_counts()


def test_a_class_that_only_the_data_have_is_never_right():
    tree = grow(Dataset.from_rows([["a"], ["b"]], [0, 1], features=["x"]))
    other = Dataset.from_rows([["a"], ["b"], ["b"]], [0, 2, 2], features=["x"])
    assert accuracy(tree, other) == pytest.approx(1 / 3)
    assert confusion(tree, other).classes == (0, 1, 2)
    assert confusion(tree, other).counts[2] == (0, 2, 0)


def test_the_learning_curve_tests_on_the_rest_of_the_rows():
    sizes = []

    def learner(data):
        sizes.append(len(data))
        return grow(data)

    curve = learning_curve(EASY, learner, sizes=[5, 10], repeats=3, seed=1)
    assert sizes == [5] * 3 + [10] * 3
    assert [(trial.size, len(trial.accuracies)) for trial in curve] == [(5, 3), (10, 3)]
    assert curve == learning_curve(EASY, sizes=[5, 10], repeats=3, seed=1)


def test_a_trial_has_its_mean_and_standard_error():
    trial = trial_of(0.5, 0.7, 0.9)
    assert trial.mean == pytest.approx(fmean(trial.accuracies))
    assert trial.standard_error == pytest.approx(stdev(trial.accuracies) / 3**0.5)
    assert np.isnan(trial_of(0.5).standard_error)


def test_folds_divide_the_rows_and_keep_the_shares_of_classes():
    seen = []

    def learner(data):
        seen.append(data.class_counts())
        return grow(data)

    trial = cross_validate(EASY, learner, folds=4)
    assert seen == [(15, 15)] * 4
    assert trial.accuracies == (1.0,) * 4
    assert trial.size == 30


def test_every_row_is_tested_once():
    names = Dataset.from_rows([[f"row {n}"] for n in range(9)], list(range(9)), features=["x"])
    left_out = []

    def learner(data):
        left_out.append({names.schema.classes[n] for n in range(9)} - {data.schema.classes[code] for code in data.labels})
        return grow(data)

    cross_validate(names, learner, folds=3)
    assert sorted(label for fold in left_out for label in fold) == list(range(9))


def test_the_best_feature_stands_at_the_root_of_random_subsets():
    assert root_feature_counts(EASY, size=20, repeats=15) == {"good": 15}
    assert root_feature_counts(EASY, evolve(ID3, stop=max_depth(0)), size=20, repeats=5) == {None: 5}


def test_a_learner_is_a_policy_or_a_function():
    assert learn(ID3, EASY) == learn(grow, EASY) == grow(EASY)

    def pruned(data):
        train, held_out = data.split(0.5, seed=0)
        return prune.reduced_error(held_out)(grow(train))

    assert cross_validate(EASY, pruned, folds=4).mean == 1.0


@pytest.mark.parametrize(
    "ask",
    [
        lambda: learning_curve(EASY, sizes=[0]),
        lambda: learning_curve(EASY, sizes=[40]),
        lambda: learning_curve(EASY, sizes=[5], repeats=0),
        lambda: learning_curve(EASY, sizes=["a"]),
        lambda: learning_curve(EASY, sizes=[1.5]),
        lambda: learning_curve(EASY, sizes=[5], repeats="x"),
        lambda: root_feature_counts(EASY, size="a"),
        lambda: EASY.split("a", seed=1),
        lambda: cross_validate(EASY, folds=1),
        lambda: cross_validate(EASY, folds=41),
        lambda: root_feature_counts(EASY, size=0),
        lambda: root_feature_counts(EASY, size=41),
        lambda: root_feature_counts(EASY, size=5, repeats=0),
        lambda: confusion(grow(EASY), EASY.take([])),
        lambda: accuracy(grow(EASY), EASY.take([])),
        lambda: accuracy(grow(EASY), evolve(EASY, weights=[0] * 40)),
    ],
)
def test_what_cannot_be_estimated_is_refused(ask):
    with pytest.raises(ValueError, match=r"must be .*, got |must have |needs"):
        ask()


@pytest.mark.parametrize(
    ("ask", "wanted"),
    [
        (lambda: confusion(grow(EASY), [[1]]), "dataset must be a Dataset, got a list"),
        (lambda: confusion(EASY, EASY), "tree must be a Tree, got a Dataset"),
        (lambda: cross_validate([[1]]), "dataset must be a Dataset, got a list"),
        (lambda: cross_validate(EASY, "ID3"), "learner must be a Policy such as ID3, .* got 'ID3'"),
        (lambda: learning_curve(EASY, Policy, sizes=[5]), "learner must be a Policy such as ID3"),
        (lambda: root_feature_counts(EASY, None, size=5), "learner must be a Policy such as ID3, .* got None"),
    ],
)
def test_a_dataset_and_a_learner_are_checked_at_the_door(ask, wanted):
    with pytest.raises(TypeError, match=wanted):
        ask()


def test_training_sizes_come_as_a_sequence():
    with pytest.raises(TypeError, match="sequence of training sizes"):
        learning_curve(EASY, sizes=10)


def test_a_trial_prints_the_mean_and_its_error_for_each_metric():
    lines = str(trial_of(0.5, 0.75)).splitlines()
    assert lines == ["2 folds    mean     +-", "accuracy  0.625  0.125", "seconds   0.000  0.000"]
