"""Growth within a limit of memory: from counts while nodes are large, and from the rows below them once these fit in memory."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from attrs import evolve

from ftree.criteria.predicate import any_of
from ftree.growth.start import GrownFrom
from ftree.policy import Policy
from ftree.splitters import by_score
from ftree.stop import alternatives, max_leaves, min_rows, never, no_gain, pure
from ftree.tree.edit import subtree_at
from ftree.tree.fold import fold, walk
from ftree.tree.nodes import Leaf, Path, Tree, with_children

if TYPE_CHECKING:
    from ftree.scan.source import Source

# The function that grows a prepared table by a policy, from a start, with the other options of `grow`.
Grow: TypeAlias = Callable[..., Tree]


def grown_within(table: "Source", policy: Policy, start: GrownFrom | None, grown: Grow) -> Tree:
    """The tree of a table, grown from counts while nodes are large, and from rows below them once these fit in its memory.

    Raises a ValueError for a start, and if a node's tree depends on more than its rows: with missing values, whose rows are
    divided, and with choices by gain ratio.
    """
    if start is not None or table.gaps() or policy.choose != by_score():
        wanted = "None with a start, missing values, or a choice other than by_score()"
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
