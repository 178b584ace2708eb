"""LaTeX: every node once, brackets that match, characters that are escaped, depth that has a limit."""

import re

import pytest

from ftree import n_nodes
from ftree.exchange import to_latex
from ftree.testing import chain, check_export


def test_every_node_is_drawn_once_and_brackets_match(mixed_tree):
    drawn = to_latex(mixed_tree)
    plain = re.sub(r"\\\\.", "", drawn)  # without escaped characters
    assert plain.count("{") == plain.count("}")
    assert len(re.findall(r"^ *\[", drawn, re.MULTILINE)) == n_nodes(mixed_tree)
    assert drawn.count("[{") == sum(line.endswith("]") for line in drawn.splitlines())


def test_latex_obeys_the_law_for_exports():
    check_export(to_latex)


def test_a_tree_too_deep_for_latex_is_refused():
    with pytest.raises(ValueError, match="tree must have at most 50 splits on a way to be drawn by LaTeX, got 51"):
        to_latex(chain(51))
