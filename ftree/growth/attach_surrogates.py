"""`attach_surrogates`: surrogates for the splits of a finished tree, such as an optimal one, as growth would choose them."""

from ftree.criteria.frontier import Frontier, Nodes
from ftree.data.dataset import Dataset
from ftree.data.labelled import as_dataset
from ftree.growth.assemble import root_of
from ftree.growth.engines.engine import EngineSetup
from ftree.growth.engines.plain_engine import plain
from ftree.growth.levels import numbers_of_children
from ftree.splitters.surrogates import surrogates
from ftree.tree.nodes import Branch, Node, Tree, check_tree, children, new_tree


def attach_surrogates(tree: Tree, dataset: Dataset, *, at_most: int = 5, min_cases: float | None = None) -> Tree:
    """The tree with surrogates for its binary splits, found in a dataset, and with the dataset's counts.

    A row whose value is missing then follows the first surrogate with a known value, or else the majority. Each split gets the
    surrogates that growth with `surrogates(everywhere=True)` gives to the same split of the same cases, `at_most` of them, each
    with `min_cases` as there. Splits with several children, and those that state the child of missing values, are unchanged.

    Raises a ValueError for a number of surrogates that is not a whole number from 0, and for a class that the tree does not have;
    a KeyError for a feature that the dataset lacks.

    Source: Breiman et al. 1984, section 5.3.

    >>> table = Dataset.from_rows([[0, 0], [0, 0], [1, 1], [1, 1]], list("ppqq"), kinds="numeric")
    >>> from ftree import grow, predict
    >>> tree = attach_surrogates(grow(table), table)
    >>> predict(tree, [[None, 1]])
    ['q']
    """
    check_tree(tree)
    table = as_dataset(tree.schema, dataset).recoded(tree.schema)
    policy = surrogates(at_most=at_most, min_cases=min_cases).fitting(table)
    every, engine, levels = range(len(tree.schema.features)), plain(table, EngineSetup()), list[Frontier]()
    nodes: tuple[Node, ...] = (tree.root,)
    while nodes:
        bare = [node.split if isinstance(node, Branch) else None for node in nodes]
        splits = policy.add_surrogates(bare, engine, tree.schema.features, every)
        levels.append(Nodes(len(levels), engine.totals()).decided(splits, None, numbers_of_children(splits), None))
        nodes = tuple(child for node in nodes for child in children(node))
        engine = engine.advance(splits) if nodes else engine
    return new_tree(tree.schema, root_of(levels, None if tree.schema.has_classes else tree.schema.response), missing=tree.missing)
