"""Growth within a limit of memory: from counts while nodes are large, and from the rows below them once these fit in memory."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import add
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from attrs import evolve

from ftree._lib.arrays import Array
from ftree.criteria.predicate import any_of
from ftree.data.dataset import Dataset
from ftree.growth.start import GrownFrom
from ftree.policy import Policy
from ftree.routing.missing_rules import weighted
from ftree.scan.folding import groups_up_to
from ftree.scan.parts import Part, dataset_of, joined_parts
from ftree.scan.routes import Routes, routes_of_tree, rows_at_nodes
from ftree.scan.table_parts import CountedParts, check_same_counts
from ftree.splitters import by_score
from ftree.stop import alternatives, max_leaves, min_rows, never, no_gain, pure
from ftree.tree.edit import subtree_at, with_children
from ftree.tree.fold import fold, walk
from ftree.tree.nodes import Leaf, Path, Tree

if TYPE_CHECKING:
    from ftree.scan.source import Source

# The function that grows a prepared table by a policy, from a start, with the other options of `grow`.
Grow: TypeAlias = Callable[..., Tree]


def grown_within(table: "Source", policy: Policy, start: GrownFrom | None, grown: Grow) -> Tree:
    """The tree of a table, grown from counts while nodes are large, and from rows below them once these fit in its memory.

    Raises a ValueError for a start, and if a node's tree depends on more than its rows: with missing values, whose rows are
    divided, with choices by gain ratio, and with priors, which are shares of the cases of the whole table.
    """
    if start is not None or table.gaps() or policy.priors is not None or policy.choose != by_score():
        wanted = "None with a start, missing values, priors, or a choice other than by_score()"
        message = f"memory of the source must be {wanted}, got {table.memory}. With None, the tree grows from counts alone."
        raise ValueError(message)
    most = table.most_rows()
    rules = [rule for rule in alternatives(policy.stop) if not isinstance(rule, max_leaves)]
    whole = evolve(policy, stop=any_of(*rules) if rules else never)
    above = grown(table, whole.stopping(min_rows(most + 1)))
    small = leaves_to_grow(above, most, pure_too=not any(isinstance(rule, (pure, no_gain)) for rule in rules))
    below = {
        path: subtree_at(grown(rows, whole, (above, path), progress=False), path).root
        for path, rows in table.rows_at(above, small, most)
    }
    ends = (path for path, node in walk(above) if isinstance(node, Leaf))
    # A fold comes to leaves from left to right, as a walk does.
    return evolve(above, root=fold(above.root, lambda leaf: below.get(next(ends), leaf), with_children))


def leaves_to_grow(tree: Tree, most: int, *, pure_too: bool) -> list[Path]:
    """The paths of leaves with at most `most` cases, in order; those of only one class if `pure_too`.

    >>> from ftree import Feature, Leaf, Schema
    >>> leaves_to_grow(Tree(Schema([Feature("x", "numeric")], "y", (0, 1)), Leaf((2, 1))), 5, pure_too=False)
    [()]
    """
    ends = ((path, node.counts) for path, node in walk(tree) if isinstance(node, Leaf))
    return [path for path, counts in ends if sum(count > 0 for count in counts) > (not pure_too) and sum(counts) <= most]


def rows_at(source: CountedParts, tree: Tree, paths: Sequence[Path], most_rows: int) -> Iterator[tuple[Path, Dataset]]:
    """The rows of each leaf with one of the paths, at most `most_rows` at a time; leaves with more cases must be excluded."""
    sizes = [sum(subtree_at(tree, path).root.counts) for path in paths]
    for group in groups_up_to(range(len(sizes)), sizes.__getitem__, most_rows):
        some = [paths[number] for number in group]
        routes = routes_of_tree(tree.root, some, source.summary, rule=weighted(), unit=1.0)
        parts = source.fold(partial(rows_in_nodes, routes), add)
        for number, path in enumerate(some):
            own = [part.take(node == number) for node, part in parts]
            dataset = dataset_of(joined_parts(own), source.summary)
            check_same_counts(np.array(dataset.class_counts()), np.array(subtree_at(tree, path).root.counts))
            yield path, dataset


def rows_in_nodes(routes: Routes, part: Part) -> list[tuple[Array, Part]]:
    """The rows of a part in open nodes, after the node of each (n,); no row is divided between nodes."""
    node, _ = rows_at_nodes(routes, part)
    row = np.flatnonzero(node >= 0)
    return [(node[row], part.take(row))]
