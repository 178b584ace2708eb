"""Drawn trees: every leaf once, no overlaps, every text in full in a tooltip, and every label escaped."""

import re
from datetime import date
from itertools import pairwise

import numpy as np
import pytest
from attrs import evolve
from drawings import SVG, frame, groups, lines, read, tooltip
from hostile_labels import renamed, trees_of_any
from hypothesis import given
from hypothesis import strategies as st

import ftree as ft
from ftree import datasets
from ftree.show.looks import colour
from ftree.show.outline import outline
from ftree.show.pictures import text_width
from ftree.testing import schemas, trees
from ftree.tree.formats import printable

# What is drawn ----------------------------------------------------------------------------------------------------


@given(trees_of_any(), st.booleans())
def test_every_leaf_and_every_branch_is_drawn_once(tree, leaf_charts):
    drawing = ft.draw(tree, leaf_charts=leaf_charts)
    assert len(groups(drawing, "leaf")) == ft.n_leaves(tree)
    assert len(groups(drawing, "branch", "leaf")) == ft.n_nodes(tree)
    assert len(groups(drawing, "edge")) == ft.n_nodes(tree) - 1
    assert groups(drawing, "closed") == []


@given(trees_of_any(max_leaves=30), st.booleans())
def test_no_two_boxes_overlap_and_all_are_in_the_picture(tree, leaf_charts):
    drawing = ft.draw(tree, leaf_charts=leaf_charts)
    boxes = sorted(map(frame, groups(drawing, "branch", "leaf")), key=lambda box: (box[1], box[0]))
    for one, other in pairwise(boxes):
        assert one[1] < other[1] or one[2] < other[0]
    left, top, width, height = map(float, read(drawing).get("viewBox").split())
    assert all(left < box[0] and top < box[1] and box[2] < left + width and box[3] < top + height for box in boxes)
    tops = {box[1] for box in boxes}
    assert len(tops) == ft.depth(tree) + 1
    if leaf_charts:
        assert {frame(group)[1] for group in groups(drawing, "leaf")} == {max(tops)}


@given(trees_of_any(max_leaves=6).flatmap(renamed), st.booleans())
def test_texts_lie_inside_their_boxes_and_answers_below_their_titles(tree, leaf_charts):
    impurity = ft.entropy if tree.schema.has_classes else None
    for group in groups(ft.draw(tree, leaf_charts=leaf_charts, impurity=impurity), "branch", "leaf"):
        left, top, right, bottom = frame(group)
        _, *inner = group.iter(f"{SVG}rect")
        assert float(group.find(f"{SVG}text").get("y")) < min(float(each.get("y")) for each in inner)
        for each in group.iter(f"{SVG}text"):
            middle, line = float(each.get("x")), float(each.get("y"))
            half = text_width(each.text or "") / 2
            assert left <= middle - half
            assert middle + half <= right
            assert top < line < bottom


@given(trees_of_any())
def test_children_stand_below_their_parent_and_no_two_edges_of_a_level_cross(tree):
    drawing = ft.draw(tree)
    boxes = sorted(map(frame, groups(drawing, "branch", "leaf")), key=lambda box: (box[1], box[0]))
    edges = sorted(map(ends, groups(drawing, "edge")), key=lambda edge: (edge[1][1], edge[1][0]))
    tops = [(box[1], (box[0] + box[2]) / 2) for box in boxes[1:]]
    assert np.array([(end[1], end[0]) for _, end in edges]) == pytest.approx(np.array(tops), abs=0.11) if edges else not tops
    for start, end in edges:
        assert start[1] < end[1]
        assert any(box[0] <= start[0] <= box[2] and box[3] == pytest.approx(start[1]) for box in boxes)
    for (start, end), (next_start, next_end) in pairwise(edges):
        assert end[1] < next_end[1] or start[0] <= next_start[0]


def ends(edge):
    """Where the path of an edge starts, and where it ends."""
    found = [float(number) for number in re.findall(r"-?[\d.]+", edge.find(f"{SVG}path").get("d"))]
    return (found[0], found[1]), (found[6], found[8])


@given(trees())
def test_bars_of_one_length_have_the_colours_of_classes_and_are_divided_as_the_cases(tree):
    lengths = set()
    for group in groups(ft.draw(tree), "branch", "leaf"):
        told = dict(line.rsplit(": ", 1) for line in tooltip(group)[1:] if ": " in line)
        counts = [float(told.get(str(label), 0)) for label in tree.schema.classes]
        bars = [box for box in group.findall(f"{SVG}rect")[1:] if box.get("fill") != "none"]
        whole = sum(float(box.get("width")) for box in bars)
        widths = {colour(number): whole * count / sum(counts) for number, count in enumerate(counts) if count}
        assert {box.get("fill"): float(box.get("width")) for box in bars} == pytest.approx(widths, abs=0.2)
        lengths.add(group.findall(f"{SVG}rect")[-1].get("width"))
    assert len(lengths) == 1


@given(trees_of_any(), st.integers(0, 4), st.integers(1, 8))
def test_what_the_limits_leave_out_is_said(tree, max_depth, max_leaves):
    drawing = ft.draw(tree, max_depth=max_depth, max_leaves=max_leaves)
    ends = groups(drawing, "leaf", "closed")
    assert len(ends) <= max_leaves
    said = [int(lines(group)[-1].split()[1]) for group in groups(drawing, "closed")]
    assert sum(said) + len(groups(drawing, "leaf")) == ft.n_leaves(tree)
    assert len({frame(group)[1] for group in groups(drawing, "branch", "leaf", "closed")}) <= max_depth + 1


def test_dates_are_told_as_dates():
    days = ft.Dataset.from_columns({"day": [date(2026, 1, 1), date(2026, 1, 3)], "class": [0, 1]})
    assert [lines(edge)[0] for edge in groups(ft.draw(ft.grow(days)), "edge")] == ["≤ 2026-01-02", "> 2026-01-02"]


def test_the_legend_has_a_row_of_every_class_in_its_colour():
    tree = ft.Tree(ft.Schema((), "digit", range(30)), ft.Leaf(range(30)))
    keys = [group for group in read(ft.draw(tree)).findall(f"{SVG}g") if group.get("class") is None][1:]
    assert [key.find(f"{SVG}rect").get("fill") for key in keys] == [colour(number) for number in range(30)]
    assert [lines(key) for key in keys] == [[str(number)] for number in range(30)]
    assert len({key.find(f"{SVG}rect").get("y") for key in keys}) > 1


# Texts ------------------------------------------------------------------------------------------------------------


@given(trees_of_any(max_leaves=6).flatmap(renamed))
def test_any_name_leaves_the_picture_well_formed_and_stands_whole_in_a_tooltip(tree):
    drawing = ft.draw(tree)
    root = read(drawing)
    tags = ("svg", "style", "g", "title", "text", "rect", "path")
    assert {element.tag for element in root.iter()} <= {SVG + tag for tag in tags}
    classes = set(map(printable, tree.schema.classes))
    assert {tooltip(group)[0] for group in groups(drawing, "leaf")} <= (classes or {part.label for part in outline(tree)})
    told = {line for group in root.iter(f"{SVG}g") for line in tooltip(group)}
    assert classes | {printable(tree.schema.target)} <= told


# Layout -----------------------------------------------------------------------------------------------------------


def test_on_a_dark_screen_each_colour_of_the_frame_is_another_one():
    """Viewers of SVG that ignore styles show the light colours, which the elements name."""
    drawing = ft.draw(ft.grow(datasets.weather()), max_depth=1, theme="auto")
    style = read(drawing).findtext(f"{SVG}style")
    assert style.startswith("@media (prefers-color-scheme:dark){.ftree{fill:#E6EDF3}")
    named = {element.get(name) for element in read(drawing).iter() for name in ("fill", "stroke")} - {None, "none"}
    assert {shade for shade in named if f'"{shade}"' not in style} == {colour(0), colour(1)}


def test_a_theme_holds_whatever_the_screen_is():
    light, dark = (ft.draw(ft.grow(datasets.weather()), theme=theme).text for theme in ("light", "dark"))
    assert "<style>" not in light + dark
    assert "#15191E" in dark
    assert "#1F2328" not in dark
    assert re.sub("#[0-9A-F]{6}", "", light) == re.sub("#[0-9A-F]{6}", "", dark)


# The value --------------------------------------------------------------------------------------------------------


def test_a_notebook_shows_a_tree_as_its_drawing():
    tree = ft.grow(datasets.weather())
    drawing = ft.draw(tree, max_leaves=100)
    assert tree._repr_html_() == drawing._repr_html_()
    assert tree._repr_mimebundle_(include=None, exclude=None) == drawing._repr_mimebundle_()


def test_of_very_many_classes_a_drawing_names_some_in_its_legend():
    drawing = ft.draw(ft.Tree(ft.Schema((), "id", tuple(range(1000))), ft.Leaf((1,) * 1000)))
    *heights, last = re.findall(r'y="([0-9.]+)" text-anchor="start">(?:[0-9]+|… 960 more classes)</text>', drawing.text)
    assert float(last) > max(map(float, heights))
    assert drawing.text.count("<rect") < 1100


def long_names(tree):
    """The tree with names and values of many letters."""
    schema = tree.schema
    features = [
        evolve(each, name=f"{each.name} of the year before", values=[f"{value} as it was written" for value in each.values])
        for each in schema.features
    ]
    labels = [f"{label}, says everybody" for label in schema.classes]
    return ft.Tree(evolve(schema, features=features, classes=labels), tree.root)


def tooltips(drawing):
    return [tooltip(each) for each in groups(drawing, "leaf", "branch", "edge")]


@given(schemas(kinds=("nominal",)).flatmap(lambda schema: trees(schema=schema)), st.sampled_from([120, 400, 650, 2000]))
def test_a_picture_fits_a_width_and_tooltips_have_whole_texts(tree, width):
    tree = long_names(tree)
    whole, drawn = ft.draw(tree), ft.draw(tree, width=width)
    assert float(read(drawn).get("width")) <= width
    assert tooltips(drawn) == tooltips(whole)
    if float(read(whole).get("width")) <= width:
        assert drawn == whole


def test_texts_are_shortened_before_the_picture_is_made_smaller():
    tree = long_names(ft.grow(datasets.weather()))
    wide = float(read(ft.draw(tree)).get("width"))
    assert ft.draw(tree, width=wide) == ft.draw(tree)
    for narrower in (wide - 1, 0.8 * wide):
        page = read(ft.draw(tree, width=narrower))
        assert page.get("width") == page.get("viewBox").split()[2]
    stamp = read(ft.draw(tree, width=100))
    assert (stamp.get("width"), float(stamp.get("viewBox").split()[2]) > 200) == ("100", True)
    for width in (0, "wide", np.inf):
        with pytest.raises(ValueError, match="width must be None or a number of pixels above 0, got"):
            ft.draw(tree, width=width)
