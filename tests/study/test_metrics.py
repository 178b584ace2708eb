"""Metrics: each equals scikit-learn's result for the same labels, probabilities and weights."""

from functools import partial
from inspect import signature

import numpy as np
import pytest
from attrs import evolve, field, fields, frozen
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as theirs
from sklearn.linear_model import LinearRegression, PoissonRegressor

from ftree import CART, ID3, Dataset, Feature, Schema, accuracy, confusion, cross_validate, grow, mean_cost, prune, stop, study
from ftree.datasets import linnerud
from ftree.responses import events, survival
from ftree.study import Predictions, metrics
from ftree.study.metrics import METRICS, named_metrics
from ftree.study.predictions import NO_CLASSES, SURVIVAL, predictions_for
from ftree.testing import datasets

CLASSES = ("x", "y", "z")
few = settings(max_examples=10)  # scikit-learn checks its input for long


@frozen
class Answers:
    """A classifier that predicts given labels and probabilities for any dataset."""

    labels: list
    probabilities: np.ndarray
    schema: Schema = field(default=Schema([Feature("f", "numeric")], "class", CLASSES))

    def __call__(self, _):
        return self.labels

    def predict_proba(self, _):
        return self.probabilities


def answered(draw, n_classes, *, weighted):
    """Predictions in which each class is true for a row, with labels, codes and weights."""
    n = draw(st.integers(n_classes, 10))
    codes = [*range(n_classes), *draw(st.lists(st.integers(0, n_classes - 1), min_size=n - n_classes, max_size=n - n_classes))]
    shares = draw(st.lists(st.lists(st.integers(1, 4), min_size=n_classes, max_size=n_classes), min_size=n, max_size=n))
    probabilities = np.array(shares, dtype=float) / np.sum(shares, axis=1, keepdims=True)
    labels = [CLASSES[code] for code in draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n))]
    weights = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)) if weighted else None
    schema = Schema([Feature("f", "numeric")], "class", CLASSES[:n_classes])
    rows = Dataset(schema, [np.zeros(n)], np.array(codes), weights)
    return Predictions(Answers(labels, probabilities, schema), rows), [CLASSES[code] for code in codes], labels, weights


two = st.composite(lambda draw: answered(draw, 2, weighted=True))()
three = st.composite(lambda draw: answered(draw, 3, weighted=False))()
weighted_three = st.composite(lambda draw: answered(draw, 3, weighted=True))()


@few
@given(st.data(), st.sampled_from(["numbers", "events"]))
def test_metrics_of_numbers_and_events_are_scikit_learns(data, kind):
    rows = data.draw(datasets(response=kind, weighted=True, min_rows=2))
    true, n = rows.target_column, len(rows)
    guesses = np.array(data.draw(st.lists(st.integers(1, 9), min_size=n, max_size=n)), dtype=float)
    predictions, weighed = Predictions(lambda _: guesses, rows), {"sample_weight": rows.weights}
    answers, expected = (
        (true, guesses) if kind == "numbers" else (true / rows.further_targets[0], guesses * rows.further_targets[0])
    )
    lost = {"sample_weight": rows.weights * (1.0 if kind == "numbers" else rows.further_targets[0])}
    power = ["numbers", "events"].index(kind)
    deviance = theirs.mean_tweedie_deviance(answers, guesses, power=power, **lost) * sum(lost["sample_weight"])
    assert metrics.deviance(predictions) == pytest.approx(deviance / rows.weights.sum())
    if np.ptp(answers) and any(answers):
        assert metrics.r_squared(predictions) == pytest.approx(theirs.d2_tweedie_score(answers, guesses, power=power, **lost))
    assert metrics.rmse(predictions) ** 2 == pytest.approx(theirs.mean_squared_error(true, expected, **weighed))
    assert metrics.mae(predictions) == pytest.approx(theirs.mean_absolute_error(true, expected, **weighed))


@pytest.mark.parametrize("guess", [0.5, 1.0])
def test_of_equal_numbers_the_share_that_is_explained_is_all_or_nothing(guess):
    found = cross_validate(Dataset.from_rows([[0]] * 4, [0.5] * 4), lambda _: lambda rows: [guess] * len(rows), folds=2)
    assert found.mean == (guess == 0.5)


def test_events_are_studied_with_their_exposure_and_a_rate_of_0_loses_infinitely_much():
    calls = {"x": [0, 1] * 20, "years": [0.5, 0.5, 2.0, 2.0] * 10, "n": [0, 1, 0, 4] * 10}
    table = Dataset.from_columns(calls, target="n", kinds="numeric", response=events("years", shrink=0))
    trial = cross_validate(table, CART, folds=2)
    line = cross_validate(table, PoissonRegressor(alpha=0), folds=2, metrics=("deviance", "r_squared"))
    assert (trial.metrics, trial.mean > line["r_squared"][0] > 0.5) == (("r_squared",), True)
    nothing = cross_validate(table, lambda _: lambda rows: [0.0] * len(rows), folds=2, metrics="deviance")
    assert (nothing.mean, str(nothing.standard_error)) == (np.inf, "nan")


CALLS = Dataset.from_rows([[1], [1], [3]], [0, 2, 4], response="events")
PATIENTS = Dataset.from_columns(
    {"dose": [0, 0, 1, 1], "weeks": [2, 6, 5, 9], "died": [1, 1, 1, 0]},
    target="weeks",
    response=survival("weeks", "died"),
    kinds="numeric",
)
CARS = Dataset.from_rows([[number % 7, number % 3] for number in range(60)], [number % 7 + 0.5 for number in range(60)])


LABELLED = CARS.with_labels(["a", "b"] * 30, classes=("a", "b"))
ASKED = {
    "classes": Predictions(grow(LABELLED), LABELLED),
    "labels": Predictions(lambda rows: ["a"] * len(rows), LABELLED),
    "numbers": Predictions(grow(CARS, CART), CARS),
    "several numbers": Predictions(grow(linnerud(), CART), linnerud()),
    "events": Predictions(grow(CALLS, CART), CALLS),
    "survival times": Predictions(grow(PATIENTS, CART), PATIENTS),
}


@pytest.mark.parametrize("kind", ASKED)
@pytest.mark.parametrize("name", METRICS)
def test_a_metric_measures_the_predictions_that_it_says_it_needs_and_refuses_others(name, kind):
    if metrics.fits(METRICS[name], ASKED[kind]):
        assert isinstance(METRICS[name](ASKED[kind]), float)
    else:
        with pytest.raises((ValueError, TypeError), match=f"^({name}|classifier) must .* Use "):
            METRICS[name](ASKED[kind])


@pytest.mark.parametrize("kind", ASKED)
def test_a_report_has_each_of_its_metrics_that_fits(kind):
    found, names = study.report(ASKED[kind].classifier, ASKED[kind].test), {each.name for each in fields(study.Report)}
    listed = [name for name in METRICS if name in names]
    assert len(listed) == len(names) - 1, "all but the confusion"
    for name in listed:
        wanted = METRICS[name](ASKED[kind]) if metrics.fits(METRICS[name], ASKED[kind]) else np.nan
        assert np.array_equal(getattr(found, name), wanted, equal_nan=True)


def table_and_reversed(name):
    """A table that suits a metric, and one with its labels in reverse order."""
    needed = getattr(METRICS.get(name), "needs", ())
    response = survival("y", "died") if SURVIVAL in needed else "numbers" if NO_CLASSES in needed else "classes"
    rows = {"x": range(1, 9), "died": [1] * 8}
    labels = [number > 4 if response == "classes" else float(number) for number in rows["x"]]
    options = {"target": "y", "response": response, "kinds": "numeric"}
    return [Dataset.from_columns(rows | {"y": listed}, **options) for listed in (labels, labels[::-1])]


def predictions_and_worse(name):
    """Predictions, and worse ones: by a tree that learnt the labels in reverse order, or by one of more nodes."""
    table, other = table_and_reversed(name)
    tree = grow(table, CART)
    pair = (prune.trim(stop.always)(tree), tree) if name in {"leaves", "depth"} else (tree, grow(other, CART))
    return [Predictions(each, table) for each in pair]


EVERY = METRICS | {"mean_cost": metrics.mean_cost([[0, 2], [1, 0]])}


@pytest.mark.parametrize("name", EVERY)
def test_a_metric_says_whether_lower_is_better(name):
    better, worse = map(EVERY[name], predictions_and_worse(name))
    assert (better < worse) == metrics.is_loss(EVERY[name]) == metrics.is_loss(partial(EVERY[name]))
    assert metrics.losses_by_name([name]) == (name,) * (better < worse)
    assert better != worse


def verdicts(metric, tables):
    """What studies make of a metric's direction."""
    found = study.compare({"tree": CART, "leaf": (CART, prune.trim(stop.always))}, tables, folds=2, metrics={"any": metric})
    gained = study.permutation_importances(grow(tables[0], CART), tables[0], metric=metric, repeats=3)
    return found.friedman().mean_ranks, found.wilcoxon("tree", "leaf"), gained


@pytest.mark.parametrize("name", EVERY)
def test_the_direction_of_a_metric_is_its_own_under_any_name(name):
    """A metric by a lambda is called "<lambda>", and its negative is better the other way round."""
    metric, tables = EVERY[name], table_and_reversed(name)
    own, negative = (lambda rows: +metric(rows)), (lambda rows: -metric(rows))
    wanted = verdicts(metric, tables)
    if metrics.is_loss(metric):
        assert verdicts(metrics.loss(own), tables) == verdicts(negative, tables) == wanted
    else:
        assert verdicts(own, tables) == verdicts(metrics.loss(negative), tables) == wanted
    assert wanted[0] != (1.5, 1.5)


def test_a_trial_that_is_made_by_hand_knows_the_losses_of_the_library_by_their_names():
    fold = study.FoldResult(8, 2, [0.5, 0.5, 0.5])
    assert study.Trial(["brier", "kappa", "other"], [fold]).losses == ("brier",)
    assert study.Trial(["brier", "kappa", "other"], [fold], losses=["other"]).losses == ("other",)


def test_learners_of_numbers_are_validated_and_compared():
    trial = cross_validate(CARS, CART, folds=3, metrics=("r_squared", "rmse", "mae", "leaves"))
    assert trial["r_squared"] == (1.0,) * 3
    assert trial["leaves"] == (7.0,) * 3
    found = study.compare({"tree": CART, "line": LinearRegression()}, {"cars": CARS}, folds=3, metrics="rmse")
    assert found["tree", "cars"].mean == 0 == pytest.approx(found["line", "cars"].mean, abs=1e-9)
    (curve,) = study.learning_curve(CARS, CART, sizes=[30], repeats=2, metrics="mae")
    assert curve.mean == 0
    (curve,) = study.learning_curve(CARS, CART, sizes=[30], repeats=2)
    trial = study.compare({"tree": CART}, CARS, folds=3)["tree", "dataset 1"]
    assert {curve.metrics, cross_validate(CARS, CART, folds=3).metrics, trial.metrics} == {("r_squared",)}, "as for no classes"
    assert study.permutation_importances(grow(CARS, CART), CARS, repeats=1)["x0"][0] > 1
    drop = study.permutation_importances(grow(CARS, CART), CARS, metric="rmse", repeats=1)
    assert drop["x0"][0] > 0 == drop["x1"][0]


def test_folds_of_numbers_are_random():
    folds = [study.stratified(3, seed=seed)(CARS)[0][1].tolist() for seed in (0, 1)]
    assert folds[0] != folds[1]
    ranks = np.argsort(np.argsort(evolve(CARS, target_column=np.arange(60.0)).target_column))
    assert len({rank % 3 for rank in ranks[folds[0]]}) > 1


def test_a_table_is_scored_by_a_regression_tree():
    tree = grow(CARS, CART)
    table = {"x0": [1.0, 2.0], "x1": [0, 0], "class": [1.5, 1.5]}
    assert metrics.mae(predictions_for(tree, table, None, "missing")) == 0.5
    with pytest.raises(ValueError, match=r"got a regression tree. Use study.metrics.r_squared.*, or of numbers rmse or mae"):
        accuracy(tree, table)
    with pytest.raises(ValueError, match="dataset must be one of numbers, as the tree is, got one of classes"):
        Predictions(tree, CARS.with_labels(["a"] * 60, classes=("a",)))
    with pytest.raises(ValueError, match="The classifier must return a number for each row, as the target has, got"):
        metrics.mae(Predictions(lambda rows: ["a"] * len(rows), CARS))


@few
@given(weighted_three)
def test_metrics_of_labels_are_scikit_learns(drawn):
    predictions, true, labels, weights = drawn
    assert metrics.accuracy(predictions) == pytest.approx(theirs.accuracy_score(true, labels, sample_weight=weights))
    balanced = theirs.recall_score(true, labels, sample_weight=weights, average="macro", labels=CLASSES)
    assert metrics.balanced_accuracy(predictions) == pytest.approx(balanced)
    kappa = theirs.cohen_kappa_score(true, labels, sample_weight=weights, labels=CLASSES)
    assert metrics.kappa(predictions) == pytest.approx(kappa)


@few
@given(weighted_three)
def test_metrics_of_probabilities_are_scikit_learns(drawn):
    predictions, true, _, weights = drawn
    shares = predictions.probabilities
    assert metrics.log_loss(predictions) == pytest.approx(theirs.log_loss(true, shares, sample_weight=weights, labels=CLASSES))
    if "scale_by_half" in signature(theirs.brier_score_loss).parameters:  # scikit-learn 1.7, the first of several classes
        squares = theirs.brier_score_loss(true, shares, sample_weight=weights, labels=CLASSES, scale_by_half=False)
        assert metrics.brier(predictions) == pytest.approx(squares)


@few
@given(two, three)
def test_the_area_is_scikit_learns_and_of_more_classes_the_mean_of_pairs_by_Hand_and_Till(drawn, several):
    predictions, true, _, weights = drawn
    wanted = theirs.roc_auc_score([label == "y" for label in true], predictions.probabilities[:, 1], sample_weight=weights)
    assert metrics.auc(predictions) == pytest.approx(wanted)
    predictions, true, *_ = several
    wanted = theirs.roc_auc_score(true, predictions.probabilities, multi_class="ovo", average="macro")
    assert metrics.auc(predictions) == pytest.approx(wanted)


@few
@given(weighted_three)
def test_precision_recall_and_F_are_scikit_learns_where_they_are_defined(drawn):
    predictions, true, labels, weights = drawn
    table = confusion(predictions.classifier, predictions.test)
    wanted = theirs.precision_recall_fscore_support(true, labels, sample_weight=weights, labels=CLASSES, zero_division=0)
    for ours, column in zip((table.precision, table.recall, table.f), wanted[:3], strict=True):
        assert np.nan_to_num(ours) == pytest.approx(column)
    assert np.array_equal(table.counts, theirs.confusion_matrix(true, labels, sample_weight=weights, labels=CLASSES))


@given(datasets(weighted=True))
def test_the_mean_cost_is_that_of_the_tree_whichever_label_it_answers_with(dataset):
    n = len(dataset.schema.classes)
    costs = [[abs(row - column) * (1 + row) for column in range(n)] for row in range(n)]
    tree = grow(dataset, evolve(ID3, stop=lambda frontier: frontier.depth >= 1))
    for decide in (True, False):
        found = metrics.mean_cost(costs, decide=decide)(Predictions(tree, dataset))
        assert found == pytest.approx(mean_cost(tree, dataset, costs=costs, decide=decide))


def test_metrics_are_named_by_themselves_or_by_a_dict_and_seconds_are_always_measured():
    def lucky(predictions):
        return float(predictions.predicted[0])

    assert list(named_metrics(("kappa", lucky, metrics.mean_cost([[0, 1], [1, 0]]), "seconds"))) == [
        "kappa",
        "lucky",
        "mean_cost",
    ]
    data = Dataset.from_rows([["a"], ["b"]] * 4, [0, 1] * 4)
    trial = cross_validate(data, CART, folds=2, metrics={"luck": lucky, "area": metrics.auc})
    assert trial.metrics == ("luck", "area")
    assert trial["area"] == (1.0, 1.0)
    assert all(seconds > 0 for seconds in trial["seconds"])
    assert {"accuracy", "kappa", "brier", "auc", "leaves"} < set(METRICS)


EASY = Dataset.from_rows([["a"], ["b"]] * 4, [0, 1] * 4)


@pytest.mark.parametrize(
    ("ask", "error", "wanted"),
    [
        (lambda: named_metrics("accurracy"), ValueError, "metrics must be among 'accuracy', .* got 'accurracy'"),
        (lambda: named_metrics(("kappa", "kappa")), ValueError, "with distinct names, got .'kappa', 'kappa'."),
        (lambda: named_metrics(()), ValueError, "at least one"),
        (lambda: named_metrics("seconds"), ValueError, "at least one"),
        (lambda: named_metrics(3), TypeError, "names or functions of Predictions, got 3"),
        (lambda: named_metrics("mean_cost"), ValueError, r"or functions, such as metrics\.mean_cost\(costs\), got 'mean_cost'"),
        (lambda: named_metrics(metrics.mean_cost), TypeError, "names or functions of Predictions, got .*mean_cost"),
        (lambda: metrics.loss("accuracy"), TypeError, "^metric must be a function .* got 'accuracy'. Give the class "),
        (lambda: metrics.mean_cost(None), ValueError, "costs must be a matrix .* got None"),
        (lambda: cross_validate(EASY, folds=2, metrics=lambda _: "good"), TypeError, "must return a number, got 'good'"),
        (
            lambda: cross_validate(EASY, lambda _: lambda rows: [0] * len(rows), folds=2, metrics="brier"),
            TypeError,
            "predict_proba",
        ),
        (lambda: cross_validate(EASY, folds=2, metrics=metrics.mean_cost([[0]])), ValueError, "costs must"),
        (lambda: cross_validate(EASY, folds=2)["kappa"], KeyError, "metric must be among 'accuracy', 'seconds', got 'kappa'"),
        (lambda: Predictions(grow(EASY), [[1]]), TypeError, "dataset must be a Dataset"),
    ],
)
def test_what_is_no_metric_is_refused(ask, error, wanted):
    with pytest.raises(error, match=wanted):
        ask()
