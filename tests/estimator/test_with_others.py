"""With the rest of scikit-learn: its own checks of estimators, pipelines, searches, routing of weights, ensembles."""

import numpy as np
import pytest
import sklearn
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, VotingClassifier
from sklearn.model_selection import cross_validate
from sklearn.utils.estimator_checks import parametrize_with_checks

from ftree import C45, ID3, evolve, prune, stop
from ftree.estimator import DEFAULT_POLICY, TreeClassifier, TreeRegressor

X, Y = load_iris(return_X_y=True)
STUMP = TreeClassifier(evolve(DEFAULT_POLICY, stop=stop.max_depth(1)))


@pytest.mark.parametrize(
    "ensemble",
    [
        BaggingClassifier(TreeClassifier(), n_estimators=5, max_features=2, random_state=0),
        AdaBoostClassifier(STUMP, n_estimators=10, random_state=0),
        AdaBoostClassifier(TreeClassifier(evolve(C45, stop=stop.max_depth(2))), n_estimators=3, random_state=0),
        VotingClassifier([("C4.5", TreeClassifier(C45)), ("ID3", TreeClassifier(ID3))], voting="soft"),
        CalibratedClassifierCV(TreeClassifier(C45), cv=3),
    ],
    ids=lambda ensemble: type(ensemble).__name__,
)
def test_ensembles_of_it_learn(ensemble):
    assert ensemble.fit(X[::2], Y[::2]).score(X[1::2], Y[1::2]) > 0.9


def test_sample_weights_are_routed():
    weights = np.where(Y == 0, 1.0, 0.0)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = TreeClassifier(C45).set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        found = cross_validate(routed, X, Y, cv=3, params={"sample_weight": weights}, return_estimator=True)
    assert [one.tree.root.counts for one in found["estimator"]] == [(33, 0, 0), (33, 0, 0), (34, 0, 0)]


SETTINGS = [
    TreeClassifier(),
    TreeClassifier(C45, prune=prune.pessimistic()),
    TreeClassifier(prune=prune.reduced_error, holdout=0.25),
    TreeRegressor(),
]


@pytest.fixture(autouse=True)
def array_interface(monkeypatch):
    """scikit-learn skips one of the checks without this."""
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


def failing(estimator):
    """The check that gives a classifier one of scikit-learn's names, which is refused beside a policy."""
    return {} if estimator.policy is None else {"check_class_weight_classifiers": "min_weight_fraction_leaf and a policy"}


@parametrize_with_checks(SETTINGS, expected_failed_checks=failing)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)
