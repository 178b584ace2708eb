"""Splits of several groups or intervals, and splits with surrogates: splits like any other."""

from itertools import product
from math import comb, log2

import numpy as np
import pytest
from attrs import evolve
from flower_trees import BACKED, CUT, GROUPED, IRIS, ROSE, SAFE, WIDTH, tree_of

import ftree as ft
from ftree import prune
from ftree.prune.description_length import split_cost
from ftree.routing.flat import flat
from ftree.tree import Groups, Intervals, IsMissing, Multiway, Oblique, Subset, Threshold, WithSurrogates
from ftree.tree.splits import answers_all_known, table_form
from ftree.tree.splits.split import ABOVE, BETWEEN, CODE, SUM


def test_a_path_stops_only_where_no_surrogate_answers():
    assert ft.path_of(SAFE, {}, missing="stop").node is SAFE.root
    assert ft.path_of(SAFE, {"colour": "red"}, missing="stop").node == ROSE
    default_child = tree_of(evolve(BACKED, default_child=0), ROSE, IRIS)
    assert str(ft.path_of(default_child, {}, missing="stop")) == "length unknown, so length <= 2.5 -> rose"
    assert str(ft.path_of(CUT, {"length": 3})) == "2.45 < length <= 4.75 -> iris"
    assert str(ft.path_of(GROUPED, {"colour": "blue"}, missing="heaviest")) == "colour unknown, so colour = white -> lily"


@pytest.mark.parametrize(("values", "groups"), [(3, 3), (4, 3), (5, 2), (5, 4)])
def test_groups_cost_the_logarithm_of_the_ways_to_divide_the_values_and_intervals_of_those_to_choose_the_cuts(values, groups):
    ways = sum(set(dealt) == set(range(groups)) for dealt in product(range(groups), repeat=values))
    assert split_cost(Groups(0, [[group] for group in range(groups)]), values) == pytest.approx(log2(ways))
    assert split_cost(Intervals(0, range(groups - 1)), values) == pytest.approx(log2(comb(values - 1, groups - 1)))


def test_surrogates_cost_nothing_to_describe():
    plain = tree_of(BACKED.split, ROSE, IRIS)
    for pass_ in (prune.mdl(), prune.mdl(value_cost=2)):
        ((backed,), (alone,)) = pass_.decisions(SAFE), pass_.decisions(plain)
        assert backed.as_subtree == alone.as_subtree
    assert split_cost(BACKED, 9) == split_cost(BACKED.split, 9)


def test_a_sum_beyond_all_numbers_is_infinite_without_a_warning():
    columns = np.array([1e308, -1e308]), np.array([1e308, 1e308])
    assert Oblique((10.0, 1.0), 0.5).child(*columns).tolist() == [1, 0]


def test_every_split_of_the_library_routes_rows_in_compiled_code_too():
    schema = ft.Schema(
        [ft.Feature("x", "numeric"), ft.Feature("o", "ordinal", "abc"), ft.Feature("c", "nominal", "abc")], "class", (0, 1)
    )
    splits = [
        (Threshold(0, 0.5), ABOVE),
        (Intervals(0, (0.5, 1.5)), BETWEEN),
        (Multiway(2, (2, 0)), CODE),
        (Subset(2, (0, 1)), CODE),
        (Groups(2, ((0, 1), (2,))), CODE),
        (Oblique((1, 0, 0), 0.5), SUM),
        (IsMissing(1), ABOVE),
    ]
    for split, kind in splits:
        assert table_form(split).kind == kind
        assert answers_all_known(split) == (not isinstance(split, (Multiway, Groups))), "which know the values that they list"
        leaves = [ft.Leaf((1, 1))] * split.n_children
        assert flat(ft.Tree(schema, ft.Branch((len(leaves),) * 2, split, leaves)).root).compiled


@pytest.mark.parametrize("surrogates", [[Threshold(0, 1)], [WIDTH, None], 3, WIDTH])
def test_surrogates_are_a_sequence_of_surrogates(surrogates):
    with pytest.raises(TypeError, match=r"A field of several values must be a sequence|surrogates must be Surrogate objects"):
        WithSurrogates(Threshold(0, 2.5), surrogates)
