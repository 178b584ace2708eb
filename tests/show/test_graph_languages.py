"""DOT and Mermaid: every node and every branch once, and texts that are escaped."""

import re

import pytest
from hostile_labels import LABELS, renamed, trees_of_any
from hypothesis import given

from ftree import Leaf, Schema, Tree, datasets, grow, n_nodes
from ftree.show import to_dot, to_mermaid

STRING = r'"(?:[^"\\]|\\.)*"'
DOT_NODE = re.compile(rf'n\d+ \[label={STRING}(?:, fillcolor="#\w+")?, tooltip={STRING}\]')
DOT_EDGE = re.compile(rf"n(\d+) -> n(\d+) \[label={STRING}, tooltip={STRING}, penwidth=[\d.]+\]")
TEXT = r'"[^"\n]*"'
MERMAID_NODE = re.compile(rf"n\d+(?:\[{TEXT}\]|\(\[{TEXT}\]\):::class\d+)")
MERMAID_EDGE = re.compile(rf"n(\d+) -->\|{TEXT}\| n(\d+)")


def test_counts_are_shown_on_request():
    tree = grow(datasets.weather())
    for write in (to_dot, to_mermaid):
        assert ("5 : 9" in write(tree, counts=True).replace("#58;", ":"), "14 cases" in write(tree, counts=True)) == (True, False)
        assert ("5 : 9" in write(tree), "14 cases" in write(tree)) == (False, True)


@pytest.mark.parametrize(
    ("write", "of_node", "of_edge", "others"), [(to_dot, DOT_NODE, DOT_EDGE, 4), (to_mermaid, MERMAID_NODE, MERMAID_EDGE, 1)]
)
@given(trees_of_any(max_leaves=6).flatmap(renamed))
def test_there_is_a_line_for_each_node_and_each_branch_whatever_the_names(write, of_node, of_edge, others, tree):
    lines = [line for line in write(tree).split("\n") if not line.startswith("classDef ")]
    assert sum(bool(of_node.fullmatch(line)) for line in lines) == n_nodes(tree)
    edges = [found for line in lines if (found := of_edge.fullmatch(line))]
    assert sorted(int(found[2]) for found in edges) == list(range(1, n_nodes(tree)))
    assert len(lines) == others + 2 * n_nodes(tree) - 1


def leaf(*classes):
    return Tree(Schema((), "ride", classes), Leaf(range(1, len(classes) + 1)))


def test_what_dot_would_read_as_more_than_text_is_escaped():
    assert 'label="a\\"b\\\\N &amp;lt; c\\n1 cases"' in to_dot(leaf('a"b\\N &lt;\nc'))


def test_what_mermaid_would_read_as_more_than_text_is_a_number():
    assert '(["a#34;#96;b#35;#60; é 木<br/>1 cases"]):::class0' in to_mermaid(leaf('a"`b#<\né 木'))


def test_long_labels_are_cut_and_dot_has_the_whole_in_its_tooltip():
    assert 'tooltip="' + "w" * 10_000 in to_dot(leaf(LABELS[-2]))
    assert "w" * 100 not in to_mermaid(leaf(LABELS[-2]))
