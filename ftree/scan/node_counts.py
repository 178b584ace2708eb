"""Class counts of a tree's nodes for rows that are not in memory, in one scan of them."""

from functools import partial

import numpy as np

from ftree._lib.arrays import Array
from ftree.data.dataset import Dataset
from ftree.routing.count import count_cases
from ftree.scan.part_dataset import fold_datasets
from ftree.scan.parts import CountedParts, require_source
from ftree.tree.nodes import Counts, Tree, check_tree, level_order


def count_nodes(tree: Tree, source: CountedParts) -> list[Counts]:
    """Class counts of a source's rows at each node of a tree, in level order; rows without an answer are divided by weight.

    Raises a ValueError for a source with another schema than the tree's.

    >>> from ftree import grow
    >>> import pyarrow as pa
    >>> from ftree.scan import survey
    >>> source = survey(pa.table({"length": [12.5, 30.0, 28.5], "class": ["cod", "tuna", "tuna"]}))
    >>> count_nodes(grow(source), source)
    [(1, 2), (1, 0), (0, 2)]
    """
    check_tree(tree)
    require_source(source)
    if source.summary.schema != tree.schema:
        message = "source must have the schema of the tree, got another one. Survey it with the tree's kinds and classes."
        raise ValueError(message)
    counts: Array = fold_datasets(source, partial(_counts, tree, float(sum(source.summary.class_counts))), np.add)
    whole = counts.astype(np.int64)
    rows = (whole if (counts == whole).all() else counts).tolist()
    return list(map(tuple, rows))


def _counts(tree: Tree, total: float, dataset: Dataset) -> Array:
    return np.array(count_cases(*level_order(tree.root), dataset.recoded(tree.schema), total=total), dtype=np.float64)
