"""Dictionaries that no tree can have, or that would take a slow reader too long: cycles, shared parts, many children."""

import pytest

from ftree import Feature, Schema, from_dict, n_leaves, to_dict
from ftree.exchange.dictionary import MOST_NODES

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
    monkeypatch.setattr("ftree.exchange.dictionary.MOST_NODES", 100)
    nested = "no"
    for _ in range(100):
        nested = {"sky": {"grey": "yes", "blue": nested}}
    assert n_leaves(from_dict(nested, SCHEMA)) == 101
    with pytest.raises(ValueError, match="got a part that makes 127 nodes"):
        from_dict(doubled("no", 10), SCHEMA)
    assert MOST_NODES == 1_000_000
