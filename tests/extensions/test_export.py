"""A user's export: a table of nodes, children first, as other programs store trees of thresholds."""

from ftree import Feature, Schema, fold, grow, majority
from ftree.testing import check_export, datasets

NUMBERS = Schema([Feature("x", "numeric"), Feature("y", "numeric")], "class", ("no", "yes"))


def to_table(tree):
    """Rows (label, feature, threshold, left, right); the root is the last row."""
    rows = []

    def add(*row):
        rows.append(row)
        return len(rows) - 1

    def branch(node, below):
        return add(None, node.split.feature, node.split.at, *below)

    fold(tree, lambda leaf: add(tree.schema.classes[majority(leaf.counts)]), branch)
    return rows


def look_up(table, point):
    """The label of a point."""
    row = table[-1]
    while row[0] is None:
        _, feature, at, left, right = row
        row = table[left if point[feature] <= at else right]
    return row[0]


def test_it_predicts_what_the_tree_predicts():
    check_export(
        to_table,
        predict=lambda table, rows: [look_up(table, row) for row in rows],
        given_trees=datasets(schema=NUMBERS).map(grow),
        exempt={"missing", "deep"},
    )
