"""Trees of scikit-learn read and written: equal predictions, also for missing values and values next to thresholds."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor

import ftree as ft
from ftree import prune
from ftree.estimator import TreeClassifier
from ftree.exchange import forest_from_sklearn, from_sklearn, to_sklearn
from ftree.exchange.others.split_readers import last_rounded_to
from ftree.responses import events
from ftree.routing import heaviest
from ftree.stop import max_depth, pure
from ftree.testing import chain, datasets
from ftree.tree import IsMissing, Multiway, Threshold, WithDefault, exact_sums, numbers, preorder

XY = ft.Schema([ft.Feature("x", "numeric"), ft.Feature("y", "ordinal", "SML")], "class", ("no", "yes"))
NO, YES = ft.Leaf((1, 0)), ft.Leaf((0, 1))


def points(n, seed, *, missing=False):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n, 3)).round(1)
    if missing:
        table[rng.random(table.shape) < 0.2] = np.nan
    return table, np.array(["no", "maybe", "yes"])[(np.nan_to_num(table).sum(axis=1) > 0).astype(int) + rng.integers(0, 2, n)]


def near(table, tree):
    """Rows at thresholds and next to them, in steps of 64 and of 32 bits."""
    cuts = np.array([node.split.at for node in preorder(tree) if isinstance(getattr(node, "split", None), Threshold)] or [0.0])
    cuts = np.concatenate([cuts, cuts.astype(np.float32), np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf)])
    return np.random.default_rng(0).choice(np.concatenate([cuts, table.ravel()]), size=(400, table.shape[1]))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("made", [DecisionTreeClassifier, ExtraTreeClassifier])
def test_it_predicts_what_scikit_learn_predicts(made, missing, weighted):
    table, labels = points(300, 1, missing=missing)
    weights = np.random.default_rng(2).random(300) if weighted else None
    classifier = made(random_state=0, max_depth=7).fit(table, labels, sample_weight=weights)
    tree = from_sklearn(classifier)
    rows = np.concatenate([table, near(table, tree)])
    assert ft.predict(tree, rows).tolist() == classifier.predict(rows).tolist()
    np.testing.assert_allclose(ft.predict_proba(tree, rows), classifier.predict_proba(rows))
    assert sum(tree.root.counts) == pytest.approx(300 if weights is None else weights.sum())
    assert weighted or all(isinstance(count, int) for node in preorder(tree) for count in node.counts)


@pytest.mark.filterwarnings("ignore:.*friedman_mse")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("made", [DecisionTreeRegressor, ExtraTreeRegressor])
@pytest.mark.parametrize("criterion", ["squared_error", "friedman_mse", "poisson"])
def test_it_predicts_the_numbers_that_scikit_learn_predicts(made, criterion, weighted):
    table, random = points(300, 1, missing=True)[0], np.random.default_rng(2)
    y = np.nan_to_num(table).sum(axis=1) ** 2 + random.random(300)
    weights = 10 ** random.uniform(-6, 0, 300) if weighted else None
    model = made(random_state=0, max_depth=7, criterion=criterion).fit(table, y, sample_weight=weights)
    tree = from_sklearn(model)
    rows, response = np.concatenate([table, near(table, tree)]), tree.schema.response
    np.testing.assert_allclose(ft.predict(tree, rows), model.predict(rows), rtol=0, atol=1e-14 * y.max())
    assert (tree.schema.target, tree.root.counts[0]) == ("number", 300 if weights is None else pytest.approx(weights.sum()))
    own = [response.risk(node.counts) / node.counts[0] for node in preorder(tree)]
    assert criterion == "poisson" or own == pytest.approx(model.tree_.impurity, rel=1e-9, abs=1e-8 * y.var())
    np.testing.assert_allclose(to_sklearn(tree).predict(rows), model.predict(rows), rtol=0, atol=1e-14 * y.max())


@given(
    datasets(
        schema=ft.Schema([ft.Feature("x", "numeric"), ft.Feature("y", "numeric")], "number", (), response=numbers()), min_rows=1
    )
)
def test_what_is_written_of_numbers_predicts_the_same_and_is_read_again(dataset):
    tree = ft.grow(dataset, ft.CART)
    model, rows = to_sklearn(tree), np.stack(dataset.columns, axis=1)
    assert model.predict(to_frame(rows)).tolist() == ft.predict(tree, rows).tolist()
    again = from_sklearn(model)
    assert ft.predict(again, rows).tolist() == pytest.approx(ft.predict(tree, rows).tolist(), rel=1e-12)
    risks = [[each.schema.response.risk(node.counts) for node in preorder(each)] for each in (again, tree)]
    assert risks[0] == pytest.approx(risks[1], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("made", [RandomForestRegressor, ExtraTreesRegressor, BaggingRegressor, GradientBoostingRegressor])
def test_the_trees_of_a_forest_of_numbers_have_its_mean_or_add_up(made):
    table, _ = points(200, 3)
    y, names = table.sum(axis=1) ** 2, ["a", "b", "c"]
    forest = made(n_estimators=4, random_state=0).fit(to_frame(table, names), y)
    trees = forest_from_sklearn(forest, target="y")
    assert [feature.name for feature in trees[0].schema.features] == names
    answers = np.array([ft.predict(tree, table) for tree in trees])
    boosted = made is GradientBoostingRegressor
    mine = y.mean() + forest.learning_rate * answers.sum(axis=0) if boosted else answers.mean(axis=0)
    np.testing.assert_allclose(mine, forest.predict(to_frame(table, names)), rtol=0, atol=1e-10)


nan = np.nan
cells = st.sampled_from([0.0, 1.0, 2.0, 3.0, nan])


@example([*[(0.0, 0.0, label) for label in "aaaaacc"], *[(1.0, 0.0, label) for label in "abbbc"]], None)
@example([(nan, nan, "a"), (1.0, 0.0, "a"), (0.0, 0.0, "b"), (nan, nan, "b"), (1.0, 0.0, "c")], None)
@given(st.lists(st.tuples(cells, cells, st.sampled_from("abc")), min_size=3, max_size=30), st.sampled_from([1, 3, None]))
def test_class_weights_whose_shares_are_rounded_leave_rows_without_a_value_their_way(rows, deepest):
    """Balanced classes make children of one size but for rounding errors, which say nothing about the larger child."""
    *table, labels = zip(*rows, strict=True)
    model = DecisionTreeClassifier(random_state=0, class_weight="balanced", max_depth=deepest).fit(np.transpose(table), labels)
    asked = np.array([[x, y] for x in (0, 1.2, 3, np.nan) for y in (0.7, 2, np.nan)])
    np.testing.assert_allclose(ft.predict_proba(from_sklearn(model), asked), model.predict_proba(asked), atol=1e-9)


@given(datasets(schema=ft.Schema([ft.Feature("x", "numeric"), ft.Feature("y", "numeric")], "class", ("no", "yes"))))
def test_what_is_written_predicts_the_same_and_is_read_again(dataset):
    tree = ft.grow(dataset)
    classifier = to_sklearn(tree)
    rows = np.stack(dataset.columns, axis=1)
    assert classifier.predict(to_frame(rows)).tolist() == ft.predict(tree, rows).tolist()
    again = from_sklearn(classifier, target="class")
    assert again.schema == tree.schema
    assert [node.counts for node in preorder(again)] == [node.counts for node in preorder(tree)]
    assert from_sklearn(to_sklearn(again)) == again


@pytest.mark.parametrize(
    ("criterion", "policy"), [("gini", ft.evolve(ft.CART, missing="ignore")), ("entropy", ft.evolve(ft.ID3, stop=pure()))]
)
def test_what_is_written_numbers_nodes_and_weighs_features_as_scikit_learn_does(criterion, policy):
    table, labels = points(200, 3)
    theirs = DecisionTreeClassifier(criterion=criterion, max_depth=4, random_state=0).fit(table, labels)
    model = TreeClassifier(policy.stopping(max_depth(4))).fit(table, labels)
    written = to_sklearn(model.tree, criterion=criterion)
    assert written.apply(table).tolist() == model.apply(table).tolist()
    assert (written.decision_path(table) != model.decision_path(table)).nnz == 0
    again = to_sklearn(from_sklearn(theirs), criterion=criterion)
    assert again.apply(table).tolist() == theirs.apply(table).tolist()
    assert again.feature_importances_ == pytest.approx(theirs.feature_importances_)


@pytest.mark.parametrize(
    ("field", "value"), [("left_child", 7), ("right_child", -1), ("threshold", 1e300), ("impurity", np.nan), ("values", -1.0)]
)
@pytest.mark.parametrize("kind", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_a_tree_that_no_fit_makes_is_refused(field, value, kind):
    """A tree is a pickle's own business, which may be damaged or made by hand."""
    model = kind(max_depth=1).fit([[0.0], [1.0], [3.0]], [0, 0, 1])
    state = model.tree_.__getstate__()
    own = {
        name: getattr(model.tree_, name).copy() for name in ("children_left", "children_right", "threshold", "impurity", "value")
    }
    name = {"left_child": "children_left", "right_child": "children_right", "values": "value"}.get(field, field)
    own[name][0] = value
    damaged = SimpleNamespace(
        **own,
        feature=state["nodes"]["feature"],
        n_outputs=1,
        n_features=1,
        weighted_n_node_samples=model.tree_.weighted_n_node_samples,
    )
    fake = SimpleNamespace(
        tree_=damaged, criterion="gini", **({"classes_": model.classes_} if hasattr(model, "classes_") else {})
    )
    if field == "values" and kind is DecisionTreeRegressor:
        damaged.n_node_samples = model.tree_.n_node_samples
        assert from_sklearn(fake).root.counts[0] == 3, "numbers may be negative"
    else:
        with pytest.raises(ValueError, match="model must have children among its nodes"):
            from_sklearn(fake)


def test_a_criterion_that_is_no_impurity_of_scikit_learn_and_another_response_are_refused():
    with pytest.raises(
        ValueError, match=r"to_sklearn must be given a classification or regression tree, got a tree of events. Use predict"
    ):
        to_sklearn(ft.Tree(ft.Schema((), "n", (), response=exact_sums(events())), ft.Leaf((1, 2, 4, 0))))
    with pytest.raises(ValueError, match="criterion must be one of 'gini', 'entropy', got 'gain'"):
        to_sklearn(ft.Tree(XY, NO), criterion="gain")


def test_the_bare_tree_of_an_estimator_is_told_from_a_tree():
    bare = DecisionTreeClassifier().fit([[1], [2]], [0, 1]).tree_
    for ask in (ft.text, ft.n_nodes):
        with pytest.raises(
            TypeError, match=r"tree must be a Tree.*, got a Tree of sklearn\. Give the model to .* from_sklearn\."
        ):
            ask(bare)


def to_frame(rows, names=("x", "y")):
    return pytest.importorskip("pandas").DataFrame(rows, columns=list(names))


def test_missing_values_go_where_the_split_or_the_larger_child_says():
    inner = ft.Branch((1, 1), WithDefault(Threshold(1, 0.5), default_child=1), (NO, YES))
    tree = ft.Tree(
        XY,
        ft.Branch((2, 4), IsMissing(0), (ft.Branch((1, 3), Threshold(0, 0.5), (NO, ft.Leaf((0, 3)))), inner)),
        missing=heaviest(),
    )
    rows = [[0.0, 0], [np.nan, np.nan], [1.0, np.nan], [np.nan, 2]]
    assert to_sklearn(tree).predict(to_frame(rows)).tolist() == ["no", "yes", "yes", "yes"]
    assert from_sklearn(to_sklearn(tree), features="xy").root.counts == (2, 4)
    assert to_sklearn(ft.Tree(XY, ft.Leaf((1e99, 2)))).tree_.n_node_samples.tolist() == [2**62], "it counts rows in 64 bits"
    assert [type(node.split) for node in preorder(from_sklearn(to_sklearn(tree))) if isinstance(node, ft.Branch)] == [
        IsMissing,
        Threshold,
        WithDefault,
    ]


@pytest.mark.parametrize("names", [["a"], ["a", "b"], ["a", "b", "c", "d"], "ab", []])
def test_names_are_as_many_as_the_model_has_features(names):
    """A tree that splits on the first only would take any number of them."""
    table, labels = points(50, 2)
    model = DecisionTreeClassifier(max_depth=1).fit(table, labels)
    for read in (partial(from_sklearn, model), partial(forest_from_sklearn, BaggingClassifier(model, 2).fit(table, labels))):
        assert read(features=["b", "a", "c"])
        with pytest.raises(ValueError, match=r"^features must be 3 names, as many as the model has"):
            read(features=names)


def test_trees_of_some_features_or_of_scores_are_no_votes_about_rows():
    table, labels = points(60, 2)
    with pytest.raises(ValueError, match=r"^forest must have trees of all features, in their order, got BaggingClassifier"):
        forest_from_sklearn(BaggingClassifier(n_estimators=4, max_features=1, random_state=0).fit(table, labels))
    with pytest.raises(
        TypeError, match=r"^forest must have trees that vote for classes, got GradientBoostingClassifier\(.*add up"
    ):
        forest_from_sklearn(GradientBoostingClassifier(n_estimators=2).fit(table, labels))


@pytest.mark.parametrize("made", [RandomForestClassifier, ExtraTreesClassifier])
def test_the_trees_of_a_forest_are_pruned_and_written_back(made):
    """Uncut parts are equal, to the last bit of their thresholds."""
    table, labels = points(400, 3)
    forest = made(n_estimators=3, random_state=0).fit(table[:200], labels[:200])
    grown = forest_from_sklearn(forest, target="label")
    held_out = ft.Dataset.from_rows(table[200:], labels[200:], classes=forest.classes_.tolist(), target="label")
    mean = np.mean([ft.predict_proba(tree, table) for tree in grown], axis=0)
    np.testing.assert_allclose(forest.predict_proba(table), mean)
    for tree in grown:
        pruned = prune.reduced_error(held_out)(tree)
        assert ft.n_nodes(pruned) < ft.n_nodes(tree)
        again = from_sklearn(to_sklearn(pruned), target="label")
        assert again == pruned
        assert ft.accuracy(again, held_out) >= ft.accuracy(tree, held_out)
    forest.estimators_ = [to_sklearn(tree) for tree in grown]
    np.testing.assert_allclose(forest.predict_proba(table), mean)


@given(st.floats(-1e30, 1e30), st.integers(-3, 3))
def test_a_threshold_divides_numbers_as_their_roundings(at, steps):
    cut = last_rounded_to(at)
    for value in (at, cut, np.nextafter(cut, np.inf), at + steps * abs(at) * 2.0**-25):
        assert (value <= cut) == (float(np.float32(value)) <= at)


def test_classes_keep_their_types():
    for classes in ((0, 1), (False, True), ("a", 1), (0.5, None)):
        tree = ft.Tree(
            ft.Schema([ft.Feature("x0", "numeric")], "class", classes), ft.Branch((1, 1), Threshold(0, 0.5), (NO, YES))
        )
        assert from_sklearn(to_sklearn(tree)).schema == tree.schema
        assert to_sklearn(tree).predict([[0.0]]).tolist() == [classes[0]]


def test_a_deep_tree_and_a_leaf_are_written():
    deep = chain(2000)
    assert ft.n_nodes(from_sklearn(to_sklearn(deep))) == ft.n_nodes(deep)
    leaf = ft.Tree(ft.Schema([ft.Feature("x0", "numeric")], "class", ("no", "yes")), ft.Leaf((0, 0)))
    assert from_sklearn(to_sklearn(leaf), features=["x0"]).root == leaf.root


def test_what_is_no_tree_is_refused():
    table, labels = points(20, 0)
    for thing in (DecisionTreeClassifier(), None):
        with pytest.raises(
            TypeError, match="model must be a fitted DecisionTreeClassifier or DecisionTreeRegressor of scikit-learn, got"
        ):
            from_sklearn(thing)
        with pytest.raises(TypeError, match="forest must be a fitted forest of scikit-learn, got"):
            forest_from_sklearn(thing)
    with pytest.raises(ValueError, match="model must have one output, got 2"):
        from_sklearn(DecisionTreeClassifier().fit(table, np.stack([labels, labels], axis=1)))
    with pytest.raises(ValueError, match=r"got criterion='absolute_error'\. A median is no sum of cases"):
        from_sklearn(DecisionTreeRegressor(criterion="absolute_error").fit(table, table[:, 0]))
    with pytest.raises(ValueError, match=r"classes must be None for a regressor, got \['a'\]"):
        from_sklearn(DecisionTreeRegressor().fit(table, table[:, 0]), classes=["a"])
    with pytest.raises(ValueError, match="criterion must be one of 'squared_error', got 'gini'"):
        to_sklearn(from_sklearn(DecisionTreeRegressor().fit(table, table[:, 0])), criterion="gini")


def test_only_thresholds_are_written():
    sky = ft.Schema([ft.Feature("sky", "nominal", "ab")], "class", ("no", "yes"))
    with pytest.raises(TypeError, match=r"Splits must be thresholds to be written for scikit-learn, got Multiway"):
        to_sklearn(ft.Tree(sky, ft.Branch((1, 1), Multiway(0, (0, 1)), (NO, YES))))
