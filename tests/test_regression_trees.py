"""Every public function of trees or datasets answers for regression trees and for events, or refuses them by a sentence."""

import inspect
from functools import partial
from importlib import import_module

import numpy as np
import pytest

from ftree import CART, ID3, Dataset, c45_policy, draw, evolve, grow, neighbors, predict, prune, stop, study
from ftree.criteria import entropy, gain_ratio, gini, misclassification
from ftree.data.channels import rows_in_channels
from ftree.estimator import TreeClassifier
from ftree.exact import grow_ahead
from ftree.explain import explain_row
from ftree.growth import EngineSetup
from ftree.growth.engines import plain
from ftree.responses import events
from ftree.routing import leaf_quantiles
from ftree.splitters import by_gain_ratio, by_permutation_test, intervals, merging, multiway, oblique, threshold
from ftree.tree import numbers

ROOMS = "algorithms criteria data datasets exact exchange growth linear neighbors prune routing scan show splitters study tree"
CARS = Dataset.from_rows(
    [[1.0, 5], [2.0, 6], [3.0, 5], [4.0, 6]] * 6, [0.5, 1.5, 7.25, 9.0] * 6, features=["kg", "gears"], target="mpg"
)
EVENTS = Dataset.from_columns(
    {"kg": [1.0, 2.0, 3.0, 4.0] * 6, "gears": [5, 6, 5, 6] * 6, "years": [0.5, 1.5, 2.25, 4.0] * 6, "n": [1, 0, 1, 1] * 6},
    target="n",
    response=events("years"),
)
TREE = grow(CARS, CART)
# What stands in the place of tables and regression trees.
OF_EVENTS = {id(CARS): EVENTS, id(TREE): grow(EVENTS, CART), id(TREE.root.children[0]): grow(EVENTS, CART).root.children[0]}
# An argument for every parameter that is required.
ARGUMENTS = {
    **dict.fromkeys(["tree", "one", "other", "big", "small"], TREE),
    **dict.fromkeys(["dataset", "table", "source"], CARS),
    "datasets": {"cars": CARS},
    "rows": [[1.0, 5], [2.0, None]],
    "row": [1.0, 5],
    "learner": lambda rows: grow(rows, CART),
    "learners": {"cart": lambda rows: grow(rows, CART)},
    "policy": CART,
    "setup": EngineSetup(),
    "path": (0,),
    "node": TREE.root.children[0],
    "function": lambda leaf: leaf,
    "leaf": repr,
    "branch": lambda branch, below: (branch.split, below),
    "label": 0.5,
    "rate": 0.1,
    "share": 0.1,
    "seed": 0,
    "strength": 1.0,
    "decisions": (),
    "pass_": prune.snip(()),
    "rules": (),
    "costs": ((0, 1), (1, 0)),
    "size": 10,
    "sizes": (10,),
    "repeats": 2,
    "distributions": True,
    "positive": 0.5,
}
OTHERS = {"decisions_of": {"one": prune.snip(())}, "measured": {"path": (TREE,)}, "predict_to": {"path": "answers.csv"}}
OPTIONS = {name: {"n_trees": 3} for name in ("bagging", "random_forest", "extra_trees")}
# They take no tree or dataset of ours, or only what refuses one: a formula, a classifier, a model, a folder of a source.
ABOUT_OTHERS = {"covers", "encode_to", "ray_table"}


def public_functions():
    found = []
    for room in ROOMS.split():
        module = import_module(f"ftree.{room}")
        for name in module.__all__:
            part = getattr(module, name)
            takes = inspect.isfunction(part) and {"tree", "dataset", "datasets", "source"} & set(
                inspect.signature(part).parameters
            )
            if takes and name not in ABOUT_OTHERS and not name.startswith("from_"):
                found.append(pytest.param(part, id=f"{room}.{name}"))
    return found


@pytest.mark.parametrize("kind", ["numbers", "events"])
@pytest.mark.parametrize("function", public_functions())
def test_a_function_answers_or_refuses_by_a_sentence(function, kind):
    required = [each for each in inspect.signature(function).parameters.values() if each.default is each.empty]
    known = ARGUMENTS | OTHERS.get(function.__name__, {})
    if kind == "events":
        known = {name: OF_EVENTS.get(id(value), value) for name, value in known.items()} | {"datasets": {"rows": EVENTS}}
    given = [known[each.name] for each in required if each.kind is each.POSITIONAL_OR_KEYWORD]
    named = {each.name: known[each.name] for each in required if each.kind is each.KEYWORD_ONLY}
    try:
        function(*given, **named, **OPTIONS.get(function.__name__, {}))
    except ValueError as refusal:
        assert f"of {kind}" in str(refusal) or (kind == "numbers" and "a regression " in str(refusal))  # noqa: PT017  # either is right


CLASSES = Dataset.from_rows([[1.0, 5], [2.0, 6]] * 6, ["no", "yes"] * 6, features=["kg", "gears"], target="mpg")
OF_ROWS = [each for each in public_functions() if {"tree", "dataset"} <= set(inspect.signature(each.values[0]).parameters)]


@pytest.mark.parametrize(
    ("tree", "dataset"),
    [(grow(CLASSES), CARS), (TREE, CLASSES), (grow(EVENTS, CART), CARS)],
    ids=lambda each: each.schema.response.kind,
)
@pytest.mark.parametrize("function", OF_ROWS)
def test_a_dataset_of_another_response_than_the_trees_is_refused(function, tree, dataset):
    required = [each.name for each in inspect.signature(function).parameters.values() if each.default is each.empty]
    given = {name: ARGUMENTS[name] for name in required} | {"tree": tree, "dataset": dataset}
    with pytest.raises(ValueError, match=r"^dataset must be one of (\w+), as the tree is, got one of (\w+)\.|must be given a "):
        answered(function, given)


def answered(function, given):
    """All that a function answers, which may be an iterator."""
    answer = function(**given)
    return list(answer) if inspect.isgenerator(answer) else answer


# The engine itself, and what it asks, are called by growth alone.
@pytest.mark.parametrize("function", [each for each in public_functions() if each.id not in {"growth.plain", "growth.unit_of"}])
def test_a_tree_a_dataset_and_a_policy_of_another_type_are_refused_by_name(function, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parameters = inspect.signature(function).parameters.values()
    known = ARGUMENTS | OTHERS.get(function.__name__, {})
    given = {each.name: known[each.name] for each in parameters if each.default is each.empty and each.name in known}
    for name in {"tree", "dataset", "policy"} & {each.name for each in parameters}:
        with pytest.raises(
            (TypeError, ValueError), match=rf"^{name} must be a .*, got an int|must be given a classification tree"
        ):
            answered(function, given | {name: 3})


REFUSED = {
    "knn": lambda: neighbors.knn(CARS),
    "leaves": lambda: predict(TREE, CARS, leaves=len),
    "costs": lambda: predict(TREE, CARS, costs=((0, 1), (1, 0))),
    "Predictions": lambda: study.Predictions(TREE, CARS).classes,
    "confusion": lambda: study.confusion(TREE, CARS),
    "TreeClassifier": lambda: TreeClassifier().fit([[1.0], [2.0]], [0.5, 1.5]),
    "class_counts": CARS.class_counts,
    "look_ahead": lambda: grow_ahead(CARS, CART, steps=2),
}
POLICIES = [
    *[ID3, c45_policy(), *(evolve(CART, impurity=each) for each in (entropy, misclassification)), evolve(CART, score=gain_ratio)],
    *(evolve(CART, choose=each) for each in (by_gain_ratio(), by_permutation_test(resamples=9))),
    *(evolve(CART, splits=(each,)) for each in (intervals(), merging(), oblique(), threshold(mdl=True))),
    *[evolve(CART, splits=(multiway(empty=True), threshold())), evolve(CART, priors=(0.5, 0.5))],
    *(evolve(CART, stop=each) for each in (stop.not_significant(), ~stop.not_significant())),
]
PASSES = [
    *[prune.pessimistic(), prune.error_based(), prune.cost_complexity(0.1, risk=gini), prune.collapse(by="errors")],
    *[prune.minimum_error(), prune.critical_value(0.1), prune.chi_squared(0.1), prune.mdl(), prune.purity(0.5)],
    *[prune.trim(stop.not_significant()), prune.reduced_error(CARS, labels="backfit")],
]


@pytest.mark.parametrize(
    "ask",
    [
        *(pytest.param(ask, id=name) for name, ask in REFUSED.items()),
        *(pytest.param(partial(grow, CARS, each), id=f"policy {number}") for number, each in enumerate(POLICIES)),
        *(pytest.param(partial(each, TREE), id=type(each).__name__) for each in PASSES),
    ],
)
def test_what_is_about_classes_refuses_numbers(ask):
    with pytest.raises(ValueError, match=r"of numbers|a regression |Unknown label type"):
        ask()


@pytest.mark.parametrize(
    ("ask", "wanted"),
    [
        (lambda: Dataset(CARS.schema, CARS.columns, np.ones(24, int)), "must be an array of float64, got int64"),
        (lambda: rows_in_channels(evolve(CARS, schema=evolve(CARS.schema, response=numbers(5)))), "no numbers below 5"),
        (lambda: grow(CARS, CART, engine=plain), "'auto', 'plain' or 'compiled' for a target of numbers"),
    ],
)
def test_what_no_regression_tree_grows_from_is_refused(ask, wanted):
    with pytest.raises(ValueError, match=wanted):
        ask()


@pytest.mark.parametrize("tree", [TREE, OF_EVENTS[id(TREE)]])
def test_a_regression_tree_is_its_text_in_rich_and_its_drawing_in_a_notebook(tree):
    assert "\n".join(line.plain for line in tree.__rich_console__(None, None)) == str(tree)
    assert tree._repr_mimebundle_() == draw(tree, max_leaves=100)._repr_mimebundle_()


def test_events_grow_by_any_engine_and_not_by_tests_of_classes_and_numbers():
    assert grow(EVENTS, CART, engine="compiled") == grow(EVENTS, CART, engine="plain")
    with pytest.raises(
        ValueError, match=r"choose must be by_score\(\), .* for a target of events, got by_permutation_test\(.*\)\.$"
    ):
        grow(EVENTS, evolve(CART, choose=by_permutation_test()))


def test_a_tree_of_events_says_why_a_row_gets_its_rate():
    tree = OF_EVENTS[id(TREE)]
    assert "(now" in str(explain_row(tree, [4.0, 6]))
    with pytest.raises(ValueError, match=r"class_counts must be given .* got a dataset of events\. predict and scores answer"):
        EVENTS.class_counts()
    with pytest.raises(ValueError, match="leaf_quantiles must be given a regression tree, got a tree of events"):
        leaf_quantiles(tree, EVENTS)
