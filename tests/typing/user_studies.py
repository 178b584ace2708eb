"""A user's script: studies with learners, folds and metrics of their own; mypy and pyright must find nothing wrong with it."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from attrs import frozen

from ftree import CART, ID3, Dataset, Tree, c45, cross_validate, grow, learning_curve, prune, study

ROWS = Dataset.from_rows([["a", 1.0], ["b", 2.0], ["a", 3.0]] * 6, ["no", "yes", "yes"] * 6)


@frozen
class Majority:
    """A classifier: a function of a dataset that returns a label for each row."""

    label: Any

    def __call__(self, rows: Dataset) -> list[Any]:
        return [self.label] * len(rows)


class Mean:
    """An estimator."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> "Mean":  # noqa: N803  # scikit-learn's names
        self.code = int(np.bincount(y[: len(X)]).argmax())
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:  # noqa: N803  # as above
        return np.full(len(X), self.code)


def majority(rows: Dataset) -> Majority:
    counts = rows.class_counts()
    return Majority(rows.schema.classes[counts.index(max(counts))])


def share_of_first(predictions: study.Predictions) -> float:
    return float((predictions.predicted == 0).mean())


def halves(rows: Dataset) -> list[tuple[Sequence[int], Sequence[int]]]:
    half = len(rows) // 2
    return [(range(half), range(half, len(rows))), (range(half, len(rows)), range(half))]


def main() -> None:
    learners: dict[str, study.Learner] = {
        "ID3": ID3,
        "C4.5": c45,
        "pass": prune.collapse(),
        "both": (CART, prune.pessimistic()),
        "own": majority,
        "mean": Mean(),
    }
    for folds in (3, study.stratified(3, repeats=2), study.grouped("x0", 2), study.holdout(0.5, repeats=2), halves, halves(ROWS)):
        trial: study.Trial = cross_validate(ROWS, majority, folds=folds, metrics=("accuracy", share_of_first))
        assert len(trial.folds) >= 2
    comparison = study.compare(
        learners,
        {"rows": ROWS},
        folds=3,
        metrics={"first": share_of_first, "cost": study.metrics.mean_cost([[0, 1], [2, 0]], decide=False)},
    )
    assert comparison["mean", "rows"].mean >= 0
    assert len(study.compare({"CART": CART, "C4.5": c45}, [ROWS, ROWS], folds=2).friedman().learners) == 2
    curve: tuple[study.Trial, ...] = learning_curve(
        ROWS, partial(study.bagging, n_trees=2), sizes=[9], repeats=2, metrics="kappa"
    )
    forest: study.Forest = study.bagging(ROWS, n_trees=2)
    tree: Tree = grow(ROWS)
    table: study.Confusion = study.confusion(forest, ROWS)
    assert table.accuracy + study.report(tree, ROWS).kappa + curve[0].mean > 0


if __name__ == "__main__":
    main()
