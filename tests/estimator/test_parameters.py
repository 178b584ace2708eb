"""Parameters: those of the classifier, and the parts of its policy and its pass."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from ftree import C45, CART, CHAID, ID3, entropy, evolve, gini, prune, stop
from ftree.estimator import TreeClassifier, TreeRegressor
from ftree.routing import heaviest, weighted
from ftree.splitters import as_value, ignore

POLICIES = [ID3, C45, CART, CHAID, evolve(C45, missing=ignore(predict=weighted()), priors=(0.5, 0.5))]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_clone_has_equal_parameters(policy):
    one = TreeClassifier(policy, prune=prune.cost_complexity(0.1, risk=gini), missing=heaviest(), class_weight={0: 2})
    other = clone(one)
    assert other.get_params() == one.get_params()
    assert repr(other) == repr(one)


def test_parts_of_the_policy_and_the_pass_are_parameters():
    policy = evolve(ID3, stop=stop.max_depth(3))
    parameters = TreeClassifier(policy, prune=prune.cost_complexity(0.1)).get_params()
    assert parameters["policy__impurity"] is entropy
    assert parameters["policy__stop__limit"] == 3
    assert parameters["policy__missing"] == ignore()
    assert parameters["prune__alpha"] == 0.1


def test_only_parameters_of_its_own_are_listed_when_they_are_wanted():
    assert not any("__" in name for name in TreeClassifier(C45).get_params(deep=False))


def test_setting_a_part_makes_a_new_value_and_leaves_the_old_one():
    one = TreeClassifier(C45).set_params(policy__stop=stop.max_depth(2), policy__missing=as_value())
    assert one.policy == evolve(C45, stop=stop.max_depth(2), missing=as_value())
    assert C45.missing == ignore(predict=weighted())


def test_a_whole_is_set_before_its_parts_whatever_their_order():
    one = TreeClassifier(C45).set_params(policy__stop__limit=5, policy__stop=stop.max_depth(2), policy=ID3)
    assert one.policy == evolve(ID3, stop=stop.max_depth(5))


def test_every_listed_parameter_can_be_set():
    one = TreeClassifier(C45, prune=prune.error_based())
    parameters = one.get_params()
    assert one.set_params(**parameters).get_params() == parameters


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"prun": None}, "Invalid parameter 'prun'"),
        ({"prun__alpha": 1}, "Invalid parameter 'prun'"),
        ({"policy__stopp": stop.never}, "must be one of 'impurity', 'score', 'splits', .*got 'stopp'"),
        ({"policy__impurity__base": 2}, "A part of <function .* must be omitted, since it has no parts, got 'base'"),
        ({"prune__alpha": 2}, "A part of None must be omitted, since it has no parts, got 'alpha'"),
    ],
)
def test_a_part_that_does_not_exist_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        TreeClassifier(C45).set_params(**wrong)


def test_a_grid_search_goes_over_parts():
    table, labels = load_iris(return_X_y=True)
    grid = {"tree__policy__stop": [stop.max_depth(1), stop.max_depth(3)], "tree__prune__alpha": [0.0, 0.4]}
    pipe = make_pipeline(FunctionTransformer(), TreeClassifier(prune=prune.cost_complexity(0.1, risk=gini)))
    pipe.steps[-1] = ("tree", pipe.steps[-1][1])
    found = GridSearchCV(pipe, grid, cv=3).fit(table, labels)
    assert found.best_params_ == {"tree__policy__stop": stop.max_depth(3), "tree__prune__alpha": 0.0}
    assert found.best_estimator_["tree"].get_depth() == 3


def test_notebooks_show_the_parameters():
    assert "c45_min_branch" in TreeClassifier(C45)._repr_html_()


@pytest.mark.parametrize(
    ("wrong", "meant"), [("max_dept", "max_depth"), ("criterium", "criterion"), ("min_sample_leaf", "min_samples_leaf")]
)
@pytest.mark.parametrize("kind", [TreeClassifier, TreeRegressor])
def test_a_parameter_that_does_not_exist_is_refused_with_the_most_similar_one(kind, wrong, meant):
    with pytest.raises(
        TypeError, match=rf"^Arguments of {kind.__name__} must be among .*, got {wrong}\. Did you mean {meant}\?$"
    ):
        kind(**{wrong: 3})


@pytest.mark.parametrize(
    ("criterion", "instead"),
    [("absolute_error", "leaf_quantiles"), ("poisson", "response='events'"), ("friedman_mse", "'squared_error'")],
)
def test_a_criterion_of_scikit_learn_that_is_not_here_points_to_what_serves_instead(criterion, instead):
    with pytest.raises(ValueError, match=rf"^criterion must be one of 'squared_error', .*, got '{criterion}'\. .*{instead}"):
        TreeRegressor(criterion=criterion).fit([[1], [2]], [0.5, 1.5])


@pytest.mark.parametrize("labels", [["a", None, "b"], ["a", 1, "b"]])
def test_labels_that_have_no_order_are_refused_by_name(labels):
    with pytest.raises(TypeError, match=r"^y must have labels of one type, texts or numbers, and none missing, got 'b' and "):
        TreeClassifier().fit([[1], [2], [3]], np.array(labels, dtype=object))


def test_a_library_that_fits_many_times_for_one_line_warns_once_and_a_loop_of_the_user_each_time():
    names, labels = np.array([[f"n{row}"] for row in range(60)]), [0, 1] * 30
    grid = GridSearchCV(TreeClassifier(), {"max_depth": [1, 2, 3]}, cv=4)
    for fit, times in ((grid.fit, 1), (TreeClassifier().fit, 1)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fit(names, labels)
            fit(names, labels)
        found = [str(each.message) for each in caught if "Feature 'x0' is nominal" in str(each.message)]
        assert len(found) == 2 * times
        assert {each.filename for each in caught if "Feature 'x0'" in str(each.message)} == {__file__}
