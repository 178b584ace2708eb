"""Wrong arguments of pictures get a clear error."""

import pytest

from ftree import datasets, draw, grow, page, plot_tree

TREE = grow(datasets.weather())


@pytest.mark.parametrize("picture", [draw, page])
def test_pictures_are_saved_to_a_path(picture):
    with pytest.raises(TypeError, match="path must be a str or a Path, got None"):
        picture(TREE).save(None)
    with pytest.raises(ValueError, match="path must be a non-empty text without NUL"):
        picture(TREE).save("a\0b.svg")


def test_a_plot_goes_to_one_axes_and_to_nothing_else():
    with pytest.raises(TypeError, match="ax must be one Axes of matplotlib, got a list"):
        plot_tree(TREE, ax=[])
