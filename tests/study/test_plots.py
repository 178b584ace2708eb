"""Pictures: everything is drawn at its position."""

from itertools import product

import numpy as np
import pytest

from ftree import CART, Branch, Dataset, Leaf, Tree, grow, learning_curve, missing, plot_boundary, study
from ftree.prune import Measured, one_standard_error
from ftree.tree import Multiway

plt = pytest.importorskip("matplotlib.pyplot", reason="needs matplotlib, the extra plot")

FOUR = study.Friedman(["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"], [3.143, 2.0, 2.893, 1.964], 14)


def trial_of(*scores, size=10):
    return study.Trial(["accuracy", "leaves"], [study.FoldResult(size, 5, [score, 10 * score]) for score in scores])


def test_the_diagram_has_every_learner_with_its_rank_and_a_line_for_each_group():
    axes = study.plot_critical_difference(FOUR, alpha=0.1)
    texts = [text.get_text() for text in axes.texts]
    assert {"1.96  C4.5+m+cf", "2.00  C4.5+m", "C4.5+cf  2.89", "C4.5  3.14"} < set(texts)
    assert "critical difference 1.12 (alpha 0.1)" in texts
    thick = [line.get_xdata() for line in axes.lines if line.get_linewidth() == 4]
    assert [(round(min(ends), 1), round(max(ends), 1)) for ends in thick] == [(1.9, 2.9), (2.9, 3.2)]
    assert axes.get_xlim()[0] > axes.get_xlim()[1], "the best is on the right"


def test_a_band_is_a_deviation_around_the_mean_or_two_quantiles():
    assert study.band(trial_of(0.4, 0.6, 0.8)) == pytest.approx((0.4, 0.8))
    assert study.band(trial_of(0.4, 0.6, 0.8), metric="leaves", quantiles=(0.25, 0.75)) == pytest.approx((5, 7))


def test_learning_curves_show_means_and_bands_by_training_size():
    data = Dataset.from_rows([["a"], ["b"]] * 10, [0, 1] * 10)
    curves = {"ID3": learning_curve(data, sizes=[2, 6, 10], repeats=3), "made": [trial_of(0.4, 0.6), trial_of(0.8, 0.8, size=15)]}
    axes = study.plot_learning_curve(curves, quantiles=(0.1, 0.9))
    assert axes.lines[0].get_xdata().tolist() == [2, 6, 10]
    assert axes.lines[1].get_ydata().tolist() == [0.5, 0.8]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["ID3", "made"]
    assert "quantiles 0.1 to 0.9" in axes.get_ylabel()
    assert len(axes.collections) == 2
    assert (
        study.plot_learning_curve({"made": [trial_of(0.4, 0.6)]}, metric="leaves").get_ylabel()
        == "leaves (band: a standard deviation)"
    )


def test_a_confusion_matrix_shows_its_numbers_on_shades_of_their_share_of_the_true_class():
    ax = study.plot_confusion(study.Confusion(("no", "maybe"), ((1, 3), (0, 0))))
    assert [text.get_text() for text in ax.texts] == ["1", "3", "0", "0"]
    assert ax.images[0].get_array().tolist() == [[0.25, 0.75], [0, 0]]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["no", "maybe"]
    assert [text.get_color() for text in ax.texts] == ["black", "white", "black", "black"]
    assert ax.figure.axes[1].get_ylabel() == "share of the true class"


PLANE = Dataset.from_rows(
    [[0.0, 1.0, "a"], [2.0, 3.0, "a"], [4.0, 5.0, "b"]], ["no", "yes", "yes"], features=["x", "y", "sky"], target="ride"
)


def test_regions_are_what_the_tree_answers_and_every_row_is_a_point():
    ax = plot_boundary(grow(PLANE), PLANE, cells=5)
    regions = ax.collections[0].get_array().reshape(5, 5)
    assert regions.tolist() == [[0, 0, 1, 1, 1]] * 5, "no is left of the threshold at 1, in the plane from -0.16 to 4.16"
    assert [points.get_offsets().tolist() for points in ax.collections[1:]] == [[[0, 1]], [[2, 3], [4, 5]]]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_legend().get_title().get_text()) == ("x", "y", "ride")


def test_a_plane_of_named_features_and_of_any_classifier():
    ax = plot_boundary(lambda rows: ["no"] * len(rows), PLANE, features=["y", "x"])
    assert set(ax.collections[0].get_array().ravel().tolist()) == {0}
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("y", "x")


SLOPE = Dataset.from_rows([[0, 1.0], [1, 2.0], [2, 4.0], [3, 5.0]], [0.5, 0.5, 2.5, 6.5], features=["x", "y"], target="mpg")


def test_numbers_of_a_plane_are_a_surface_with_a_bar_of_colours():
    tree = grow(SLOPE, CART)
    ax = plot_boundary(tree, SLOPE, cells=4)
    surface, rows = ax.collections
    assert set(surface.get_array().ravel().tolist()) <= {0.5, 2.5, 6.5}
    assert (rows.get_array().tolist(), rows.get_clim()) == ([0.5, 0.5, 2.5, 6.5], surface.get_clim())
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.figure.axes[-1].get_ylabel()) == ("x", "y", "mpg")
    with pytest.raises(ValueError, match="borders must be None for a regression tree, got"):
        plot_boundary(tree, SLOPE, borders={"tree": tree})


def test_numbers_of_one_feature_are_curves_over_the_rows():
    tree = grow(SLOPE, CART)
    ax = plot_boundary(tree, SLOPE, features=["x"], borders={"line": lambda rows: rows["x"]}, cells=101)
    assert ax.collections[0].get_offsets().tolist() == [[0, 0.5], [1, 0.5], [2, 2.5], [3, 6.5]]
    steps, line = (curve.get_ydata() for curve in ax.lines)
    assert set(steps.tolist()) == {0.5, 2.5, 6.5}
    assert line.tolist() == ax.lines[1].get_xdata().tolist()
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("x", "mpg", "unknown: y")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["the tree", "line"]


def test_features_beyond_the_plane_are_missing_in_it():
    by_sky = Tree(PLANE.schema, Branch((2, 3), Multiway(2, (0, 1)), (Leaf((2, 0)), Leaf((0, 3)))))
    for rule, code in [(missing.all_routes(), 1), (lambda sizes: [1, *[0] * (len(sizes) - 1)], 0)]:
        shown = plot_boundary(by_sky, PLANE, missing=rule, cells=3).collections[0].get_array()
        assert set(shown.ravel().tolist()) == {code}


@pytest.mark.parametrize(
    ("ask", "error", "wanted"),
    [
        (lambda: study.plot_critical_difference([1, 2]), TypeError, "found must be a result of friedman .*, got a list"),
        (lambda: study.plot_critical_difference(FOUR, alpha=1), ValueError, "alpha must be above 0 and below 1, got 1"),
        (lambda: study.plot_learning_curve(3), TypeError, r"curves must be learning_curve.*, or a dict such as .* got 3"),
        (lambda: study.plot_learning_curve([3]), TypeError, r"curves must be .*, got .3."),
        (lambda: study.plot_learning_curve({"made": [3]}), TypeError, "curves must be .* got {'made'"),
        (lambda: study.plot_learning_curve({}), ValueError, "curves must be at least one"),
        (lambda: study.plot_learning_curve({"empty": ()}), ValueError, "got curves of .0. sizes"),
        (lambda: study.plot_confusion([[1]]), TypeError, "found must be a result of confusion, got a list"),
        (lambda: plot_boundary(grow(PLANE), PLANE, features=["x", "sky"]), ValueError, "two numeric features, got .'x', 'sky'."),
        (lambda: plot_boundary(grow(PLANE), PLANE, features=["x"]), ValueError, "numeric features: 'x', 'y'"),
        (lambda: plot_boundary(grow(PLANE), PLANE, features=["x", "z"]), KeyError, "must be one of 'x', 'y', 'sky', got 'z'"),
        (lambda: plot_boundary(grow(PLANE), PLANE.take([])), ValueError, "a known number in some row, got 'x' without one"),
        (lambda: study.band(trial_of(0.5), quantiles=(0.9, 0.1)), ValueError, "quantiles must be two numbers"),
        (lambda: study.band(trial_of(0.5), quantiles=0.9), ValueError, "quantiles must be two numbers .* got 0.9"),
        (lambda: study.plot_trade_off([trial_of(0.5)]), TypeError, "trials must be a dict by names"),
        (lambda: study.plot_trade_off({"a": 3}), TypeError, "trials must be a dict by names"),
        (lambda: study.plot_trade_off({}), ValueError, "trials must be at least one, got none"),
    ],
)
def test_what_cannot_be_drawn_is_refused(ask, error, wanted):
    with pytest.raises(error, match=wanted):
        ask()


def test_groups_lie_below_the_axis_one_under_the_other_and_names_below_them():
    axes = study.plot_critical_difference(FOUR, alpha=0.1)
    heights = [line.get_ydata()[0] for line in axes.lines if line.get_linewidth() == 4]
    names = [text for text in axes.texts if "C4.5" in text.get_text()]
    assert 0 < heights[0] < heights[1] < min(text.xy[1] for text in names)
    assert axes.get_ylim()[0] > max(text.xy[1] for text in names)


def test_a_trade_off_has_a_point_with_two_errors_for_each_learner():
    trials = {f"learner {number}": trial_of(0.4, 0.6 + number / 50) for number in range(14)}
    ax = study.plot_trade_off(trials)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("leaves", "accuracy")
    points = [container[0] for container in ax.containers]
    assert points[0].get_xdata().tolist() == [5.0]
    assert points[0].get_ydata().tolist() == [0.5]
    bars = [np.ptp(each.get_segments()[0], axis=0).max() for each in ax.containers[0][2]]
    assert bars == pytest.approx([2 * 1.0, 2 * 0.1]), "a standard error to each side"
    assert len({(point.get_color(), point.get_marker(), point.get_markerfacecolor()) for point in points}) == 14
    assert study.plot_trade_off(trials, against="accuracy", metric="leaves").get_ylabel() == "leaves"


def test_borders_of_other_classifiers_are_lines_where_their_labels_change():
    points = Dataset.from_rows([[0, 0], [0, 1], [1, 1], [2, 2]], ["a", "b", "a", "c"], features=["x", "y"])
    thirds = [lambda rows, at=at: ["a" if x < at else "b" if x < 1.5 else "c" for x in rows["x"]] for at in (0.5, 0.7, 1.0)]
    ax = plot_boundary(grow(points), points, cells=21, borders={"the truth": thirds[0], "tries": thirds, "tree": grow(points)})
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b", "c", "the truth", "tries", "tree"]
    lines = [each for each in ax.collections if type(each).__name__ == "QuadContourSet"]
    left, both = (each.get_paths()[0].vertices[:, 0] for each in lines[:2])
    assert (np.ptp(left), abs(left[0] - 0.5) < 0.11) == (0, True), "around a, whose border is straight"
    assert np.ptp(both) == pytest.approx(1, abs=0.11), "around b, between 0.5 and 1.5"
    greys = [float(each.get_edgecolor()[0][0]) for each in lines[2:8:2]]
    assert greys == sorted(greys, reverse=True)
    assert greys[-1] == 0
    with pytest.raises(TypeError, match="borders must be classifiers by name"):
        plot_boundary(grow(points), points, borders=[thirds[0]])


def test_of_very_many_classes_a_confusion_matrix_has_shades_only_and_names_some():
    ax = study.plot_confusion(study.Confusion(tuple(range(70)), ((1,) * 70,) * 70))
    assert not ax.texts
    assert [tick.get_text() for tick in ax.get_yticklabels()] == [str(number) for number in range(0, 70, 3)]
    assert max(ax.figure.get_size_inches()) < 20


def line_and_chosen(path):
    """The height of the limit of the one-standard-error rule, and the place of the tree that it chooses."""
    *_, limit, chosen = study.plot_path({"cross-validated": path}, ax=plt.subplots()[1]).get_lines()
    plt.close("all")
    return limit.get_ydata()[0], chosen.get_xdata()[0]


@pytest.mark.parametrize("errors", list(product((0.2, 0.25), repeat=3)))
def test_the_tree_that_a_picture_shows_as_chosen_is_the_rules_and_lies_below_the_limit(errors):
    leaf = Tree(PLANE.schema, Leaf((1, 0)))
    for deviations in product((0.1, 0.9), repeat=2):
        steps = zip((9, 5, 3), errors, (*deviations, 0.2), strict=True)
        path = [Measured(n, error, 100, leaf, deviation=deviation) for n, error, deviation in steps]
        limit, place = line_and_chosen(path)
        assert path[place] == one_standard_error(path)
        assert path[place].error <= limit


def test_a_single_curve_needs_no_name_and_no_legend():
    ax = study.plot_learning_curve([trial_of(0.4, 0.6), trial_of(0.8, 0.8, size=15)])
    assert ax.lines[0].get_ydata().tolist() == [0.5, 0.8]
    assert ax.get_legend() is None
