"""Training data held back for pruning."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree import Dataset, grow, prune
from ftree.estimator import DEFAULT_POLICY, TreeClassifier
from ftree.estimator.training_sets import split_off_pruning_set

RNG = np.random.default_rng(0)
X = RNG.integers(0, 6, size=(60, 3)).astype(float)
Y = (X[:, 0] + RNG.normal(size=60) > 2.5).astype(int)
WITH_HOLDOUT = TreeClassifier(prune=prune.reduced_error, holdout=0.25)


def dataset(weights=None):
    return Dataset.from_columns({**{f"x{i}": X[:, i] for i in range(3)}, "class": Y}, weights=weights)


def divided(data, fraction=0.25, seed=0):
    return split_off_pruning_set(data, fraction, np.random.RandomState(seed))


@given(st.floats(0.05, 0.95), st.integers(0, 9))
def test_the_pruning_set_has_its_share_of_each_class(fraction, seed):
    data = dataset()
    parts = divided(data, fraction, seed)
    assert parts[1].class_counts() == tuple(round(fraction * size) for size in data.class_counts())
    assert tuple(map(sum, zip(*(part.class_counts() for part in parts), strict=True))) == data.class_counts()


def test_the_division_does_not_depend_on_the_order_of_rows():
    order = RNG.permutation(60)
    assert WITH_HOLDOUT.fit(X, Y).tree == WITH_HOLDOUT.fit(X[order], Y[order]).tree


def test_a_row_of_weight_k_is_divided_as_k_rows():
    weights = RNG.integers(0, 4, size=60)
    weighted = WITH_HOLDOUT.fit(X, Y, weights).tree
    assert weighted == WITH_HOLDOUT.fit(X.repeat(weights, axis=0), Y.repeat(weights)).tree


def test_rows_of_more_weight_than_could_be_drawn_are_divided_whole():
    labels = WITH_HOLDOUT.fit(X, Y).predict(X).tolist()
    assert WITH_HOLDOUT.fit(X, Y, np.full(60, 2.0**40)).predict(X).tolist() == labels


def test_rows_of_weight_0_are_in_no_part():
    for weight in (0.5, 1):
        weights = np.where(np.arange(60) % 3 == 0, 0, weight)
        parts = divided(dataset(weights))
        assert [set(part.weights.tolist()) for part in parts] == [{weight}, {weight}]
        assert sum(map(len, parts)) == 40
        shares = [round(0.25 * int(((weights > 0) & (label == Y)).sum())) * weight for label in (0, 1)]
        assert list(parts[1].class_counts()) == shares


def test_the_tree_is_grown_on_one_part_and_pruned_on_the_other():
    train, held = divided(dataset())
    assert WITH_HOLDOUT.fit(X, Y).tree == prune.reduced_error(held)(grow(train, DEFAULT_POLICY))


def test_prune_is_any_function_of_the_pruning_set_that_returns_a_pass():
    def on_path(held):
        return lambda tree: prune.select(prune.cost_complexity_path(tree), by=prune.one_standard_error, on=held)

    assert TreeClassifier(prune=on_path, holdout=0.3).fit(X, Y).get_n_leaves() < TreeClassifier().fit(X, Y).get_n_leaves()


def test_class_weights_count_in_both_parts():
    even, uneven = (TreeClassifier(prune=prune.reduced_error, holdout=0.25, class_weight=w) for w in (None, {0: 1000, 1: 1}))
    assert (even.fit(X, Y).predict(X) == 0).sum() < (uneven.fit(X, Y).predict(X) == 0).sum()


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"prune": prune.reduced_error}, TypeError, "prune must be a pass .* or come with holdout=0.25, got the class"),
        ({"prune": "pessimistic"}, TypeError, "prune must be a pass"),
        ({"holdout": 0.25}, TypeError, "prune must be a function from the pruning set to a pass.*, got None"),
        ({"prune": prune.pessimistic(), "holdout": 0.25}, TypeError, r"since holdout is given, got pessimistic\(\)"),
        ({"prune": prune.reduced_error, "holdout": 1}, ValueError, "holdout must be a share .* got 1"),
        ({"prune": prune.reduced_error, "holdout": 0}, ValueError, "holdout must be a share .* got 0"),
        ({"prune": prune.reduced_error, "holdout": "0.25"}, ValueError, "holdout must be a share .* got '0.25'"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
        (
            {"prune": prune.reduced_error, "holdout": 0.001},
            ValueError,
            "at least one case to prune with, got 0.001 of 60 samples",
        ),
        ({"prune": lambda tree: tree.root}, TypeError, "<lambda> must return a Tree, got a Branch"),
        ({"missing": "ignore"}, ValueError, "missing must be a prediction rule such as weighted"),
        ({"policy": lambda _: 3}, TypeError, "<lambda> must return a Tree, got an int"),
        ({"policy": "CART"}, TypeError, "policy must be a Policy such as ID3, or a function .* got 'CART'"),
    ],
)
def test_what_does_not_fit_is_refused(wrong, error, message):
    with pytest.raises(error, match=message):
        TreeClassifier(**wrong).fit(X, Y)


def test_options_of_the_pass_come_with_a_function():
    keep = TreeClassifier(prune=partial(prune.reduced_error, ties="keep"), holdout=0.25)
    assert keep.fit(X, Y).get_n_leaves() > WITH_HOLDOUT.fit(X, Y).get_n_leaves()
