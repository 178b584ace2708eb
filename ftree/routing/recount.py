"""A tree with the counts of another dataset, and a tree with its thresholds at observed values."""

from ftree._lib.gc_pause import gc_paused
from ftree.data.column_changes import recoded_columns
from ftree.data.dataset import Dataset
from ftree.data.labelled import as_dataset
from ftree.data.unseen import Unseen
from ftree.routing.count import count_cases, with_counts
from ftree.routing.moved_thresholds import at_values, values_of_columns
from ftree.routing.rule_names import Missing, as_prediction_rule
from ftree.routing.shares import SIZES, whole_shares
from ftree.tree.build import new_tree
from ftree.tree.nodes import Tree, check_tree, level_order


@gc_paused()
def recount(tree: Tree, dataset: Dataset, *, missing: Missing = "weighted", unseen: Unseen = "missing") -> Tree:
    """The tree with the counts of another dataset or table, matched by column name; its splits are unchanged.

    A row without an answer goes to all children in proportion to the tree's own counts (`weighted`), to the largest
    child (`heaviest`), or by another rule whose shares add up to 1. Thus a branch has the sum of its children's counts.
    A value that the tree's schema does not know counts as missing, unless `unseen` is "raise".

    Raises a ValueError for a rule whose shares do not add up to 1, and for a class that the tree does not have; a KeyError for
    a feature that the dataset lacks.

    >>> from ftree import grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"]))
    >>> recount(tree, Dataset.from_rows([["sunny"], ["sunny"]], ["play", "stay"])).root.children[1]
    Leaf(counts=(1, 1))
    """
    rule = as_prediction_rule(missing)
    whole_shares(rule, SIZES)
    check_tree(tree)
    nodes, below = level_order(tree.root)
    counts = count_cases(nodes, below, as_dataset(tree.schema, dataset, unseen=unseen).recoded(tree.schema), rule=rule)
    return new_tree(tree.schema, with_counts(nodes, below, counts, shared=False)[0], missing=tree.missing)


def at_observed(tree: Tree, dataset: Dataset) -> Tree:
    """The tree with each numeric threshold moved down to the largest value of the dataset that is not above it.

    Values that differ from a threshold by a rounding error count as equal to it. Every row of the dataset goes to the same
    leaf as before. A threshold below all values is unchanged.

    Raises a KeyError for a feature that the dataset lacks.

    Source: Quinlan 1993, section 2.4.

    >>> from ftree import grow
    >>> data = Dataset.from_rows([[1.0], [2.0]], ["low", "high"])
    >>> at_observed(grow(data), data).root.split
    Threshold(feature=0, at=1.0)
    """
    check_tree(tree)
    columns = recoded_columns(as_dataset(tree.schema, dataset), tree.schema.features)
    return at_values(tree, values_of_columns(columns))
