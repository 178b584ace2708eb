"""Running a fold: train on its training rows, score the predictions for its test rows."""

from collections.abc import Mapping
from time import perf_counter
from typing import Any

import numpy as np

from ftree.data.arrays import RowNumbers
from ftree.data.dataset import Dataset
from ftree.routing.rule_names import Missing
from ftree.study.learners import LearningFunction
from ftree.study.metric_names import value_of
from ftree.study.metrics import Metric
from ftree.study.predictions import Predictions
from ftree.study.trial import FoldResult


def run_fold(
    learn: LearningFunction,
    dataset: Dataset,
    rows: tuple[RowNumbers, RowNumbers],
    metrics: Mapping[str, Metric],
    missing: Missing | None,
) -> FoldResult:
    """Train on the training rows of a fold, and score the predictions for its test rows."""
    train, test = rows
    training_set = dataset.take(train)
    start = perf_counter()
    classifier: Any = learn(training_set)
    seconds = perf_counter() - start
    predictions = Predictions(classifier, dataset.take(test), missing=missing)
    scores = [value_of(name, metric, predictions) for name, metric in metrics.items()]
    return FoldResult(int(np.size(train)), int(np.size(test)), scores, seconds)
