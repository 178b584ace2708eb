"""Folds, walks, measures and unfolds of trees, worked by hand."""

import re
from math import inf, nan

import pytest
from hypothesis import given

from ftree import Branch, Feature, Leaf, Schema, Tree, depth, fold, leaves, n_leaves, n_nodes, unfold
from ftree.prune import shrunk
from ftree.routing import weighted
from ftree.testing import trees
from ftree.tree import Multiway, Threshold, class_counts, level_order, preorder, walk
from ftree.tree.conditions import Between, FirstKnown, Missing, NoneOf, OneOf, SumBetween
from ftree.tree.describe import describe_condition, named
from ftree.tree.formats import TimeNumber, format_time


@given(trees())
def test_sizes_are_what_the_walk_counts(tree):
    everything = list(walk(tree))
    assert n_nodes(tree) == n_nodes(tree.root) == len(everything)
    assert n_leaves(tree) == n_leaves(tree.root) == sum(isinstance(node, Leaf) for _, node in everything)
    assert depth(tree) == depth(tree.root) == max(len(path) for path, _ in everything)
    assert list(walk(tree, children_first=True)) == sorted(everything, key=lambda pair: (*pair[0], inf))


INNER = Branch((2, 1), Threshold(0, 0.5), (Leaf((2, 0)), Leaf((0, 1))))
ROOT = Branch((2, 4), Multiway(1, (0, 1, 2)), (Leaf((0, 1)), INNER, Leaf((0, 2))))
SCHEMA = Schema([Feature("x", "numeric"), Feature("c", "nominal", "abc"), Feature("o", "ordinal", "SML")], "k", ("no", "yes"))
TREE = Tree(SCHEMA, ROOT, missing=weighted())


def exactly(text):
    """A pattern that a whole message matches."""
    return f"^{re.escape(text)}$"


def test_a_fold_goes_from_the_leaves_up_and_a_walk_from_the_root_down():
    assert fold(ROOT, lambda leaf: leaf.counts, lambda branch, below: (branch.split.features, below)) == (
        (1,), ((0, 1), ((0,), ((2, 0), (0, 1))), (0, 2)),
    )  # fmt: skip
    assert list(walk(TREE)) == [
        ((), ROOT), ((0,), Leaf((0, 1))), ((1,), INNER), ((1, 0), Leaf((2, 0))), ((1, 1), Leaf((0, 1))), ((2,), Leaf((0, 2))),
    ]  # fmt: skip
    assert list(preorder(TREE)) == [node for _, node in walk(TREE)]
    assert [leaf.counts for leaf in leaves(TREE)] == [(0, 1), (2, 0), (0, 1), (0, 2)]
    nodes, below = level_order(ROOT)
    assert nodes == [ROOT, *ROOT.children, *INNER.children]
    assert below == [range(1, 4), range(4, 4), range(4, 6), range(6, 6), range(6, 6), range(6, 6)]
    assert (n_nodes(TREE), n_leaves(TREE), depth(TREE), class_counts(TREE)) == (6, 4, 2, {"no": 2, "yes": 4})
    assert depth(Leaf((1, 2))) == 0


def test_an_unfold_builds_what_its_steps_say():
    parts = {"root": (ROOT.counts, ROOT.split, ["a", "inner", "b"]), "inner": (INNER.counts, INNER.split, iter(("c", "a")))}
    made = {"a": Leaf((0, 1)), "b": Leaf((0, 2)), "c": Leaf((2, 0))}
    assert unfold("root", lambda name: parts.get(name) or made[name]) == ROOT


@pytest.mark.parametrize("grown", [None, 3, [Leaf((1,))], (1, 2), (1, 2, 3, 4), "abc", ()])
def test_a_step_returns_a_leaf_or_three_parts(grown):
    words = "step must return a Leaf, or a tuple (counts, split, seeds of the children), got "
    with pytest.raises(TypeError, match=re.escape(words)):
        unfold(0, lambda _: grown)


def test_shrinking_keeps_the_rule_and_gives_a_node_without_cases_the_estimate_above():
    tree = Tree(SCHEMA, Branch((4, 4), Threshold(0, 1.0), (Leaf((4, 4)), Branch((0, 0), Threshold(0, 2.0), [Leaf((0, 0))] * 2))))
    found = shrunk(Tree(SCHEMA, tree.root, missing=weighted()), 4)
    assert (found.root.counts, found.missing) == ((4, 4), weighted())
    assert found.root == tree.root
    below = Branch((1, 3), Threshold(0, 2.0), (Leaf((1, 0)), Leaf((0, 3))))
    worked = shrunk(Tree(SCHEMA, Branch((4, 4), Threshold(0, 1.0), (Leaf((3, 1)), below))), 4).root
    assert [node.counts for node in preorder(worked)] == [
        pytest.approx(each) for each in [(4, 4), (8 / 3, 4 / 3), (4 / 3, 8 / 3), (17 / 24, 7 / 24), (5 / 8, 19 / 8)]
    ]
    for wrong in (-1, -1e-9, inf, nan, "1", True):
        with pytest.raises(ValueError, match=exactly(f"strength must be a finite number from 0, got {wrong!r}.")):
            shrunk(tree, wrong)
    with pytest.raises(TypeError, match=r"^tree must be a Tree, got a Branch"):
        shrunk(tree.root, 1)


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
