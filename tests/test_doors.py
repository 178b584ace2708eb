"""Each argument of a part is checked when the part is made: an invalid value is refused with the argument's name."""

import re

import pytest
from attrs import evolve, fields
from c_functions import in_machine_code

import ftree
import ftree as ft
from ftree import criteria, exact, linear, neighbors, points, prune, routing, splitters, stop, study
from ftree._lib.fields import ConstructorRepr
from ftree.criteria import compiled_impurity, cost_risk
from ftree.linear import gaussian, hyperplanes, perceptron, polynomial
from ftree.missing import surrogates
from ftree.neighbors import edited, knn, minkowski
from ftree.show import to_dot, to_mermaid
from ftree.splitters import as_branch, ignore
from ftree.study import grouped, holdout, stratified
from ftree.tree import (
    Groups,
    Intervals,
    IsMissing,
    Multiway,
    Oblique,
    Subset,
    Surrogate,
    Threshold,
    WithDefault,
    WithSurrogates,
    class_counts,
)

DATA = ft.Dataset.from_rows([[0.0], [1.0]], ["no", "yes"])
CUT = Threshold(0, 0.5)
PARTS = [
    *[ft.CART, compiled_impurity(in_machine_code(min)), cost_risk((1, 2))],
    *[prune.chi_squared(), prune.collapse(), prune.cost_complexity(0), prune.critical_value(0.1), prune.error_based()],
    *[prune.from_branch_function(len), prune.from_function(len), prune.mdl(), prune.minimum_error(), prune.purity(0.5)],
    *[prune.reduced_error(DATA), prune.snip([]), prune.trim(stop.pure()), prune.within(0.1)],
    *[
        stop.not_significant(),
        stop.max_depth(1),
        stop.max_leaves(1),
        stop.min_best_child(1),
        stop.min_gain(0.1),
        stop.min_rows(1),
    ],
    *[stop.per_node(len), as_branch(), ignore(), surrogates()],
    *[splitters.by_gain_ratio(), splitters.c45_min_branch(), splitters.coordinates(), splitters.intervals()],
    *[splitters.logistic(), splitters.merging(), splitters.multiway(), splitters.oblique(), splitters.one_value()],
    *[splitters.per_feature({"x": splitters.multiway()}), linear.perceptrons(), splitters.random_threshold(seed=0)],
    *[splitters.random_features(1, [splitters.multiway()], seed=0), splitters.subset(), splitters.threshold()],
    *[splitters.interactions([["x"]], [splitters.multiway()]), splitters.monotonic({"x": 1}, [splitters.threshold()])],
    *[splitters.by_permutation_test(), splitters.by_cost((1, 2), formula="idx"), splitters.oblique(by=linear.perceptrons())],
    *[stratified(5, seed=2), grouped(["a", "b"], 2), holdout(0.5), exact.Limits(seconds=2.5, n_jobs=None)],
    *[gaussian(1.0), polynomial(2), perceptron(DATA), knn(DATA), minkowski(2)],
    *[ft.Feature("x", "nominal", "ab"), DATA.schema, ft.Tree(DATA.schema, ft.Leaf((1, 1)))],
    *[CUT, Groups(0, ((0,), (1,))), Intervals(0, (1.0, 2.0)), IsMissing(0), Multiway(0, (0, 1)), Oblique((1.0, 1.0), 0.5)],
    *[Subset(0, (0,)), Surrogate(CUT), WithDefault(CUT, default_child=0), WithSurrogates(CUT, (Surrogate(CUT),))],
]
# str accepts everything as a name, and groups are those of a dataset.
ANY_NAME = {(ft.Feature, "name"), (ft.Schema, "target"), (grouped, "by")}
ARGUMENTS = [
    pytest.param(part, each, id=f"{type(part).__name__}-{each.name}")
    for part in PARTS
    for each in fields(type(part))
    if each.init and (type(part), each.name) not in ANY_NAME
]


class Nonsense:
    """A value of a type that no argument accepts."""


@pytest.mark.parametrize(("part", "argument"), ARGUMENTS)
def test_a_value_without_a_meaning_is_refused_when_the_part_is_made(part, argument):
    named = rf"({argument.alias}|{type(part).__name__}|missing|of a split|several values).* must be .*, got"
    with pytest.raises((TypeError, ValueError), match=named):
        evolve(part, **{argument.alias: Nonsense()})


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_sequences_of_any_type_make_the_same_part(part):
    """A part made with lists is equal to one made with tuples, and can be a key as well."""
    given = {each.alias: getattr(part, each.name) for each in fields(type(part)) if each.init}
    again = evolve(part, **{name: list(value) for name, value in given.items() if isinstance(value, tuple)})
    assert again == part
    if not hasattr(part, "dataset") and not hasattr(part, "pruning_set"):  # a dataset is not hashable
        assert hash(again) == hash(part)


ROOMS = ft, ft.tree, criteria, linear, exact, neighbors, prune, splitters, stop, study
# `study.threshold` is a question, and `splitters.threshold` a part.
NAMES = {
    name: getattr(room, name) for room in ROOMS for name in room.__all__ if (room.__name__, name) != ("ftree.study", "threshold")
}


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_a_part_prints_as_it_is_written(part):
    """But for datasets and trees, which are shown in short, and functions in machine code."""
    if not re.search(r"<|Dataset of|compiled_impurity", repr(part)):
        assert eval(repr(part), NAMES) == part  # noqa: S307  # written by the library


@pytest.mark.parametrize(
    "part", [each for each in PARTS if isinstance(each, ConstructorRepr)], ids=lambda part: type(part).__name__
)
def test_an_argument_that_a_part_lacks_is_refused_with_the_most_similar_one(part):
    names = [each.alias for each in fields(type(part)) if each.init]
    for name in names:
        with pytest.raises(TypeError, match=rf"^Arguments of {type(part).__name__} must be among .*, got {name}x\. Did you mean"):
            evolve(part, **{f"{name}x": 0})
    with pytest.raises(TypeError, match=r"^Arguments of \w+ must be .*, got zzz\.$"):
        evolve(part, zzz=0)


TREE = ft.grow(DATA)
FORMULA = ftree.dnf(TREE, "no")
PATH = tuple(prune.cost_complexity_path(TREE))
COSTS, PRIORS = ((0, 1), (1, 0)), (0.5, 0.5)
ON_DATA = {"tree": TREE, "dataset": DATA}
CHILDREN = {"children": [[1, 2], [2, 1]]}
TABLE = {"kinds": {"x": "numeric"}, "classes": ["a"], "missing": ("?",)}
IMPURITIES = (ft.entropy, ft.gini, ft.misclassification, criteria.dkm, criteria.proportions)
CALLS = [
    (ft.grow, {"dataset": DATA, "policy": ft.ID3, "start": (TREE, (0,)), "trace": repr}),
    (ft.grow, {"dataset": DATA, "engine": "plain", "n_jobs": 1, "progress": False}),
    (ftree.predict, {"tree": TREE, "rows": DATA, "missing": "weighted", "unseen": "missing"}),
    (ftree.predict, {"tree": TREE, "rows": DATA, "leaves": lambda *_: [[1.0, 2.0]] * 2, "priors": PRIORS, "costs": COSTS}),
    (ftree.predict_counts, {"tree": TREE, "rows": DATA, "missing": "weighted", "unseen": "missing"}),
    (ftree.predict_proba, {"tree": TREE, "rows": DATA, "estimate": routing.laplace, "missing": "weighted", "unseen": "missing"}),
    (ftree.accuracy, {**ON_DATA, "missing": "weighted"}),
    (routing.mean_cost, {**ON_DATA, "costs": COSTS, "missing": "weighted"}),
    (routing.costs_of_answers, {**ON_DATA, "costs": COSTS, "priors": PRIORS, "missing": "weighted"}),
    (ftree.path_of, {"tree": TREE, "row": [0.0], "missing": "stop"}),
    (routing.leaf_of, {"tree": TREE, "row": [0.0], "missing": "heaviest"}),
    (ftree.recount, {**ON_DATA, "missing": "weighted"}),
    (routing.at_observed, ON_DATA),
    (ftree.confusion, {**ON_DATA, "missing": "weighted"}),
    (ftree.cross_validate, {"dataset": DATA, "learner": ft.ID3, "folds": 2}),
    (ftree.learning_curve, {"dataset": DATA, "learner": ft.ID3, "sizes": [1], "repeats": 2}),
    (ftree.study.permutation_importances, {**ON_DATA, "metric": "accuracy", "repeats": 1, "seed": 0}),
    (ftree.study.root_feature_counts, {"dataset": DATA, "learner": ft.ID3, "size": 2, "repeats": 2}),
    (ftree.importances, {"tree": TREE, "impurity": ft.entropy}),
    *[(each, {"tree": TREE}) for each in (ftree.text, ftree.page, to_dot, to_mermaid, class_counts)],
    (ftree.apply, {"tree": TREE, "rows": DATA, "missing": "heaviest", "unseen": "missing"}),
    (ftree.shap_values, {"tree": TREE, "rows": DATA, "missing": "weighted"}),
    (ftree.explain_row, {"tree": TREE, "row": [0.0]}),
    (ftree.draw, {"tree": TREE, "leaf_charts": False, "max_depth": 2, "max_leaves": 3}),
    (ftree.rules, {"tree": TREE}),
    (ftree.dnf, {"tree": TREE, "label": "no"}),
    (ftree.latex, {"value": FORMULA}),
    (ftree.show.holds, {"formula": FORMULA, "point": {"x0": 1.0}}),
    (ftree.to_dict, {"tree": TREE}),
    (ftree.from_dict, {"nested": {"x0": {"<= 0.5": "no", "> 0.5": "yes"}}, "schema": DATA.schema, "splits": ()}),
    (prune.select, {"path": PATH, "by": prune.lowest_error, "on": DATA}),
    (prune.measured, {"path": PATH, "dataset": DATA}),
    (prune.cross_validated, {"dataset": DATA, "learner": ft.grow, "risk": ft.misclassification, "folds": 2}),
    (prune.explain, {"pass_": prune.collapse(), "tree": TREE, "form": "text"}),
    (prune.replay, {"decisions": (), "tree": TREE}),
    (prune.decisions_of, {"one": prune.collapse(), "tree": TREE}),
    (edited, {"dataset": DATA, "k": 1, "metric": minkowski(2), "scale": points.unscaled}),
    (hyperplanes, {"dataset": DATA, "positive": "no", "epochs": 3}),
    (ftree.c45, {"dataset": DATA, "min_cases": 2, "confidence": 0.25, "raising": True}),
    (ftree.cart, {"dataset": DATA, "folds": 2, "by": prune.lowest_error}),
    (ftree.chaid, {"dataset": DATA}),
    (ftree.id3, {"dataset": DATA}),
    (criteria.kl_divergence, {"counts": (1, 2), "reference": (1, 2)}),
    *[(each, {"counts": (1, 2)}) for each in IMPURITIES],
    *[(each, {**CHILDREN, "impurity": ft.entropy}) for each in (criteria.gain, criteria.gain_ratio, criteria.normalised_gain)],
    *[(each, CHILDREN) for each in (criteria.pearson, criteria.twoing, criteria.significance, criteria.hellinger)],
    *[(each, CHILDREN) for each in (criteria.likelihood_ratio, criteria.split_information, criteria.g_significance)],
    (points.training_points, {"dataset": DATA}),
    (ft.Dataset.from_rows, {"rows": [[1.0]], "labels": ["a"], "features": ["x"], "weights": [1], **TABLE}),
    (ft.Dataset.from_columns, {"columns": {"x": [1.0], "y": ["a"]}, "target": "y", **TABLE}),
]
ASKED = [pytest.param(number, name, id=f"{call.__name__}-{name}") for number, (call, given) in enumerate(CALLS) for name in given]


@pytest.mark.parametrize(("number", "name"), ASKED)
def test_an_argument_without_a_meaning_is_refused_with_what_it_must_be(number, name):
    """The other arguments are right, since the same call without the invalid one succeeds."""
    function, arguments = CALLS[number]
    function(**arguments)
    with pytest.raises((TypeError, ValueError, KeyError), match=r"must (be|have) .*got"):
        function(**{**arguments, name: Nonsense()})
