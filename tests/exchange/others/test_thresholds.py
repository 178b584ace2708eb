"""Trees of any kind as thresholds: they predict the same."""

import numpy as np
from hypothesis import given

from ftree import Branch, Dataset, Feature, Leaf, Schema, Tree, n_leaves, predict
from ftree.exchange import to_thresholds
from ftree.testing import export_rows, trees
from ftree.tree import Surrogate, Threshold, WithSurrogates, preorder


def dataset_of(tree, rows):
    """The rows in the tree's own codes, all of the first class."""
    columns = []
    for feature, cells in zip(tree.schema.features, zip(*rows, strict=True), strict=True):
        codes = {value: code for code, value in enumerate(feature.values)}
        is_number = feature.kind == "numeric"
        columns.append(
            np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
            if is_number
            else np.array([codes.get(cell, -1) for cell in cells])
        )
    return Dataset(tree.schema, columns, np.zeros(len(rows), dtype=np.int64 if tree.schema.has_classes else np.float64))


def check_same_answers(tree, dataset):
    lowered, table = to_thresholds(tree, dataset)
    assert predict(lowered, table, missing="heaviest").tolist() == predict(tree, dataset, missing="heaviest").tolist()
    assert all(isinstance(node, Leaf) or node.split.n_children == 2 for node in preorder(lowered.root))
    assert {feature.kind for feature in table.schema.features} <= {"numeric"}
    return lowered, table


def test_every_split_type_becomes_thresholds(mixed_tree):
    lowered, table = check_same_answers(mixed_tree, dataset_of(mixed_tree, export_rows(mixed_tree, n=2000)))
    assert n_leaves(lowered) == n_leaves(mixed_tree)
    assert [feature.name for feature in table.schema.features][:2] == ["x", "y"]


@given(trees(max_leaves=8) | trees(max_leaves=8, response="numbers"))
def test_any_tree_becomes_thresholds(tree):
    check_same_answers(tree, dataset_of(tree, export_rows(tree, n=50)))


def test_questions_of_one_text_with_other_answers_have_columns_of_their_own():
    schema = Schema([Feature("x", "numeric"), Feature("y", "numeric")], "x <= 0", ("no", "yes"))
    ends = Leaf((2, 0)), Leaf((0, 3))
    first, second = (WithSurrogates(Threshold(0, 0), [Surrogate(Threshold(1, at), reversed=False)]) for at in (1, 2))
    tree = Tree(schema, Branch((4, 3), first, (Leaf((2, 0)), Branch((2, 3), second, ends))))
    rows = [[None, 1.5], [1.0, 0.0], [-1.0, 0.0], [None, 0.5], [None, 3.0]]
    _, table = check_same_answers(tree, dataset_of(tree, rows))
    names = [feature.name for feature in table.schema.features]
    assert names[:2] == ["x", "y"]
    assert len(set(names)) == len(names) == 4
