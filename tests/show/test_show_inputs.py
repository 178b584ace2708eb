"""Wrong arguments of pictures get a clear error."""

import pytest

from ftree import datasets, draw, grow, page
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
    with pytest.raises(ValueError, match="path must be a text without NUL, and not empty"):
        picture(TREE).save("a\0b.svg")
