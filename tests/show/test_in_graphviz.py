"""Graphviz reads DOT as intended: its pictures have every node, and unchanged labels."""

import subprocess
from xml.etree import ElementTree as ET

import pytest
from browser import needed
from hostile_labels import LABELS, a_leaf_for_each

from ftree import datasets, grow
from ftree.show import to_dot
from ftree.show.pictures import shortened
from ftree.tree.formats import printable

pytestmark = pytest.mark.consumer

SVG = "{http://www.w3.org/2000/svg}"


def drawn(text):
    """The groups of nodes and edges in the picture that `dot` draws."""
    dot = needed("dot", "graphviz")
    done = subprocess.run([dot, "-Tsvg"], input=text.encode(), capture_output=True, check=True, timeout=60)  # noqa: S603  # found above
    assert done.stderr == b""
    root = ET.fromstring(done.stdout)  # noqa: S314  # made from the library's own text
    return {kind: [group for group in root.iter(f"{SVG}g") if group.get("class") == kind] for kind in ("node", "edge")}


def lines(group):
    return [text.text.replace("\xa0", " ") for text in group.iter(f"{SVG}text")]


def test_dot_draws_every_node_and_every_branch():
    groups = drawn(to_dot(grow(datasets.weather())))
    assert [len(groups["node"]), len(groups["edge"])] == [8, 7]
    assert lines(groups["node"][0]) == ["outlook?", "14 cases"]
    assert [lines(edge) for edge in groups["edge"]][:3] == [["overcast"], ["rainy"], ["sunny"]]


def test_dot_shows_labels_and_values_as_they_are():
    values = LABELS[:-1]  # an empty label has no text in the picture
    groups = drawn(to_dot(a_leaf_for_each(values)))
    shown = [" ".join(lines(node)[0].split()) for node in groups["node"][1:]]
    assert shown == [" ".join(shortened(printable(value), 260).split()) for value in values]
    assert lines(groups["node"][0])[0] == '<b>&"x\\N?'
