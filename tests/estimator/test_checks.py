"""All of scikit-learn's own checks of estimators, without an expected failure."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from ftree import C45, ID3, prune
from ftree.estimator import TreeClassifier

SETTINGS = [
    TreeClassifier(),
    TreeClassifier(C45),
    TreeClassifier(ID3, prune=prune.pessimistic()),
    TreeClassifier(prune=prune.reduced_error, holdout=0.25),
]


@pytest.fixture(autouse=True)
def array_interface(monkeypatch):
    """scikit-learn skips one of the checks without this."""
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


@parametrize_with_checks(SETTINGS)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)
