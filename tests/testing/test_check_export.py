"""The check of exports: the library's pass, and exports that break a law are detected."""

import re

import numpy as np
import pytest
from hypothesis import strategies as st

import ftree as ft
from ftree.exchange import export_nodes
from ftree.testing import chain, check_export, trees
from ftree.tree import Multiway, Threshold

catches = pytest.mark.usefixtures("unshrunk")


def test_a_tree_is_its_own_export():
    check_export(lambda tree: tree, from_=lambda tree, _: tree)


def refusing(told):
    """An export that refuses deep trees by a sentence with their depth."""

    def export(tree):
        if (levels := ft.depth(tree)) > 5000:
            raise ValueError(told.format(levels))
        return tree

    return export


def test_an_export_may_refuse_a_depth_by_its_number():
    check_export(refusing("tree must be at most 5000 deep, got {}"), given_trees=st.just(ONE_SPLIT))
    with pytest.raises(AssertionError, match="an export with a limit of depth names the depth that it refuses"):
        check_export(refusing("too deep"), given_trees=st.just(ONE_SPLIT))


@pytest.mark.parametrize("missing", ["heaviest", "stop"])
def test_paths_predict_what_the_tree_predicts(missing):
    def by_paths(tree, rows):
        return [ft.path_of(tree, row, missing=missing).label for row in rows]

    check_export(lambda tree: tree, predict=by_paths, missing=missing, exempt={"deep"})


def strictly(tree, rows):
    """A prediction that is right except for rows at a threshold, one half."""
    return [ft.predict(tree, row if row == [None] else [row[0] + 0.25]) for row in rows]


def rounded(tree, rows):
    """A prediction by the threshold with six decimals."""
    split = Threshold(0, round(tree.root.split.at, 6))
    return ft.predict(ft.evolve(tree, root=ft.Branch(tree.root.counts, split, tree.root.children)), rows)


ONE_SPLIT = ft.Tree(
    ft.Schema([ft.Feature("x", "numeric")], "class", ("no", "yes")),
    ft.Branch((2, 3), Threshold(0, 1.5), [ft.Leaf((2, 0)), ft.Leaf((0, 3))]),
)
XY = ft.Schema([ft.Feature(name, "numeric") for name in "xy"], "class", (0, 1))
SKY = ft.Tree(
    ft.Schema([ft.Feature("sky", "nominal", ("blue", "grey", "red"))], "class", ("no", "yes")),
    ft.Branch((2, 3), Multiway(0, (0, 1)), [ft.Leaf((2, 0)), ft.Leaf((0, 3))]),
)


def first_where(is_gap):
    """A prediction of the first class for rows with a gap at one of their splits, which is right otherwise."""

    def label(tree, row):
        unanswered = isinstance(ft.path_of(tree, row, missing="stop").node, ft.Branch)
        return tree.schema.classes[0] if unanswered and is_gap(row) else ft.predict(tree, row)

    return lambda tree, rows: [label(tree, row) for row in rows]


def by_words_of_names(tree, rows):
    """A prediction for features by their names without punctuation, which two of them may share."""
    places = {re.sub(r"\W", "_", feature.name): place for place, feature in enumerate(tree.schema.features)}
    told = [places[re.sub(r"\W", "_", feature.name)] for feature in tree.schema.features]
    return ft.predict(tree, [[row[place] for place in told] for row in rows])


@catches
@pytest.mark.parametrize(
    ("predict_wrongly", "given_trees", "law"),
    [
        (strictly, st.just(chain(8)), "on rows to which every split gives a child"),
        (rounded, st.just(ONE_SPLIT), "on rows to which every split gives a child"),
        (first_where(lambda row: None in row), st.just(ONE_SPLIT), 'on rows with missing values(.|\n)*exempt={"missing"}'),
        (first_where(lambda row: None not in row), st.just(SKY), 'on rows with unseen values(.|\n)*exempt={"unseen"}'),
        (by_words_of_names, trees(schema=XY), r'on rows(.|\n)*exempt={"(names|missing)"}'),
    ],
)
def test_an_export_that_predicts_otherwise_is_caught(predict_wrongly, given_trees, law):
    with pytest.raises(AssertionError, match=f"an export predicts what the tree predicts {law}"):
        check_export(lambda tree: tree, predict=predict_wrongly, given_trees=given_trees)


def recursive(tree):
    """Nested tuples by Python's recursion."""

    def nested(node):
        return (node.counts, *map(nested, getattr(node, "children", ())))

    return nested(tree.root)


def test_an_export_that_calls_itself_is_caught():
    with pytest.raises(AssertionError, match="a tree 20000 deep survives its export"):
        check_export(recursive, given_trees=st.just(ONE_SPLIT))
    check_export(recursive, given_trees=st.just(ONE_SPLIT), exempt={"deep"})


def forgotten(tree):
    return tree if ft.depth(tree) < 2 else ONE_SPLIT


@catches
@pytest.mark.parametrize(
    ("to", "options", "law"),
    [
        (ft.to_dict, {"from_": ft.from_dict}, "an export is read as an equal tree"),
        (lambda tree: tree, {"from_": lambda tree, _: forgotten(tree)}, "a deep export is read"),
        (lambda tree: tree, {"predict": lambda tree, rows: ft.predict(forgotten(tree), rows)}, "a deep export predicts"),
    ],
)
def test_an_export_that_loses_something_is_caught(to, options, law):
    shallow = {"given_trees": st.just(ONE_SPLIT), "exempt": {"names"}} if "deep" in law else {}
    with pytest.raises(AssertionError, match=law):
        check_export(to, **options, **shallow)


def by_steps(tree, missing):
    """An export that can express one route, and reads splits by their conditions."""
    if missing not in ("heaviest", "stop_here"):
        message = f"missing must follow one route, got {missing}."
        raise ValueError(message)
    return tree, export_nodes(tree, missing=missing).rule


def answers_by(of):
    return lambda made, rows: of(
        made[0],
        [[min(max(cell, -1e300), 1e300) if isinstance(cell, float) else cell for cell in row] for row in rows],
        missing=made[1],
    )


def test_an_export_of_some_rules_passes():
    check_export(
        by_steps,
        predict=answers_by(ft.predict),
        counts=answers_by(ft.predict_counts),
        rules=["heaviest", "stop_here"],
        exempt={"deep"},
    )


def not_of_infinite_numbers(made, rows):
    labels = zip(rows, answers_by(ft.predict)(made, rows), strict=True)
    return ["?" if np.inf in row or -np.inf in row else label for row, label in labels]


@catches
@pytest.mark.parametrize(
    ("to", "wrong", "law"),
    [
        (
            lambda tree, missing: (tree, export_nodes(tree, missing=missing).rule),
            {"given_trees": st.just(ONE_SPLIT)},
            "an export refuses by its name a rule that it cannot express",
        ),
        (by_steps, {"predict": not_of_infinite_numbers, "given_trees": st.just(ONE_SPLIT)}, "tree predicts on infinite numbers"),
        (
            by_steps,
            {"counts": lambda *made: answers_by(ft.predict_counts)(*made).astype(int)},
            "an export has the counts that the tree predicts",
        ),
        (
            by_steps,
            {"predict": answers_by(lambda tree, rows, missing: ft.predict(tree, rows, missing=missing and "all_routes"))},
            "an export predicts",
        ),
    ],
)
def test_an_export_that_breaks_a_law_of_rules_is_caught(to, wrong, law):
    right = {"predict": answers_by(ft.predict), "counts": answers_by(ft.predict_counts)}
    with pytest.raises(AssertionError, match=law):
        check_export(to, **right | wrong, rules=["heaviest", "stop_here"], exempt={"deep"})


@pytest.mark.parametrize(
    ("refused", "law"),
    [("is even", "an export reads a user's split by its condition"), ("", "an export refuses an opaque split by its name")],
)
def test_an_export_without_users_splits_is_caught_and_told_how_to_be_exempt(refused, law):
    """It refuses those that it must read, or answers for those that it must refuse."""

    def to(tree, missing):
        if refused and isinstance(tree.root, ft.Branch) and not isinstance(tree.root.split, Threshold):
            raise ValueError("only thresholds")
        by_steps(tree if "is even" not in str(tree) else ONE_SPLIT, missing)
        return tree, missing

    options = {"predict": answers_by(ft.predict), "rules": ["heaviest", "stop_here"], "given_trees": st.just(ONE_SPLIT)}
    with pytest.raises(AssertionError, match=law + '.*exempt={"users_splits"}'):
        check_export(to, **options, exempt={"deep"})
    check_export(to, **options, exempt={"deep", "users_splits"})
