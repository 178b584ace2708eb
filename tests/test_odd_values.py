"""Seeds, numbers of repetitions, tables of other libraries: what makes sense is taken as it is meant, others are refused."""

from contextlib import suppress
from inspect import signature

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_signatures import named_functions

import ftree
from ftree import CART, Dataset, evolve, grow, linear, prune, splitters, study, testing
from ftree.datasets import generators
from ftree.estimator import TreeClassifier, TreeRegressor
from ftree.lesson import exercise
from ftree.scan import survey
from ftree.splitters import by_permutation_test, random_features, random_threshold, threshold
from ftree.study import random_forest

DATA = Dataset.from_columns({"f": [1.0, 2.0, 3.0], "g": ["a", "b", "a"], "y": ["no", "yes", "no"]}, target="y")
TREE = grow(DATA)
CARS = Dataset.from_columns({"f": [1.0, 2.0, 3.0], "t": [1.0, 2.0, 1.5], "y": [0.5, 2.0, 3.5]}, target="y")


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.uint64, np.float16])
def test_a_small_number_of_numpy_counts_as_the_same_number_does(kind):
    for make in (
        ftree.c45_policy,
        lambda number: grow(CARS, evolve(CART, splits=[threshold(bins=number if kind is not np.float16 else 100)])),
        lambda number: random_forest(CARS, n_trees=int(number) if kind is np.float16 else number, seed=0).trees[-1],
        lambda number: ftree.exact.tree_cost(TREE, leaf_penalty=number),
    ):
        assert make(kind(100)) == make(100)


X, Y = np.arange(8.0).reshape(4, 2), ["no", "yes", "no", "yes"]
DAYS = Dataset.from_rows(X, Y)
SEEDED = {
    "split": lambda seed: DAYS.split(0.5, seed=seed),
    "folds": lambda seed: list(DAYS.folds(2, seed=seed)),
    "shuffle": lambda seed: DAYS.shuffle(seed=seed),
    "random_threshold": lambda seed: grow(DAYS, evolve(CART, splits=[random_threshold(seed=seed)])),
    "random_features": lambda seed: grow(DAYS, evolve(CART, splits=[random_features(1, CART.splits, seed=seed)])),
    "by_permutation_test": lambda seed: grow(DAYS, evolve(CART, choose=by_permutation_test(resamples=3, seed=seed))),
    "one's own draws": lambda seed: grow(DAYS, evolve(CART, splits=[DrawsBySeed(seed)])),
    "cart": lambda seed: ftree.cart(DAYS, folds=2, seed=seed),
    "cross_validated": lambda seed: prune.cross_validated(DAYS, grow, folds=2, seed=seed),
    "exercise": lambda seed: exercise(seed=seed),
    "agrawal": lambda seed: generators.agrawal(4, seed=seed),
    "led": lambda seed: generators.led(4, seed=seed),
    "waveform": lambda seed: generators.waveform(4, seed=seed),
    "gaussian_clusters": lambda seed: generators.gaussian_clusters(4, seed=seed),
    "noisy_labels": lambda seed: generators.noisy_labels(DAYS, 0.5, seed=seed),
    "noisy_values": lambda seed: generators.noisy_values(DAYS, 0.5, seed=seed),
    "with_missing": lambda seed: generators.with_missing(DAYS, 0.5, seed=seed),
    "stratified": lambda seed: study.stratified(2, seed=seed)(DAYS),
    "grouped": lambda seed: study.grouped([0, 0, 1, 1], 2, seed=seed)(DAYS),
    "holdout": lambda seed: study.holdout(0.5, seed=seed)(DAYS),
    "cross_validate": lambda seed: study.cross_validate(DAYS, CART, folds=2, seed=seed),
    "compare": lambda seed: study.compare({"CART": CART, "ID3": ftree.ID3}, {"days": DAYS}, folds=2, seed=seed),
    "learning_curve": lambda seed: study.learning_curve(DAYS, CART, sizes=[2], repeats=1, seed=seed),
    "root_feature_counts": lambda seed: study.root_feature_counts(DAYS, size=2, repeats=1, seed=seed),
    "permutation_importances": lambda seed: study.permutation_importances(TREE, DATA, repeats=1, seed=seed),
    "bagging": lambda seed: study.bagging(DAYS, n_trees=1, seed=seed),
    "random_forest": lambda seed: random_forest(DAYS, n_trees=1, seed=seed),
    "extra_trees": lambda seed: study.extra_trees(DAYS, n_trees=1, seed=seed),
    "random_state of a classifier": lambda seed: TreeClassifier(random_state=seed).fit(X, Y),
    "random_state of a regressor": lambda seed: TreeRegressor(random_state=seed).fit(X, [0, 1, 0, 1]),
}


class DrawsBySeed:
    """A splitter of one's own that draws."""

    kinds = ("numeric",)

    def __init__(self, seed):
        self.seed = seed

    def __call__(self, runs, measure):
        runs.draws(self, self.seed)
        return threshold()(runs, measure)


NO_SEEDS = st.just(np.timedelta64(1, "D")) | st.sampled_from(
    [np.datetime64(1, "D"), -1, 1.5, 1j, "a", b"x", True, np.True_, np.float64(3), pd.NA]
)
NO_SEEDS |= st.sampled_from([np.array([1, 2]), np.array(3), [], {}, (1, 2), np.nan, np.inf, -(10**400), object(), len, int])
NO_SEEDS |= st.sampled_from([np.random.default_rng(0), np.random.SeedSequence(0)]) | st.integers(max_value=-1) | st.floats()


@pytest.mark.parametrize("door", SEEDED)
@given(st.integers(0) | st.sampled_from([2**400, np.uint8(200), np.int64(3)]), NO_SEEDS)
@settings(max_examples=10)
def test_a_seed_is_a_whole_number_from_0_or_refused_by_one_sentence(door, seed, other):
    wanted = "seed must be a whole number from 0, got "
    if door.startswith("random_state"):
        wanted = "random_state must be a whole number from 0 to 4294967295, or None, or a RandomState of NumPy, got "
        seed = seed % 2**32 if isinstance(seed, int) else seed
    SEEDED[door](seed)
    with pytest.raises(ValueError, match="^" + wanted):
        SEEDED[door](other)


# Functions that do something as often as an argument says, with their other arguments.
REPEATED = {
    "repeats": {
        study.learning_curve: {"dataset": DAYS, "sizes": [2]},
        study.root_feature_counts: {"dataset": DAYS, "size": 2},
        study.permutation_importances: {"tree": TREE, "dataset": DATA},
        study.stratified: {},
        study.holdout: {},
    },
    "n_trees": {each: {"dataset": DAYS} for each in (study.bagging, random_forest, study.extra_trees)},
    "resamples": {by_permutation_test: {}},
    "epochs": {linear.perceptron: {"dataset": DAYS}, linear.hyperplanes: {"dataset": DAYS}, linear.perceptrons: {}},
    "passes": {splitters.coordinates: {}, splitters.logistic: {}},
    "starts": {splitters.coordinates: {}},
    "irrelevant": {each: {"n": 1} for each in (generators.led, generators.waveform)},
    "n": {
        **{each: {} for each in (generators.agrawal, generators.led, generators.waveform, generators.gaussian_clusters)},
        exercise: {},
        testing.export_rows: {"tree": TREE},
    },
    "features": {exercise: {}},
    "depth": {testing.chain: {}},
    "bins": {splitters.merging: {}},
    "most": {splitters.merging: {}},
}
OFTEN = [(name, function, others) for name, calls in REPEATED.items() for function, others in calls.items()]


@pytest.mark.parametrize(("name", "function", "others"), OFTEN)
def test_how_often_something_is_done_is_a_whole_number_or_refused_at_once(name, function, others):
    with pytest.raises(ValueError, match=rf"^{name} must be a whole number .*from \d to 1000000000, got 10") as refusal:
        function(**others, **{name: 10**400})
    wanted, _, least = str(refusal.value).partition(" to 1")[0].rpartition(" ")
    for wrong in (int(least) - 1, 10**9 + 1, 2.5, True, "3"):
        with pytest.raises(ValueError, match=rf"^{wanted} {least} to 1000000000, got {wrong!r}\."):
            function(**others, **{name: wrong})


def test_every_public_function_that_repeats_something_is_asked():
    others = {study.Bags, linear.Machine, linear.mistakes, prune.compose}
    listed = {(name, function) for name, function, _ in OFTEN}
    for name in ("repeats", "n_trees", "resamples", "epochs", "passes", "starts", "irrelevant"):
        for _, function in named_functions():
            assert name not in signature(function).parameters or function in others or (name, function) in listed


@pytest.mark.parametrize("random_state", [None, np.random, np.random.RandomState(0)])
def test_estimators_take_the_random_states_of_scikit_learn(random_state):
    assert TreeClassifier(random_state=random_state, max_features=1).fit(X, Y).predict(X).tolist() == Y


@given(st.integers(0, 2**63 - 1), st.sampled_from([np.int64, np.uint64]))
def test_a_seed_of_numpy_draws_as_the_same_number_does(seed, kind):
    for part in (random_threshold, lambda *, seed: random_features(1, CART.splits, seed=seed)):
        one, other = (grow(CARS, evolve(CART, splits=[part(seed=each)])) for each in (seed, kind(seed)))
        assert one == other


TWICE = pd.DataFrame([[1, 2]] * 4, columns=["b", "b"])
FIELDS = pd.DataFrame({"b": [1] * 4, "c": [2] * 4}).to_records(index=False)


@pytest.mark.parametrize("model", [TreeClassifier(), TreeRegressor(), TreeClassifier(holdout=0.5, prune=prune.reduced_error)])
@pytest.mark.parametrize(
    ("targets", "message"),
    [
        (TWICE, r"^Columns must have distinct names\. Expected unique column names, got: - 'b' 2 times"),
        (FIELDS, r"^y must be one column of targets, got an array of the fields b, c\."),
    ],
)
def test_two_columns_of_targets_are_refused_by_name(model, targets, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, targets)


@pytest.mark.parametrize("other", ["a", b"x", {}, 10**400, np.datetime64(1, "D")])
@pytest.mark.parametrize("kind", [np.array, list, pd.Series])
def test_targets_of_a_regressor_are_numbers(kind, other):
    with pytest.raises(ValueError, match=r"^y must be numbers for a regressor, got .*\. TreeClassifier takes labels\."):
        TreeRegressor().fit(X, kind([1.5, 2, 3, other] if not isinstance(other, np.datetime64) else [other] * 4))
    assert TreeRegressor().fit(X, kind(["1.5", "2", "3", "4"])).predict(X).tolist() == [1.5, 2, 3, 4]


def test_more_threads_than_processors_can_use_are_not_started():
    assert ftree.cart(CARS, folds=3, n_jobs=10**12) == ftree.cart(CARS, folds=3, n_jobs=1)


def test_columns_that_pandas_cannot_hash_are_read_and_names_that_occur_twice_are_refused():
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([3], pa.int32()), pa.array([1.5]))
    lists = pa.array([[1], [2], None])
    for column in (runs, pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([runs])))):
        assert Dataset.from_columns({"f": column, "y": [0, 1, 1]}, target="y")["f"].tolist() == [1.5, 1.5, 1.5]
    with pytest.raises(TypeError, match=r"Values of 'f' must be .*, got"):
        Dataset.from_frame(pa.table({"f": lists, "y": [0, 1, 1]}).to_pandas(types_mapper=pd.ArrowDtype))
    with pytest.raises(ValueError, match=r"^Columns must have distinct names\. .* 'b' 2 times"):
        survey(TWICE, "b")
    with pytest.raises(ValueError, match=r"^by must be a feature's name, or a group for each of the 4 rows, got array\(1\)"):
        study.grouped(np.array(1))(DAYS)
    with pytest.raises(ValueError, match=r"^Columns must have distinct names, got 'nan' twice"):
        Dataset.from_frame(pd.DataFrame([[1, 2], [3, 4]], columns=[np.nan, np.nan]))


def test_numbers_of_thousands_of_digits_are_no_places_of_a_sparse_row():
    text = b"@relation r\n@attribute a numeric\n@attribute c {p,q}\n@data\n{" + b"9" * 5000 + b" 1}\n"
    with pytest.raises(ValueError, match="A sparse row of the buffer must be"):
        Dataset.read(text, format="arff")


def test_weights_whose_parts_are_no_floats_are_refused():
    with pytest.raises(ValueError, match=r"^weights must sum to at least 1e-280, got a sum of 2e-300"):
        Dataset.from_rows([["a"], ["b"]], [0, 1], weights=[1e-300, 1e-300])
    with suppress(ValueError):
        assert Dataset.from_rows([["a"], ["b"]], [0, 1], weights=[0, 0]).n_cases == 0
