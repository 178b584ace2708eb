"""At an entry point a value without a meaning is refused by a sentence of the library; an odd one is answered or refused."""

import io
import re
import traceback
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from attrs import evolve, fields
from c_functions import in_machine_code

import ftree
import ftree as ft
from ftree import criteria, exact, linear, neighbors, points, prune, routing, splitters, stop, study, testing
from ftree._lib.fields import ConstructorRepr
from ftree.criteria import compiled_impurity, cost_risk, poisson
from ftree.estimator import TreeClassifier, TreeRegressor
from ftree.lesson import work_out
from ftree.linear import gaussian, hyperplanes, perceptron, polynomial
from ftree.missing import surrogates
from ftree.neighbors import edited, knn, minkowski
from ftree.responses import SurvivalCurve
from ftree.responses.events import events
from ftree.show import to_dot, to_mermaid
from ftree.splitters import as_branch, ignore, multiway, threshold
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
    exact_sums,
    numbers,
)

DATA = ft.Dataset.from_rows([[0.0], [1.0]], ["no", "yes"])
THREE = ft.Dataset.from_columns({"f": [1.0, 2.0, 3.0], "g": ["a", "b", "a"], "y": ["no", "yes", "no"]}, target="y")
CARS = ft.Dataset.from_columns({"f": [1.0, 2.0, 3.0], "t": [1.0, 2.0, 1.5], "y": [0.5, 2.0, 3.5]}, target="y")
CUT = Threshold(0, 0.5)

# A part of each kind, whose arguments are entry points.
PARTS = [
    *[ft.CART, compiled_impurity(in_machine_code(min)), cost_risk((1, 2))],
    *[prune.chi_squared(), prune.collapse(), prune.cost_complexity(0), prune.critical_value(0.1), prune.error_based()],
    *[prune.from_branch_function(len), prune.from_function(len), prune.mdl(), prune.minimum_error(), prune.purity(0.5)],
    *[prune.reduced_error(DATA), prune.snip([]), prune.trim(stop.pure()), prune.within(0.1)],
    *[stop.not_significant(), stop.max_depth(1), stop.max_leaves(1), stop.min_best_child(1), stop.min_gain(0.1)],
    *[stop.min_rows(1), stop.per_node(len), as_branch(), ignore(), surrogates()],
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

TREE = ft.grow(DATA)
RANKS = study.Friedman(("a", "b"), (1.25, 1.75), n_datasets=10)
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
    (ftree.cross_validate, {"dataset": DATA, "learner": ft.ID3, "folds": 2, "metrics": ["accuracy"]}),
    (ftree.learning_curve, {"dataset": DATA, "learner": ft.ID3, "sizes": [1], "repeats": 2, "seed": 0}),
    (ftree.study.permutation_importances, {**ON_DATA, "metric": "accuracy", "repeats": 1, "seed": 0}),
    (ftree.study.root_feature_counts, {"dataset": DATA, "learner": ft.ID3, "size": 2, "repeats": 2, "seed": 0}),
    (ftree.importances, {"tree": TREE, "impurity": ft.entropy}),
    *[(each, {"tree": TREE}) for each in (ftree.text, to_dot, to_mermaid, class_counts)],
    (ftree.page, {"tree": TREE, "path": ()}),
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
    (ft.Dataset.from_rows, {"rows": [[1.0]], "labels": ["a"], "features": ["x"], "weights": [1], "target": "y", **TABLE}),
    (ft.Dataset.from_columns, {"columns": {"x": [1.0], "y": ["a"]}, "target": "y", **TABLE}),
    (ft.Dataset.from_frame, {"table": {"x": [1.0], "y": ["a"]}, "target": ["a"]}),
    (lambda **given: ft.Dataset.read_csv(io.StringIO("a,y\n1,0\n2,1\n"), **given), {"target": "y", "kinds": {"a": "numeric"}}),
    (ft.Dataset, {"schema": DATA.schema, "columns": [[0.0]], "target_column": [0]}),
    (THREE.counts_by, {"feature": "g"}),
    (THREE.split, {"fraction": 0.5, "seed": 0}),
    (lambda **given: list(THREE.folds(**given)), {"n": 2, "seed": 0}),
    (THREE.shuffle, {"seed": 0}),
    (THREE.binned, {"name": "f", "cuts": [1.5], "labels": ["low", "high"]}),
    (THREE.merge_rare, {"least": 2}),
    (THREE.keep_columns, {"names": ["f"]}),
    (THREE.with_labels, {"labels": ["a", "b", "a"]}),
    (THREE.recoded, {"schema": THREE.schema}),
    (THREE.__getitem__, {"name": "f"}),
    (ft.Branch, {"counts": (1, 1), "split": CUT, "children": (ft.Leaf((1, 0)), ft.Leaf((0, 1)))}),
    (ft.majority, {"counts": (1, 2)}),
    (ft.from_json, {"text": ft.to_json(TREE), "parts": ()}),
    (work_out, {"dataset": THREE, "feature": "g"}),
    (ftree.plot_boundary, {"tree": ft.grow(CARS, ft.CART), "dataset": CARS, "cells": 5}),
    (routing.leaf_quantiles, {"tree": ft.grow(CARS, ft.CART), "dataset": CARS, "quantiles": (0.5,)}),
    (criteria.expected_costs, {"counts": (1, 2), "costs": COSTS}),
    (study.random_forest, {"dataset": CARS, "n_trees": 2, "seed": 0}),
    (prune.cross_validated, {"dataset": THREE, "learner": ft.grow, "folds": 3}),
    *[(each, {"tree": TREE, "counts": True}) for each in (to_dot, to_mermaid)],
    (ftree.to_dict, {"tree": TREE, "counts": True, "schema": True}),
    (ftree.exchange.to_latex, {"tree": TREE, "fit": True}),
    (ftree.importances, {"tree": TREE, "by": "gain", "surrogates": False}),
    (ftree.draw, {"tree": TREE, "impurity": ft.gini}),
    (prune.measured, {"path": PATH, "dataset": DATA, "risk": ft.gini}),
    (study.cp_table, {"path": prune.cross_validated(DATA, ft.grow, folds=2), "risk": ft.misclassification}),
    (study.friedman, {"scores": {"a": (1, 2), "b": (2, 3)}, "lower_is_better": True, "correct_for_ties": True}),
    (study.holm, {"p_values": (0.1, 0.2)}),
    (study.wilcoxon, {"one": (1, 2), "other": (2, 3)}),
    (RANKS.critical_difference, {"alpha": 0.1}),
    (RANKS.groups, {"alpha": 0.1}),
    (study.band, {"trial": study.cross_validate(DATA, ft.ID3, folds=2)}),
    (study.root_feature_counts, {"dataset": DATA, "learner": ft.ID3, "size": 1, "repeats": 2}),
    (hyperplanes, {"dataset": DATA, "scale": points.standard}),
    (points.weighted_features, {"weights": (1.0,), "after": points.standard}),
    (ftree.show.rule_statistics, {"rules": ft.rules(TREE), "dataset": DATA}),
    (ftree.show.plot_differences, {"compared": ftree.show.compare_trees(TREE, TREE), "names": ("one", "other")}),
    (ftree.show.plot_impurity_triangle, {"impurity": ft.gini, "classes": ("a", "b", "c")}),
    (SurvivalCurve, {"times": (1.0, 2.0), "probabilities": (0.5, 0.25)}),
    *[(each, {"one": TREE, "other": TREE}) for each in (ftree.show.same_answers, ftree.show.compare_trees)],
    (study.ThresholdRow(0.5, 1, 1, 1, 3).cost, {"ratio": 2}),
    (SurvivalCurve((1.0,), (0.5,)).quantile, {"q": 0.5}),
    (numbers.of, {"values": (1.0, 2.0)}),
]


def fitted(model, name, value, target):
    """A model with another value of a parameter, or of the weights of `fit`."""
    options = {} if name == "sample_weight" else {name: value}
    weights = {name: value} if name == "sample_weight" else {}
    return model(**options).fit(np.array([[0.0], [1.0], [2.0]]), target, **weights)


# What is a part of an argument, and what estimators take.
OTHERS = {
    "a row": lambda value: ft.Dataset.from_rows([[1], value], [0, 1]),
    "a kind": lambda value: ft.Dataset.from_rows([[1]], [0], kinds={"x0": value}),
    "a column": lambda value: ft.Dataset.from_columns({"a": value, "class": [0, 1]}),
    "exposure": lambda value: ft.Dataset.from_columns({"t": value, "y": [0, 2, 1]}, target="y", response=events("t")),
    "column of codes": lambda value: ft.Dataset(DATA.schema, [value], [0]),
    "one kept column": lambda value: THREE.keep_columns([value]),
    "one metric": lambda value: ftree.cross_validate(CARS, ft.CART, folds=3, metrics=[value]),
    "what a learner of roots returns": lambda value: study.root_feature_counts(DATA, lambda _: value, size=1, repeats=1),
    "what a scaling returns": lambda value: knn(DATA, scale=lambda _: value),
    "what a scaling of planes returns": lambda value: perceptron(DATA, scale=lambda _: value),
    "what a pick returns": lambda value: perceptron(DATA, pick=lambda *_: value),
    "what a risk returns": lambda value: list(prune.cost_complexity_path(TREE, risk=lambda _: value)),
    "what a learner returns": lambda value: prune.cross_validated(CARS, lambda _: value, folds=3),
    "splitter of a feature": lambda value: splitters.per_feature({"x": value}),
    "grids": lambda value: exact_sums(events(), value),
    "part of sums": lambda value: exact_sums(events(), part=value),
    "kind in a schema": lambda value: ft.from_dict(ft.to_dict(TREE, schema=True) | {"schema": {"features": [{"kind": value}]}}),
    **{
        f"{model.__name__}'s {name}": lambda value, model=model, name=name, target=target: fitted(model, name, value, target)
        for model, target in ((TreeClassifier, ["no", "yes", "no"]), (TreeRegressor, [0.5, 2.0, 3.5]))
        for name in ("sample_weight", *model().get_params(deep=False))
        if name != "class_weight"  # scikit-learn checks it
    },
}
# str accepts everything as a name, and groups are those of a dataset.
ANY_NAME = {(ft.Feature, "name"), (ft.Schema, "target"), (grouped, "by"), (events, "exposure")}


def doors():
    """Functions of a value that is one argument of a call or of a part, whose other arguments are right; by name."""
    for number, (call, given) in enumerate(CALLS):
        for name in given:
            yield (
                f"{call.__name__}-{name}-{number}",
                lambda value, call=call, given=given, name=name: call(**given | {name: value}),
            )
    for part in PARTS:
        for each in fields(type(part)):
            if each.init and (type(part), each.name) not in ANY_NAME:
                yield (
                    f"{type(part).__name__}-{each.name}",
                    lambda value, part=part, name=each.alias: evolve(part, **{name: value}),
                )
    yield from OTHERS.items()


DOORS = dict(doors())


class Nonsense:
    """A value of a type that no argument accepts."""


DEEP, CYCLE = [], []
for _ in range(5000):
    DEEP = [DEEP]
CYCLE.append(CYCLE)
NO_VALUES = {"nonsense": Nonsense(), "array": np.array(1), "masked": np.ma.masked, "class": dict, "deep": DEEP, "cycle": CYCLE}
ROOT = str(Path(ftree.__file__).parent)


def refusal(door, value):
    """The error by which a value is refused, None if it is answered."""
    try:
        DOORS[door](value)
    except Exception as error:  # noqa: BLE001  # the claim is which these are
        return error
    return None


def is_ours(error):
    """Whether an error is a sentence of the library's, with what was wanted and what came."""
    place = traceback.extract_tb(error.__traceback__)[-1].filename
    is_clear = isinstance(error, (TypeError, ValueError, LookupError)) and re.search(r"\bmust\b", str(error))
    return is_clear and place.startswith(ROOT)


# Where a class is called as a function or is a split type, an array of one number is one, and str makes a name of everything.
MAY = {
    "class": {"grow-trace-0", "grow-engine-1", "from_dict-splits-33"},
    "array": {f"{each}-feature" for each in ("Threshold", "Groups", "Intervals", "IsMissing", "Multiway", "Subset")}
    | {"Threshold-at", "Oblique-at", "Surrogate-agreement", "Surrogate-adjusted"},
    "nonsense": {"from_rows-target-63"},
}
each_door = pytest.mark.parametrize("door", DOORS)


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_the_calls_are_right(number):
    call, given = CALLS[number]
    call(**given)


@pytest.mark.filterwarnings("ignore")
@each_door
def test_a_value_without_a_meaning_is_refused_by_name(door):
    for name, value in NO_VALUES.items():
        error = refusal(door, value)
        assert door in MAY.get(name, ()) or (error is not None and is_ours(error)), (name, repr(error))


# Values whose comparison has no truth, arrays without dimensions, numbers of every type, and others that make sense somewhere.
ODD = [
    *[pd.NA, pd.NaT, np.array(1.0), np.array([]), np.array([1.0, 2.0]), np.ones((3, 2)), Decimal("sNaN"), Decimal("0.5")],
    *[np.int64(2), np.uint8(200), np.float16(2), np.float32(0.3), np.bool_(0), Fraction(1, 3), 1 + 2j, 10**400, float("nan")],
    *[-1, 0.5, True, None, "x", b"x", {}, {1}, [], (), [1, None], slice(2), range(3), iter([1]), object(), ...],
    *[ft.CART, DATA, TREE, ft.Leaf((1, 1)), ft.Feature("x", "numeric")],
]


@pytest.mark.filterwarnings("ignore")
@each_door
def test_an_odd_value_is_answered_or_refused_by_name(door):
    for odd in ODD:
        error = refusal(door, odd)
        assert error is None or is_ours(error), (odd, repr(error))


@pytest.mark.parametrize(
    "make",
    [
        lambda number: ft.Leaf((number, 1.5)),
        lambda number: ft.Leaf((number,)),
        lambda number: Threshold(0, number),
        lambda number: Oblique((number, 1), 0),
        lambda number: Intervals(0, (0, number)),
        lambda number: Surrogate(Threshold(0, 1), agreement=number),
        lambda number: prune.minimum_error(m=number),
        lambda number: routing.m_estimate(number, (0.5, 0.5)),
        lambda number: routing.m_estimate(1, (number, 0.5)),
        stop.min_rows,
        lambda number: threshold(min_cases=number),
        lambda number: ft.Dataset.from_rows([[1]], [0], weights=[number]),
        lambda number: ft.Dataset.from_rows([[number]], [0]),
        lambda number: ft.Dataset.from_rows([[1]], [Fraction(number, 7)]),
        lambda number: ft.predict(TREE, [0.0], costs=[[0, number], [1, 0]]),
        lambda number: ft.predict(TREE, [0.0], priors=[number, 1]),
    ],
)
def test_a_number_beyond_all_floats_is_refused_as_infinity_is(make):
    with pytest.raises((ValueError, TypeError), match=r"must .* got "):
        make(10**400)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ft.fold(TREE, 3, len), "leaf must be a function, got 3."),
        (lambda: ft.fold(TREE, len, None), "branch must be a function, got None."),
        (lambda: ft.unfold(0, 3), "step must be a function, got 3."),
        (lambda: ft.Schema([3], "class", (0, 1)), 'features must be Feature objects, such as Feature("age", "numeric"), got 3.'),
        (lambda: ft.Dataset.from_pairs(3), "pairs must be a sequence of (row, label), got 3."),
        (
            lambda: ft.Dataset.read_csv(3.5),
            "an open file, got 3.5. For a table in memory, use from_frame.",
        ),
        (lambda: prune.replay([ft.Leaf((1,))], TREE), "such as pass_.decisions(tree), got Leaf(counts=(1,))."),
        (lambda: testing.check_pass(prune.collapse), "got the class collapse. Write collapse(...), with parentheses."),
        (lambda: testing.check_export(ft.text, predict=3), "predict must be a function, got 3."),
        (lambda: testing.check_export(ft.text, from_=3), "from_ must be a function, got 3."),
        (lambda: ft.majority("ab"), "counts must be numbers, one for each class, got 'ab'."),
        (lambda: criteria.pearson([["a"], ["b"]]), "class counts (..., V, K), one list for each child, got [['a'], ['b']]."),
        (lambda: routing.m_estimate(2, (0.5, 0.3, 0.2))([3, 1]), "counts (..., 3), one for each share of the prior, got [3, 1]."),
        (lambda: routing.m_estimate(2, (1,))(3), "counts must be numbers from 0, with classes on the last axis, got 3."),
        (lambda: stop.max_depth(True), "max_depth must be a whole number from 0, got True."),  # noqa: FBT003  # the point
    ],
)
def test_what_must_be_given_is_said(make, words):
    with pytest.raises((TypeError, ValueError)) as caught:
        make()
    assert str(caught.value).endswith(words)


def test_a_class_folds_like_a_function():
    tree = ft.grow(THREE)
    assert ft.fold(tree, repr, lambda _, below: set(below)) == set(map(repr, tree.root.children))
    assert ft.fold(tree, type, lambda _, below: below[0]) is ft.Leaf


ROLES = {
    "impurity": ("an impurity", [ft.gini, poisson, compiled_impurity(in_machine_code(min)), cost_risk((1, 2))]),
    "score": ("a score", [ft.gain, criteria.twoing]),
    "choose": (
        "a choice between features",
        [splitters.by_score(), splitters.by_cost((1,)), splitters.by_permutation_test(), splitters.by_instability_test()],
    ),
    "stop": ("a stopping rule", [stop.pure(), stop.max_depth(3) | len]),
    "splits": ("a splitter", [multiway(), splitters.oblique()]),
    "min_cases": ("a least weight of children", [splitters.c45_min_branch()]),
    "by": ("a finder of weights", [splitters.logistic()]),
    "missing": ("a rule for missing values", [routing.weighted()]),
}


@pytest.mark.parametrize("field", ["impurity", "score", "choose", "stop"])
def test_a_part_of_any_other_role_is_refused_and_one_of_its_own_taken(field):
    for own, (role, parts) in ROLES.items():
        for part in parts:
            if own == field:
                assert getattr(ft.evolve(ft.ID3, **{field: part}), field) == part
                continue
            with pytest.raises(TypeError, match=rf"^{field} must be {ROLES[field][0]}, such as .*, got .*, which is {role}\.$"):
                ft.evolve(ft.ID3, **{field: part})
    with pytest.raises(TypeError, match=r"^stop must be a stopping rule, .*, got gini, which is an impurity\.$"):
        ft.evolve(ft.ID3, stop=stop.max_depth(3) | ft.gini)


# Parts


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


def test_a_pass_that_is_given_the_tree_says_how_to_apply_it():
    dataset = ft.datasets.weather()
    tree = ft.grow(dataset)
    for kind in (prune.pessimistic, prune.error_based, prune.mdl, prune.collapse, stop.pure):
        with pytest.raises(
            TypeError, match=rf"^Arguments of {kind.__name__} must be given by name, .* {kind.__name__}\(\.\.\.\)\("
        ):
            kind(tree)
    with pytest.raises(TypeError, match=r"^Arguments of reduced_error after the first 1 must be given by name, got 2 without"):
        prune.reduced_error(dataset, tree)
