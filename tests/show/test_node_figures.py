"""What nodes of a drawing show besides their answers: impurities and gains, and histograms of rows."""

import re
from itertools import permutations

import numpy as np
import pytest
from drawings import SVG, groups, lines, sides
from hypothesis import given
from hypothesis import strategies as st

import ftree as ft
from ftree import datasets
from ftree.criteria import poisson, variance
from ftree.show.node_figures import histograms
from ftree.show.outline import outline
from ftree.testing import datasets as tables
from ftree.testing import schemas


def test_nodes_show_the_impurity_and_the_gain_that_scores_show():
    days = datasets.weather()
    root, *_ = groups(ft.draw(ft.grow(days), impurity=ft.entropy), "branch")
    assert lines(root)[-1] == f"entropy 0.94, gain {ft.scores(days).rows[0].gain:.3g}"
    assert [lines(leaf)[-1] for leaf in groups(ft.draw(ft.grow(days), impurity=ft.gini), "leaf")] == ["gini 0"] * 5


def test_nodes_without_classes_show_the_loss_of_a_case_in_the_unit_of_the_target():
    miles = [10.5, 12.25, 20.0, 21.0]
    tree = ft.grow(ft.Dataset.from_rows([[1], [2], [3], [4]], miles, kinds="numeric"), ft.CART.stopping(ft.stop.max_depth(1)))
    drawing, within = ft.draw(tree, impurity=variance), [np.var(miles[:2]), np.var(miles[2:])]
    (root,) = groups(drawing, "branch")
    assert lines(root)[-1] == f"variance {np.var(miles):.3g}, gain {np.var(miles) - np.mean(within):.3g}"
    assert [lines(leaf)[-1] for leaf in groups(drawing, "leaf")] == [f"variance {own:.3g}" for own in within]
    for wrong in (ft.gini, poisson):
        with pytest.raises(ValueError, match="impurity must be variance, or left out, for a regression tree, got "):
            ft.draw(tree, impurity=wrong)
    with pytest.raises(
        ValueError, match="impurity must be a function of class counts, such as gini, for a tree of classes, got var"
    ):
        ft.draw(ft.grow(datasets.weather()), impurity=variance)


RESPONSES = st.sampled_from(["classes", "numbers", "events"])


@given(RESPONSES.flatmap(lambda kind: schemas(kinds=["numeric"], response=kind)).flatmap(lambda schema: tables(schema=schema)))
def test_a_histogram_has_all_rows_of_its_node_a_line_at_its_cut_and_no_bar_outside_of_its_box(data):
    tree = ft.grow(data, ft.CART)
    shown = outline(tree)
    for number, chart in histograms(tree.schema, shown, data).items():
        counted = chart.counts.sum(axis=0).tolist()
        assert sum(counted) == pytest.approx(shown[number].cases)
        if tree.schema.has_classes:
            assert counted == pytest.approx(list(shown[number].node.counts[: len(counted)]))
        assert all(0 < cut < 1 for cut in chart.cuts)
    for group in groups(ft.draw(tree, dataset=data), "branch"):
        (_, top, _, low), *bars = map(sides, group.findall(f"{SVG}rect"))
        assert all(top < bar[1] < bar[3] < low for bar in bars)


def test_each_branch_that_cuts_a_number_is_drawn_with_its_histogram():
    """Closed branches, and those of texts, have none."""
    days = datasets.weather()
    assert histograms(days.schema, outline(ft.grow(days)), days) == {}
    table = ft.Dataset.from_columns({"x": [1.0, 2, 3, 4], "sky": list("abab"), "class": ["no", "yes", "yes", "no"]})
    tree = ft.grow(table, ft.CART)
    cuts = [len(re.findall('<path d="M[^"]*v', ft.draw(tree, dataset=table, max_depth=deep).text)) for deep in (0, None)]
    assert cuts == [0, 2]
    assert {"1", "4"} <= {text for group in groups(ft.draw(tree, dataset=table), "branch") for text in lines(group)}


def test_a_histogram_counts_the_tree_s_classes_whatever_their_order_in_the_dataset():
    rows, labels = [[1.0], [2.0], [3.0], [4.0]], ["no", "yes", "yes", "yes"]
    tree = ft.grow(ft.Dataset.from_rows(rows, labels))
    for classes in permutations(["maybe", "no", "yes"]):
        other = ft.Dataset.from_rows(rows, labels, classes=classes)
        assert histograms(tree.schema, outline(tree), other)[0].counts.sum(axis=0).tolist() == [1, 3]
