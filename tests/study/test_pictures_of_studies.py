"""Pictures of studies: each is the one recorded in `tests/pictures`."""

import numpy as np
import pytest
from recorded_pictures import check_picture

from ftree import Dataset
from ftree.study import (
    Confusion,
    FoldResult,
    Friedman,
    Trial,
    plot_boundary,
    plot_confusion,
    plot_critical_difference,
    plot_learning_curve,
    plot_trade_off,
)

matplotlib = pytest.importorskip("matplotlib", reason="needs matplotlib, the extra plot")
matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402  # after the backend is chosen


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def trial_of(*scores, size=10):
    return Trial(["accuracy", "leaves"], [FoldResult(size, 5, [score, 10 * score]) for score in scores])


def left_of(*thresholds):
    """A classifier that answers a, b, ... by the first threshold that x is below."""
    return lambda rows: ["abcd"[sum(x >= at for at in thresholds)] for x in rows["x"]]


CURVES = {"one": [trial_of(0.4, 0.6), trial_of(0.8, 0.8, size=15)], "other": [trial_of(0.5, 0.5), trial_of(0.7, 1.0, size=15)]}
PLANE = Dataset.from_rows(
    [[0.0, 1.0, "u"], [2.0, 3.0, "u"], [4.0, None, "v"]], ["a", "b", "c"], features=["x", "y", "sky"], target="ride"
)
ALIKE = Dataset.from_rows([[7.0, 1.0]] * 200 + [[7.0, 2.0]] * 60, ["a"] * 260, features=["x", "y"])
LONG = Dataset.from_rows([[0.0, 0.0], [1.0, 1.0]], ["c" * 40, "d"], features=["x" * 60, "y" * 60], target="t" * 40)
FOUR = Friedman(["first", "second", "third", "fourth"], [3.143, 2.0, 2.893, 1.964], 14)
PICTURES = {
    "plot_critical_difference": lambda: plot_critical_difference(FOUR, alpha=0.1),
    "plot_critical_difference_odd": lambda: plot_critical_difference(Friedman("abc", (1.2, 1.9, 2.9), 3)),
    "plot_learning_curve": lambda: plot_learning_curve(CURVES, metric="leaves", quantiles=(0.1, 0.9)),
    "plot_learning_curve_single": lambda: plot_learning_curve(CURVES["one"]),
    "plot_confusion": lambda: plot_confusion(Confusion(("none", "some"), ((9, 11), (0, 0)))),
    "plot_confusion_long_names": lambda: plot_confusion(Confusion(("never", "x" * 30), ((11.5, 9), (2, 1)))),
    "plot_confusion_large": lambda: plot_confusion(Confusion(tuple(range(31)), tuple(map(tuple, np.eye(31).tolist())))),
    "plot_trade_off": lambda: plot_trade_off({"one": trial_of(0.4, 0.6), "x" * 40: trial_of(0.6, 0.9)}),
    "plot_trade_off_of_others": lambda: plot_trade_off({"one": trial_of(0.4, 0.6)}, against="accuracy", metric="leaves"),
    "plot_boundary": lambda: plot_boundary(left_of(1.5, 3), PLANE, cells=6),
    "plot_boundary_long_names": lambda: plot_boundary(
        lambda rows: ["d"] * len(rows), LONG, cells=2, borders={"b" * 50: lambda rows: ["d"] * len(rows)}
    ),
    "plot_boundary_alike": lambda: plot_boundary(left_of(7), ALIKE, features=["y", "x"], cells=3),
    "plot_boundary_borders": lambda: plot_boundary(
        left_of(1.5, 3), PLANE, cells=9, borders={"truth": left_of(1, 2), "tries": [left_of(1), left_of(2)], "far": left_of(3)}
    ),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_the_one_recorded(name):
    check_picture(PICTURES[name](), name)


@pytest.mark.parametrize(
    ("draw", "width", "height"),
    [
        ("plot_critical_difference", 8, 1.4 + 0.3 * (0.35 + 0.3 * 2 + 2)),
        ("plot_confusion", 1.8 + 2 * 0.55 + 0.9, 1.8 + 2 * 0.55),
        ("plot_confusion_large", 18.9, 18),
    ],
)
def test_a_figure_has_room_for_what_it_shows(draw, width, height):
    assert PICTURES[draw]().figure.get_size_inches() == pytest.approx((width, height))


def test_a_plane_has_two_hundred_places_a_side_unless_told_otherwise():
    (regions, *_) = plot_boundary(left_of(1.5, 3), PLANE).collections
    assert regions.get_array().size == 200 * 200
