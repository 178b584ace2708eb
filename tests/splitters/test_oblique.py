"""Splits by sums of features: splits like any other, found among the points of a node, whatever the order of rows."""

from math import nan

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

import ftree as ft
from ftree import linear, splitters
from ftree.criteria import entropy
from ftree.show import SumBetween, holds
from ftree.stop import max_depth, never
from ftree.study import root_feature_counts
from ftree.tree import Oblique, Threshold
from ftree.tree.formats import format_sum
from ftree.tree.splits import Multiway, child_of, weighted_sum

SCHEMA = ft.Schema(
    (ft.Feature("width", "numeric"), ft.Feature("sky", "nominal", ("grey", "blue")), ft.Feature("height", "numeric")),
    "class",
    ("no", "yes"),
)
SUM = Oblique((1, 0, -0.5), 2)
TREE = ft.Tree(SCHEMA, ft.Branch((3, 4), SUM, (ft.Leaf((3, 0)), ft.Leaf((0, 4)))))
WAYS = [splitters.coordinates(), linear.perceptrons(), splitters.logistic()]
FINDERS = pytest.mark.parametrize("by", WAYS, ids=lambda by: type(by).__name__)
# With axis-parallel cuts to choose from, the simplest one must win ties.
SUMS = {by: evolve(ft.ID3, splits=(splitters.threshold(), splitters.oblique(by=by))) for by in WAYS}


def test_a_sum_goes_to_child_0_up_to_its_border_and_has_no_answer_where_a_value_is_missing():
    width, height = np.array([2.0, 3.0, 3.0, nan, 3.0]), np.array([0.0, 2.0, 1.9, 0.0, nan])
    assert child_of(SUM, width, height).tolist() == [0, 0, 1, -1, -1]
    assert (SUM.n_children, SUM.features) == (2, (0, 2))
    assert ft.predict(TREE, [[2.0, "grey", 0.0], [3.0, None, 1.9]]) == ["no", "yes"]
    assert ft.predict_counts(TREE, [3.0, "grey", None]).tolist() == [3, 4]


def test_a_sum_too_large_for_a_float_still_goes_somewhere_and_always_the_same_way():
    split = Oblique((1e300, -1e300), 0)
    assert child_of(split, np.array([1e300, 1e300, 0.0]), np.array([0.0, 1e300, 1e300])).tolist() == [1, 0, 0]
    tree = ft.Tree(
        ft.Schema([ft.Feature("x", "numeric"), ft.Feature("y", "numeric")], "class", (0, 1)), ft.Branch((1, 1), split, TWO)
    )
    for x, y in [(1e300, 0.0), (1e300, 1e300), (0.0, 1e300), (0.5, 0.25)]:
        assert [rule.label for rule in ft.rules(tree) if holds(rule, {"x": x, "y": y})] == [ft.predict(tree, [x, y])]


TWO = (ft.Leaf((1, 0)), ft.Leaf((0, 1)))


@pytest.mark.parametrize(("more", "wins"), [(0.0, False), (9e-10, False), (2e-9, True), (0.1, True)])
@pytest.mark.parametrize("factor", [1.0, 1e-6], ids=["classes", "numbers"])
def test_a_sum_must_beat_a_single_feature_by_more_than_a_tie(more, wins, factor):
    """Of numbers a tie is a share of the best score, whatever their unit."""

    class Twin:
        kinds = ("numeric",)

        def best(self, vectors, measure):
            is_right = vectors.vector[:, 0] > 0.5
            counts = np.stack([vectors.counts[~is_right].sum(axis=0), vectors.counts[is_right].sum(axis=0)])
            score = float(measure(counts[None])[0])
            return score + more * (1 if factor == 1 else score), Oblique((1.0, 0.0), 0.5), counts

    columns = {"x": [0.0, 0, 1, 1], "z": [0.0, 0, 0, 0], "y": list("nnyy") if factor == 1 else [0, 0, factor, factor]}
    policy = evolve(ft.CART if factor < 1 else ft.ID3, splits=(splitters.threshold(), Twin()), stop=max_depth(1))
    split = ft.grow(ft.Dataset.from_columns(columns, target="y"), policy).root.split
    assert isinstance(split, Oblique if wins else Threshold)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8), st.data())
def test_a_sum_is_added_up_alike_over_columns_and_over_numbers(weights, data):
    values = data.draw(st.lists(st.floats(-1e6, 1e6), min_size=len(weights), max_size=len(weights)))
    columns = [np.array([value, 0.0, value]) for value in values]
    assert weighted_sum(weights, columns)[2] == weighted_sum(weights, values)


@pytest.mark.parametrize("found", [(1,), (1, 2, 3), 1])
def test_weights_of_other_features_than_were_asked_are_refused(found):
    data = ft.Dataset.from_columns({"a": [0.0, 1, 2], "same": [5.0] * 3, "b": [1.0, 0, 2], "class": [0, 1, 0]})
    with pytest.raises(ValueError, match="by must return a weight for each of the 2 features that differ among its points, got"):
        ft.grow(data, evolve(ft.CART, splits=(splitters.oblique(by=lambda *_: [found]),)))


def test_a_tree_refuses_a_sum_that_does_not_fit_its_schema():
    with pytest.raises(ValueError, match="one number for each of the schema's 3 features, got 2"):
        ft.Tree(SCHEMA, ft.Branch((1, 1), Oblique((1, 1), 2), TWO))
    with pytest.raises(ValueError, match=r"weights must be 0 for features that are not numeric, got 1.0 for 'sky'"):
        ft.Tree(SCHEMA, ft.Branch((1, 1), Oblique((1, 1, 0), 2), TWO))


def test_a_sum_reads_alike_in_text_paths_rules_and_formulas():
    assert str(TREE) == "width - 0.5 * height <= 2: no (3.0)\nwidth - 0.5 * height > 2: yes (4.0)"
    assert "width - 0.5 * height > 2: yes (4.0) [0 4]" in ft.text(TREE, distributions=True)
    assert str(ft.path_of(TREE, [3.0, None, 1.9])) == "width - 0.5 * height > 2 -> yes"
    unknown = ft.path_of(TREE, {"width": 3.0}, missing="heaviest")
    assert str(unknown) == "width - 0.5 * height unknown, so width - 0.5 * height > 2 -> yes"
    assert [str(rule) for rule in ft.rules(TREE)] == [
        "if width - 0.5 * height <= 2 then no",
        "if width - 0.5 * height > 2 then yes",
    ]
    assert ft.latex(ft.dnf(TREE, "yes")) == r"\text{width} - 0.5 \, \text{height} > 2"
    assert ft.latex(ft.dnf(TREE, "no")) == r"\text{width} - 0.5 \, \text{height} \le 2"


@pytest.mark.parametrize(
    ("weights", "words"),
    [((1,), "a"), ((-1,), "-a"), ((-0.5, 1), "-0.5 * a + b"), ((2, -1, 1e-9), "2 * a - b + 1e-09 * c")],
)
def test_a_combination_reads_as_one_writes_it(weights, words):
    assert format_sum("abc"[: len(weights)], weights) == words


def test_conditions_on_one_sum_are_merged_and_those_that_nothing_fits_left_out():
    low = ft.Branch((2, 1), evolve(SUM, at=1), (ft.Leaf((1, 0)), ft.Leaf((1, 1))))
    high = ft.Branch((0, 2), evolve(SUM, at=1), (ft.Leaf((0, 1)), ft.Leaf((0, 1))))
    tree = ft.Tree(SCHEMA, ft.Branch((2, 3), SUM, (low, high)))
    assert [str(rule.conditions[0]) for rule in ft.rules(tree)] == [
        "width - 0.5 * height <= 1", "1 < width - 0.5 * height <= 2", "width - 0.5 * height > 2",
    ]  # fmt: skip
    assert holds(ft.rules(tree)[1], {"width": 2.5, "height": 1.5, "sky": "grey"})
    for absent in ({"width": 2.5}, {"width": 2.5, "height": None}, {"width": 2.5, "height": nan}):
        assert not holds(ft.rules(tree)[1], absent)
    with pytest.raises(TypeError, match="Values of 'height' must be numbers, got 'tall'"):
        holds(ft.rules(tree)[1], {"width": 2.5, "height": "tall"})
    assert ft.rules(tree)[1].conditions == (SumBetween(("width", "height"), (1, -0.5), 1, 2),)


def test_dictionaries_name_a_sum_by_its_features_and_weights_and_give_it_back():
    nested = ft.to_dict(TREE, counts=True)
    assert nested == {(("width", 1.0), ("height", -0.5)): {"<= 2.0": {"no": 3, "yes": 0}, "> 2.0": {"no": 0, "yes": 4}}}
    assert ft.from_dict(nested, SCHEMA) == TREE
    with pytest.raises(ValueError, match="A weighted sum must be"):
        ft.from_dict({("width", "height"): {"<= 2.0": "no", "> 2.0": "yes"}}, SCHEMA)
    with pytest.raises(ValueError, match="A weighted sum must be"):
        ft.from_dict({(("width", 1.0),): {"low": "no", "high": "yes"}}, SCHEMA)


def diagonal(n, seed, *, features=2):
    points = np.random.default_rng(seed).random((n, features))
    return ft.Dataset.from_rows(points, (points[:, 0] > points[:, 1] + 0.1).tolist())


@FINDERS
def test_a_diagonal_border_needs_one_sum_or_a_few_where_thresholds_need_dozens(by):
    known, new = diagonal(2000, 0), diagonal(2000, 1)
    straight, stairs = ft.grow(known, evolve(ft.ID3, splits=(splitters.oblique(by=by),))), ft.grow(known)
    assert ft.accuracy(straight, known) == ft.accuracy(stairs, known) == 1
    assert ft.n_leaves(straight) <= 8
    assert ft.n_leaves(stairs) >= 36
    assert ft.accuracy(straight, new) > ft.accuracy(stairs, new)


def test_a_diagonal_stripe_needs_two_sums_where_thresholds_need_dozens():
    points = np.random.default_rng(0).random((600, 2))
    stripe = ft.Dataset.from_rows(points, (np.abs(points.sum(axis=1) - 1) < 0.2).tolist())
    tree = ft.grow(stripe, evolve(ft.ID3, splits=(splitters.oblique(),)))
    assert ft.accuracy(tree, stripe) == 1
    assert ft.n_leaves(tree) == 3
    assert ft.n_leaves(ft.grow(stripe)) >= 30


def test_xor_turned_by_45_degrees_is_three_sums_but_no_greedy_search_finds_them_since_the_first_gains_nothing():
    points = np.random.default_rng(0).random((400, 2)) * 2 - 1
    turned = ft.Dataset.from_rows(points, ((points.sum(axis=1) > 0) ^ (points[:, 0] > points[:, 1])).tolist())
    no, yes = ft.Leaf((1, 0)), ft.Leaf((0, 1))
    low, high = ft.Branch((1, 1), Oblique((1, -1), 0), (no, yes)), ft.Branch((1, 1), Oblique((1, -1), 0), (yes, no))
    tree = ft.recount(ft.Tree(turned.schema, ft.Branch((2, 2), Oblique((1, 1), 0), (low, high))), turned)
    assert ft.accuracy(tree, turned) == 1
    assert float(ft.gain([child.counts for child in tree.root.children])) < 0.02
    assert (
        3 * ft.n_leaves(tree)
        < ft.n_leaves(ft.grow(turned, evolve(ft.ID3, splits=(splitters.oblique(),))))
        < ft.n_leaves(ft.grow(turned))
    )


@FINDERS
def test_three_classes_in_sectors_are_told_apart_by_a_few_sums(by):
    points = np.random.default_rng(0).normal(size=(300, 2))
    sector = (np.arctan2(points[:, 1], points[:, 0]) // (2 * np.pi / 3)).astype(int)
    data = ft.Dataset.from_rows(points, sector.tolist())
    tree = ft.grow(data, evolve(ft.ID3, splits=(splitters.oblique(by=by),)))
    assert ft.accuracy(tree, data) == 1
    assert ft.n_leaves(tree) <= 8 < ft.n_leaves(ft.grow(data))


def test_a_case_that_misses_a_value_that_no_sum_asks_for_has_an_answer():
    random = np.random.default_rng(0)
    points = random.random((200, 3))
    labels = (points[:, 0] > points[:, 1]).tolist()
    points[random.random(200) < 0.2, 2] = nan
    tree = ft.grow(
        ft.Dataset.from_rows(points, labels),
        evolve(ft.ID3, splits=(splitters.oblique(by=linear.perceptrons(epochs=200)),), stop=max_depth(1)),
    )
    assert tree.root.split.features in {(0, 1), (0, 1, 2)}
    assert ft.predict(ft.grow(ft.Dataset.from_rows(points[:, :2], labels), SUMS[WAYS[0]]), [0.9, 0.1])


@FINDERS
def test_points_that_are_all_alike_or_lack_a_value_each_are_left_to_what_can_split_them(by):
    policy = evolve(ft.ID3, splits=(splitters.oblique(by=by),), stop=never)
    assert ft.n_nodes(ft.grow(ft.Dataset.from_rows([[1.0, 2.0], [1.0, 2.0]], [0, 1]), policy)) == 1
    gaps = ft.Dataset.from_rows([[1.0, nan], [2.0, nan], [nan, 1.0]], [0, 1, 1])
    assert ft.grow(gaps, policy).root.split == Threshold(0, 1.5)
    assert ft.n_nodes(ft.grow(ft.Dataset.from_rows([["a"], ["b"]], [0, 1]), policy)) == 1


@FINDERS
def test_numbers_of_very_different_sizes_are_weighed_all_the_same(by):
    points = np.random.default_rng(0).random((200, 2)) * [1e-8, 1e9] + [0, 1e12]
    data = ft.Dataset.from_rows(points, (points[:, 0] * 1e17 + points[:, 1] - 1e12 > 1e9).tolist())
    tree = ft.grow(data, evolve(ft.ID3, splits=(splitters.oblique(by=by),), stop=max_depth(1)))
    assert ft.accuracy(tree, data) > 0.9 > ft.accuracy(ft.grow(data, evolve(ft.ID3, stop=max_depth(1))), data)


@FINDERS
@pytest.mark.parametrize("large", [1e308, 1e-308, 5e-324])
def test_numbers_at_the_ends_of_what_floats_can_say_grow_a_tree_all_the_same(by, large):
    data = ft.Dataset.from_rows([[large, 1.0], [-large, 2.0], [large, 3.0], [-large, 5.0]], [0, 1, 1, 0])
    assert ft.accuracy(ft.grow(data, evolve(ft.ID3, splits=(splitters.oblique(by=by),), stop=never)), data) == 1


def test_a_perceptron_tree_frequency_names_the_sum_at_the_root():
    counted = root_feature_counts(diagonal(60, 0), evolve(ft.CART, splits=(splitters.oblique(),)), size=50, repeats=3)
    assert sum(counted.values()) == 3
    assert any("x0" in name and "x1" in name for name in counted)


def test_a_direction_finder_may_be_any_function_of_points_and_a_score():
    def first_and_second(cloud, measure):
        assert cloud.points.min() == -1
        assert cloud.points.max() == 1
        assert measure(np.array([[[1, 0], [0, 1]]])).shape == (1,)
        return [np.array([1.0, -1.0]), np.zeros(2), np.array([nan, 1.0])]

    tree = ft.grow(diagonal(200, 0), evolve(ft.ID3, splits=(splitters.oblique(by=first_and_second),), stop=max_depth(1)))
    assert np.abs(tree.root.split.weights).max() == 1


def test_one_pass_over_the_weights_may_be_all_there_is_time_for():
    tree = ft.grow(
        diagonal(200, 0),
        evolve(ft.ID3, splits=(splitters.oblique(by=splitters.coordinates(starts=1, passes=1)),), stop=max_depth(1)),
    )
    assert isinstance(tree.root.split, Oblique)


def test_where_gain_ratios_choose_a_sum_must_gain_more_than_the_split_chosen():
    rows = [[n, n + side, ("pq" if side > 0 else "rs")[n % 2]] for n in range(5) for side in (-1, 1)]
    rows[2][1] = 2  # so that no sum tells all apart, while the nominal feature gains a bit, half of one for each bit of split
    data = ft.Dataset.from_rows(rows, ["below", "above"] * 5)
    for choose in (splitters.by_gain_ratio(), splitters.by_score()):
        policy = evolve(ft.ID3, splits=(splitters.multiway(), splitters.threshold(), splitters.oblique()), choose=choose)
        assert ft.grow(data, policy).root.split == Multiway(2, (0, 1, 2, 3))


@pytest.mark.parametrize(("weights", "above"), [((1, 1), 4), ((1, -1), 0), ((2, 1), 5), ((1, 2), 5)])
def test_two_weights_find_what_neither_feature_tells_apart(weights, above):
    points = np.array([(x, y) for x in range(5) for y in range(5)], dtype=float)
    labels = (points @ weights > above).astype(int)
    score, split, children = splitters.oblique().best(
        splitters.NodeVectors(points, np.eye(2)[labels], ()), lambda children: ft.gain(children, entropy)
    )
    assert score == pytest.approx(float(entropy(np.bincount(labels)))), "all points are told apart"
    assert sorted(map(tuple, children.tolist())) == sorted([(sum(labels == 0), 0), (0, sum(labels == 1))])
    assert split.weights == pytest.approx(np.array(weights) / max(weights))
