"""Why a row gets its label: the path, its counts, and the nearest other label, compared with all possible rows."""

from fractions import Fraction
from itertools import count, product
from math import inf, isnan, nan, nextafter, prod
from sys import float_info

import numpy as np
import pytest
from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

from ftree import Branch, Feature, Leaf, Schema, Tree, explain_row, path_of, predict
from ftree.data.coding import decode
from ftree.explain.nearest_leaf import Region, is_unknown, nearest_other, nearest_value
from ftree.routing.missing_rules import as_prediction_rule, heaviest, stop_here, weighted
from ftree.routing.predict import answer_of_row
from ftree.show import Between, OneOf, Opaque, SumBetween, fits
from ftree.testing import chain, datasets, schemas, splits, trees
from ftree.tree import IsMissing, Multiway, Oblique, Subset, Surrogate, Threshold, WithDefault, WithSurrogates, preorder
from ftree.tree.edit import branch_of

XY = Schema([Feature("x", "numeric"), Feature("y", "numeric")], "label", ("no", "yes"))
MOST_FLOAT = float_info.max
NO, YES = Leaf((1, 0)), Leaf((0, 1))
N_APART = 3
IS_APART = Branch((2, 2), WithDefault(Threshold(0, 2.5), default_child=2), (NO, NO, Leaf((0, 2))))


@st.composite
def trees_and_a_row(draw, **options):
    schema = draw(schemas(response=draw(st.sampled_from(["classes", "numbers", "events"]))))
    return draw(trees(schema=schema, **options)), draw(datasets(schema=schema, missing=True, max_rows=1))


@st.composite
def apart(draw):
    """A tree that tests three features, each on one level and one of them on another, and a row; one leaf has another label.

    So up to three features must change, and a feature may be limited to a region twice.
    """
    schema = draw(schemas(n_classes=2).filter(lambda schema: len(schema.features) == N_APART))
    of_one = [
        splits(evolve(schema, features=schema.features[n : n + 1]), sums=False, surrogates=False, defaults=False)
        for n in range(N_APART)
    ]
    numbers = draw(st.permutations([*range(N_APART), draw(st.integers(0, N_APART - 1))]))
    levels = [evolve(draw(of_one[number]), feature=number) for number in numbers]
    other, leaves = draw(st.integers(0, prod(split.n_children for split in levels) - 1)), count()

    def below(level):
        if level == len(levels):
            return YES if next(leaves) == other else NO
        return branch_of(levels[level], [below(level + 1) for _ in range(levels[level].n_children)])

    return Tree(schema, below(0)), draw(datasets(schema=schema, missing=True, max_rows=1))


def changed(dataset, visit):
    """The row with the values of a visit, as a list of values."""
    columns = [column.copy() for column in dataset.columns]
    for number, value in visit.values.items():
        columns[number][0] = value
    return [decode(feature, column)[0] for feature, column in zip(dataset.schema.features, columns, strict=True)]


def other_than(tree, label):
    """Whether a changed row gets another label."""
    return lambda columns, counts: answer_of_row(tree, columns, counts) != label


def row_of(dataset):
    return [decode(feature, column)[0] for feature, column in zip(dataset.schema.features, dataset.columns, strict=True)]


def test_a_leaf_and_a_tree_of_one_label_have_no_other_answer():
    found = explain_row(Tree(XY, Leaf((1, 3))), [1, None])
    assert (found.label, found.path, found.other) == ("yes", (), None)
    assert str(found).splitlines() == [
        "label = yes",
        "  all cases: 1 no, 3 yes",
        "no leaf with another label was found",
    ]


def test_a_missing_value_would_have_to_be_known_and_a_known_one_missing():
    tree = Tree(XY, Branch((2, 1), IsMissing(0), (Leaf((2, 0)), YES)))
    assert str(explain_row(tree, [3.0, 0.0])).endswith("yes if x is missing (now 3): 0 no, 1 yes")
    assert str(explain_row(tree, [None, 0.0])).endswith("no if x is known (now missing): 2 no, 0 yes")
    tree = Tree(XY, IS_APART)
    assert str(explain_row(tree, [3.0, 0.0])).endswith("yes if x is missing (now 3): 0 no, 2 yes")


def test_missing_values_may_go_to_a_side():
    split = WithDefault(Threshold(0, 2.5), default_child=0)
    tree = Tree(XY, Branch((1, 1), split, (NO, YES)))
    assert explain_row(tree, [3.0, 0.0]).other.changes[0].text == "x <= 2.5"
    assert explain_row(tree, [None, 0.0]).other.changes[0].text == "x > 2.5"


def test_a_row_that_stops_would_go_on_with_a_known_value():
    tree = Tree(XY, Branch((2, 1), Threshold(0, 0.5), (Leaf((2, 0)), YES)))
    found = explain_row(tree, [None, 1.0], missing="stop_here")
    assert (found.label, found.path) == ("no", ())
    assert found.other.changes[0].text == "x > 0.5"
    other = explain_row(tree, [1.0, 1.0], missing="stop_here").other
    assert other.changes[0].text == "x <= 0.5"


@given(st.tuples(*[st.integers(-9, 9).filter(bool)] * 2), st.integers(-9, 9), st.tuples(*[st.integers(-9, 9)] * 2))
def test_a_change_of_one_feature_leads_across_a_sum_from_either_side(weights, at, row):
    tree = Tree(XY, Branch((1, 1), Oblique(weights, at), (NO, YES)))
    found = explain_row(tree, row)
    assert {found.label, found.other.label} == {"no", "yes"}
    (change,) = found.other.changes
    assert (change.condition.feature, change.value) == (change.feature, row["xy".index(change.feature)])
    assert explain_row(tree, [None, row[1]]).other is None, "no single value makes a sum known and turns it, too"


@pytest.mark.parametrize("weights", [(1, 1), (3, -1), (-2, 1)])
@pytest.mark.parametrize("sides", [(NO, YES), (YES, NO)])
def test_a_missing_number_that_becomes_known_is_one_that_a_sum_can_add(weights, sides):
    """The lowest float, which is known as well, would make the sum's rounding error larger than all its thresholds."""
    known = Branch((1, 1), Oblique(weights, 10.0), sides)
    (change,) = explain_row(Tree(XY, Branch((1, 2), IsMissing(0), (known, NO))), [None, 0.5]).other.changes
    assert change.value is None
    ends = [end for end in (change.condition.above, change.condition.at_most) if abs(end) < inf]
    assert all(abs(end) < 11 for end in ends)


def test_a_sum_is_crossed_from_the_values_that_the_row_has_by_then():
    """The nearest x up to 1 is half of the sum's missing part of 10."""
    low = Branch((1, 1), Oblique((1, 1), 10.0), (NO, YES))
    tree = Tree(XY, Branch((3, 1), Threshold(0, 0.5), (NO, Branch((2, 1), Threshold(0, 1.0), (low, NO)))))
    x, y = explain_row(tree, [0.0, 0.0]).other.changes
    assert (x.text, y.feature, round(y.condition.above, 6)) == ("0.5 < x <= 1", "y", 9.5)


def test_a_value_that_is_missing_must_be_known_where_one_of_two_splits_asks_for_it():
    below = Branch((3, 1), Threshold(0, 2.0), (Leaf((3, 0)), YES))
    tree = Tree(XY, Branch((4, 1), WithDefault(Threshold(0, 5.0), default_child=0), (below, NO)))
    assert explain_row(tree, [None, 0.0]).other.changes[0].text == "2 < x <= 5"


def test_a_change_is_measured_by_the_range_of_the_thresholds_and_the_rows_value():
    """The wind of 6 changes to 5, a third of the range from 3 to 6."""
    tree = Tree(XY, Branch((2, 1), Threshold(0, 5.0), (Branch((1, 1), Threshold(0, 3.0), (NO, YES)), NO)))
    visit = nearest_other(tree, (np.array([6.0]), np.zeros(1)), heaviest(), other_than(tree, "no"))
    assert visit.cost == (1, pytest.approx(1 / 3))


FLOATS = st.floats(allow_nan=False) | st.sampled_from([0.0, 5e-324, -5e-324, inf, -inf, -MOST_FLOAT, MOST_FLOAT])


@given(FLOATS, FLOATS, st.floats(allow_infinity=False) | st.just(nan))
def test_the_nearest_number_of_an_interval_lies_in_it_and_none_is_nearer(above, at_most, value):
    """A missing number counts from 0, so that it is one that a person can read."""
    found = nearest_value(Region(Between(0, above, at_most), missing=False), XY.features[0], value)
    start = 0.0 if isnan(value) else value
    ends = [each for each in (start, at_most, nextafter(above, inf)) if above < each <= at_most and abs(each) < inf]
    assert found == min(ends, key=lambda each: abs(Fraction(each) - Fraction(start)), default=None)  # floats would tie


@frozen
class Compare:
    """A user's split: x is more than y, as an opaque text, or as a sum in which a feature has weight 0."""

    stated: bool
    features = 0, 1
    n_children = 2

    @property
    def conditions(self):
        if not self.stated:
            return Opaque(self, 0, "{0} <= {1}"), Opaque(self, 1, "{0} > {1}")
        return SumBetween((1, 0), (0.0, 1.0), at_most=0.5), SumBetween((1, 0), (0.0, 1.0), above=0.5)

    def child(self, x, y):
        return np.where(x > (0.5 if self.stated else y), 1, 0)


def test_a_split_that_states_no_conditions_is_passed_the_rows_way_only():
    below = Branch((1, 1), Threshold(1, 4.0), (NO, YES))
    opaque = Tree(XY, Branch((3, 1), Compare(stated=False), (below, Leaf((2, 0)))))
    assert explain_row(opaque, [1.0, 2.0]).other.changes[0].text == "y > 4"
    assert explain_row(opaque, [1.0, 0.0]).other is None


def test_a_feature_that_weighs_nothing_in_a_sum_is_not_changed():
    found = explain_row(Tree(XY, Branch((1, 1), Compare(stated=True), (NO, YES))), [0.0, 0.0])
    assert [change.feature for change in found.other.changes] == ["x"]


@frozen
class High:
    """A user's split of one number without a stated condition."""

    features = (0,)
    n_children = 2

    @property
    def conditions(self):
        return Opaque(self, 0, "{0} is low"), Opaque(self, 1, "{0} is high")

    def child(self, x):
        return np.where(x > 2.5, 1, 0)


def test_a_change_that_turns_the_row_at_an_unstated_split_above_is_no_answer():
    tree = Tree(XY, Branch((2, 1), High(), (Branch((1, 1), Threshold(0, 3.0), (NO, YES)), Leaf((1, 0)))))
    assert explain_row(tree, [2.0, 0.0]).other is None
    assert explain_row(tree, [5.0, 0.0]).other is None


def test_where_surrogates_decide_the_missing_value_is_told():
    split = WithSurrogates(Threshold(0, 0.5), (Surrogate(Threshold(1, 0.5)),))
    tree = Tree(XY, Branch((1, 1), split, (NO, YES)))
    assert explain_row(tree, [None, 0.0]).other.changes[0].text == "x > 0.5"


def test_a_value_that_no_child_knows_stays_where_the_rule_sends_it():
    schema = Schema([Feature("sky", "nominal", ("a", "b", "c"))], "label", ("no", "yes"))
    tree = Tree(schema, Branch((3, 1), Multiway(0, (0, 1)), (Leaf((3, 0)), YES)))
    found = explain_row(tree, ["c"])
    assert (found.label, found.other.changes[0].text) == ("no", "sky = b")
    below = Branch((3, 1), Subset(0, (0,)), (Leaf((3, 0)), YES))
    tree = Tree(schema, Branch((3, 1), Multiway(0, (0,)), (below,)))
    assert explain_row(tree, ["a"], missing="heaviest").other.changes[0].text == "sky in {b, c}", (
        "which the first split does not know"
    )


@given(trees_and_a_row(), st.sampled_from(["heaviest", "stop_here"]))
def test_the_changed_row_gets_the_other_label_by_the_other_path(tree_and_row, rule):
    tree, dataset = tree_and_row
    way = path_of(tree, row_of(dataset), missing=rule)
    found = explain_row(tree, row_of(dataset), missing=rule)
    assert (found.path, found.label) == (way.path, way.label)
    assert str(found).count("\n") == len(found.steps) + 1
    assert [step.reason for step in found.steps] == ["all cases", *way.reasons]
    assert found.steps[-1].counts == way.node.counts
    visit = nearest_other(tree, dataset.columns, as_prediction_rule(rule), other_than(tree, way.label))
    assert (visit is None) == (found.other is None)
    if visit is not None:
        again = path_of(tree, changed(dataset, visit), missing=rule)
        assert (again.path, again.label) == (found.other.path, found.other.label)
        assert again.label != way.label


@given(trees_and_a_row(), st.sampled_from([None, weighted(), heaviest(), stop_here()]))
def test_a_row_is_explained_and_predicted_by_the_one_rule_of_the_tree(tree_and_row, own):
    tree, dataset = evolve(tree_and_row[0], missing=own), tree_and_row[1]
    found = explain_row(tree, row_of(dataset))
    assert found.label == predict(tree, row_of(dataset)) == path_of(tree, row_of(dataset)).label
    assert found.other is None or found.other.label != found.label
    if found.other is not None and all(isinstance(change.condition, OneOf) for change in found.other.changes):
        changed = {f.name: cell for f, cell in zip(tree.schema.features, row_of(dataset), strict=True)}
        changed |= {change.feature: change.condition.values[0] for change in found.other.changes}
        assert predict(tree, changed) == found.other.label


@given(apart() | trees_and_a_row(sums=False, surrogates=False, defaults=False, max_leaves=8))
def test_no_row_with_another_label_has_fewer_or_smaller_changes(tree_and_row):
    """All rows of codes, of values at thresholds and just above them, and of missing values are tried."""
    tree, dataset = tree_and_row
    row = [column[0].item() for column in dataset.columns]
    label = path_of(tree, row_of(dataset), missing="heaviest").label
    found = nearest_other(tree, dataset.columns, as_prediction_rule("heaviest"), other_than(tree, label))
    cuts = [set() for _ in row]
    for node in preorder(tree):
        for condition in node.split.conditions if isinstance(node, Branch) else ():
            cuts[condition.feature] |= {getattr(condition, "above", inf), getattr(condition, "at_most", inf)}
    tried = []
    for feature, value, at in zip(tree.schema.features, row, cuts, strict=True):
        ends = {end for end in at if abs(end) < inf}
        numeric = feature.kind == "numeric"
        tried.append([value, *(ends | {nextafter(e, inf) for e in ends} if numeric else range(len(feature.values)))])

    def size(number, value):
        feature, was = tree.schema.features[number], row[number]
        if feature.kind == "nominal" or is_unknown(was):
            return 1.0
        if feature.kind == "ordinal":
            return abs(value - was) / len(feature.values)
        known = [end for end in (*cuts[number], was) if abs(end) < inf]
        return abs(value - was) / (max(known) - min(known)) if max(known) > min(known) else 1.0

    costs = []
    for values in product(*tried):
        columns = [np.array([value], column.dtype) for value, column in zip(values, dataset.columns, strict=True)]
        cells = [decode(feature, column)[0] for feature, column in zip(tree.schema.features, columns, strict=True)]
        if path_of(tree, cells, missing="heaviest").label != label:
            same = [repr(value) == repr(was) for value, was in zip(values, row, strict=True)]
            sizes = [size(number, value) for number, value in enumerate(values) if not same[number]]
            costs.append((len(sizes), sum(sizes)))
    assert (found is None) == (not costs)
    if costs:
        assert found.cost == pytest.approx(min(costs))


@given(trees_and_a_row(surrogates=False, sums=False))
def test_the_conditions_told_hold_for_the_changed_row(tree_and_row):
    tree, dataset = tree_and_row
    label = path_of(tree, row_of(dataset), missing="heaviest").label
    found = explain_row(tree, row_of(dataset), missing="heaviest").other
    visit = nearest_other(tree, dataset.columns, as_prediction_rule("heaviest"), other_than(tree, label))
    if found is not None:
        names = [feature.name for feature in tree.schema.features]
        point = dict(zip(names, changed(dataset, visit), strict=True))
        assert all(fits(change.condition, point) for change in found.changes)
        assert {change.feature: change.value for change in found.changes} == {
            names[number]: row_of(dataset)[number] for number in visit.values
        }


@pytest.mark.wide
def test_a_row_of_a_deep_tree_is_explained():
    found = explain_row(chain(2_500), [2_000.0])
    assert len(found.steps) == 2_002
    assert found.other.label == "odd"
