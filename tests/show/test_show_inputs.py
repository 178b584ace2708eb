"""Wrong arguments of pictures get a clear error."""

import pytest

from ftree import datasets, draw, grow, page, plot_tree
from ftree.show import to_dot, to_mermaid

TREE = grow(datasets.weather())


@pytest.mark.parametrize("picture", [draw, page, to_dot, to_mermaid])
@pytest.mark.parametrize("value", [None, 3, TREE.root])
def test_what_is_no_tree_is_refused(picture, value):
    with pytest.raises(TypeError, match="tree must be a Tree, got"):
        picture(value)


@pytest.mark.parametrize("picture", [draw, page])
def test_pictures_are_saved_to_a_path(picture):
    with pytest.raises(TypeError, match="path must be a str or a Path, got None"):
        picture(TREE).save(None)
    with pytest.raises(ValueError, match="path must be a non-empty text without NUL"):
        picture(TREE).save("a\0b.svg")


@pytest.mark.parametrize("picture", [draw, plot_tree])
def test_leaf_charts_are_wanted_or_not(picture):
    with pytest.raises(TypeError, match=r"leaf_charts must be True or False, got 'all'\."):
        picture(TREE, leaf_charts="all")


def test_a_plot_goes_to_one_axes_and_to_nothing_else():
    with pytest.raises(TypeError, match="ax must be one Axes of matplotlib, got a list"):
        plot_tree(TREE, ax=[])
