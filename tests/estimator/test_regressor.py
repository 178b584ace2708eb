"""`TreeRegressor`: scikit-learn's names grow the trees that they grow there; text, gaps, weights and a holdout work."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeRegressor

from ftree import CART, Dataset, evolve, grow, predict, prune, to_dict
from ftree.estimator import TreeClassifier, TreeRegressor
from ftree.stop import max_depth

X, Y = load_diabetes(return_X_y=True)
X = X.astype(np.float32).astype(np.float64)  # scikit-learn's trees see no more


@pytest.mark.parametrize(
    "names",
    [
        {"max_depth": 3, "criterion": "squared_error"},
        {"min_samples_split": 40},
        {"min_samples_split": 0.3},
        {"min_samples_leaf": 30},
        {"min_samples_leaf": 0.1},
        {"min_impurity_decrease": 50.0},
        {"max_leaf_nodes": 12},
        {"ccp_alpha": 40.0},
    ],
    ids=str,
)
def test_a_name_grows_the_tree_that_it_grows_there(names):
    ours, theirs = TreeRegressor(**names).fit(X, Y), DecisionTreeRegressor(**names, random_state=0).fit(X, Y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)
    assert (ours.get_n_leaves(), ours.get_depth()) == (theirs.get_n_leaves(), theirs.get_depth())
    if "max_depth" in names:  # elsewhere they take one of several equal splits at random
        np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, rtol=1e-9)
    assert ours.decision_path(X).sum() == theirs.decision_path(X).sum()


def test_it_has_the_arrays_of_scikit_learns():
    models = TreeRegressor(max_depth=3), DecisionTreeRegressor(max_depth=3, random_state=0)
    ours, theirs = (model.fit(X, Y) for model in models)
    for name in ("children_left", "feature", "n_node_samples"):
        assert getattr(ours.tree_, name).tolist() == getattr(theirs.tree_, name).tolist()
    for name in ("threshold", "impurity", "value"):
        np.testing.assert_allclose(getattr(ours.tree_, name), getattr(theirs.tree_, name), rtol=1e-6)


@pytest.mark.parametrize("targets", [Y, np.column_stack([Y, X[:, 2] * X[:, 8]])], ids=["one", "two"])
def test_its_pruning_path_is_that_of_scikit_learns(targets):
    models = TreeRegressor(max_depth=3), DecisionTreeRegressor(max_depth=3, random_state=0)
    paths = [model.cost_complexity_pruning_path(X, targets) for model in models]
    for name in ("ccp_alphas", "impurities"):
        np.testing.assert_allclose(paths[0][name], paths[1][name], rtol=1e-9, atol=1e-9)
    alphas = paths[1].ccp_alphas
    for alpha in (alphas[1:] + alphas[:-1]) / 2:
        ours, theirs = (clone(model).set_params(ccp_alpha=alpha).fit(X, targets) for model in models)
        assert ours.get_n_leaves() == theirs.get_n_leaves()


def test_its_tree_is_a_value_and_predicts_as_it_does():
    model = TreeRegressor(evolve(CART, stop=max_depth(3))).fit(X, Y)
    assert model.predict(X).tolist() == predict(model.tree, X).tolist()
    assert to_dict(model) == to_dict(model.tree)
    assert model.tree.schema.response.kind == "numbers"


def test_text_gaps_and_whole_numbers_need_no_preparation():
    rows, wanted = [["sunny", 20], ["rainy", None], ["rainy", 25], ["sunny", 12]], [3, 1, 1, 3]
    model = TreeRegressor().fit(rows, wanted)
    assert model.predict(rows).tolist() == wanted
    assert model.score(rows, wanted) == 1.0
    assert not hasattr(model, "classes_")


def test_the_mean_weight_is_raised_to_one():
    few = np.full(len(Y), 1 / 512)
    limited = TreeRegressor(min_samples_leaf=20)
    assert clone(limited).fit(X, Y, few).get_n_leaves() == limited.fit(X, Y).get_n_leaves() > 1


def test_a_holdout_is_a_share_of_all_cases():
    held = []

    def pass_of(pruning_set):
        held.append(len(pruning_set))
        return prune.snip(())

    TreeRegressor(prune=pass_of, holdout=0.25).fit(X, Y)
    assert held == [round(0.25 * len(Y))]


def test_a_feature_may_have_the_name_that_a_target_would_get():
    for targets, name in ((Y, "number"), (np.stack([Y, -Y], axis=1), "number_0")):
        frame = pd.DataFrame({"width": X[:, 0], name: X[:, 1]})
        fitted = TreeRegressor(max_depth=2).fit(frame, targets)
        assert [each.name for each in fitted.tree.schema.features] == ["width", name]
        assert fitted.predict(frame).shape == targets.shape


def test_columns_of_equal_numbers_and_a_target_of_one_number_give_a_leaf():
    assert TreeRegressor(min_impurity_decrease=1.0).fit(X, np.full(len(Y), 2.5)).predict(X[:1]).tolist() == [2.5]
    dataset = Dataset.from_rows(X.tolist(), Y.tolist(), response="numbers")
    assert TreeRegressor(lambda rows: grow(rows, CART)).fit(X, Y).tree.root == grow(dataset, CART).root


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"criterion": "gini"}, "criterion must be one of 'squared_error', or the impurity of a policy, got 'gini'"),
        ({"max_depth": 3, "policy": CART}, "Give max_depth or policy, since both say the same"),
        ({"prune": prune.pessimistic()}, "pessimistic.* got a regression tree"),
    ],
)
def test_what_is_about_classes_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        TreeRegressor(**wrong).fit(X, Y)


def light_and_heavy(seed):
    """Distinct points, numbers with an outlier, and weights over nine orders of magnitude."""
    random = np.random.default_rng(seed)
    points, weights = random.normal(size=(60, 3)), 10.0 ** random.uniform(-6, 3, 60)
    return points, np.append(random.integers(0, 5, 59), 1e6), weights


@pytest.mark.parametrize("seed", range(5))
def test_light_rows_and_outliers_are_told_apart_as_there_whatever_the_unit_of_weights(seed):
    points, numbers, weights = light_and_heavy(seed)
    ours, theirs = (one.fit(points, numbers, weights) for one in (TreeRegressor(), DecisionTreeRegressor(random_state=0)))
    np.testing.assert_allclose(ours.predict(points), theirs.predict(points), rtol=1e-6, atol=1e-6)
    assert ours.get_n_leaves() >= len(set(numbers))
    for model in (TreeRegressor(), TreeClassifier(), TreeClassifier(class_weight={4: 1e-3})):
        answers = [clone(model).fit(points, numbers, weights * unit).predict(points).tolist() for unit in (2.0**-40, 1, 2.0**20)]
        assert answers[0] == answers[1] == answers[2]


def test_a_light_class_ends_no_growth():
    points, numbers, _ = light_and_heavy(0)
    model = TreeClassifier(class_weight={0: 1, 1: 0.001}).fit(points, (numbers > 2).astype(int))
    assert (model.predict(points) == (numbers > 2)).all()
