"""Pictures of matplotlib: they show what the tree states."""

import sys
import warnings

import pytest
from hostile_labels import LABELS
from hypothesis import given

from ftree import Branch, Feature, Leaf, Multiway, Schema, Threshold, Tree, depth, grow, leaves, n_leaves, n_nodes, plot_tree
from ftree.datasets import weather
from ftree.show import class_colours, plot_importances
from ftree.show.palette import COLOURS, colour, mixed, text_colour
from ftree.show.plot_layout import placed
from ftree.show.plot_text import plot_text
from ftree.testing import chain, trees

matplotlib = pytest.importorskip("matplotlib", reason="needs matplotlib, the extra plot")
matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402  # after the backend is chosen


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def texts_of(ax):
    return [text.get_text() for text in ax.texts]


def shade_of(colours):
    return [matplotlib.colors.to_hex(each).upper() for each in colours]


def test_a_picture_has_every_question_condition_label_and_count():
    assert texts_of(plot_tree(grow(weather()))) == [
        *("outlook", "5 | 9"),
        *("yes", "0 | 4", "overcast", "windy", "2 | 3", "rainy", "humidity", "3 | 2", "sunny"),
        *("yes", "0 | 3", "False", "no", "2 | 0", "True", "no", "3 | 0", "high", "yes", "0 | 2", "normal"),
    ]


def test_branches_are_as_wide_as_their_share_of_cases_and_bars_have_the_colours_of_classes():
    tree = grow(weather())
    branches, boxes, bars = plot_tree(tree).collections
    widths = branches.get_linewidths()
    assert [round((width - 0.8) / 9 * 14) for width in widths] == [4, 5, 5, 3, 2, 3, 2]
    assert len(boxes.get_paths()) == n_nodes(tree)
    assert shade_of(bars.get_facecolors())[:3] == [COLOURS[0], COLOURS[1], COLOURS[1]], "no, yes; overcast is all yes"
    first, second = (path.get_extents() for path in bars.get_paths()[:2])
    assert first.width / second.width == pytest.approx(5 / 9)


def test_the_legend_names_the_classes_and_the_target():
    legend = plot_tree(grow(weather())).get_legend()
    assert (legend.get_title().get_text(), [text.get_text() for text in legend.get_texts()]) == ("play", ["no", "yes"])


def test_a_leaf_is_a_tree_and_many_classes_are_counted_together():
    schema = Schema((), "letter", tuple("abcdefghi"))
    ax = plot_tree(Tree(schema, Leaf((0,) * 9)))
    assert texts_of(ax) == ["a", "0 cases"]
    assert shade_of([handle.get_facecolor() for handle in ax.get_legend().legend_handles]) == [colour(n) for n in range(9)]


def test_an_empty_leaf_has_the_label_of_the_nearest_node_above_with_cases():
    schema = Schema([Feature("sky", "nominal", ("grey", "blue"))], "ride", ("no", "yes"))
    tree = Tree(schema, Branch((1, 2), Multiway(0, (0, 1)), (Leaf((1, 2)), Leaf((0, 0)))))
    assert texts_of(plot_tree(tree))[5:] == ["yes", "0 | 0", "blue"]


def test_long_names_are_cut():
    schema = Schema([Feature("a feature with a long name", "numeric")], "t", ("no", "yes"))
    ax = plot_tree(Tree(schema, Branch((1, 1), Threshold(0, 2.5), (Leaf((1, 0)), Leaf((0, 1))))))
    assert texts_of(ax)[0] == "a feature with a…"
    assert {"<= 2.5", "> 2.5"} < set(texts_of(ax)), "the name stands in the node already"
    assert plot_text("short") == "short"
    assert (plot_text("x" * 60), plot_text("x" * 61)) == ("x" * 60, "x" * 59 + "…")


def test_leaves_stand_on_one_line_above_charts_of_their_distribution():
    tree = grow(weather())
    ax = plot_tree(tree, leaf_charts=True)
    _, boxes, _, frames, halves, bars = ax.collections
    tops = [max(corner[1] for corner in path.vertices) for path in boxes.get_paths()]
    assert sorted(tops)[: n_leaves(tree)] == [min(tops)] * n_leaves(tree)
    assert len(frames.get_paths()) == len(halves.get_paths()) == n_leaves(tree)
    heights = [path.get_extents().height for path in bars.get_paths()]
    assert heights == pytest.approx([frames.get_paths()[0].get_extents().height] * 5), "all leaves are of one class"
    assert texts_of(ax)[:3] == ["0", "0.5", "1"]
    assert len(texts_of(plot_tree(chain(300), leaf_charts=True))) == 0


def test_a_leaf_without_cases_has_an_empty_chart():
    ax = plot_tree(Tree(Schema((), "ride", ("no", "yes")), Leaf((0, 0))), leaf_charts=True)
    assert len(ax.collections[-1].get_paths()) == 0


def test_any_text_of_a_user_is_drawn_letter_by_letter():
    schema = Schema([Feature(r"$\frac$", "nominal", LABELS)], "\ud800 $x$", LABELS)
    ends = [Leaf([int(number == each) for each in range(len(LABELS))]) for number in range(len(LABELS))]
    ax = plot_tree(Tree(schema, Branch([1] * len(LABELS), Multiway(0, range(len(LABELS))), ends)))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # fonts lack some letters
        ax.figure.canvas.draw()
    assert texts_of(ax)[0] == r"\$\frac\$"
    assert ax.get_legend().get_title().get_text() == "\ufffd \\$x\\$"


def test_of_very_many_classes_the_legend_names_some():
    ax = plot_tree(Tree(Schema((), "id", tuple(range(1000))), Leaf((1,) * 1000)))
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert (len(names), names[-1]) == (41, "… 960 more classes")


def test_a_tree_too_large_for_text_has_bars_only():
    ax = plot_tree(chain(300))
    assert not ax.texts
    assert len(ax.collections[1].get_paths()) == 601


@pytest.mark.wide
def test_a_deep_tree_is_drawn_in_time_linear_in_its_nodes():
    assert len(plot_tree(chain(20_000)).collections[1].get_paths()) == 40_001


@given(trees())
def test_leaves_stand_side_by_side_and_branches_above_the_middle_of_their_children(tree):
    nodes = placed(tree.root)
    assert sorted(each.x for each in nodes if isinstance(each.node, Leaf)) == list(range(len(list(leaves(tree)))))
    assert max(each.depth for each in nodes) == depth(tree)
    for number, each in enumerate(nodes):
        kids = [kid.x for kid in nodes if kid.parent == number]
        assert not kids or each.x == (kids[0] + kids[-1]) / 2
        assert kids == sorted(kids)


def test_a_tree_is_drawn_on_the_axes_given():
    ax = plt.figure().subplots()
    assert plot_tree(grow(weather()), ax=ax) is ax


def test_importances_are_bars_the_largest_first_and_several_numbers_have_their_deviation():
    ax = plot_importances({"sky": [0.1, 0.3], "wind": [0.6, 0.6], "rain": 0.0}, most=2, label="accuracy lost")
    assert [bar.get_width() for bar in ax.patches] == pytest.approx([0.6, 0.2])
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["wind", "sky"]
    assert ax.get_xlabel() == "accuracy lost, with a standard deviation"
    assert ax.get_ylabel() == "feature, 1 smaller ones left out"
    assert plot_importances({"sky": 1}).get_xlabel() == "importance"


@pytest.mark.parametrize(
    ("ask", "error", "wanted"),
    [
        (lambda: plot_tree(Leaf((1,))), TypeError, "tree must be a Tree, got a Leaf"),
        (lambda: plot_importances([0.5]), TypeError, "importances must be a dict from feature names to numbers, got a list"),
        (lambda: plot_importances({}), ValueError, "importances must have at least one feature"),
    ],
)
def test_what_cannot_be_drawn_is_refused_at_the_door(ask, error, wanted):
    with pytest.raises(error, match=wanted):
        ask()


@pytest.mark.parametrize(
    ("draw", "shown"),
    [(plot_tree, Tree(Schema((), "c", ("a",)), Leaf((1,)))), (plot_importances, {"sky": 1})],
    ids=["tree", "bars"],
)
def test_without_matplotlib_the_error_names_the_extra_of_the_picture(draw, shown, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=rf"installed for {draw.__name__}: pip install 'ftrees\[plot\]'"):
        draw(shown)


def test_colours_differ_up_to_eight_classes_and_return_as_tints():
    assert len(set(class_colours(range(24)).values())) == 24
    assert [colour(8), colour(16)] == [mixed(colour(0), 0.5), mixed(colour(0), 0.25)]


def test_text_is_white_on_dark_and_black_on_light_colours():
    assert [text_colour(shade) for shade in ("#000000", "#FFFFFF", COLOURS[0], COLOURS[1])] == [
        *("#FFFFFF", "#000000", "#FFFFFF", "#000000")
    ]
