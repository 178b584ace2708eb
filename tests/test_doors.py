"""Each argument of a part is checked when the part is made: a value without a meaning is refused under the argument's name."""

import pytest
from attrs import evolve, fields

from ftree import CART, Dataset, Leaf, Threshold, prune, splitters, stop
from ftree.criteria import compiled_impurity, cost_risk, gini
from ftree.linear import gaussian, perceptron, polynomial
from ftree.missing import as_branch, ignore, surrogates
from ftree.neighbors import knn, minkowski, nearest
from ftree.tree import (
    Feature,
    Groups,
    Intervals,
    IsMissing,
    Multiway,
    Oblique,
    Schema,
    Subset,
    Surrogate,
    Tree,
    WithDefault,
    WithSurrogates,
)

DATA = Dataset.from_rows([[0.0], [1.0]], ["no", "yes"])
CUT = Threshold(0, 0.5)
PARTS = [
    *[CART, compiled_impurity(gini), cost_risk((1, 2))],
    *[prune.chi_squared(), prune.collapse(), prune.cost_complexity(0), prune.critical_value(0.1), prune.error_based()],
    *[prune.from_branch_function(len), prune.from_function(len), prune.mdl(), prune.minimum_error(), prune.purity(0.5)],
    *[prune.reduced_error(DATA), prune.snip([]), prune.trim(stop.pure()), prune.within(0.1)],
    *[stop.chi_squared(), stop.max_depth(1), stop.max_leaves(1), stop.min_best_child(1), stop.min_gain(0.1), stop.min_rows(1)],
    *[stop.per_node(len), as_branch(), ignore(), surrogates()],
    *[splitters.by_gain_ratio(), splitters.c45_min_branch(), splitters.coordinates(), splitters.intervals()],
    *[splitters.logistic(), splitters.merging(), splitters.multiway(), splitters.oblique(), splitters.one_value()],
    *[splitters.per_feature({"x": splitters.multiway()}), splitters.perceptrons(), splitters.random_threshold(seed=0)],
    *[splitters.random_features(1, [splitters.multiway()], seed=0), splitters.subset(), splitters.threshold()],
    *[gaussian(1.0), polynomial(2), perceptron(DATA), knn(DATA), minkowski(2), nearest(DATA)],
    *[Feature("x", "nominal", "ab"), DATA.schema, Tree(DATA.schema, Leaf((1, 1)))],
    *[CUT, Groups(0, ((0,), (1,))), Intervals(0, (1.0, 2.0)), IsMissing(0), Multiway(0, (0, 1)), Oblique((1.0, 1.0), 0.5)],
    *[Subset(0, (0,)), Surrogate(CUT), WithDefault(CUT, default_child=0), WithSurrogates(CUT, (Surrogate(CUT),))],
]
ANY_NAME = {(Feature, "name"), (Schema, "target")}  # str makes a name of everything
ARGUMENTS = [
    pytest.param(part, each, id=f"{type(part).__name__}-{each.name}")
    for part in PARTS
    for each in fields(type(part))
    if each.init and (type(part), each.name) not in ANY_NAME
]


class Nonsense:
    """A value of no type that an argument could have."""


@pytest.mark.parametrize(("part", "argument"), ARGUMENTS)
def test_a_value_without_a_meaning_is_refused_when_the_part_is_made(part, argument):
    named = rf"({argument.name}|{type(part).__name__}|missing|of a split|several values).* must be .*, got"
    with pytest.raises((TypeError, ValueError), match=named):
        evolve(part, **{argument.alias: Nonsense()})
