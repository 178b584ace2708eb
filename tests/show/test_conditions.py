"""Conditions of every form, as users' splits may state them: merged along a path, printed, evaluated on rows."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from ftree import (
    Branch,
    Feature,
    Groups,
    Intervals,
    Leaf,
    Multiway,
    Schema,
    Subset,
    Surrogate,
    Threshold,
    Tree,
    WithSurrogates,
    dnf,
    holds,
    latex,
    predict,
    rules,
)
from ftree.show import AllOf, AnyOf, Between, Dnf, FirstKnown, Missing, NoneOf, OneOf, Opaque, Rule, SumBetween, fits
from ftree.tree.splits.optional import renumbered

SCHEMA = Schema(
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
    below: Any = None

    def made(level, counts):
        if level == len(splits):
            return Leaf(counts)
        kids = [made(level + 1, counts) for _ in range(splits[level].n_children)]
        return Branch([len(kids) * count for count in (kids[0].counts if kids else counts)], splits[level], kids)

    below = made(0, (1, 0))
    return Tree(SCHEMA, below)


@given(st.lists(st.sampled_from(SHAPES), min_size=1, max_size=4))
def test_exactly_the_rules_of_the_leaves_that_rows_reach_hold(splits):
    tree = tree_of(splits)
    listed = rules(tree)
    for point in POINTS:
        holding = [rule for rule in listed if holds(rule, point)]
        reached = predict(tree, [point], missing="stop")
        ends = _ends(tree.root, point)
        assert len(holding) == ends
        assert reached == ["no"]
        assert holds(dnf(tree, "no"), point) == bool(ends)


def _ends(node, point):
    """1 if a row reaches a leaf, else 0."""
    while isinstance(node, Branch):
        columns = [np.array([_cell(SCHEMA.features[number], point)]) for number in node.split.features]
        child = int(node.split.child(*columns)[0])
        if child < 0:
            return 0
        node = node.children[child]
    return 1


def _cell(feature, point):
    value = point[feature.name]
    if feature.kind == "numeric":
        return np.nan if value is None else float(value)
    return -1 if value is None else feature.values.index(value)


@pytest.mark.parametrize(
    ("condition", "text", "formula"),
    [
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
    if formula is not None:
        assert latex(Rule((condition,), "yes", (0, 1))) == formula


def test_an_opaque_condition_is_tried_by_its_split_with_values_in_their_codes():
    split = Parted((1, 0), (Opaque(None, 0, "?"), Opaque(None, 1, "?")))
    asked = Opaque(Subset(1, (1,)), 0, "is blue", (SCHEMA.features[1],))
    assert [fits(asked, point) for point in ({"sky": "blue"}, {"sky": "red"}, {"sky": "pink"}, {})] == [True, False, False, False]
    high = Opaque(Threshold(0, 1.5), 1, "is high", (SCHEMA.features[0],))
    assert [fits(high, point) for point in ({"x": 2}, {"x": 1}, {})] == [True, False, False]
    assert split.features == (1, 0)


def test_formulas_without_terms_are_false():
    assert not holds(Dnf("yes", ()), {})
    assert str(Dnf("yes", ((),))) == "true"


@pytest.mark.parametrize("split", [s for s in SHAPES if not isinstance(s, Parted)], ids=repr)
def test_features_get_other_numbers(split):
    moved = renumbered(split, (5, 4, 3), 6)
    assert sorted(moved.features) == sorted({0: 5, 1: 4, 2: 3}[number] for number in split.features)
    assert renumbered(moved, (0, 0, 0, 2, 1, 0), 3) == split


def test_that_a_value_is_known_adds_nothing_to_a_condition_on_it():
    for splits in ([KNOWN, Threshold(0, 1)], [Threshold(0, 1), KNOWN], [EVER, Threshold(0, 1)]):
        assert [str(rule) for rule in rules(tree_of(splits))][:2] == ["if x <= 1 then no", "if x > 1 then no"]
