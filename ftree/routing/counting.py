"""A tree with the counts of another dataset, or with thresholds at its values; class counts at every node."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from attrs import evolve

from ftree._lib.arrays import Array, Floats, blocks_of, times_and_fractions
from ftree._lib.objects import gc_paused
from ftree.data.changes import recoded_columns, with_response
from ftree.data.dataset import Dataset, require_dataset
from ftree.data.dataset_fields import unit_of
from ftree.data.labelled import Unseen, as_dataset
from ftree.data.targets import ResponseChoice
from ftree.routing.descent import descend
from ftree.routing.flat import flat, flat_of_sums, flat_of_tree
from ftree.routing.missing_rules import SIZES, MissingRule, rule_for, weighted, whole_shares
from ftree.routing.reach import leaf_numbers, with_answers_for_unseen
from ftree.tree.edit import tree_with_counts, with_children
from ftree.tree.fold import fold
from ftree.tree.nodes import Branch, Node, PredictionRule, Tree, check_tree, level_order, new_tree
from ftree.tree.response import Counts, all_whole_numbers
from ftree.tree.schema import Schema, names_of, response_of_sums
from ftree.tree.splits.split import UNKNOWN, Columns, with_observed


@gc_paused()
def recount(
    tree: Tree,
    dataset: Dataset,
    *,
    response: ResponseChoice = None,
    missing: MissingRule | None = None,
    unseen: Unseen = "rule",
) -> Tree:
    """The tree with the counts of another dataset or table, matched by column name; its splits are unchanged.

    A row without an answer goes to all children in proportion to the tree's own counts (`weighted`), to the largest
    child (`heaviest`), or by another rule whose shares add up to 1; None is the tree's own rule, or `weighted` where that has
    other shares. Thus a branch has the sum of its children's counts. The rows that a tree grew from give back an equal tree,
    whatever their weights; only where growth divided rows among children by shares (`ignore`, or surrogates of a split with
    more than two children) do fractions differ by rounding.
    A value that the tree's schema does not know has no answer; `unseen` is as for `predict`.

    The sums of numbers count from the dataset's smallest number, so the tree has the response of the dataset.

    With a `response`, as `Dataset.from_columns` takes it, the tree gets other answers: those of the dataset's target, whatever
    it answered before. Features that the response reads are features no more, unless its answers depend on them.

    Raises a ValueError for a rule whose shares do not add up to 1, and for a class that the tree does not have; a KeyError for
    a feature that the dataset lacks; a TypeError for a `response` with anything but a Dataset.

    >>> from ftree import grow
    >>> tree = grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"]))
    >>> recount(tree, Dataset.from_rows([["sunny"], ["sunny"]], ["play", "stay"])).root.children[1]
    Leaf(counts=(1, 1))
    >>> ages = Dataset.from_rows([["sunny"], ["sunny"], ["rainy"]], [20.5, 24.5, 60.5], target="age")
    >>> print(recount(tree, ages, response="numbers"))
    x0 = rainy: 60.5 (1.0)
    x0 = sunny: 22.5 (2.0)
    """
    check_tree(tree)
    if response is not None:
        require_dataset(dataset)
        dataset = with_response(dataset, response)
        tree = for_target(tree, dataset.schema)
    rule = rule_for(tree, missing)
    if missing is not None:
        whole_shares(rule, SIZES)
    elif not flat_of_tree(tree).shares(rule).gives_whole:
        rule = _WEIGHTED
    seeing, data = rows_to_count(tree, as_dataset(tree.schema, dataset, unseen=unseen), unseen, rule)
    counts = count_cases(seeing.root, data, rule=rule)
    schema = tree.schema if tree.schema.has_classes else evolve(tree.schema, response=data.schema.response)
    return tree_with_counts(new_tree(schema, tree.root, missing=tree.missing), counts)


def for_target(tree: Tree, schema: Schema) -> Tree:
    """The tree for the target of a dataset's schema; nodes keep their sizes, by which rows without an answer are divided.

    >>> from ftree import Leaf
    >>> from ftree.tree import numbers
    >>> for_target(Tree(Schema((), "ride", ("no", "yes")), Leaf((3, 1))), Schema((), "mpg", (), response=numbers())).root
    Leaf(counts=(4, 0, 0))
    """
    weight, channels = tree.schema.response.weight, schema.response.channels
    counts = np.zeros((len(nodes := level_order(tree.root)[0]), len(channels)))
    counts[:, 0] = [weight(node.counts) for node in nodes]
    known = names_of(tree.schema.features)
    needed = [each for each in schema.features if each.name in schema.response.row_features and each.name not in known]
    own = evolve(schema, features=[*tree.schema.features, *needed])
    return tree_with_counts(new_tree(own, tree.root, missing=tree.missing), all_whole_numbers(counts))


def rows_to_count(
    tree: Tree, dataset: Dataset, unseen: Unseen = "rule", rule: PredictionRule | None = None
) -> tuple[Tree, Dataset]:
    """The rows in the codes of a tree, and the tree that sees values without codes.

    Numbers have their own response, whose sums have parts if the tree divides cases, or divided them in growth.

    Raises a ValueError for a class that the tree does not have, or a target of another kind.
    """
    tree, data = recoded_for(tree, dataset, unseen)
    if data.schema.has_classes:
        return tree, data
    fitting = response_of_sums(dataset.schema).fitting(dataset.target_column, *dataset.further_targets)
    data = evolve(data, schema=evolve(tree.schema, response=fitting))
    divided = response_of_sums(tree.schema).part < 1
    if not divided and (rule is None or flat_of_tree(tree).shares(rule).divides):
        divided = bool((leaf_numbers(flat(tree), data.columns, len(data)) == UNKNOWN).any())
    from ftree.data.channels import in_parts  # noqa: PLC0415  # trees of classes do without it

    return tree, in_parts(data, divided=divided)


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


def values_of_columns(columns: Columns) -> list[Floats | None]:
    """The distinct known values of each column of numbers, sorted; None for other columns.

    >>> import numpy as np
    >>> values_of_columns((np.array([2.0, np.nan, 1.0, 2.0]), np.array([0, 1])))
    [array([1., 2.]), None]
    """
    return [np.unique(column[~np.isnan(column)]) if column.dtype.kind == "f" else None for column in columns]


def at_values(tree: Tree, values: Sequence[Floats | None]) -> Tree:
    """The tree with each threshold moved down to the largest of a feature's sorted values that is not above it.

    Features with None keep their thresholds.

    >>> from ftree import Dataset, grow
    >>> twig = grow(Dataset.from_rows([[1.0], [2.0]], ["low", "high"]))
    >>> at_values(twig, [np.array([1.0, 2.0])]).root.split
    Threshold(feature=0, at=1.0)
    """

    def moved(branch: Branch, below: tuple[Node, ...]) -> Node:
        split = with_observed(branch.split, values)
        return with_children(branch, below) if split is branch.split else Branch(branch.counts, split, below)

    return evolve(tree, root=fold(tree, lambda leaf: leaf, moved))


# The rule that divides rows without an answer by default.
_WEIGHTED = weighted()
# Rows that go down together, unless the shares of all depend on each other.
_BLOCK = 1 << 16


@runtime_checkable
class CountsNodes(Protocol):
    """A table that counts the nodes of a tree itself, since its rows are not in memory; passes accept it as a pruning set."""

    def count_nodes(self, tree: Tree, /) -> list[Counts]:
        """Class counts of each node in level order, with rows without an answer divided by weight."""
        ...


@gc_paused()
def count_cases(root: Node, data: Dataset, *, rule: PredictionRule = _WEIGHTED, total: float | None = None) -> list[Counts]:
    """Class counts of each node of `level_order(root)`, for data in the tree's codes.

    Parts of rows are multiples of a power of two, so that a branch's counts are exactly the sum of its children's. For a part
    of a larger table, `total` is the number of cases of the whole table, so that counts of parts add up exactly as well.

    Rows without an answer are divided by the rule, according to the tree's own child sizes.

    Raises a ValueError for a rule whose shares do not add up to 1.

    >>> from ftree import Leaf
    >>> from ftree.tree import Threshold
    >>> twig = Branch((1, 3), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 3))))
    >>> data = Dataset.from_columns({"x": [0.0, 1.0, None], "y": ["a", "b", "b"]}, target="y")
    >>> count_cases(twig, data)
    [(1, 2), (1, 0.25), (0, 1.75)]
    """
    counts = counts_and_gaps(root, data, rule=rule, total=total)[0]
    if data.schema.has_classes:
        return all_whole_numbers(counts)
    from ftree.data.channels import counts_of  # noqa: PLC0415  # as above

    return counts_of(counts, data.schema.response)


def counts_and_gaps(
    root: Node,
    data: Dataset,
    *,
    rule: PredictionRule = _WEIGHTED,
    as_known: bool = False,
    total: float | None = None,
    block: int = _BLOCK,
) -> tuple[Array, set[int]]:
    """`count_cases` as an array (m, K), and the numbers of the nodes at which a row had no answer.

    With `as_known`, such rows are divided according to the numbers of rows whose answers are known.
    """
    tree, channels, unit = flat(root), None, unit_of(data, total)
    if not data.schema.has_classes:
        from ftree.data.channels import rows_in_channels  # noqa: PLC0415  # as above

        tree, channels = flat_of_sums(root), rows_in_channels(data)
    times, sizes = times_and_fractions(data.weights, unit)
    times, sizes = (np.ones(len(data)) if each is None else each for each in (times, sizes))
    n_sums = len(data.schema.classes) if channels is None else channels.shape[1]
    counts, gaps, n = np.zeros((len(tree.arity), n_sums)), set[int](), len(data)
    for rows in blocks_of(0, n, max(n, 1) if as_known else block):
        labels = data.target_column[rows] if channels is None else list(map(np.ascontiguousarray, channels[rows].T))
        columns, own = tuple([column[rows] for column in data.columns]), times[rows]
        known = own if as_known else None
        for level in descend(tree, columns, sizes[rows], rule, unit, shares=whole_shares, times=known):
            first = int(level.node.min())
            _add(counts[first:], level.node - first, labels, level.rows, level.sizes * own[level.rows])
            gaps.update(np.unique(level.node[level.unanswered]).tolist())
    return counts, gaps


def _add(counts: Floats, node: Array, labels: "Array | list[Array]", rows: Array, cases: Array) -> None:
    """Add the cases of rows to the counts (m, K) of their nodes: to those of their label, or to all channels, a column each."""
    if not isinstance(labels, list):
        added = np.bincount(node * counts.shape[1] + labels[rows], cases)
        counts.reshape(-1)[: len(added)] += added
        return
    for channel, column in enumerate(labels):
        if not column.any():  # the higher limbs of small numbers
            continue
        added = np.bincount(node, cases * column[rows])
        counts[: len(added), channel] += added


def recoded_for(tree: Tree, dataset: Dataset, unseen: Unseen = "rule") -> tuple[Tree, Dataset]:
    """`with_answers_for_unseen` for a dataset: the tree, and the dataset in the tree's codes."""
    data = dataset.recoded(tree.schema)
    seeing, columns = with_answers_for_unseen(tree, dataset, data.columns, unseen)
    return seeing, data if seeing is tree and unseen != "missing" else evolve(data, schema=seeing.schema, columns=columns)
