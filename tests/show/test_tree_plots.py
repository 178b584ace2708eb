"""Pictures of trees and of numbers by matplotlib: they show what is stated."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from hostile_labels import LABELS, a_leaf_for_each, trees_of_any
from hypothesis import given

import ftree as ft
from ftree.datasets import weather
from ftree.show import plot_curves, plot_histogram, plot_impurities, plot_impurity_triangle
from ftree.show.outline import outline
from ftree.show.tree_plots import spots_of
from ftree.testing import chain
from ftree.tree import Threshold

plt = pytest.importorskip("matplotlib.pyplot", reason="needs matplotlib, the extra plot")


def texts_of(ax):
    return [text.get_text() for text in ax.texts]


def test_a_picture_has_every_question_condition_label_and_count():
    assert texts_of(ft.plot_tree(ft.grow(weather()))) == [
        *("outlook?", "5 : 9"),
        *("yes", "0 : 4", "overcast", "windy?", "2 : 3", "rainy", "humidity?", "3 : 2", "sunny"),
        *("yes", "0 : 3", "False", "no", "2 : 0", "True", "no", "3 : 0", "high", "yes", "0 : 2", "normal"),
    ]
    ax = plt.figure().subplots()
    assert texts_of(ft.plot_tree(ft.grow(weather()), max_depth=1, ax=ax))[-2:] == ["sunny", "… 2 more leaves"]
    assert len(ax.texts) == 13


def test_long_names_are_cut():
    schema = ft.Schema([ft.Feature("a feature with a long name", "numeric")], "t", ("no", "yes"))
    ax = ft.plot_tree(ft.Tree(schema, ft.Branch((1, 1), Threshold(0, 2.5), (ft.Leaf((1, 0)), ft.Leaf((0, 1))))))
    assert texts_of(ax)[0] == "a feature with a…"
    assert {"≤ 2.5", "> 2.5"} < set(texts_of(ax)), "the name stands in the node already"


def test_any_text_of_a_user_is_drawn_letter_by_letter():
    ax = ft.plot_tree(a_leaf_for_each(LABELS, r"$\frac$", "\ud800 $x$"))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # fonts lack some letters
        ax.figure.canvas.draw()
    assert texts_of(ax)[0] == r"\$\frac\$?"
    assert ax.get_legend().get_title().get_text() == "\ufffd \\$x\\$"


def test_a_tree_too_large_for_text_has_bars_only():
    ax = ft.plot_tree(chain(300))
    assert not ax.texts
    assert not ft.plot_tree(chain(300), leaf_charts=True).texts
    assert len(ft.plot_tree(chain(60)).texts) == 3 * 121 - 1
    assert {text.get_size() for text in ft.plot_tree(ft.grow(weather()), fontsize=30).texts} == {30, 0.85 * 30}
    assert len(ax.collections[1].get_paths()) == 601


@given(trees_of_any())
def test_nodes_of_a_level_stand_side_by_side(tree):
    nodes = outline(tree)
    spots = spots_of(nodes)
    assert min(x for x, _ in spots) == 0
    for (x, y), (right, same) in pairwise(sorted(spots, key=lambda spot: (-spot[1], spot[0]))):
        assert same < y or x + 1 <= right
    assert min(y for _, y in spots) == -ft.depth(tree)
    for (_, y), each in zip(spots, nodes, strict=True):
        assert {spots[number][1] for number in each.below} <= {y - 1}


@pytest.mark.parametrize(
    ("ask", "error", "wanted"),
    [
        (lambda: ft.plot_tree(ft.grow(weather()), fontsize=0), ValueError, "fontsize must be a number of points above 0, got 0"),
        (lambda: ft.plot_tree(chain(1), leaf_charts="all"), TypeError, r"leaf_charts must be True or False, got 'all'\."),
        (
            lambda: ft.plot_importances([0.5]),
            TypeError,
            "of must be a tree, a model, or a dict from feature names to numbers, got a list",
        ),
        (lambda: ft.plot_importances({}), ValueError, "of must have at least one feature"),
    ],
)
def test_what_cannot_be_drawn_is_refused_at_the_door(ask, error, wanted):
    with pytest.raises(error, match=wanted):
        ask()


def test_curves_differ_in_colour_marker_and_line():
    ax = plot_curves({name: {1: 0.5, 10: number} for number, name in enumerate("abcdefgh")}, log="x", ylabel="$ right")
    looks = {(line.get_color(), line.get_marker()) for line in ax.lines}
    assert len(looks) == 8
    assert (ax.get_xscale(), ax.get_yscale(), ax.get_ylabel()) == ("log", "linear", r"\$ right")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list("abcdefgh")
    assert len({line.get_linestyle() for line in ax.lines}) == 4


def test_texts_are_equally_far_apart_and_shown_as_they_are():
    ax = plot_curves({"$none": 1.0, "many": 2.0}, log="y")
    assert [tick.get_text() for tick in ax.get_xticklabels()] == [r"\$none", "many"]
    assert ax.get_yscale() == "log"


@pytest.mark.parametrize(
    ("given", "options", "error", "message"),
    [
        ([1, 2], {}, TypeError, "curves must be a dict from x to y, or a dict of such dicts by name, got a list"),
        ({"a": {1: 2}, "b": 3}, {}, TypeError, "curves must be one dict from x to y, or dicts only, got a mixture"),
        ({}, {}, ValueError, "curves must have at least one point each, got curves of .0. points"),
        ({"a": {}}, {}, ValueError, "curves must have at least one point each"),
        ({1: 2}, {"log": "z"}, ValueError, "log must be '', 'x', 'y' or 'xy', got 'z'"),
    ],
)
def test_what_are_no_curves_is_refused(given, options, error, message):
    with pytest.raises(error, match=message):
        plot_curves(given, **options)


@pytest.mark.parametrize(("given", "error"), [(["a"], TypeError), (3, TypeError), ([], ValueError)])
def test_what_are_no_values_is_refused(given, error):
    with pytest.raises(error, match="values must be"):
        plot_histogram(given)


def test_impurities_are_0_for_one_class_and_highest_for_equal_shares():
    ax = plot_impurities([ft.entropy, ft.gini, ft.misclassification])
    curves = [line.get_ydata() for line in ax.lines]
    assert [curve[[0, 100, -1]].tolist() for curve in curves] == [[0, 1, 0], [0, 0.5, 0], [0, 0.5, 0]]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("share of the first of two classes", "impurity")


def test_a_triangle_names_its_corners_and_its_colours():
    ax = plot_impurity_triangle(ft.entropy, classes=("no", "yes", "$"), label="bits")
    assert [text.get_text() for text in ax.texts] == ["only no", "only yes", r"only \$"]
    colours = ax.figure.axes[-1]
    assert colours.get_ylabel() == "bits"
    assert colours.get_yticks()[-1] == pytest.approx(np.log2(3))
    assert type(ax.figure.get_layout_engine()).__name__ == "ConstrainedLayoutEngine", "the bar of colours has room beside"


def test_what_is_no_impurity_is_refused():
    with pytest.raises(ValueError, match="impurities must be at least one impurity, such as entropy, got none"):
        plot_impurities([])
    for plot, wrong in [(plot_impurities, ["gini"]), (plot_impurities, 3), (plot_impurity_triangle, "gini")]:
        with pytest.raises(TypeError, match="must be functions of class counts, such as entropy, got"):
            plot(wrong)
    for classes in ("abc", ("a", "b")):
        with pytest.raises(ValueError, match="classes must be the names of three classes"):
            plot_impurity_triangle(ft.gini, classes=classes)


def test_features_of_no_importance_have_no_bar_unless_none_has_any():
    ax = ft.plot_importances({"wind": 0, "sky": 0.75, "sea": 0})
    assert ([tick.get_text() for tick in ax.get_yticklabels()], ax.get_title()) == (["sky"], "1 of 3 features")
    assert len(ft.plot_importances({"wind": 0, "sky": 0}).get_yticklabels()) == 2


def test_importances_of_a_tree_or_a_model_are_drawn_by_its_features():
    data = ft.datasets.gaussian_clusters(60, seed=0)
    tree, rows = ft.grow(data, ft.CART), np.column_stack(data.columns)
    forest, model = ft.study.random_forest(data, n_trees=3, seed=0), ft.estimator.TreeClassifier().fit(rows, data.labels)
    wanted = {"tree": ft.importances(tree), "forest": forest.importances(), "model": dict(enumerate(model.feature_importances_))}
    for each, name in ((tree, "tree"), (forest, "forest"), (model, "model")):
        ax = ft.plot_importances(each)
        assert sorted(bar.get_width() for bar in ax.patches) == pytest.approx(sorted(wanted[name].values()))
        assert {tick.get_text() for tick in ax.get_yticklabels()} == {"x0", "x1"}
