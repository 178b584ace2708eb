"""Metrics by their names, as studies accept them."""

from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any, cast

from ftree._lib.messages import joined, short_repr
from ftree.study.metrics import METRICS, Metric
from ftree.study.predictions import Predictions


def named_metrics(metrics: Any) -> dict[str, Metric]:
    """Metrics by their names: one or several, as names or functions, or a mapping from names to functions.

    "seconds" is ignored, since the time of training is always measured.

    Raises a ValueError for an unknown or repeated name, and for no metric; a TypeError for anything that is not a metric.

    >>> list(named_metrics(("accuracy", "brier"))), list(named_metrics({"gain in money": len}))
    (['accuracy', 'brier'], ['gain in money'])
    """
    if isinstance(metrics, Mapping):
        pairs = [(str(name), _metric(metric)) for name, metric in metrics.items()]
    else:
        listed = [metrics] if isinstance(metrics, str) or not isinstance(metrics, Iterable) else list(metrics)
        pairs = [(_name(metric), _metric(metric)) for metric in listed if metric != "seconds"]
    named = dict(pairs)
    if not named or len(named) < len(pairs):
        message = f"metrics must be at least one metric, with distinct names, got {short_repr([name for name, _ in pairs])}."
        raise ValueError(message)
    return named


def value_of(name: str, metric: Metric, predictions: Predictions) -> float:
    """The metric of predictions as a float. Raises a TypeError if it is not a number."""
    value: Any = metric(predictions)
    if not isinstance(value, Real):
        message = f"metric {name!r} must return a number, got {short_repr(value)}."
        raise TypeError(message)
    return float(value)


def _metric(metric: Any) -> Metric:
    if isinstance(metric, str):
        if metric not in METRICS:
            wanted = f"among {joined(map(repr, METRICS))}, or functions, such as metrics.mean_cost(costs)"
            message = f"metrics must be {wanted}, got {metric!r}."
            raise ValueError(message)
        return METRICS[metric]
    if isinstance(metric, type) or not callable(metric):
        message = f"metrics must be names or functions of Predictions, got {short_repr(metric)}."
        raise TypeError(message)
    return cast("Metric", metric)


def _name(metric: Any) -> str:
    return metric if isinstance(metric, str) else str(getattr(metric, "__name__", type(metric).__name__))
