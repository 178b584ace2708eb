"""Dictionaries that no tree can have, or that would take a slow reader too long: cycles, shared parts, many children."""

import pytest

from ftree import Feature, Leaf, Schema, from_dict, n_leaves, to_dict
from ftree.exchange.nested import MOST_NODES, fold_nested

SCHEMA = Schema((Feature("sky", "nominal", ("grey", "blue")),), "class", ("no", "yes"))


def doubled(part, times):
    """A dictionary in which every level holds the level below twice."""
    for _ in range(times):
        part = {"sky": {"grey": part, "blue": part}}
    return part


@pytest.mark.parametrize("length", [1, 2, 1000])
def test_a_dictionary_inside_itself_is_refused(length):
    nested = innermost = {"sky": {"grey": "no", "blue": "no"}}
    for _ in range(length - 1):
        nested = {"sky": {"grey": "no", "blue": nested}}
    innermost["sky"]["blue"] = nested
    with pytest.raises(ValueError, match="nested must be a dictionary of finite depth, got one that is inside itself"):
        from_dict(nested, SCHEMA)


def test_a_shared_part_is_no_cycle_and_comes_back():
    shared = {"sky": {"grey": {"no": 2}, "blue": "yes"}}
    tree = from_dict({"sky": {"grey": shared, "blue": shared}}, SCHEMA)
    assert tree.root.children[0] is tree.root.children[1]
    assert tree.root.counts == (4, 2)
    assert from_dict(to_dict(tree, counts=True), SCHEMA) == tree


@pytest.mark.parametrize("times", [30, 5000])
def test_shared_parts_of_too_many_paths_are_refused(times):
    with pytest.raises(ValueError, match=r"make a tree of at most 1,000,000 nodes, got a part that makes 1,048,575 nodes\.$"):
        from_dict(doubled("no", times), SCHEMA)


def test_parts_that_are_not_shared_may_be_of_any_number(monkeypatch):
    monkeypatch.setattr("ftree.exchange.nested.MOST_NODES", 100)
    nested = "no"
    for _ in range(100):
        nested = {"sky": {"grey": "yes", "blue": nested}}
    assert n_leaves(from_dict(nested, SCHEMA)) == 101
    with pytest.raises(ValueError, match="got a part that makes 127 nodes"):
        from_dict(doubled("no", 10), SCHEMA)
    assert MOST_NODES == 1_000_000


def test_parts_are_combined_from_left_to_right_those_below_first():
    seen = []
    fold_nested([["a"], ["b", "c"]], lambda part: part if isinstance(part, list) else (), lambda part, _: seen.append(part))
    assert seen == ["a", ["a"], "b", "c", ["b", "c"], [["a"], ["b", "c"]]]


class Counted:
    """A value that counts how often values of its class are compared."""

    compared = 0

    def __hash__(self):
        return id(self) >> 4

    def __eq__(self, other):
        Counted.compared += 1
        return self is other


N = 300
VALUES = [Counted() for _ in range(N)]
WIDE = Schema((Feature("v", "nominal", VALUES),), "class", ("no", "yes"))


@pytest.mark.parametrize(
    ("nested", "schema"),
    [
        ({"v": dict.fromkeys(VALUES, "no")}, WIDE),
        ({"v": {frozenset(VALUES[::2]): "no", frozenset(VALUES[1::2]): "yes"}}, WIDE),
        ({"v": dict.fromkeys(zip(VALUES[::2], VALUES[1::2], strict=True), "no")}, WIDE),
        ({"v": {"a": dict.fromkeys(VALUES, 1)}}, Schema((Feature("v", "nominal", ("a", "b")),), "class", VALUES)),
    ],
    ids=["values", "two sets", "groups", "classes"],
)
def test_each_value_is_compared_with_few_others(nested, schema):
    """Searching for each of n values among all of them would take n squared / 2 comparisons."""
    Counted.compared = 0
    tree = from_dict(nested, schema)
    assert to_dict(tree, counts=True)
    assert Counted.compared < 10 * N


@pytest.mark.wide
def test_a_hundred_thousand_children_are_read():
    schema = Schema((Feature("v", "nominal", range(100_000)),), "class", ("no", "yes"))
    nested = {"v": {code: {"no": code, "yes": 1} for code in range(100_000)}}
    assert to_dict(from_dict(nested, schema), counts=True) == nested


def test_a_leaf_alone_is_read():
    assert from_dict("no", SCHEMA).root == Leaf((1, 0))
