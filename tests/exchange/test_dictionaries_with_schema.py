"""Dictionaries with their schema need nothing else; plain values and names are those that are written."""

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from saved_examples import RULES, SCHEMA

import ftree as ft
from ftree import missing
from ftree.exchange.plain_values import plain_value, plain_values
from ftree.testing import trees
from ftree.tree import IsMissing


@given(trees(), st.sampled_from(RULES))
def test_a_dictionary_with_its_schema_needs_nothing_else(tree, rule):
    tree = evolve(tree, missing=rule)
    again = ft.from_dict(ft.to_dict(tree, counts=True, schema=True))
    assert again == tree
    assert ft.from_dict(ft.to_dict(tree, counts=True, schema=True), missing=missing.heaviest()).missing == missing.heaviest()


def test_values_of_features_that_no_test_uses_are_not_written():
    wide = ft.Schema([*SCHEMA.features, ft.Feature("size", "ordinal", (1, 2.5, "a", None))], "ride", ("no", "yes"))
    assert plain_values(wide, [0, 1]) == [None, ["grey", "blue"], []]
    assert plain_values(wide, [2]) == [[], [], [1, 2.5, "a", None]]
    assert [type(plain_value("It", value)) for value in (True, 1, 2.0, "a", None)] == [bool, int, float, str, type(None)]
    for wrong in (float("inf"), float("nan"), (1,), b"a"):
        with pytest.raises(ValueError, match=r"^It must be a text, a finite number, a boolean or None to be exported, got"):
            plain_value("It", wrong)


def test_the_names_and_keys_of_a_split_are_those_that_it_writes():
    tree = ft.Tree(SCHEMA, ft.Branch((1, 2), IsMissing(0), (ft.Leaf((1, 0)), ft.Leaf((0, 2)))))
    nested = ft.to_dict(tree, counts=True)
    assert ft.from_dict(nested, SCHEMA) == tree
    ((name, children),) = nested.items()
    kind, (feature,), fields = name
    assert (kind, feature) == (("type", "IsMissing"), "wind")
    for other in ({(kind, ("sky",), fields): children}, {name: dict(zip(("a", "b"), children.values(), strict=True))}):
        with pytest.raises(ValueError, match=r"^The name and keys of IsMissing\(feature=0\) must be .*, got .* and .*\.$"):
            ft.from_dict(other, SCHEMA)
