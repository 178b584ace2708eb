"""Widths, colours, places and numbers of pictures at their limits, beside plain twins."""

import numpy as np
import pytest
from attrs import evolve

from ftree import Branch, Dataset, Leaf, Schema, Threshold, Tree, grow
from ftree.datasets import weather
from ftree.show import (
    AllOf,
    Between,
    Document,
    NoneOf,
    OneOf,
    Rule,
    SumBetween,
    fits,
    plot_curves,
    plot_importances,
    rule_statistics,
)
from ftree.show.characters import printable, shortened, text_width
from ftree.show.coverage import mask_of
from ftree.show.formulas import Dnf
from ftree.show.merging import added
from ftree.show.outline import OutlineNode, outline
from ftree.show.page_rows import _open_depth
from ftree.show.palette import COLOURS, MARKERS, class_colours, colour, mixed, point_look, text_colour
from ftree.show.plot_layout import placed
from ftree.show.plot_nodes import _counts
from ftree.show.plot_text import plot_text
from ftree.show.pruning_stages import _reason
from ftree.show.svg_edges import bands
from ftree.show.svg_nodes import look_of

matplotlib = pytest.importorskip("matplotlib", reason="needs matplotlib, the extra plot")
matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402  # after the backend is chosen


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


# Texts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("", 0),
        ("m", 12),
        ("A", 8.4),
        ("a0", 14.8),
        ("(-", 10),
        ("i,", 7.6),
        ("é", 7.2),
        ("木", 13),
        ("\uff37", 13),
        ("e\u0301", 7.4),
    ],
)
def test_a_line_is_as_wide_as_its_characters(text, width):
    assert text_width(text) == pytest.approx(width)
    assert shortened(text, width) == text
    assert shortened(text, width - 0.01) == (text if not text else text[:-1].rstrip() + "…" if text != "e\u0301" else "…")


def test_a_cut_text_ends_without_a_blank():
    assert shortened("a b", 12) == "a…"
    assert [plot_text("x" * 20, most) for most in (20, 19, 1)] == ["x" * 20, "x" * 18 + "…", "…"]
    assert [plot_text("決定木", most) for most in (6, 5, 4)] == ["決定木", "決定…", "決…"], "each is two wide"


def test_characters_that_are_not_printable_are_one_blank_or_a_mark():
    assert printable("a\r\n\tb\x0bc\x85d\u2028e") == "a b c d e"
    assert printable("\x00\x1f\x7f\u202e\u2066\ufffe\ud800") == "\ufffd" * 7
    assert printable("\u200eא\u00a0") == "\u200eא\u00a0"


@pytest.mark.parametrize("wrong", ["pdf", "SVG", "", None])
def test_a_document_is_a_picture_or_a_page(wrong):
    with pytest.raises(ValueError, match="format must be one of 'svg', 'html'"):
        Document("<svg/>", wrong)


def test_a_document_has_every_form_that_a_notebook_takes(tmp_path):
    picture, page = Document("<svg/>", "svg"), Document('<p "&">ä\n</p>', "html")
    assert picture._repr_mimebundle_() == {"text/html": '<div style="overflow-x:auto"><svg/></div>', "image/svg+xml": "<svg/>"}
    frame = (
        '<iframe srcdoc="&lt;p &quot;&amp;&quot;&gt;ä\n&lt;/p&gt;" sandbox="allow-scripts" width="100%" height="600"></iframe>'
    )
    assert page._repr_mimebundle_(include=None) == {"text/html": frame}
    page.save(tmp_path / "page.HTML")
    assert (tmp_path / "page.HTML").read_bytes() == page.text.encode()
    with pytest.raises(ValueError, match=r"^path must end in \.html, got '.*page\.svg'\.$"):
        page.save(tmp_path / "page.svg")


# Colours ------------------------------------------------------------------------------------------------------


def luminance(shade):
    """Relative luminance by the Web Content Accessibility Guidelines 2.1, channel by channel."""
    total = 0.0
    for share, at in ((0.2126, 1), (0.7152, 3), (0.0722, 5)):
        value = int(shade[at : at + 2], 16) / 255
        total += share * (value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4)
    return total


def test_text_has_the_better_of_two_contrasts():
    shades = [f"#{number:02X}{number:02X}{number:02X}" for number in range(256)]
    shades += [f"#{a:02X}{b:02X}{c:02X}" for a in (0, 5, 60, 130, 255) for b in (0, 8, 90, 100, 110) for c in (0, 10, 11, 200)]
    for shade in shades:
        light = luminance(shade)
        white, black = 1.05 / (light + 0.05), (light + 0.05) / 0.05
        assert text_colour(shade) == ("#000000" if black > white else "#FFFFFF"), shade


def test_classes_beyond_eight_have_tints_and_points_seven_filled_and_seven_hollow_looks():
    assert [colour(number) for number in range(8)] == list(COLOURS)
    assert [colour(8 + number) for number in range(8)] == [mixed(shade, 0.5) for shade in COLOURS]
    assert [colour(16 + number) for number in range(8)] == [mixed(shade, 0.25) for shade in COLOURS]
    assert colour(24) == COLOURS[0]
    assert list(class_colours("ab")) == ["a", "b"]
    shades = [*COLOURS[:6], COLOURS[7]]
    for number in range(14):
        shade, mark = shades[number % 7], MARKERS[number % 7]
        assert point_look(number) == {"color": shade, "marker": mark, "markerfacecolor": shade if number < 7 else "white"}
    assert mixed("#102030", 0.25) == "#C3C7CB"


# Nodes --------------------------------------------------------------------------------------------------------


def test_bands_start_side_by_side_and_have_a_least_width():
    found = bands(outline(grow(weather())))
    assert [round(width, 3) for width, _ in found] == [16, 4.571, 5.714, 5.714, 3.429, 2.286, 3.429, 2.286]
    assert [round(start, 3) for _, start in found] == [0, -5.714, -0.571, 5.143, -1.143, 1.714, -1.143, 1.714]
    assert bands([OutlineNode(Leaf((0, 0)), -1, 0, "", 0, range(0), 0)]) == [(1.0, 0.0)]
    assert bands([OutlineNode(Leaf((0, 3)), -1, 0, "", 0, range(0), 0)]) == [(16.0, 0.0)]


@pytest.mark.parametrize(("n_classes", "width"), [(2, 74), (16, 100), (64, 200)])
def test_a_chart_widens_with_the_square_root_of_the_number_of_classes(n_classes, width):
    tree = Tree(Schema([], "label", tuple(range(n_classes))), Leaf([1] * n_classes))
    look = look_of(tree.schema, outline(tree), 0, leaf_charts=True)
    assert (look.is_chart, look.width) == (True, max(width, 1.1 * text_width(look.counts) + 20))
    assert look.width >= width


def test_a_drawn_node_lists_the_counts_of_up_to_four_classes_and_the_cases_of_more():
    drawn = [evolve(node, node=Leaf([1.25] * n)) for n in (4, 5) for node in placed(grow(weather()).root)[:1]]
    assert list(map(_counts, drawn)) == ["1.2 | 1.2 | 1.2 | 1.2", "6.2 cases"]


def test_the_reason_of_a_cut_has_two_decimals():
    cut = Branch((2 / 3, 4 / 3), Threshold(0, 0.5), (Leaf((2 / 3, 1 / 3)), Leaf((0, 1))))
    assert _reason(None, cut) == "Cut: 0.67 errors in 2 cases as a leaf, 0.33 with 2 leaves."


OPENED = [([0], 0), ([0, 1, 1], 1), ([0] + [1] * 59, 1), ([0] + [1] * 60, 1), ([0, 1, 1] + [2] * 58, 2)]


@pytest.mark.parametrize(("depths", "opened"), [*OPENED, ([0, 1, 1] + [3] * 57 + [4] * 9, 4)])
def test_a_page_of_more_than_sixty_rows_opens_down_to_where_they_begin_to_be_many(depths, opened):
    assert _open_depth([OutlineNode(Leaf((1,)), -1, depth, "", 0, range(0), 0) for depth in depths]) == opened


# Rules --------------------------------------------------------------------------------------------------------


def test_two_intervals_meet_where_a_number_fits_both():
    known = {"x": Between("x", above=1.0, at_most=5.0)}
    assert added(known, Threshold(0, 1.0), Between("x", at_most=1.0)) is None
    assert added(known, Threshold(0, 5.0), Between("x", above=5.0)) is None
    assert added(known, Threshold(0, 2.0), Between("x", above=2.0)) == {"x": Between("x", 2.0, 5.0)}
    assert added(known, Threshold(0, 9.0), Between("x", at_most=9.0)) == {"x": Between("x", 1.0, 5.0)}
    assert added({}, Threshold(0, 1.0), OneOf("x", ())) is None


def test_statistics_are_shares_of_weights():
    data = Dataset.from_columns({"x": ["a", "a", "b", "b"], "class": [0, 1, 1, 1]}, weights=[1, 2, 4, 1], kinds="nominal")
    (found,) = rule_statistics([Rule((OneOf("x", ("a",)),), 1, (0, 1))], data)
    assert (found.coverage, found.support, found.confidence) == (3 / 8, 2 / 8, 2 / 3)
    assert found.lift == pytest.approx((2 / 3) / (7 / 8))
    (strange,) = rule_statistics([Rule((OneOf("x", ("a",)),), "no class", (0, 1))], data)
    assert (strange.coverage, strange.support, strange.confidence, np.isnan(strange.lift)) == (3 / 8, 0, 0, True)
    (none,) = rule_statistics([Rule((OneOf("x", ("c",)),), 1, (0, 1))], data)
    assert (none.coverage, none.support, np.isnan(none.confidence), np.isnan(none.lift)) == (0, 0, True, True)


def test_formulas_of_one_and_several_conditions_are_written_in_parentheses_where_they_need_them():
    one, other = OneOf("sky", ("grey",)), Between("wind", at_most=3.0)
    assert str(Dnf("no", ())) == "false"
    assert str(Dnf("no", ((one,), (one, other), ()))) == "sky = grey or (sky = grey and wind <= 3) or true"


# Plots --------------------------------------------------------------------------------------------------------


def test_curves_of_up_to_thirty_points_have_markers():
    marks = [plot_curves({number: number for number in range(n)}).lines[0].get_marker() for n in (1, 30, 31)]
    assert marks == [MARKERS[0], MARKERS[0], "None"]


def test_importances_beyond_the_largest_are_counted():
    ax = plot_importances({f"x{number}": number for number in range(25)})
    assert (len(ax.patches), ax.get_ylabel()) == (20, "feature, 5 smaller ones left out")
    assert plot_importances({f"x{number}": number for number in range(20)}).get_ylabel() == "feature"


@pytest.mark.parametrize("above", [-np.inf, -1.0])
def test_sums_beyond_all_floats_fit_for_all_rows_as_for_one(above):
    huge = [[1e308, -1e308], [-1e308, -1e308], [1e308, 1e308], [0.0, 0.0], [None, 1.0]]
    data = Dataset.from_rows(huge, [0, 1, 0, 1, 0], features=["a", "b"])
    condition = SumBetween(("a", "b"), (10.0, 10.0), above=above, at_most=0.0)
    one_by_one = [fits(condition, dict(zip("ab", row, strict=True))) for row in huge]
    assert mask_of(condition, data).tolist() == one_by_one
    assert one_by_one == [above == -np.inf, above == -np.inf, False, True, False]


def test_conditions_that_cannot_be_one_are_kept_side_by_side_once_each():
    interval, one, other = Between("x", at_most=3.0), NoneOf("x", (1.0,)), NoneOf("x", (2.0,))
    split = Threshold(0, 1.0)
    both = {"x": AllOf((interval, one))}
    assert added({"x": interval}, split, one) == both
    assert added({"x": one}, split, interval) == {"x": AllOf((one, interval))}
    assert added(both, split, one) == both
    assert added(both, split, other) == {"x": AllOf((interval, one, other))}
    for known in (interval, one, both["x"]):
        assert added({"x": known}, split, NoneOf("x", ())) == {"x": known}
        assert added({"x": known}, split, Between("x")) == {"x": known}
    assert added({"x": NoneOf("x", ())}, split, interval) == {"x": interval}
