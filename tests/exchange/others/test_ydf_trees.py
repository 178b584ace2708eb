"""Trees of YDF, from objects with YDF's names and fields: a tree that release 0.16 grew, and each condition."""

from types import SimpleNamespace

import numpy as np
import pytest
from attrs import field, frozen, make_class
from skipped_examples import run_example

from ftree import Feature, n_leaves, predict, predict_proba
from ftree.exchange import from_ydf
from ftree.exchange.others.split_readers import last_below
from ftree.tree import IsMissing, Subset, Threshold, WithDefault, preorder


@frozen
class Value:
    probability: list
    num_examples: float


@frozen
class End:
    value: object


@frozen
class Asked:
    condition: object
    pos_child: object
    neg_child: object
    value: object = Value((0.5, 0.5), 2)


def condition(name, attribute, *, missing=False, **others):
    fields = {"attribute": attribute, "missing": missing, **others}
    return make_class(name, {key: field(default=value) for key, value in fields.items()})()


def dictionary(*values):
    return SimpleNamespace(items={value: SimpleNamespace(index=number) for number, value in enumerate(("<OOD>", *values))})


COLUMNS = [
    SimpleNamespace(name="y", type=4, categorical=dictionary("no", "yes")),
    SimpleNamespace(name="a", type=1),
    SimpleNamespace(name="c", type=4, categorical=dictionary("b", "w", "g", "r")),
    SimpleNamespace(name="z", type=7),
]


@frozen
class Model:
    """A model of one tree."""

    root: object
    columns: list = COLUMNS
    kind: str = "CLASSIFICATION"

    def task(self):
        return SimpleNamespace(name=self.kind)

    def get_all_trees(self):
        return [self]

    def data_spec(self):
        return self

    def input_feature_names(self):
        return [column.name for column in self.columns[1:]]

    def label(self):
        return "y"

    def label_classes(self):
        return ["no", "yes"]


def end(no, yes):
    return End(Value([no / (no + yes), yes / (no + yes)], no + yes))


def is_in(*mask, missing=False):
    return condition("CategoricalIsInCondition", 2, mask=list(mask), missing=missing)


AT_LEAST = condition("NumericalHigherThanCondition", 1, threshold=0.05000000074505806)


def test_a_tree_that_ydf_grew_is_read():
    below = Asked(is_in(4), end(3, 34), end(130, 12))
    tree = from_ydf(Model(Asked(AT_LEAST, Asked(is_in(1, 2, 3), end(0, 89), end(32, 0)), below)))
    assert tree.schema.features == (
        Feature("a", "numeric"),
        Feature("c", "nominal", ("b", "w", "g", "r")),
        Feature("z", "nominal", (False, True)),
    )
    assert (tree.schema.target, tree.schema.classes) == ("y", ("no", "yes"))
    assert tree.root.counts == (165, 135)
    assert tree.root.split == WithDefault(Threshold(0, last_below(0.05000000074505806)), default_child=0)
    rows = [[0.0, "r", True], [None, "b", True], [0.1, "g", False], [0.1, "r", False], [0.05000000074505806, None, None]]
    assert predict_proba(tree, rows)[:, 0].round(4).tolist() == [0.0811, 0.9155, 0.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("asked", "split"),
    [
        (AT_LEAST, WithDefault(Threshold(0, last_below(0.05000000074505806)), default_child=0)),
        (is_in(0, 4, missing=True), WithDefault(Subset(1, (3,)), default_child=0, unseen=True)),
        (is_in(0, missing=True), IsMissing(1)),
        (condition("IsTrueCondition", 3), WithDefault(Subset(2, (0,)), default_child=0, unseen=True)),
        (condition("IsMissingInCondition", 1), IsMissing(0)),
    ],
)
def test_each_condition_becomes_a_split(asked, split):
    tree = from_ydf(Model(Asked(asked, end(1, 2), end(3, 4))))
    assert tree.root.split == split
    named_first = split != IsMissing(1) and type(asked).__name__ == "CategoricalIsInCondition"
    assert [child.counts for child in tree.root.children] == ([(1, 2), (3, 4)] if named_first else [(3, 4), (1, 2)])


@pytest.mark.parametrize(
    ("model", "error", "words"),
    [
        (None, TypeError, "model must be a CARTModel or a RandomForestModel of ydf, got None"),
        (Model(End(3.5)), ValueError, "Leaves must have probabilities and numbers of examples, got 3.5"),
        (Model(Asked(is_in(0), end(1, 1), end(1, 1))), ValueError, "Conditions must be on numbers, values, booleans or missing"),
        (
            Model(end(1, 1), [COLUMNS[0], SimpleNamespace(name="s", type=5)]),
            ValueError,
            "Columns must be numerical, categorical or boolean, got 's' of type 5",
        ),
    ],
)
def test_other_models_are_refused(model, error, words):
    with pytest.raises(error, match=words):
        from_ydf(model)


def test_there_is_one_tree():
    with pytest.raises(ValueError, match="tree must be the number of one of 1 trees, got 1"):
        from_ydf(Model(end(1, 1)), tree=1)


def test_a_regression_tree_has_the_examples_means_and_deviations_of_ydf():
    told = [(4.0, -1.5, 0.5), (2.0, 3.0, None)]
    ends = [End(SimpleNamespace(num_examples=n, value=mean, standard_deviation=deviation)) for n, mean, deviation in told]
    tree = from_ydf(Model(Asked(AT_LEAST, *ends), kind="REGRESSION"))
    response, nodes = tree.schema.response, [node.counts for node in preorder(tree)]
    assert [(each[0], response.answer(each)) for each in nodes] == [(6, 0.0), (2, 3.0), (4, -1.5)]
    assert [response.risk(each) for each in nodes] == [28.0, 0.0, 1.0]


@pytest.mark.consumer
@pytest.mark.parametrize("task", ["CLASSIFICATION", "REGRESSION"])
def test_a_tree_that_ydf_grows_now_predicts_what_ydf_does(needed_module, task):
    ydf, random = needed_module("ydf"), np.random.default_rng(18)
    a, c = random.normal(size=200), random.choice(list("bwgr"), 200)
    a[:20] = np.nan
    answers = (
        np.where((np.nan_to_num(a) > 0) ^ (c == "b"), "yes", "no")
        if task == "CLASSIFICATION"
        else np.nan_to_num(a) ** 2 + (c == "b")
    )
    table = {"a": a, "c": c, "y": answers}
    model = ydf.CartLearner(label="y", min_examples=3, num_threads=1, task=ydf.Task[task]).train(table, verbose=0)
    tree = from_ydf(model)
    rows = [[None if np.isnan(number) else number, text] for number, text in zip(a, c, strict=True)]
    if task == "REGRESSION":
        np.testing.assert_allclose(predict(tree, rows), model.predict(table), atol=1e-6)
    else:
        of_second = predict_proba(tree, rows)[:, tree.schema.classes.index(model.label_classes()[1])]
        np.testing.assert_allclose(of_second, model.predict(table), atol=1e-6)
    assert n_leaves(tree) > 3
    run_example(from_ydf, model=model)


@pytest.mark.consumer
def test_the_trees_of_a_boosted_regression_add_up(needed_module):
    ydf, x = needed_module("ydf"), np.random.default_rng(18).normal(size=200)
    model = ydf.GradientBoostedTreesLearner(label="y", task=ydf.Task.REGRESSION, num_trees=3).train(
        {"x": x, "y": x**2}, verbose=0
    )
    added = sum(predict(from_ydf(model, tree=number), x[:, None]) for number in range(model.num_trees()))
    np.testing.assert_allclose(added + model.initial_predictions()[0], model.predict({"x": x}), atol=1e-5)
