"""The conditions of an outline: a branch is named by what goes down it, whatever the names and the values are."""

import re

from hypothesis import given
from hypothesis import strategies as st

import ftree as ft
from ftree.show.outline import outline
from ftree.testing import datasets as tables
from ftree.testing import schemas
from ftree.tree import Intervals, Multiway, Threshold, numbers, walk
from ftree.tree.formats import printable

HOSTILE = ["1", "x", "x <=", "in", "= in", "<=50K", "a, b"]
NAMES = st.sampled_from(HOSTILE) | st.text("x1 <=>in{}", min_size=1).map(str.strip).filter(bool)


@given(NAMES, st.lists(NAMES | st.sampled_from(["", " "]), min_size=2, max_size=4, unique=True))
def test_a_branch_is_named_by_the_value_that_goes_down_it_or_by_the_condition_for_an_empty_one(name, values):
    feature = ft.Feature(name, "nominal", values)
    ways = range(len(values))
    root = ft.Branch((len(values), 0), Multiway(0, ways), [ft.Leaf((1, 0)) for _ in ways])
    drawn = outline(ft.Tree(ft.Schema([feature], "class", "ab"), root))
    assert [part.short for part in drawn[1:]] == [printable(value).strip() or printable(f"{name} = {value}") for value in values]


@given(NAMES)
def test_a_branch_is_named_by_the_interval_that_goes_down_it(name):
    root = ft.Branch((3, 0), Intervals(0, (1.0, 2.5)), [ft.Leaf((1, 0))] * 3)
    drawn = outline(ft.Tree(ft.Schema([ft.Feature(name, "numeric")], "class", "ab"), root))
    assert [part.short for part in drawn[1:]] == ["≤ 1", f"1 < {name} ≤ 2.5", "> 2.5"]


@given(schemas(kinds=["nominal"]).flatmap(lambda schema: tables(schema=schema, max_rows=30)))
def test_no_condition_names_values_that_cannot_arrive(data):
    """The last condition on a feature on the way to a leaf is that of the leaf's rule, which merges all of them."""
    tree = ft.grow(data, ft.CART)
    shown = outline(tree)
    for rule, (path, _) in zip(
        ft.rules(tree), ((path, node) for path, node in walk(tree) if isinstance(node, ft.Leaf)), strict=True
    ):
        number, last = 0, {}
        for child in path:
            number = shown[number].below[child]
            last[re.split(" = | in ", shown[number].condition)[0]] = shown[number].condition
        assert sorted(last.values()) == sorted(map(str, rule.conditions))


def test_a_node_without_cases_shows_its_parents_answer():
    empty = ft.Branch((0, 0, 0), Threshold(0, 3.5), (ft.Leaf((0, 0, 0)), ft.Leaf((0, 0, 0))))
    root = ft.Branch((4, 8, 20), Threshold(0, 1.5), (ft.Leaf((4, 8, 20)), empty))
    drawn = outline(ft.Tree(ft.Schema([ft.Feature("x", "numeric")], "y", (), response=numbers()), root))
    assert [(part.label, part.figures) for part in drawn if part.below] == [("2", "2 ± 1 (4)"), ("2", "2 ± 0 (0)")]
    assert [(part.label, part.figures) for part in drawn if not part.below] == [("2", "± 1 (4)"), *[("2", "± 0 (0)")] * 2]
