"""Trees as text: lines as Weka prints them, numbers, names, and colours in the terminal."""

import re
from io import StringIO

import pytest
from attrs import evolve
from hostile_labels import renamed
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from ftree import Branch, Dataset, Feature, Leaf, Schema, Tree, grow, n_nodes, text
from ftree.show.indented_text import rich_lines
from ftree.testing import chain, trees
from ftree.tree import Multiway, Subset, Surrogate, Threshold, WithSurrogates, walk
from ftree.tree.formats import format_number

SCHEMA = Schema(
    (Feature("sky", "nominal", ("grey", "blue", "red")), Feature("wind", "numeric"), Feature("size", "ordinal", "SML")),
    "class",
    ("no", "yes"),
)


def test_weather_prints_as_weka_prints_it(shared):
    """J48's output for this table; values are in the order of Weka's file."""
    data = Dataset.read_csv(shared / "data" / "weather.csv")
    orders = {"outlook": ("Sunny", "Overcast", "Rain"), "humidity": ("High", "Normal"), "wind": ("Strong", "Weak")}
    features = [evolve(f, values=orders.get(f.name, f.values)) for f in data.schema.features]
    assert str(grow(data.recoded(evolve(data.schema, features=features)))) == (
        "outlook = Sunny\n"
        "|   humidity = High: no (3.0)\n"
        "|   humidity = Normal: yes (2.0)\n"
        "outlook = Overcast: yes (4.0)\n"
        "outlook = Rain\n"
        "|   wind = Strong: no (2.0)\n"
        "|   wind = Weak: yes (3.0)"
    )


def test_a_leaf_alone_prints_its_label_total_and_errors():
    schema = Schema((), "play", ("yes", "no"))
    assert str(Tree(schema, Leaf((14, 0)))) == ": yes (14.0)"
    assert str(Tree(schema, Leaf((9, 5)))) == ": yes (14.0/5.0)"
    assert text(Tree(schema, Leaf((9, 5))), distributions=True) == ": yes (14.0/5.0) [9 5]"
    assert str(Tree(schema, Leaf((0, 0)))) == ": yes (0.0)"


def test_an_empty_leaf_has_the_label_of_the_nearest_node_above_with_cases():
    below = Branch((0, 2), Threshold(1, 1.0), (Leaf((0, 0)), Leaf((0, 2))))
    tree = Tree(SCHEMA, Branch((3, 2), Threshold(1, 2.0), (below, Leaf((3, 0)))))
    assert str(tree).splitlines()[1] == "|   wind <= 1: yes (0.0)"


@pytest.mark.parametrize(
    ("counts", "shown"),
    [
        ((2.125, 0), "(2.13)"),  # half up, as Java rounds; Python would round to the even 2.12
        ((1 / 3, 2 / 3), "(1.0/0.33)"),
        ((2.5, 0.004), "(2.5/0.0)"),
        ((1.0, 1e-9), "(1.0)"),  # rounding errors are not errors
        ((12_345_678, 1), "(12345679.0/1.0)"),
    ],
)
def test_cases_are_rounded_to_two_decimals_as_weka_rounds(counts, shown):
    assert str(Tree(Schema((), "play", ("no", "yes")), Leaf(counts))).endswith(shown)


@given(trees(), st.booleans())
def test_there_is_a_line_for_each_node_but_the_root_indented_by_its_depth(tree, distributions):
    lines = text(tree, distributions=distributions).splitlines()
    if isinstance(tree.root, Leaf):
        assert len(lines) == 1
        return
    below = [(path, node) for path, node in walk(tree) if path]
    lines = lines[distributions:]
    assert [line.count("|   ") for line in lines] == [len(path) - 1 for path, _ in below]
    assert [": " in line for line in lines] == [isinstance(node, Leaf) for _, node in below]


@given(trees())
def test_the_cases_of_all_leaves_add_up_to_the_root_and_so_do_errors(tree):
    cases = re.findall(r"\((\d+\.0)(?:/(\d+\.0))?\)", str(tree))
    assert sum(float(total) for total, _ in cases) == sum(tree.root.counts)
    leaves = [node.counts for _, node in walk(tree) if isinstance(node, Leaf)]
    assert sum(float(wrong or 0) for _, wrong in cases) == sum(sum(counts) - max(counts) for counts in leaves)


@given(trees())
def test_renaming_features_values_and_classes_changes_the_names_and_nothing_else(tree):
    def marked(name):
        return f"<{name}>"

    features = [evolve(f, name=marked(f.name), values=map(marked, f.values)) for f in tree.schema.features]
    renamed = Tree(Schema(features, "new", map(marked, tree.schema.classes)), tree.root)
    assert re.sub(r"<([^<>= ]+)>", r"\1", text(renamed, distributions=True)) == text(tree, distributions=True)


def test_surrogates_stand_above_the_lines_of_their_split_with_as_many_bars():
    stand_in = WithSurrogates(Threshold(1, 2.0), [Surrogate(Subset(0, (1,)), reversed=True, agreement=0.75, adjusted=0.5)])
    below = Branch((1, 1), stand_in, (Leaf((1, 0)), Leaf((0, 1))))
    tree = Tree(SCHEMA, Branch((2, 1), Threshold(1, 5.0), (below, Leaf((1, 0)))))
    assert text(tree, surrogates=True).splitlines() == [
        "wind <= 5",
        "|   sky in {grey, red} in place of wind <= 2 (agreement 0.75)",
        "|   wind <= 2: no (1.0)",
        "|   wind > 2: yes (1.0)",
        "wind > 5: no (1.0)",
    ]


def test_bars_stop_at_64_levels_and_give_the_depth():
    lines = str(chain(70)).splitlines()
    assert lines[2 * 64] == "|   " * 64 + "x <= 64.5: even (1.0)"
    assert lines[2 * 65] == "|   " * 64 + "(65) x <= 65.5: odd (1.0)"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (-0.0, "0"),
        (3, "3"),
        (100.0, "100"),
        (-2.50, "-2.5"),
        (1 / 3, "0.333333"),
        (0.1 + 0.2, "0.3"),
        (0.00012345678, "0.000123457"),
        (-1.25e-9, "-1.25e-09"),
        (123456.7890125, "123456.789012"),
        (999999999999999.0, "999999999999999"),
        (1e16, "1e+16"),
        (-1.5e300, "-1.5e+300"),
        (5e-324, "4.94066e-324"),
    ],
)
def test_numbers_small_and_large_are_short(value, shown):
    assert format_number(value) == shown


def test_a_name_stays_on_its_line_and_cannot_turn_what_follows():
    values = ("two\nlines", "\x1b[31mred", "\u202eturned", "\u05d0\u05d1 \u200e")
    nodes = [Leaf([int(number == each) for each in range(4)]) for number in range(4)]
    tree = Tree(Schema([Feature("x\t", "nominal", values)], "y", values), Branch([1] * 4, Multiway(0, range(4)), nodes))
    assert str(tree).splitlines() == [
        "x  = two lines: two lines (1.0)",
        "x  = \ufffd[31mred: \ufffd[31mred (1.0)",
        "x  = \ufffdturned: \ufffdturned (1.0)",
        "x  = \u05d0\u05d1 \u200e: \u05d0\u05d1 \u200e (1.0)",
    ]


def printed(tree, width=200, **options):
    file = StringIO()
    Console(file=file, width=width, **options).print(tree)
    return file.getvalue()


@given(trees(max_leaves=6).flatmap(renamed))
def test_no_name_controls_the_terminal_and_every_node_has_a_line(tree):
    text = printed(tree, width=1000)
    assert text.count("\n") == n_nodes(tree)
    assert not any((character < " " and character != "\n") or "\x7f" <= character < "\xa0" for character in text)


def test_from_level_65_on_a_number_tells_the_depth():
    lines = [line.plain for line in rich_lines(chain(70))]
    assert any(line.lstrip(" │").startswith("(70) ") for line in lines)


@pytest.mark.wide
def test_a_deep_tree_is_printed_without_recursion():
    assert sum(1 for _ in rich_lines(chain(5_000))) == 10_001
