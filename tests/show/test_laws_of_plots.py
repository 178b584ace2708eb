"""What holds of every picture on matplotlib's axes, of all rooms: what is drawn lies in view, and ticks are told apart."""

import sys

import numpy as np
import pytest
from hostile_labels import trees_of_any
from hypothesis import given
from hypothesis import strategies as st
from whole_texts import TREES, letters

import ftree as ft
from ftree import prune, study
from ftree.datasets import weather
from ftree.show import class_colours, plot_curves, plot_differences, plot_histogram, plot_impurities, plot_impurity_triangle

matplotlib = pytest.importorskip("matplotlib", reason="needs matplotlib, the extra plot")
plt = pytest.importorskip("matplotlib.pyplot")

POINTS = np.random.default_rng(0).random((40, 2))
PLANE = ft.Dataset.from_columns({"x": POINTS[:, 0], "y": POINTS[:, 1], "class": np.where(POINTS.sum(axis=1) > 1, "in", "out")})
SLOPE = ft.Dataset.from_columns({"x": POINTS[:, 0], "y": POINTS[:, 1], "class": POINTS[:, 0] - POINTS[:, 1]})
TRIALS = [study.Trial(["accuracy", "leaves"], [study.FoldResult(size, 5, [n / 9, n]) for n in (5, 7)]) for size in (10, 15)]
WEATHER, CLINIC = TREES["weather"], TREES["clinic"]
LONG = "a name that is far longer than what there is room for"
PLOTS = {
    "tree": lambda: ft.plot_tree(WEATHER),
    "tree of many split types": lambda: ft.plot_tree(CLINIC),
    "leaf": lambda: ft.plot_tree(TREES["single"]),
    "numbers": lambda: ft.plot_tree(ft.grow(SLOPE, ft.CART), leaf_charts=True),
    "surface": lambda: ft.plot_boundary(ft.grow(SLOPE, ft.CART), SLOPE, cells=100),
    "curve": lambda: ft.plot_boundary(
        lambda rows: [0.5] * len(rows), SLOPE.keep_columns(["x"]), borders={"x": lambda rows: rows["x"]}
    ),
    "many classes": lambda: ft.plot_tree(letters()),
    "leaf charts": lambda: ft.plot_tree(CLINIC, leaf_charts=True),
    "differences": lambda: plot_differences(ft.compare_trees(WEATHER, ft.collapse_at(WEATHER, (1,))), names=("before", "after")),
    "curves": lambda: plot_curves({"one": {1: 0.5, 10: 1}, LONG: {n: n / 2 for n in range(1, 32)}}, xlabel="rows", log="x"),
    "histogram": lambda: plot_histogram([1, 1.25, 5, 7], bins=3),
    "importances": lambda: ft.plot_importances({"sky": [0.1, 0.3], "wind": 0.6, "rain": 0.05, LONG: 0.5}, most=3),
    "impurities": lambda: plot_impurities([ft.entropy, ft.gini]),
    "triangle": lambda: plot_impurity_triangle(ft.gini, classes=("p", "q", "r")),
    "path": lambda: study.plot_path({"growing": prune.measured(prune.cost_complexity_path(WEATHER), weather())}),
    "critical difference": lambda: study.plot_critical_difference(study.Friedman(["one", "two", LONG], [1.2, 1.9, 2.9], 9)),
    "learning curve": lambda: study.plot_learning_curve({"one": TRIALS, LONG: TRIALS[::-1]}),
    "confusion": lambda: study.plot_confusion(study.Confusion(("never", LONG), ((11.5, 9), (2, 1)))),
    "trade-off": lambda: study.plot_trade_off({"one": TRIALS[0], LONG: TRIALS[1]}),
    "boundary": lambda: ft.plot_boundary(ft.grow(PLANE), PLANE, cells=100, borders={"truth": lambda rows: ["in"] * len(rows)}),
}


def extent_of(ax):
    """The lower and upper ends of all that is drawn in units of data."""
    corners = [
        np.transpose(line.get_data()).astype(float) for line in ax.lines if line.get_transform().contains_branch(ax.transData)
    ]
    corners += [bar.get_bbox().get_points() for bar in ax.patches]
    corners += [np.reshape(image.get_extent(), (2, 2)).T for image in ax.images]
    for each in ax.collections:
        box = each.get_datalim(ax.transData)
        corners += [box.get_points()] if np.isfinite(box.get_points()).all() else []
    found = np.concatenate(corners)
    return found.min(axis=0), found.max(axis=0)


@pytest.mark.parametrize("name", PLOTS)
def test_the_limits_of_a_plot_contain_its_data(name):
    ax = PLOTS[name]()
    low, high = extent_of(ax)
    limits = np.sort([ax.get_xlim(), ax.get_ylim()], axis=1)
    room = 0.01 * (limits[:, 1] - limits[:, 0])
    assert (limits[:, 0] - room <= low).all()
    assert (high <= limits[:, 1] + room).all()


@pytest.mark.filterwarnings("ignore:Glyph", "ignore:Creating legend")  # fonts lack some letters; the machine may be busy
@pytest.mark.parametrize("name", PLOTS)
def test_ticks_names_and_colours_of_a_plot_are_told_apart(name):
    ax = PLOTS[name]()
    ax.figure.canvas.draw()
    for axis in (ax.xaxis, ax.yaxis) if ax.axison else ():
        low, high = sorted(axis.get_view_interval())
        shown = [tick.label1.get_text() for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
        assert len(set(filter(None, shown))) == len(list(filter(None, shown)))
    legend = ax.get_legend()
    names = [text.get_text() for text in legend.get_texts()] if legend else []
    assert len(set(names)) == len(names)
    assert all(len(text.get_text()) <= 70 for text in ax.texts)


@pytest.mark.parametrize("name", PLOTS)
def test_without_matplotlib_the_error_names_the_extra_of_the_picture(name, monkeypatch):
    asked = next(each for each in PLOTS[name].__code__.co_names if each.startswith("plot_"))
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=rf"installed for {asked}\. Run pip install 'ftrees\[plot\]'"):
        PLOTS[name]()


@given(trees_of_any(), st.booleans())
def test_a_plot_of_a_tree_has_each_node_once_and_the_colours_of_its_classes(tree, leaf_charts):
    ax = ft.plot_tree(tree, leaf_charts=leaf_charts)
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    shades = [matplotlib.colors.to_hex(each.get_facecolor()).upper() for each in ax.get_legend().legend_handles]
    plt.close("all")
    if tree.schema.has_classes:
        assert (names, shades) == (list(map(str, tree.schema.classes)), list(class_colours(tree.schema.classes).values()))
    assert len(set(names)) == len(set(shades)) == len(names)
