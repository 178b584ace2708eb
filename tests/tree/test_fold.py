"""Folds, walks, measures and unfolds of trees by plain recursion; conditions and times in words."""

import re
from math import inf, nan

import pytest
from hypothesis import given

from ftree import Feature, Leaf, Schema, depth, fold, leaves, n_leaves, n_nodes, unfold
from ftree.testing import trees
from ftree.tree import class_counts, level_order, preorder, walk
from ftree.tree.conditions import Between, FirstKnown, Missing, NoneOf, OneOf, SumBetween, Worded
from ftree.tree.describe import describe_condition, named
from ftree.tree.formats import TimeNumber, format_time

SCHEMA = Schema([Feature("x", "numeric"), Feature("c", "nominal", "abc"), Feature("o", "ordinal", "SML")], "k", ("no", "yes"))


def visited(node, path=()):
    yield path, node
    for number, child in enumerate(getattr(node, "children", ())):
        yield from visited(child, (*path, number))


@given(trees())
def test_sizes_and_orders_are_those_of_plain_recursion(tree):
    everything = list(visited(tree.root))
    nodes, ends = [node for _, node in everything], [node for _, node in everything if isinstance(node, Leaf)]
    assert list(walk(tree)) == everything
    assert list(walk(tree, children_first=True)) == sorted(everything, key=lambda pair: (*pair[0], inf))
    assert (list(preorder(tree)), list(leaves(tree))) == (nodes, ends)
    for whole in (tree, tree.root):
        assert (n_nodes(whole), n_leaves(whole)) == (len(nodes), len(ends))
        assert depth(whole) == max(len(path) for path, _ in everything)
    by_level, below = level_order(tree.root)
    assert by_level == [node for _, node in sorted(everything, key=lambda pair: (len(pair[0]), pair[0]))]
    assert [[by_level[n] for n in each] for each in below] == [list(getattr(node, "children", ())) for node in by_level]
    assert class_counts(tree) == dict(zip(tree.schema.classes, tree.root.counts, strict=True))


def step(node):
    return node if isinstance(node, Leaf) else (node.counts, node.split, iter(node.children))


@given(trees())
def test_a_fold_goes_up_from_left_to_right_and_an_unfold_builds_what_its_steps_say(tree):
    assert fold(tree, lambda leaf: [leaf], lambda branch, below: sum(below, [branch])) == list(preorder(tree))
    assert unfold(tree.root, step) == tree.root


@pytest.mark.parametrize("grown", [None, 3, [Leaf((1,))], (1, 2), (1, 2, 3, 4), "abc", ()])
def test_a_step_returns_a_leaf_or_three_parts(grown):
    words = "step must return a Leaf, or a tuple (counts, split, seeds of the children), got "
    with pytest.raises(TypeError, match=re.escape(words)):
        unfold(0, lambda _: grown)


BORN = Schema([Feature("born", "numeric", time="date"), *SCHEMA.features[1:], Feature("y", "numeric")], "k", ("no", "yes"))


@pytest.mark.parametrize(
    ("stated", "words", "with_names"),
    [
        (Between(0, at_most=86400.0), "born <= 1970-01-02", Between("born", at_most=86400.0)),
        (Between(0), "born is known", Between("born")),
        (Between(3, 1.0, 2.5), "1 < y <= 2.5", Between("y", 1.0, 2.5)),
        (Between(2, at_most=1.5), "o <= M", OneOf("o", "SM")),
        (Between(2, above=0.5), "o > S", OneOf("o", "ML")),
        (Between(2, 0.5, 1.5), "S < o <= M", OneOf("o", "M")),
        (OneOf(1, (2, 0)), "c in {c, a}", OneOf("c", "ca")),
        (NoneOf(1, (1,)), "c in {a, c}", OneOf("c", "ac")),
        (NoneOf(1), "c is known", OneOf("c", "abc")),
        (NoneOf(3), "y is known", NoneOf("y")),
        (Missing(1), "c is missing", Missing("c")),
        (Worded(OneOf(1, (0,)), "{0} begins well"), "c begins well", Worded(OneOf("c", "a"), "c begins well")),
        (SumBetween((0, 3), (1.0, -2.0), above=3.0), "born - 2 * y > 3", SumBetween(("born", "y"), (1.0, -2.0), above=3.0)),
    ],
)
def test_a_condition_in_words_and_with_names(stated, words, with_names):
    assert describe_condition(BORN, stated) == words
    assert named(BORN, stated) == with_names
    pair = FirstKnown(((stated, Missing(1)), (Missing(1), stated)), default=True)
    assert describe_condition(BORN, pair) == words, "the first decides"
    assert named(BORN, pair) == FirstKnown(((with_names, Missing("c")), (Missing("c"), with_names)), default=True)


@pytest.mark.parametrize(
    ("seconds", "kind", "text"),
    [
        (0.0, "date", "1970-01-01"), (-86400.0, "date", "1969-12-31"), (43200.0, "date", "1970-01-01 12:00"),
        (61.5, "datetime", "1970-01-01 00:01:01.500"), (0.0, "datetime in UTC", "1970-01-01Z"),
        (3600.0, "datetime in UTC", "1970-01-01 01:00Z"), (0.0, "time of day", "00:00"), (43261.0, "time of day", "12:01:01"),
        (0.0, "duration", "0:00:00"), (-9000.5, "duration", "-2:30:00.500000"), (86400.0, "duration", "1 day 0:00:00"),
        (-172800.0, "duration", "-2 days 0:00:00"), (0.25e-6, "duration", "0:00:00"), (-0.25e-6, "duration", "-0:00:00.000001"),
        (1.9999996e-6, "duration", "0:00:00.000001"), (2.0e-6, "duration", "0:00:00.000002"),
        (9e12, "date", "9000000000000.0"), (-9e12, "duration", "-9000000000000.0"), (nan, "date", "nan"),
        (8.9e12, "date", "283999-10-10 06:13:20"),
    ],
)  # fmt: skip
def test_a_time_prints_down_to_the_microsecond_that_is_not_later(seconds, kind, text):
    assert format_time(seconds, kind) == text
    assert f"{TimeNumber(seconds, kind)!r}" == str(TimeNumber(seconds, kind)) == text
