"""Rules, formulas and conditions: where they hold, how they merge and read."""

from itertools import product
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from ftree import Branch, Feature, Leaf, Schema, Tree, dnf, grow, latex, leaves, path_of, predict, rules
from ftree.datasets import weather
from ftree.show import AllOf, AnyOf, Between, Dnf, FirstKnown, Missing, NoneOf, OneOf, Opaque, Rule, SumBetween, fits, holds
from ftree.show.rules_and_formulas import added
from ftree.testing import trees
from ftree.tree import Groups, Intervals, Multiway, Subset, Surrogate, Threshold, WithSurrogates
from ftree.tree.splits import renumbered

SCHEMA = Schema(
    (Feature("sky", "nominal", ("grey", "blue", "red")), Feature("wind", "numeric"), Feature("size", "ordinal", "SML")),
    "class",
    ("no", "yes"),
)
NO, YES = Leaf((1, 0)), Leaf((0, 1))


def both(split, low=NO, high=YES):
    return Branch([sum(pair) for pair in zip(low.counts, high.counts, strict=True)], split, (low, high))


# Laws: trees of our splits, and of others that state more kinds of conditions ----------------------------------------


WIDE_SCHEMA = Schema(
    [Feature("x", "numeric"), Feature("sky", "nominal", ("grey", "blue", "red")), Feature("size", "ordinal", ("S", "M", "L"))],
    "ride",
    ("no", "yes"),
)
POINTS = [
    {"x": x, "sky": sky, "size": size}
    for x, sky, size in product((None, 0, 1, 2, 3), (None, "grey", "blue", "red"), (None, "S", "M", "L"))
]


@frozen
class Parted:
    """A split defined by its conditions: a row goes to the first child whose condition holds."""

    used: tuple
    conditions: Any

    @property
    def features(self):
        return self.used

    @property
    def n_children(self):
        return len(self.conditions)

    def child(self, *columns):
        cells = dict(zip(self.used, columns, strict=True))
        rows = [{key: _plain(column[row]) for key, column in cells.items()} for row in range(len(columns[0]))]
        holding = [[number for number, stated in enumerate(self.conditions) if fits(stated, row)] for row in rows]
        return np.array([found[0] if found else -1 for found in holding], dtype=int)


def _plain(cell):
    return None if np.isnan(cell) or cell < 0 else cell


KNOWN = Parted((0,), (NoneOf(0), Missing(0)))
NOT_TWO = Parted((0,), (NoneOf(0, (2,)), OneOf(0, (2,))))
NOT_ONE = Parted((0,), (NoneOf(0, (1,)), OneOf(0, (1,))))
INSIDE = Parted((0,), (Between(0, 0, 2), AnyOf((Between(0, at_most=0), Between(0, above=2)))))
BOX = Parted(
    (0, 1),
    (
        AllOf((Between(0, at_most=1), OneOf(1, (0, 1)))),
        AnyOf((Between(0, above=1), AllOf((Between(0, at_most=1), OneOf(1, (2,)))))),
    ),
)
EVER = Parted((0,), (Between(0), Missing(0)))
BACKED = WithSurrogates(Threshold(0, 1), [Surrogate(Subset(1, (0,)))], default_child=0)
UNSEEN = Parted((1,), (Missing(1), NoneOf(1)))
SHAPES = [
    KNOWN,
    NOT_TWO,
    NOT_ONE,
    INSIDE,
    BOX,
    EVER,
    BACKED,
    UNSEEN,
    Threshold(0, 1),
    Threshold(0, 2),
    Intervals(2, (0.5, 1.5)),
    Multiway(1, (0, 2)),
    Subset(1, (1,)),
    Groups(1, ((0, 2), (1,))),
]


def tree_of(splits):
    """A complete tree that applies the splits one after another, with a leaf for each path."""

    def made(level, counts):
        if level == len(splits):
            return Leaf(counts)
        kids = [made(level + 1, counts) for _ in range(splits[level].n_children)]
        return Branch([len(kids) * count for count in (kids[0].counts if kids else counts)], splits[level], kids)

    return Tree(WIDE_SCHEMA, made(0, (1, 0)))


@st.composite
def trees_and_points(draw):
    """A tree, and points as dicts: halves, so that some equal a threshold, values unseen at a split, and gaps."""
    tree = draw(trees() | st.lists(st.sampled_from(SHAPES), min_size=1, max_size=4).map(tree_of))
    if tree.schema == WIDE_SCHEMA:
        return tree, POINTS
    cells = {
        feature.name: st.none()
        | (st.integers(-1, 9).map(lambda n: n / 2) if feature.kind == "numeric" else st.sampled_from(feature.values))
        for feature in tree.schema.features
    }
    return tree, draw(st.lists(st.fixed_dictionaries(cells), max_size=8))


@given(trees_and_points())
def test_exactly_one_rule_holds_for_each_point_that_has_a_leaf_and_it_predicts_the_label(drawn):
    """No rule holds for a point with a value that a split on its path does not know, without a surrogate: it has no leaf."""
    tree, points = drawn
    for point in points:
        holding = [rule for rule in rules(tree) if holds(rule, point)]
        route = path_of(tree, point, missing="stop")
        assert [rule.label for rule in holding] == ([predict(tree, point)] if isinstance(route.node, Leaf) else [])
        assert [rule.counts for rule in holding] == ([route.node.counts] if isinstance(route.node, Leaf) else [])


@given(trees_and_points())
def test_the_dnf_holds_exactly_where_the_tree_predicts_the_label(drawn):
    tree, points = drawn
    for point in points:
        answered = isinstance(path_of(tree, point, missing="stop").node, Leaf)
        for label in tree.schema.classes:
            assert holds(dnf(tree, label), point) == (answered and predict(tree, point) == label)


@given(trees_and_points())
def test_rules_are_the_leaves_that_a_point_can_reach_left_to_right(drawn):
    """A tree may have no rules: if each leaf is below two values of one feature, no point reaches any."""
    tree, points = drawn
    counted = [leaf.counts for leaf in leaves(tree)]
    remaining = iter(counted)
    assert all(rule.counts in remaining for rule in rules(tree))
    assert len(rules(tree)) <= len(counted)
    assert rules(tree) or not any(isinstance(path_of(tree, point, missing="stop").node, Leaf) for point in points)


@given(trees(sums=False, surrogates=False, defaults=False))
def test_every_rule_holds_for_some_point(tree):
    """Choose a value that fits each condition: the first of a set, the upper bound, or just above the lower one."""
    for rule in rules(tree):
        point = {
            condition.feature: condition.values[0]
            if isinstance(condition, OneOf)
            else condition.at_most
            if condition.at_most < inf
            else condition.above + 1
            for condition in rule.conditions
        }
        assert holds(rule, point)


def test_where_all_splits_have_surrogates_a_rule_is_as_long_as_its_path():
    """The splits use one feature, but surrogates can send a point that misses it where no value of x would."""
    schema = Schema((Feature("x", "numeric"), Feature("y", "numeric")), "class", ("no", "yes"))
    node = NO
    for at in range(1000):
        node = both(WithSurrogates(Threshold(0, at), [Surrogate(Threshold(1, -at))], default_child=1), YES, node)
    read = rules(Tree(schema, node))
    assert [len(rule.conditions) for rule in read] == [*range(1, 1001), 1000]
    assert str(read[2]) == "if x > 999 and x > 998 and x <= 997 then yes"
    points = ({"x": 997}, {"x": 1000}, {"y": -997}, {"y": -999}, {})
    assert [holds(read[2], point) for point in points] == [False, False, True, False, False]


# Merging, by hand -------------------------------------------------------------------------------------------------


def test_leaves_that_no_point_can_reach_have_no_rule():
    again = both(Threshold(1, 5.0), NO, both(Threshold(1, 4.0)))
    assert [str(rule) for rule in rules(Tree(SCHEMA, again))] == ["if wind <= 5 then no", "if wind > 5 then yes"]
    nominal = both(Subset(0, (0,)), both(Multiway(0, (1, 0))), both(Subset(0, (0, 1, 2))))
    assert [rule.conditions for rule in rules(Tree(SCHEMA, nominal))] == [
        (OneOf("sky", ("grey",)),),
        (OneOf("sky", ("blue", "red")),),
    ]
    everything = both(Subset(0, (0, 1, 2)))
    assert [str(rule) for rule in rules(Tree(SCHEMA, everything))] == ["if sky in {grey, blue, red} then no"]
    assert [rule.label for rule in rules(Tree(SCHEMA, both(Threshold(2, 2.5))))] == ["no"]


def test_a_leaf_alone_is_true_and_another_class_false():
    tree = Tree(SCHEMA, Leaf((1, 2)))
    assert [str(rule) for rule in rules(tree)] == ["if true then yes"]
    assert (str(dnf(tree, "yes")), str(dnf(tree, "no"))) == ("true", "false")
    assert (latex(dnf(tree, "yes")), latex(dnf(tree, "no"))) == (r"\top", r"\bot")
    assert holds(dnf(tree, "yes"), {})
    assert not holds(dnf(tree, "no"), {})


# Words ------------------------------------------------------------------------------------------------------------


def test_what_is_special_in_latex_is_escaped_once():
    escaped = latex(Dnf("yes", ((OneOf("a_b & 50%", ("#1 $2 {x} ~ ^ \\",)),),)))
    assert escaped == (r"\text{a\_b \& 50\%} = \text{\#1 \$2 \{x\} \textasciitilde{} \textasciicircum{} \textbackslash{}}")


# What does not fit --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [None, nan])
def test_an_absent_value_fits_nothing(value):
    assert not holds(Dnf("yes", ((Between("wind", at_most=3.0),), (Between("wind", above=3.0),))), {"wind": value})
    assert not holds(Dnf("yes", ((OneOf("wind", (1, 2)),),)), {"wind": value})
    assert not holds(Dnf("yes", ((Between("wind", at_most=3.0),),)), {"wnid": 1.0})


def test_text_where_numbers_are_compared_is_refused():
    with pytest.raises(TypeError, match="Values of 'wind' must be numbers, got 'low'"):
        holds(Dnf("yes", ((Between("wind", at_most=3.0),),)), {"wind": "low"})


@pytest.mark.parametrize("label", ["maybe", 1, None, ["no"]])
def test_a_label_that_is_no_class_is_refused(label):
    with pytest.raises(ValueError, match=r"label must be one of 'no', 'yes', got "):
        dnf(Tree(SCHEMA, YES), label)


def test_an_opaque_condition_is_tried_by_its_split_with_values_in_their_codes():
    asked = Opaque(Subset(1, (1,)), 0, "is blue", (WIDE_SCHEMA.features[1],))
    assert [fits(asked, point) for point in ({"sky": "blue"}, {"sky": "red"}, {"sky": "pink"}, {})] == [True, False, False, False]
    high = Opaque(Threshold(0, 1.5), 1, "is high", (WIDE_SCHEMA.features[0],))
    assert [fits(high, point) for point in ({"x": 2}, {"x": 1}, {})] == [True, False, False]


@pytest.mark.parametrize(
    ("condition", "text", "formula"),
    [
        (OneOf("sky", ["grey"]), "sky = grey", r"\text{sky} = \text{grey}"),
        (OneOf("sky", ("grey", 3)), "sky in {grey, 3}", r"\text{sky} \in \{\text{grey}, \text{3}\}"),
        (OneOf("sky", (None,)), "sky = None", r"\text{sky} = \text{None}"),
        (Between("x", at_most=2.5), "x <= 2.5", r"\text{x} \le 2.5"),
        (Between("x", above=-2.0), "x > -2", r"\text{x} > -2"),
        (Between("x", above=0.0, at_most=1e-9), "0 < x <= 1e-09", r"0 < \text{x} \le 1 \cdot 10^{-9}"),
        (Between("x", above=2e30), "x > 2e+30", r"\text{x} > 2 \cdot 10^{30}"),
        (Missing("x"), "x is missing", r"\text{x is missing}"),
        (NoneOf("x"), "x is known", r"\text{x is known}"),
        (Between("x"), "x is known", r"\text{x is known}"),
        (NoneOf("sky", ("grey", "a_b")), "sky not in {grey, a_b}", r"\text{sky} \notin \{\text{grey}, \text{a\_b}\}"),
        (AllOf(()), "true", r"\top"),
        (AnyOf(()), "false", r"\bot"),
        (
            AllOf((Between("x", above=1), AnyOf((Missing("sky"), OneOf("sky", ("red",)))))),
            "x > 1 and (sky is missing or sky = red)",
            r"(\text{x} > 1 \land (\text{sky is missing} \lor \text{sky} = \text{red}))",
        ),
        (
            AnyOf((AllOf((Missing("x"), Missing("y"))), Missing("z"))),
            "(x is missing and y is missing) or z is missing",
            r"(((\text{x is missing} \land \text{y is missing}) \lor \text{z is missing}))",
        ),
        (Opaque(KNOWN, 0, "f(x) is #1"), "f(x) is #1", r"\text{f(x) is \#1}"),
        (FirstKnown([(Between("x", at_most=1), Between("x", above=1))]), "x <= 1", r"\text{x} \le 1"),
        (SumBetween(("x", "y"), (1, -2), 0), "x - 2 * y > 0", r"\text{x} - 2 \, \text{y} > 0"),
    ],
)
def test_conditions_are_printed_for_people_and_for_latex(condition, text, formula):
    assert str(condition) == text
    assert latex(Rule((condition,), "yes", (0, 1))) == formula


def test_conditions_that_cannot_be_one_are_kept_side_by_side_once_each():
    interval, one, other = Between("x", at_most=3.0), NoneOf("x", (1.0,)), NoneOf("x", (2.0,))
    split = Threshold(0, 1.0)
    both = {"x": AllOf((interval, one))}
    assert added({"x": interval}, split, one) == both
    assert added({"x": one}, split, interval) == {"x": AllOf((one, interval))}
    assert added(both, split, one) == both
    assert added(both, split, other) == {"x": AllOf((interval, one, other))}
    for known in (interval, one, both["x"]):
        assert added({"x": known}, split, NoneOf("x", ())) == {"x": known}
        assert added({"x": known}, split, Between("x")) == {"x": known}
    assert added({"x": NoneOf("x", ())}, split, interval) == {"x": interval}


@pytest.mark.parametrize("split", [s for s in SHAPES if not isinstance(s, Parted)], ids=repr)
def test_features_get_other_numbers(split):
    moved = renumbered(split, (5, 4, 3), 6)
    assert sorted(moved.features) == sorted({0: 5, 1: 4, 2: 3}[number] for number in split.features)
    assert renumbered(moved, (0, 0, 0, 2, 1, 0), 3) == split


def test_a_broken_formula_has_a_line_for_each_term_and_a_notebook_typesets_it():
    formula = dnf(grow(weather()), "no")
    lines = latex(formula, broken=True).splitlines()
    assert (lines[0], lines[-1], len(lines)) == (r"\begin{aligned}", r"\end{aligned}", 2 + len(formula.terms))
    assert latex(formula)._repr_latex_() == f"$\\displaystyle {latex(formula)}$"
    assert latex(Dnf("play", ()), broken=True).splitlines()[1] == r"& \bot"
