"""Trees as text: lines as Weka prints them, numbers, names, and colours in the terminal."""

import re
from functools import partial
from io import StringIO

import numpy as np
import pytest
from attrs import evolve
from hostile_labels import renamed
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from ftree import Branch, Dataset, Feature, Leaf, Schema, Tree, datasets, draw, grow, latex, n_nodes, path_of, rules, text
from ftree.show import Rule
from ftree.show.outline import outline
from ftree.show.rich_lines import rich_lines
from ftree.testing import chain, trees
from ftree.tree import Multiway, Subset, Surrogate, Threshold, WithSurrogates, walk
from ftree.tree.formats import TimeNumber, format_exactly, format_number

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


@pytest.mark.parametrize(
    ("counts", "shown"),
    [
        ((2.125, 0), "(2.13)"),  # half up, as Java rounds; Python would round to the even 2.12
        ((1 / 3, 2 / 3), "(1.0/0.33)"),
        ((2.5, 0.004), "(2.5/0.0)"),
        ((1.0, 1e-9), "(1.0)"),  # rounding errors are not errors
        ((12_345_678, 1), "(12345679.0/1.0)"),
        ((9, 5), "(14.0/5.0)"),
        ((0, 0), "(0.0)"),
    ],
)
def test_a_leaf_alone_has_its_label_and_its_cases_rounded_to_two_decimals_as_weka_rounds(counts, shown):
    tree = Tree(Schema((), "play", ("no", "yes")), Leaf(counts))
    label = "no" if counts[0] >= counts[1] else "yes"
    assert text(tree) == f": {label} {shown}"
    assert text(tree, distributions=True).startswith(f": {label} {shown} [")


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


@pytest.mark.parametrize(("values", "deepest"), [("few", 24), (None, 64)])
def test_bars_stop_and_give_the_depth(values, deepest):
    lines = text(chain(70), values=values).splitlines()
    assert lines[2 * deepest] == "|   " * deepest + f"x <= {deepest}.5: even (1.0)"
    assert lines[2 * deepest + 2] == "|   " * deepest + f"({deepest + 1}) x <= {deepest + 1}.5: odd (1.0)"


@given(trees().flatmap(renamed), st.integers(1, 300))
def test_no_printed_line_has_more_than_200_characters(tree, times):
    def long(name):
        return f"{name}{'-' * times}"

    more = list(map(str, range(-times, 0)))
    of = tree.schema.features
    features = [evolve(f, name=long(f.name), values=[*map(long, f.values), *more] if f.values else ()) for f in of]
    wide = Tree(Schema(features, "y", [long(label) for label in tree.schema.classes]), tree.root)
    row = [1.0 if feature.kind == "numeric" else feature.values[0] for feature in features]
    for printed_text in (text(wide), text(wide, surrogates=True), str(rules(wide)), str(path_of(wide, row, missing="stop_here"))):
        assert max(map(len, printed_text.splitlines()), default=0) <= 200


def test_of_many_values_the_shorter_side_and_the_first_stand_there():
    values = [f"country {number}" for number in range(200)]
    two = Tree(
        Schema([Feature("of", "nominal", values)], "y", "ab"),
        Branch((1, 1), Subset(0, range(3, 200)), [Leaf((1, 0)), Leaf((0, 1))]),
    )
    half = evolve(two, root=evolve(two.root, split=Subset(0, range(100))))
    few = "of not in {country 0, country 1, country 2}"
    first = "of in {country 0, country 1, country 2, country 3, country 4, … and 95 more}"
    assert str(two) == f"{few}: a (1.0)\n{few.replace('not in', 'in')}: b (1.0)"
    assert str(half).splitlines()[0] == f"{first}: a (1.0)"
    assert str(rules(half)).splitlines()[0] == f"if {first} then a"
    assert outline(half)[1].condition == first
    assert "country 99}" in text(half, values=None)


@pytest.mark.parametrize("wrong", [np.array([1, 2]), "no", 1])
def test_what_is_shown_is_chosen_by_true_and_false_only(wrong):
    tree = grow(datasets.weather())
    shown = {"distributions": partial(text, tree), "surrogates": partial(text, tree), "broken": partial(latex, rules(tree)[0])}
    for name, show in shown.items():
        with pytest.raises(TypeError, match=f"{name} must be True or False, got "):
            show(**{name: wrong})


def test_digits_shorten_thresholds_and_no_more():
    nodes = [Leaf((1, 0)), Leaf((0, 1))]
    tree = Tree(SCHEMA, Branch((1, 1), Threshold(1, 12.3456789012), nodes))
    assert text(tree, digits=3) == "wind <= 12.3: no (1.0)\nwind > 12.3: yes (1.0)"
    assert str(rules(tree, digits=2)) == "if wind <= 12 then no\nif wind > 12 then yes"
    assert str(Rule((), "no", (1, 0))) == "if true then no"
    assert "≤ 12.35<" in draw(tree, digits=4).text
    assert latex(rules(tree)[0], digits=4) == r"\text{wind} \le 12.35"
    with pytest.raises(ValueError, match="digits must be a whole number from 1 to 17, got 0"):
        text(tree, digits=0)
    with pytest.raises(ValueError, match="digits must be a whole number from 1 to 17, got 10000000000"):
        text(tree, digits=10**10)
    with pytest.raises(ValueError, match="values must be 'few', or None for all, got 'many'"):
        text(tree, values="many")


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (2.4500000000000002, None, "2.45"),
        (0.123456789012345, None, "0.123456789012345"),
        (1.00000005, None, "1.00000005"),
        (1.0000000000000002, None, "1"),
        (1e16, None, "1e+16"),
        (123456789012345680.0, 3, "1.23e+17"),
        (0.00001234, 2, "1.2e-05"),
        (999.7, 3, "1000"),
        (-0.0, 3, "0"),
        (TimeNumber(129600.0, "date"), None, "1970-01-02"),
        (TimeNumber(129600.5, "datetime"), 3, "1970-01-02 12:00:00.500"),
    ],
)
def test_thresholds_print_with_the_digits_that_tell_rows_apart(value, digits, shown):
    assert format_exactly(value, digits=digits) == shown


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
        (TimeNumber(129600.0, "date"), "1970-01-02 12:00"),
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
