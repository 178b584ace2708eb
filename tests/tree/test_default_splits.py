"""Splits with a child for missing values: `WithDefault` and `IsMissing` keep the laws of splits, and every reader knows them."""

import numpy as np
import pyarrow as pa
import pytest
from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

import ftree as ft
from ftree.routing.descent import numpy_leaf_numbers
from ftree.routing.flat import flat
from ftree.routing.reach import native_leaf_numbers, reach
from ftree.splitters import as_branch
from ftree.testing import datasets, trees
from ftree.tree import IsMissing, Multiway, Subset, Threshold, WithDefault
from ftree.tree.conditions import Missing, Opaque
from ftree.tree.splits import bits, child_of, renumbered, table_form

SCHEMA = ft.Schema(
    [
        ft.Feature("wind", "numeric"),
        ft.Feature("sky", "nominal", ("grey", "blue", "red")),
        ft.Feature("size", "ordinal", ("S", "M", "L")),
    ],
    "class",
    ("no", "yes"),
)
GROWN = st.builds(ft.grow, datasets(missing=True), st.just(evolve(ft.CART, missing=as_branch())))


CALM = ft.Branch((2, 2), WithDefault(Threshold(0, 3.0), default_child=1), [ft.Leaf((2, 0)), ft.Leaf((0, 2))])
TREE = ft.Tree(SCHEMA, ft.Branch((3, 2), IsMissing(1), [CALM, ft.Leaf((1, 0))]))


def test_text_says_where_missing_values_go():
    assert str(TREE).splitlines() == [
        "sky is known",
        "|   wind <= 3: no (2.0)",
        "|   wind > 3 or wind is missing: yes (2.0)",
        "sky is missing: no (1.0)",
    ]
    own = ft.Branch(
        (1, 1), WithDefault(Multiway(1, (0, 1)), default_child=2), [ft.Leaf((1, 0)), ft.Leaf((0, 1)), ft.Leaf((0, 0))]
    )
    apart = ft.Tree(SCHEMA, own)
    assert [line.partition(":")[0] for line in str(apart).splitlines()] == ["sky = grey", "sky = blue", "sky is missing"]


def test_paths_and_rows_follow_the_default():
    rows = [[None, "grey", "S"], [2.0, "grey", "S"], [2.0, None, "S"], [2.0, "pink", "S"]]
    assert ft.predict(TREE, rows) == ["yes", "no", "no", "no"]
    assert ft.predict_counts(TREE, rows[2:]).tolist() == [[1, 0], [3, 0]], "an unseen value is not a missing one"
    assert ft.predict_counts(TREE, rows[3], unseen="missing").tolist() == [1, 0]
    assert ft.path_of(TREE, rows[0]).reasons == ("sky is known", "(wind > 3 or wind is missing)")
    assert ft.path_of(TREE, rows[2]).path == (1,)
    labels, names = ["yes", "no", "no", "no"] * 30_000, ["wind", "sky", "size"]
    many = ft.Dataset.from_rows(rows * 30_000, labels, features=names, kinds={"size": ("S", "M", "L")})
    assert list(ft.predict(TREE, many)[:4]) == ["yes", "no", "no", "no"]
    assert ft.recount(TREE, many).root.children[0].counts == pytest.approx((30_000 + 30_000 * 4 / 5, 30_000))
    assert ft.recount(TREE, many, unseen="missing").root.children[0].counts == (30_000, 30_000)


def ends(node, cells):
    """The leaves that a row reaches by all routes: the definition. A cell has a code or a number, None, or is unseen."""
    if isinstance(node, ft.Leaf):
        return [node]
    split, own = node.split, [cells[feature] for feature in node.split.features]
    columns = [np.array([cell if isinstance(cell, (int, float)) else np.nan]) for cell in own]
    lost = UNSEEN in own and len(own) == 1 and not getattr(split, "unseen", False)
    child = -1 if lost else int(child_of(split, *columns)[0])
    return [end for kid in (node.children if child < 0 else [node.children[child]]) for end in ends(kid, cells)]


UNSEEN = "never seen"


@given(trees(min_count=1) | GROWN, st.data())
def test_an_unseen_value_beside_missing_ones_goes_by_the_rule(tree, data):
    cells = [
        st.sampled_from([*feature.values, None, UNSEEN]) if feature.values else st.integers(0, 8).map(lambda n: n / 2) | st.none()
        for feature in tree.schema.features
    ]
    rows = [list(row) for row in data.draw(st.lists(st.tuples(*cells), min_size=1, max_size=8))]
    coded = [
        [
            feature.values.index(cell) if cell in feature.values else cell
            for feature, cell in zip(tree.schema.features, row, strict=True)
        ]
        for row in rows
    ]
    wanted = [np.sum([end.counts for end in ends(tree.root, each)], axis=0) for each in coded]
    named = {f.name: list(column) for f, column in zip(tree.schema.features, zip(*rows, strict=True), strict=True)}
    for form in (rows, pa.table(named).to_reader()):
        counts = ft.predict_counts(tree, form, missing="all_routes")
        assert np.asarray(counts).tolist() == pytest.approx(np.array(wanted))
    reached = reach(tree, rows)
    ways = numpy_leaf_numbers, native_leaf_numbers
    assert len({tuple(way(reached.nodes, reached.columns, len(rows)).tolist()) for way in ways if reached.nodes.compiled}) <= 1
    as_missing = [[None if cell == UNSEEN else cell for cell in row] for row in rows]
    assert (ft.predict_counts(tree, rows, unseen="missing") == ft.predict_counts(tree, as_missing)).all()
    labelled = {**named, tree.schema.target: [tree.schema.classes[0]] * len(rows)}
    again = ft.recount(tree, labelled, missing="heaviest")
    for row in rows:
        way = ft.path_of(tree, row, missing="heaviest")
        assert sum(ft.tree.node_at(again, way.path).counts) >= 1
        assert ft.explain_row(tree, row, missing="heaviest").path == way.path


@frozen
class AnswersAll:
    """A split that has an answer for missing values too, which its conditions do not tell."""

    features = (0,)
    n_children = 2

    @property
    def conditions(self):
        return tuple(Opaque(self, child, f"answer {child}") for child in range(2))

    def child(self, column):
        return np.isnan(column).astype(int)


def test_a_split_of_ones_own_may_answer_missing_values_itself():
    split = WithDefault(AnswersAll(), default_child=0)
    assert split.child(np.array([1.0, np.nan])).tolist() == [0, 1]
    (first, others), (missing, _) = split.conditions[0].pairs
    assert first == AnswersAll().conditions[0], "not: or the value is missing"
    assert others == AnswersAll().conditions[1]
    assert missing == Missing(0)


def test_the_inner_one_of_two_defaults_answers_first():
    inner = WithDefault(Threshold(0, 3.0), default_child=1)
    twice = WithDefault(inner, default_child=0)
    column = np.array([2.0, 4.0, np.nan])
    assert twice.child(column).tolist() == inner.child(column).tolist() == [0, 1, 1]
    assert table_form(twice) == table_form(inner)


def test_a_default_costs_no_bits_and_moves_with_its_split():
    assert renumbered(WithDefault(Threshold(0, 3.0), default_child=1), (2, 0, 1), 3).split == Threshold(2, 3.0)
    assert bits(WithDefault(Subset(1, (0,)), default_child=1), 3) == bits(Subset(1, (0,)), 3)
    assert bits(IsMissing(1), 3) == 0
    assert ft.importances(TREE)["sky"] > 0


@given(st.sampled_from([Multiway(0, (0, 1)), Multiway(0, (2, 0)), Subset(0, (0, 2))]), st.data())
def test_a_default_within_a_default_has_the_child_that_its_question_tells(split, draws):
    for _ in range(draws.draw(st.integers(1, 3))):
        split = WithDefault(split, default_child=draws.draw(st.integers(0, 1)), unseen=draws.draw(st.booleans()))
    codes, form = np.array([-1, 0, 1, 2, 3, 9]), table_form(split)
    told = dict(zip(form.codes, form.children, strict=True)) | {-1: form.default_child}
    assert child_of(split, codes).tolist() == [told.get(code, form.other_child) for code in codes.tolist()]
    leaves = [ft.Leaf((1, 0))] * 2
    root = ft.Tree(ft.Schema([ft.Feature("sky", "nominal", "abcdefghij")], "class", (0, 1)), ft.Branch((2, 0), split, leaves))
    columns = [codes]
    assert native_leaf_numbers(flat(root), columns, 6).tolist() == numpy_leaf_numbers(flat(root), columns, 6).tolist()
