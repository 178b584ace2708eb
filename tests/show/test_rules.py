"""Rules and normal forms: logic that is equivalent to the tree."""

import pickle
from math import inf, nan

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import (
    ID3,
    Branch,
    Dataset,
    Feature,
    Leaf,
    Multiway,
    Schema,
    Subset,
    Threshold,
    Tree,
    dnf,
    grow,
    holds,
    latex,
    leaves,
    path_of,
    predict,
    rules,
)
from ftree._lib.messages import type_of
from ftree.show import Between, Dnf, FirstKnown, OneOf, Rule, SumBetween
from ftree.show.merging import added
from ftree.testing import trees
from ftree.tree.splits import Surrogate, WithSurrogates

SCHEMA = Schema(
    (Feature("sky", "nominal", ("grey", "blue", "red")), Feature("wind", "numeric"), Feature("size", "ordinal", "SML")),
    "class",
    ("no", "yes"),
)
NO, YES = Leaf((1, 0)), Leaf((0, 1))


def both(split, low=NO, high=YES):
    return Branch([sum(pair) for pair in zip(low.counts, high.counts, strict=True)], split, (low, high))


@st.composite
def trees_and_points(draw):
    """A tree, and points as dicts: halves, so that some equal a threshold, values unseen at a split, and gaps."""
    tree = draw(trees())
    cells = {
        feature.name: st.none()
        | (st.integers(-1, 9).map(lambda n: n / 2) if feature.kind == "numeric" else st.sampled_from(feature.values))
        for feature in tree.schema.features
    }
    return tree, draw(st.lists(st.fixed_dictionaries(cells), max_size=8))


# Laws -------------------------------------------------------------------------------------------------------------


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


@given(trees(sums=False, surrogates=False))
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


@given(trees())
def test_a_rule_has_one_condition_for_each_feature_or_sum_it_asks_about_without_surrogates(tree):
    for rule in rules(tree):
        alone = [c for c in rule.conditions if not isinstance(c, FirstKnown)]
        asked = [c.weights if isinstance(c, SumBetween) else c.feature for c in alone]
        assert len(set(asked)) == len(asked)


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


@given(trees())
def test_the_terms_of_all_classes_are_the_rules(tree):
    by_class = [term for label in tree.schema.classes for term in dnf(tree, label).terms]
    assert sorted(map(repr, by_class)) == sorted(repr(rule.conditions) for rule in rules(tree))


@given(trees())
def test_renaming_classes_renames_the_labels_and_nothing_else(tree):
    renamed = evolve(tree, schema=evolve(tree.schema, classes=[f"new {label}" for label in tree.schema.classes]))
    assert rules(renamed) == tuple(evolve(rule, label=f"new {rule.label}") for rule in rules(tree))


@given(trees())
def test_rules_and_formulas_are_values_and_reading_changes_nothing(tree):
    before = pickle.dumps(tree)
    formula = dnf(tree, tree.schema.classes[0])
    assert pickle.loads(pickle.dumps(formula)) == formula  # noqa: S301  # pickled here
    assert len({formula, evolve(formula)}) == 1
    assert len(set(rules(tree))) <= len(rules(tree))
    str(formula), latex(formula)
    assert pickle.dumps(tree) == before


# Merging, by hand -------------------------------------------------------------------------------------------------


def test_bounds_on_one_number_are_merged():
    tree = Tree(SCHEMA, both(Threshold(1, 5.0), both(Threshold(1, 3.0), NO, both(Threshold(1, 4.0)))))
    assert [str(rule) for rule in rules(tree)] == [
        "if wind <= 3 then no",
        "if 3 < wind <= 4 then no",
        "if 4 < wind <= 5 then yes",
        "if wind > 5 then yes",
    ]


def test_sets_of_values_are_merged_in_the_schema_s_order():
    tree = Tree(SCHEMA, both(Subset(0, (0, 2)), both(Subset(0, (2,)))))
    assert [str(rule) for rule in rules(tree)] == [
        "if sky = red then no",
        "if sky = grey then yes",
        "if sky = blue then yes",
    ]


def test_an_ordinal_reads_as_the_values_it_may_still_have():
    tree = Tree(SCHEMA, both(Threshold(2, 0.5), NO, both(Threshold(2, 1.5))))
    assert [rule.conditions for rule in rules(tree)] == [
        (OneOf("size", ("S",)),),
        (OneOf("size", ("M",)),),
        (OneOf("size", ("L",)),),
    ]


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


def test_an_empty_leaf_has_the_label_of_the_nearest_node_above_with_cases():
    tree = Tree(SCHEMA, both(Threshold(1, 5.0), both(Threshold(1, 3.0), Leaf((0, 0)), Leaf((0, 2))), NO))
    assert [(rule.label, rule.counts) for rule in rules(tree)] == [("yes", (0, 0)), ("yes", (0, 2)), ("no", (1, 0))]


def test_a_leaf_alone_is_true_and_another_class_false():
    tree = Tree(SCHEMA, Leaf((1, 2)))
    assert [str(rule) for rule in rules(tree)] == ["if true then yes"]
    assert (str(dnf(tree, "yes")), str(dnf(tree, "no"))) == ("true", "false")
    assert (latex(dnf(tree, "yes")), latex(dnf(tree, "no"))) == (r"\top", r"\bot")
    assert holds(dnf(tree, "yes"), {})
    assert not holds(dnf(tree, "no"), {})


def test_missing_as_a_value_fits_an_absent_one():
    tree = grow(Dataset.from_rows([["a"], [None], [None]], ["no", "yes", "yes"]), evolve(ID3, missing="as_value"))
    assert holds(dnf(tree, "yes"), {})
    assert holds(dnf(tree, "yes"), {"x0": None})
    assert not holds(dnf(tree, "yes"), {"x0": "a"})


def test_the_rides_read_as_their_normal_form():
    rows = [["sunny", "low"], ["sunny", "high"], ["rainy", "low"], ["cloudy", "high"]]
    tree = grow(Dataset.from_rows(rows, [True, False, False, True], features=["sky", "wind"]))
    assert str(dnf(tree, label=True)) == "sky = cloudy or (sky = sunny and wind = low)"
    assert str(dnf(tree, label=False)) == "sky = rainy or (sky = sunny and wind = high)"


# Words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "words", "tex"),
    [
        (OneOf("sky", ["grey"]), "sky = grey", r"\text{sky} = \text{grey}"),
        (OneOf("sky", ("grey", 3)), "sky in {grey, 3}", r"\text{sky} \in \{\text{grey}, \text{3}\}"),
        (OneOf("sky", (None,)), "sky = None", r"\text{sky} = \text{None}"),
        (Between("x", at_most=2.5), "x <= 2.5", r"\text{x} \le 2.5"),
        (Between("x", above=-2.0), "x > -2", r"\text{x} > -2"),
        (Between("x", above=0.0, at_most=1e-9), "0 < x <= 1e-09", r"0 < \text{x} \le 1 \cdot 10^{-9}"),
        (Between("x", above=2e30), "x > 2e+30", r"\text{x} > 2 \cdot 10^{30}"),
    ],
)
def test_conditions_read_in_words_and_in_latex(condition, words, tex):
    assert str(condition) == words
    assert latex(Dnf("yes", ((condition,),))) == tex
    assert latex(Rule((condition,), "yes", (0, 1))) == tex


def test_terms_of_several_conditions_stand_in_parentheses():
    formula = Dnf("yes", ((OneOf("a", (1,)), OneOf("b", (2,))), (OneOf("c", (3,)),)))
    assert str(formula) == "(a = 1 and b = 2) or c = 3"
    assert latex(formula) == r"(\text{a} = \text{1} \land \text{b} = \text{2}) \lor \text{c} = \text{3}"


def test_what_is_special_in_latex_is_escaped_once():
    escaped = latex(Dnf("yes", ((OneOf("a_b & 50%", ("#1 $2 {x} ~ ^ \\",)),),)))
    assert escaped == (r"\text{a\_b \& 50\%} = \text{\#1 \$2 \{x\} \textasciitilde{} \textasciicircum{} \textbackslash{}}")


# What does not fit --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [None, nan])
def test_an_absent_value_fits_nothing(value):
    assert not holds(Dnf("yes", ((Between("wind", at_most=3.0),), (Between("wind", above=3.0),))), {"wind": value})
    assert not holds(Dnf("yes", ((OneOf("wind", (1, 2)),),)), {"wind": value})
    assert not holds(Dnf("yes", ((Between("wind", at_most=3.0),),)), {"wnid": 1.0})


@pytest.mark.parametrize("value", [3, 3.0, np.float32(3), np.int8(3), True])
def test_numbers_of_any_type_are_compared(value):
    assert holds(Dnf("yes", ((Between("wind", above=0.5, at_most=3.0),),)), {"wind": value})


def test_text_where_numbers_are_compared_is_refused():
    with pytest.raises(TypeError, match="Values of 'wind' must be numbers, got 'low'"):
        holds(Dnf("yes", ((Between("wind", at_most=3.0),),)), {"wind": "low"})


@pytest.mark.parametrize("point", [["grey", 1.0, "S"], "grey", None, 3])
def test_a_formula_is_about_names_so_a_point_is_a_dict(point):
    with pytest.raises(TypeError, match=r"point must be a dict of values by feature name, got "):
        holds(dnf(Tree(SCHEMA, YES), "yes"), point)


@pytest.mark.parametrize("thing", [Tree(SCHEMA, YES), "sky = grey", None, OneOf("sky", ("grey",))])
def test_what_is_no_formula_neither_holds_nor_reads(thing):
    for read in (latex, lambda formula: holds(formula, {})):
        with pytest.raises(TypeError, match=f"formula must be a Dnf or a Rule, got {type_of(thing)}"):
            read(thing)


@pytest.mark.parametrize("label", ["maybe", 1, None, ["no"]])
def test_a_label_that_is_no_class_is_refused(label):
    with pytest.raises(ValueError, match=r"label must be one of 'no', 'yes', got "):
        dnf(Tree(SCHEMA, YES), label)


@pytest.mark.parametrize("thing", [YES, None, SCHEMA])
def test_rules_need_names_so_a_tree(thing):
    for read in (rules, lambda node: dnf(node, "yes")):
        with pytest.raises(TypeError, match=f"tree must be a Tree, got {type_of(thing)}"):
            read(thing)


def test_formulas_name_the_first_of_several_conditions_that_stand_in_for_one_another():
    pairs = [(Between(name, above=1.0), Between(name, at_most=1.0)) for name in ("x", "y", "z")]
    assert latex(Dnf("yes", ((FirstKnown(pairs),),))) == latex(Dnf("yes", ((pairs[0][0],),)))


def test_two_conditions_of_one_feature_that_no_number_fits_make_no_rule():
    known = {"x": Between("x", above=3.0)}
    assert added(known, Threshold(0, 3.0), Between("x", at_most=3.0)) is None
    assert added(known, Threshold(0, 3.5), Between("x", at_most=3.5)) == {"x": Between("x", 3.0, 3.5)}
