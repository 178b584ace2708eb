"""Plots of curves, histograms and impurities: what they show stands at its place."""

import numpy as np
import pytest

from ftree import entropy, gini, misclassification
from ftree.show import plot_curves, plot_histogram, plot_impurities, plot_impurity_triangle
from ftree.show.palette import point_look

matplotlib = pytest.importorskip("matplotlib", reason="needs matplotlib, the extra plot")
matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402  # after the backend is chosen


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_curves_differ_in_colour_marker_and_line():
    ax = plot_curves({name: {1: 0.5, 10: number} for number, name in enumerate("abcdefgh")}, log="x", ylabel="$ right")
    looks = {(line.get_color(), line.get_marker()) for line in ax.lines}
    assert len(looks) == 8
    assert (ax.get_xscale(), ax.get_yscale(), ax.get_ylabel()) == ("log", "linear", r"\$ right")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list("abcdefgh")
    assert len({line.get_linestyle() for line in ax.lines}) == 4


def test_one_curve_has_no_legend_and_a_long_one_no_markers():
    axes = plt.figure().subplots()
    assert plot_curves({number: number for number in range(31)}, ax=axes) is axes
    assert axes.get_legend() is None
    assert axes.lines[0].get_marker() == "None"


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


def test_a_histogram_counts_each_value_once_and_shows_the_median():
    ax = plot_histogram(np.array([1.0, 1.2, 5.0]), bins=[0, 2, 4, 6], xlabel="seconds")
    assert [bar.get_height() for bar in ax.patches] == [2, 0, 1]
    assert ax.lines[0].get_xdata()[0] == 1.2
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("seconds", "values")


@pytest.mark.parametrize(("given", "error"), [(["a"], TypeError), (3, TypeError), ([], ValueError)])
def test_what_are_no_values_is_refused(given, error):
    with pytest.raises(error, match="values must be"):
        plot_histogram(given)


def test_impurities_are_0_for_one_class_and_highest_for_equal_shares():
    ax = plot_impurities([entropy, gini, misclassification])
    curves = [line.get_ydata() for line in ax.lines]
    assert [curve[[0, 100, -1]].tolist() for curve in curves] == [[0, 1, 0], [0, 0.5, 0], [0, 0.5, 0]]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("share of the first of two classes", "impurity")


def test_a_triangle_names_its_corners_and_its_colours():
    ax = plot_impurity_triangle(entropy, classes=("no", "yes", "$"), label="bits")
    assert [text.get_text() for text in ax.texts] == ["only no", "only yes", r"only \$"]
    colours = ax.figure.axes[-1]
    assert colours.get_ylabel() == "bits"
    assert colours.get_yticks()[-1] == pytest.approx(np.log2(3))
    assert type(ax.figure.get_layout_engine()).__name__ == "ConstrainedLayoutEngine", "the bar of colours has room beside"


def test_what_is_no_impurity_is_refused():
    with pytest.raises(ValueError, match="impurities must be at least one impurity, such as entropy, got none"):
        plot_impurities([])
    for plot, given in [(plot_impurities, ["gini"]), (plot_impurities, 3), (plot_impurity_triangle, "gini")]:
        with pytest.raises(TypeError, match="must be functions of class counts, such as entropy, got"):
            plot(given)
    for classes in ("abc", ("a", "b")):
        with pytest.raises(ValueError, match="classes must be the names of three classes"):
            plot_impurity_triangle(gini, classes=classes)


def test_fourteen_points_look_different():
    assert len({tuple(point_look(number).values()) for number in range(14)}) == 14
