"""Metrics: functions from a classifier's `Predictions` to a number. Rows' weights count in all of them.

`needs` says of which predictions each is. Studies take metrics by name, such as "kappa", or as functions, including users'
functions. `METRICS` lists the names. A metric of which lower is better has the attribute `lower_is_better`, which `loss` gives
to a function.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial, wraps
from itertools import combinations
from numbers import Real
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from ftree._lib.arrays import Floats, first_smallest
from ftree._lib.fields import ConstructorRepr, is_iterable
from ftree._lib.messages import joined, short_repr
from ftree.criteria.costs import Costs, as_costs, costs_for, expected_costs
from ftree.data.channels import rows_as_sums
from ftree.study.confusion_matrix import confusion_of
from ftree.study.predictions import CLASSES, NO_CLASSES, NUMBERS, PROBABILITIES, SURVIVAL, Need, Predictions
from ftree.tree.fold import depth as fold_depth
from ftree.tree.fold import n_leaves
from ftree.tree.nodes import Tree
from ftree.tree.response import numbers
from ftree.tree.schema import Schema, response_of_sums

Metric: TypeAlias = Callable[[Predictions], float]
_AnyMetric = TypeVar("_AnyMetric", bound=Metric)


def loss(metric: _AnyMetric) -> _AnyMetric:
    """Mark a metric of your own as one of which lower is better, by the attribute `lower_is_better`; return the metric.

    Comparisons rank learners and permutation importances have their sign accordingly. Give the attribute to the class of
    metrics that are frozen objects.

    Raises a TypeError for anything that takes no attributes.

    >>> from ftree import datasets, grow, study
    >>> @loss
    ... def errors(predictions):
    ...     return 1 - accuracy(predictions)
    >>> days = datasets.weather()
    >>> study.permutation_importances(grow(days), days, metric=errors, repeats=1)["outlook"][0] > 0
    True
    """
    try:
        cast("Any", metric).lower_is_better = True
    except AttributeError:
        remedy = "Give the class of a frozen object lower_is_better = True."
        raise TypeError(f"metric must be a function of Predictions, got {short_repr(metric)}. {remedy}") from None
    return metric


def is_loss(metric: Any) -> bool:
    """Whether lower values of a metric are better. A `functools.partial` has the direction of its function.

    >>> is_loss(brier), is_loss(accuracy), is_loss(mean_cost([[0, 5], [1, 0]]))
    (True, False, True)
    """
    if isinstance(metric, partial) and not hasattr(metric, "lower_is_better"):
        return is_loss(metric.func)
    return bool(getattr(metric, "lower_is_better", False))


def needs(*several: Need) -> Callable[[Metric], Metric]:
    """Make a metric that refuses, by its name, predictions that lack one of its needs, which are its attribute `needs`."""

    def checked(metric: Metric) -> Metric:
        @wraps(metric)
        def measured(predictions: Predictions) -> float:
            for each in several:
                each.require(metric.__name__, predictions)
            return metric(predictions)

        cast("Any", measured).needs = several
        return measured

    return checked


def fits(metric: Metric, predictions: Predictions) -> bool:
    """Whether predictions have all that a metric says it needs; one of your own may say nothing.

    >>> from ftree import datasets, grow
    >>> fits(rmse, Predictions(grow(datasets.xor()), datasets.xor()))
    False
    """
    own: Any = metric
    return all(need.holds(predictions) for need in getattr(own, "needs", ()))


@needs(CLASSES)
def accuracy(predictions: Predictions) -> float:
    """The share of the rows that are labelled correctly.

    >>> from ftree import ID3, datasets, study
    >>> round(study.cross_validate(datasets.monks(1), ID3, folds=2, metrics=(accuracy,)).mean, 3)
    1.0
    """
    right = predictions.predicted == predictions.true
    return float(predictions.weights[right].sum() / predictions.weights.sum())


@needs(CLASSES)
def balanced_accuracy(predictions: Predictions) -> float:
    """The mean, over the classes that have rows, of the share of rows that are labelled correctly.

    >>> from ftree import ID3, datasets, study
    >>> round(study.cross_validate(datasets.monks(1), ID3, folds=2, metrics=(balanced_accuracy,)).mean, 3)
    1.0
    """
    return confusion_of(predictions).balanced_accuracy


@needs(CLASSES)
def kappa(predictions: Predictions) -> float:
    """Cohen's kappa: the share of the possible agreement beyond chance that is reached (Cohen 1960).

    >>> from ftree import ID3, datasets, study
    >>> round(study.cross_validate(datasets.monks(1), ID3, folds=2, metrics=(kappa,)).mean, 3)
    1.0
    """
    return confusion_of(predictions).kappa


@loss
@needs(CLASSES, PROBABILITIES)
def log_loss(predictions: Predictions) -> float:
    """The mean of -ln of the true class's probability, which counts as at least 2.2e-16, the machine epsilon.

    >>> from ftree import ID3, datasets, study
    >>> round(study.cross_validate(datasets.monks(1), ID3, folds=2, metrics=(log_loss,)).mean, 3)
    0.0
    """
    own = predictions.probabilities[np.arange(len(predictions.true)), predictions.true]
    return float(np.average(-np.log(np.maximum(own, np.finfo(np.float64).eps)), weights=predictions.weights))


@loss
@needs(CLASSES, PROBABILITIES)
def brier(predictions: Predictions) -> float:
    """The mean over rows of the squared differences between probabilities and truth, summed over classes (Brier 1950).

    It is between 0 and 2; for two classes, some authors define it as half of this.

    >>> from ftree import ID3, datasets, study
    >>> round(study.cross_validate(datasets.monks(1), ID3, folds=2, metrics=(brier,)).mean, 3)
    0.0
    """
    truth = np.eye(len(predictions.classes))[predictions.true]
    squares = ((predictions.probabilities - truth) ** 2).sum(axis=1)
    return float(np.average(squares, weights=predictions.weights))


@needs(CLASSES, PROBABILITIES)
def auc(predictions: Predictions) -> float:
    """The area under the ROC curve: how often a row of a class has a higher probability of it than a row of the other class.

    For more classes, the mean over pairs of classes with rows, each from both sides; NaN if fewer than two classes have rows.

    Source: Hand & Till 2001.

    >>> from ftree import ID3, datasets, study
    >>> round(study.cross_validate(datasets.monks(1), ID3, folds=2, metrics=(auc,)).mean, 3)
    1.0
    """
    weighed = np.bincount(predictions.true, weights=predictions.weights, minlength=len(predictions.classes))
    pairs = list(combinations(np.flatnonzero(weighed).tolist(), 2))
    areas = [(_area(predictions, one, other) + _area(predictions, other, one)) / 2 for one, other in pairs]
    return float(np.mean(areas)) if areas else float("nan")


def _area(predictions: Predictions, one: int, other: int) -> float:
    """The share of pairs of rows of two classes that the probability of the first class orders correctly; a tie counts half."""
    rows = np.isin(predictions.true, (one, other))
    ranks: npt.NDArray[np.intp] = np.unique(predictions.probabilities[rows, one], return_inverse=True)[1].ravel()
    own, weights = predictions.true[rows] == one, predictions.weights[rows]
    ours = np.bincount(ranks, weights=weights * own)
    theirs = np.bincount(ranks, weights=weights * ~own)
    return float(ours @ (theirs.cumsum() - theirs / 2) / (ours.sum() * theirs.sum()))


@needs(NO_CLASSES)
def r_squared(predictions: Predictions) -> float:
    """The share of the variance, or of the deviance of events, that is explained: 1 less the loss divided by that of one answer.

    The one answer is that of all rows: their mean, or the rate of their events. As in scikit-learn, the share is 1 for equal
    numbers that are all predicted exactly, and 0 for other predictions of equal numbers.

    >>> from ftree import CART, Dataset, grow, study
    >>> cars = Dataset.from_rows([[1.0], [2.0], [3.0]], [10.5, 12.5, 20.0])
    >>> r_squared(study.Predictions(grow(cars, CART), cars))
    1.0
    """
    lost, whole = _response_losses(predictions)
    return 1.0 - lost / whole if whole else float(lost == 0)


@loss
@needs(NO_CLASSES)
def deviance(predictions: Predictions) -> float:
    """The mean loss of a case by the response of the target: the Poisson deviance of events, the squared error of numbers.

    It is infinite for events where the rate is 0. Source: McCullagh & Nelder 1989, section 2.3.

    >>> from ftree import CART, Dataset, grow, study
    >>> calls = Dataset.from_rows([[1], [1], [3]], [0, 2, 4], response="events")
    >>> round(deviance(study.Predictions(grow(calls, CART), calls)), 3)
    0.99
    """
    return _response_losses(predictions)[0] / float(predictions.weights.sum())


def _response_losses(predictions: Predictions) -> tuple[float, float]:
    """The loss of the predictions by the response of the target, and that of the one answer for all rows."""
    counted = predictions.weights > 0
    rows, weights, predicted = predictions.test.take(counted), predictions.weights[counted], predictions.predicted[counted]
    columns = (rows.target_column, *rows.further_targets)
    own: Any = response_of_sums(rows.schema)
    response: Any = own.fitting(*columns).at_root(rows.weights, *columns)
    if own.row_features:  # each row is predicted a number, whatever its leaf answers
        response = numbers.of(rows.target_column)
    sums = rows_as_sums(rows, response)
    one = response.answer(tuple(weights @ sums))
    lost, whole = (float(weights @ response.losses_of_rows(answer, sums)) for answer in (predicted, one))
    return lost, whole if (sums != sums[:1]).any() else 0.0


@loss
@needs(NO_CLASSES, NUMBERS)
def rmse(predictions: Predictions) -> float:
    """The root of the mean squared error, in the unit of the target; for events, the prediction is rate times exposure.

    >>> from ftree import CART, Dataset, grow, study
    >>> cars = Dataset.from_rows([[1.0], [1.0], [3.0]], [10.5, 12.5, 20.0])
    >>> round(rmse(study.Predictions(grow(cars, CART), cars)), 3)
    0.816
    """
    return float(np.sqrt(np.average(_errors(predictions) ** 2, weights=predictions.weights)))


@loss
@needs(NO_CLASSES, NUMBERS)
def mae(predictions: Predictions) -> float:
    """The mean absolute error, in the unit of the target; for events, the prediction is rate times exposure.

    >>> from ftree import CART, Dataset, grow, study
    >>> cars = Dataset.from_rows([[1.0], [1.0], [3.0]], [10.5, 12.5, 20.0])
    >>> round(mae(study.Predictions(grow(cars, CART), cars)), 3)
    0.667
    """
    return float(np.average(np.abs(_errors(predictions)), weights=predictions.weights))


def _errors(predictions: Predictions) -> Floats:
    """What each prediction of a number is above the true number."""
    test: Any = predictions.test
    further = () if test.schema.response.row_features else test.further_targets  # exposures of events
    errors: Floats = predictions.predicted * (further[0] if further else 1.0) - predictions.true
    return errors


@needs(SURVIVAL)
def concordance(predictions: Predictions) -> float:
    """Harrell's C of survival times: how often, of two rows, the one whose event comes first has the larger hazard.

    Equal hazards count half. A pair counts if we know whose event came first: the row with the earlier time had its event. Of
    two equal times, the one with the event counts as earlier. NaN without such a pair.

    Source: Harrell, Lee & Mark 1996.

    >>> from ftree import CART, Dataset, grow, stop, study
    >>> from ftree.responses import survival
    >>> rows = {"dose": [0, 0, 1, 1], "weeks": [2, 6, 5, 9], "died": [1, 1, 1, 0]}
    >>> patients = Dataset.from_columns(rows, target="weeks", response=survival("weeks", "died"), kinds="numeric")
    >>> concordance(study.Predictions(grow(patients, CART.stopping(stop.max_depth(1))), patients))
    0.6666666666666666
    """
    times, died, answers = predictions.true, predictions.test.further_targets[0] == 1, predictions.predicted
    weights, (_, hazard) = predictions.weights, np.unique(answers[:, 0], return_inverse=True)
    won = every = 0.0
    for moment in np.unique(times[died]).tolist():
        first = died & (times == moment)
        later = (times > moment) | ((times == moment) & ~died)
        of_first, of_later = (np.bincount(hazard[rows], weights[rows], hazard.max() + 1) for rows in (first, later))
        won += float(of_first @ (of_later.cumsum() - of_later / 2))
        every += float(of_first.sum() * of_later.sum())
    return won / every if every else float("nan")


@loss
@needs(SURVIVAL)
def integrated_brier(predictions: Predictions) -> float:
    """The Brier score of survival curves, averaged over the times of the curves that lie within those of the rows.

    At each time, rows whose observation ended before it are left out, and the others are weighted by the inverse probability of
    being observed so long, which is estimated from these rows. Between two times the score is linear. NaN without such a time.

    Source: Graf, Schmoor, Sauerbrei & Schumacher 1999.

    >>> from ftree import CART, Dataset, grow, study
    >>> from ftree.responses import survival
    >>> rows = {"dose": [0, 0, 1, 1], "weeks": [2, 6, 5, 9], "died": [1, 1, 1, 0]}
    >>> patients = Dataset.from_columns(rows, target="weeks", response=survival("weeks", "died"), kinds="numeric")
    >>> round(integrated_brier(study.Predictions(grow(patients, CART), patients)), 6)
    0.1875
    """
    times, died, answers = predictions.true, predictions.test.further_targets[0] == 1, predictions.predicted
    counted = predictions.weights > 0
    known: Any = getattr(predictions.classifier, "schema", predictions.test.schema)
    curve = known.response.own.curve(answers[0])
    within = (np.array(curve.times) >= times[counted].min()) & (np.array(curve.times) < times[counted].max())
    moments, alive = np.array(curve.times)[within], answers[:, 1:][:, within]
    observed = _observed(times, died, predictions.weights)
    gone, still = (times[:, None] <= moments) & died[:, None], times[:, None] > moments
    squares = gone * alive**2 / observed(times)[:, None] + still * (1 - alive) ** 2 / observed(moments)
    scores = np.average(squares, axis=0, weights=predictions.weights)
    if len(moments) < 2:  # noqa: PLR2004  # no time between two
        return float(scores.mean()) if len(moments) else float("nan")
    return float((scores[1:] + scores[:-1]) / 2 @ np.diff(moments) / (moments[-1] - moments[0]))


def _observed(times: Floats, died: npt.NDArray[np.bool_], weights: Any) -> Callable[[Floats], Floats]:
    """The probability of being observed beyond a time, by the curve of ends without events; infinite where it is 0."""
    ends, place = np.unique(times, return_inverse=True)
    ended, gone = (np.bincount(place, weights * rows) for rows in (died, ~died))
    at_risk = (ended + gone)[::-1].cumsum()[::-1] - ended
    left = np.cumprod(1 - gone / np.where(at_risk > 0, at_risk, 1.0))
    steps = np.append(1.0, np.where(left > 0, left, np.inf))
    return lambda moments: steps[np.searchsorted(ends, moments, side="right")]


@loss
def leaves(predictions: Predictions) -> float:
    """Number of leaves of a tree, or of all trees of a forest; NaN for other classifiers.

    >>> from ftree import ID3, datasets, study
    >>> round(study.cross_validate(datasets.monks(1), ID3, folds=2, metrics=(leaves,)).mean, 3)
    28.0
    """
    classifier: Any = predictions.classifier
    return float(n_leaves(classifier) if isinstance(classifier, Tree) else getattr(classifier, "n_leaves", np.nan))


@loss
def depth(predictions: Predictions) -> float:
    """Depth of a tree, or of the deepest tree of a forest; NaN for other classifiers.

    >>> from ftree import ID3, datasets, study
    >>> round(study.cross_validate(datasets.monks(1), ID3, folds=2, metrics=(depth,)).mean, 3)
    3.0
    """
    classifier: Any = predictions.classifier
    return float(fold_depth(classifier) if isinstance(classifier, Tree) else getattr(classifier, "depth", np.nan))


def _given_costs(costs: Any) -> Costs:
    given = as_costs(costs)
    if given is None:
        raise ValueError("costs must be a matrix with rows by true class, such as [[0, 5], [1, 0]], got None.")
    return given


@frozen
class mean_cost(ConstructorRepr):
    """The mean cost of the predictions, for a cost matrix (K, K) with rows by true class, like the function `ftree.mean_cost`.

    The classifier predicts the label of least expected cost, or, with `decide=False`, its own label.

    Raises a ValueError for costs that are not a square matrix of numbers from 0, or have another number of classes.

    >>> mean_cost([[0, 5], [1, 0]])
    mean_cost(((0.0, 5.0), (1.0, 0.0)), decide=True)
    """

    lower_is_better = True
    costs: Costs = field(converter=_given_costs)
    decide: bool = field(default=True, kw_only=True)

    def __call__(self, predictions: Predictions) -> float:
        """Average the costs."""
        costs = costs_for(self.costs, len(predictions.classes))
        expected = expected_costs(predictions.probabilities, costs) if self.decide else None
        labels = predictions.predicted if expected is None else first_smallest(expected, np.max(costs))
        return float(np.average(np.array(costs)[predictions.true, labels], weights=predictions.weights))


_OF_CLASSES: tuple[Any, ...] = (accuracy, balanced_accuracy, kappa, log_loss, brier, auc)
_OF_OTHERS: tuple[Any, ...] = (r_squared, deviance, rmse, mae, concordance, integrated_brier, leaves, depth)
METRICS: Mapping[str, Metric] = {metric.__name__: metric for metric in _OF_CLASSES + _OF_OTHERS}


def losses_by_name(names: Iterable[str]) -> tuple[str, ...]:
    """Of names of metrics, those of the library's metrics of which lower is better.

    >>> losses_by_name(["brier", "kappa", "mean_cost", "my_loss"])
    ('brier', 'mean_cost')
    """
    known = {**METRICS, "mean_cost": mean_cost}
    return tuple(name for name in names if is_loss(known.get(name)))


def named_metrics(metrics: Any, schema: Schema | None = None) -> dict[str, Metric]:
    """Metrics by their names: one or several, as names or functions, or a mapping from names to functions.

    None is the accuracy for a target of classes, else `r_squared`. "seconds" is ignored, since the time of training is always
    measured.

    Raises a ValueError for an unknown or repeated name, and for no metric; a TypeError for anything that is not a metric.

    >>> list(named_metrics(("accuracy", "brier"))), list(named_metrics(None))
    (['accuracy', 'brier'], ['accuracy'])
    """
    default = "accuracy" if schema is None or schema.has_classes else "r_squared"
    metrics = default if metrics is None else metrics
    if isinstance(metrics, Mapping):
        pairs = [(str(name), _metric(metric)) for name, metric in metrics.items()]
    else:
        listed = [metrics] if isinstance(metrics, str) or not is_iterable(metrics) else list(metrics)
        pairs = [(_name(metric), _metric(metric)) for metric in listed if not (isinstance(metric, str) and metric == "seconds")]
    named = dict(pairs)
    if not named or len(named) < len(pairs):
        message = f"metrics must be at least one metric, with distinct names, got {short_repr([name for name, _ in pairs])}."
        raise ValueError(message)
    return named


def metric_value(name: str, metric: Metric, predictions: Predictions) -> float:
    """The metric of predictions as a float. Raises a TypeError if it is not a number."""
    value: Any = metric(predictions)
    if not isinstance(value, Real):
        raise TypeError(f"metric {short_repr(name)} must return a number, got {short_repr(value)}.")
    return float(value)


def _metric(metric: Any) -> Metric:
    if isinstance(metric, str):
        if metric not in METRICS:
            wanted = f"among {joined(map(repr, METRICS))}, or functions, such as metrics.mean_cost(costs)"
            raise ValueError(f"metrics must be {wanted}, got {metric!r}.")
        return METRICS[metric]
    if isinstance(metric, type) or not callable(metric):
        raise TypeError(f"metrics must be names or functions of Predictions, got {short_repr(metric)}.")
    return cast("Metric", metric)


def _name(metric: Any) -> str:
    return metric if isinstance(metric, str) else str(getattr(metric, "__name__", type(metric).__name__))
