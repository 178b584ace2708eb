"""Trees in the terminal, by the protocol of rich."""

import subprocess
import sys
from io import StringIO

import pytest
from hostile_labels import renamed
from hypothesis import given
from rich.console import Console

from ftree import Leaf, Schema, Tree, datasets, grow, n_nodes
from ftree.show.terminal import rich_lines
from ftree.testing import chain, trees


def printed(tree, width=200, **options):
    file = StringIO()
    Console(file=file, width=width, **options).print(tree)
    return file.getvalue()


def test_rich_prints_a_tree_with_guides_labels_and_counts():
    assert printed(grow(datasets.weather())).splitlines() == [
        "play ██████████ 5 : 9",
        "├── outlook = overcast: yes ██████████ 0 : 4",
        "├── outlook = rainy ██████████ 2 : 3",
        "│   ├── windy = False: yes ██████████ 0 : 3",
        "│   └── windy = True: no ██████████ 2 : 0",
        "└── outlook = sunny ██████████ 3 : 2",
        "    ├── humidity = high: no ██████████ 3 : 0",
        "    └── humidity = normal: yes ██████████ 0 : 2",
    ]


def test_classes_have_their_colours():
    (line,) = rich_lines(Tree(Schema((), "ride", ("no", "yes")), Leaf((1, 3))))
    cells = {str(span.style): span.end - span.start for span in line.spans if line.plain[span.start] == "█"}
    assert cells == {"#0072B2": 2, "#E69F00": 8}
    assert "\x1b[" in printed(
        Tree(Schema((), "ride", ("no", "yes")), Leaf((1, 3))), force_terminal=True, color_system="truecolor"
    )


def test_a_node_without_cases_has_no_bar():
    assert printed(Tree(Schema((), "ride", ("no", "yes")), Leaf((0, 0)))) == "ride: no  0 : 0\n"


@given(trees(max_leaves=6).flatmap(renamed))
def test_no_name_controls_the_terminal_and_every_node_has_a_line(tree):
    text = printed(tree, width=1000)
    assert text.count("\n") == n_nodes(tree)
    assert not any((character < " " and character != "\n") or "\x7f" <= character < "\xa0" for character in text)


def test_long_lines_are_cut_at_the_width_of_the_terminal():
    assert all(len(line) <= 20 for line in printed(grow(datasets.weather()), width=20).splitlines())


def test_from_level_65_on_a_number_tells_the_depth():
    lines = [line.plain for line in rich_lines(chain(70))]
    assert any(line.lstrip(" │").startswith("(70) ") for line in lines)


def test_rich_is_loaded_only_where_rich_asks():
    code = "import sys, ftree; t = ftree.grow(ftree.datasets.weather()); t._repr_html_(); print('rich' in sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603  # our own code
    assert loaded.stdout.strip() == "False"


@pytest.mark.wide
def test_a_deep_tree_is_printed_without_recursion():
    assert sum(1 for _ in rich_lines(chain(20_000))) == 40_001
