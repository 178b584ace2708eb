"""Pictures of nearest neighbours: cells that a search looks into, and rows beside the ones that answer."""

import re

import numpy as np
import pytest

from ftree import Dataset
from ftree.neighbors import kd_tree, knn, manhattan, plot_kd_tree, plot_nearest
from ftree.neighbors.plot_neighbors import _cells

plt = pytest.importorskip("matplotlib.pyplot", reason="needs matplotlib, the extra plot")

POINTS = np.random.default_rng(3).random((90, 2))
BITS = Dataset.from_rows([[0, 1, 0, 1], [1, 0, 1, 0], [1, 0, 1, 1], [0, 0, 0, 1]], ["right", "left", "right", "right"])


def named(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.parametrize("metric", [{}, {"metric": manhattan}], ids=["euclidean", "manhattan"])
def test_cells_that_a_search_needs_are_coloured_and_all_others_pale(metric):
    tree, query = kd_tree(POINTS, leaf_size=6, **metric), np.array([0.29, 0.46])
    ax = plot_kd_tree(tree, query)
    cells = list(_cells(tree.root))
    assert sorted(row for cell in cells for row in cell.rows) == list(range(90))
    shades = [tuple(each.get_facecolor()[0]) for each in ax.collections[: len(cells)]]
    nearest = tree.nearest(query[None], 1)[0].item()
    needed = sum(tree.metric(query, query.clip(cell.low, cell.high)) <= nearest for cell in cells)
    assert shades.count(shades[0]) == needed < len(cells)
    assert needed >= tree.visits(query[None], 1)[0]
    assert set(named(ax)) == {"cell that can have a nearer point", "other cell", "point", "as far as the nearest", "query"}


def test_without_a_query_all_cells_are_alike():
    axes = plt.figure().subplots()
    ax = plot_kd_tree(kd_tree(POINTS), ax=axes)
    assert ax is axes
    assert named(ax) == ["cell", "point"]


def test_a_query_at_a_point_has_no_circle():
    assert "as far as the nearest" not in named(plot_kd_tree(kd_tree(POINTS), POINTS[3]))


def test_a_row_stands_beside_the_nearest_one_with_its_answer():
    known, asked = BITS.take([0, 1]), BITS.take([2, 3])
    ax = plot_nearest(knn(known), asked, shape=(2, 2), columns=1)
    assert [text.get_text() for text in ax.texts] == ["right", "wrong: left", "right", "answer: right"]
    assert [image.get_array().tolist() for image in ax.images[:2]] == [[[1, 0], [1, 1]], [[1, 0], [1, 0]]]
    assert ax.images[2].get_extent()[3] < ax.images[0].get_extent()[2], "the second pair is below the first"
    assert ax.images[1].get_extent()[0] > ax.images[0].get_extent()[1], "the nearest row is to the right"
    for left, right, low, high in (image.get_extent() for image in ax.images):
        assert ax.get_xlim()[0] < left < right < ax.get_xlim()[1]
        assert ax.get_ylim()[0] < low < high < ax.get_ylim()[1]


def test_chosen_rows_are_drawn_in_their_order_on_axes_of_ones_own():
    axes = plt.figure().subplots()
    assert plot_nearest(knn(BITS), BITS, shape=(1, 4), rows=[3, 1], ax=axes) is axes
    assert [text.get_text() for text in axes.texts][::2] == ["right", "left"]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: plot_kd_tree(3), TypeError, "tree must be a KdTree, as kd_tree(points) makes it, got an int."),
        (
            lambda: plot_kd_tree(kd_tree(POINTS), [1, 2, 3]),
            ValueError,
            "tree and query must have two coordinates to be drawn, got 2 and a query [1, 2, 3].",
        ),
        (
            lambda: plot_nearest(BITS, BITS, shape=(2, 2)),
            TypeError,
            "classifier must be one of nearest neighbours, as knn(dataset) makes it, got a Dataset.",
        ),
        (
            lambda: plot_nearest(knn(BITS), BITS, shape=(3, 2)),
            ValueError,
            "shape must have a pixel for each of 4 features, got (3, 2)",
        ),
        (lambda: plot_nearest(knn(BITS), [[0]], shape=(2, 2)), TypeError, "dataset must be a Dataset, got a list."),
        (
            lambda: plot_nearest(knn(BITS), BITS, shape=(2, 2), columns=0),
            ValueError,
            "rows and columns must be at least one, got 4 rows in 0 columns.",
        ),
        (
            lambda: plot_nearest(knn(BITS), BITS, shape=(2, 2), rows=[]),
            ValueError,
            "rows and columns must be at least one, got 0 rows in 3 columns.",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_what_is_wanted(call, error, words):
    with pytest.raises(error, match=re.escape(words)):
        call()
