"""Growing in two stages: from counts while nodes are large, and from the rows themselves once these fit in memory."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Protocol, TypeAlias, runtime_checkable

from attrs import evolve

from ftree._lib.messages import short_repr
from ftree._lib.recursion import fold_over
from ftree.data.dataset import Dataset
from ftree.growth.checkpoint import Checkpoint, GrownLevels
from ftree.growth.table_summary import TableSummary
from ftree.policy import Policy
from ftree.splitters import by_score
from ftree.stop import alternatives, any_of, max_leaves, min_rows, never, no_gain, pure
from ftree.tree.edit import subtree_at
from ftree.tree.nodes import Branch, Node, Path, Tree

# The function that grows a prepared table by a policy, from a start, with the other options of `grow`.
Grow: TypeAlias = Callable[..., Tree]


@runtime_checkable
class GivesRows(Protocol):
    """A counted table that can give the rows of nodes."""

    def table_summary(self) -> TableSummary:
        """The schema, the class counts, and the features with missing values."""
        ...

    def most_rows(self, memory: int, /) -> int:
        """The number of rows whose growth takes at most this many bytes."""
        ...

    def rows_at(self, tree: Tree, paths: Sequence[Path], most_rows: int, /) -> Iterator[tuple[Path, Dataset]]:
        """The rows of each leaf with one of the paths, at most `most_rows` in memory at a time."""
        ...


def grown_within(
    memory: int | str, table: Any, policy: Policy, start: Tree | None, at: Path | None, grown: Grow, *, saved: Checkpoint | None
) -> Tree:
    """The tree of a table, grown from counts while nodes are large, and from rows below them once these fit in `memory` bytes.

    A checkpoint keeps the levels, and the nodes that are grown in memory, each time that about so many rows are.

    Raises a TypeError for a dataset, which is in memory already. Raises a ValueError for a wrong amount of memory, a start, and
    if a node's tree depends on more than its rows: with missing values, whose rows are divided, and with choices by gain ratio.
    """
    if not isinstance(table, GivesRows):
        message = f"memory must be None for a table in memory, got {short_repr(memory)}."
        raise TypeError(message)
    summary = table.table_summary()
    if start is not None or at is not None or summary.gaps() or policy.choose != by_score():
        wanted = "None with a start, missing values, or a choice other than by_score()"
        message = f"memory must be {wanted}, got {short_repr(memory)}. With None, the tree grows from counts alone."
        raise ValueError(message)
    most = table.most_rows(bytes_of(memory))
    rules = [rule for rule in alternatives(policy.stop) if not isinstance(rule, max_leaves)]
    whole = evolve(policy, stop=any_of(*rules) if rules else never)
    large = whole.stopping(min_rows(most + 1))
    kept = None if saved is None else saved.load(large)
    above = kept if kept is not None and kept.finished else GrownLevels(grown(table, large, saved=saved), 0)
    small = leaves_to_grow(above.tree, most, pure_too=not any(isinstance(rule, (pure, no_gain)) for rule in rules))
    save = None if saved is None else partial(saved.save, large)
    return _finished(table, above, _outside(small, above.finished), most, partial(grown, policy=whole, progress=False), save)


def _finished(
    table: GivesRows,
    above: GrownLevels,
    small: Sequence[Path],
    most: int,
    grown: Grow,
    save: Callable[[GrownLevels], None] | None,
) -> Tree:
    """The tree with small leaves grown to the end; it is saved each time that more than `most` rows have been."""
    trees: dict[Path, Tree] = {}
    n_rows = 0
    for path, rows in table.rows_at(above.tree, small, most):
        trees[path] = grown(rows, start=above.tree, at=path)
        n_rows += len(rows)
        if save is not None and n_rows > most:
            above, trees, n_rows = _with_trees(above, trees), {}, 0
            save(above)
    return _with_trees(above, trees).tree


def _with_trees(above: GrownLevels, trees: dict[Path, Tree]) -> GrownLevels:
    root = with_subtrees(above.tree.root, {path: subtree_at(tree, path).root for path, tree in trees.items()})
    return evolve(above, tree=evolve(above.tree, root=root), finished=(*above.finished, *trees))


def _outside(paths: Sequence[Path], finished: Sequence[Path]) -> list[Path]:
    """The paths that lead neither to a finished node nor below one."""
    done = set(finished)
    return [path for path in paths if not any(path[:depth] in done for depth in range(len(path) + 1))]


def bytes_of(memory: int | str) -> int:
    """A number of bytes, such as 500 * 10**6 or "500MB".

    Raises a ValueError for anything else.

    >>> bytes_of("1.5GB")
    1500000000
    """
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) *([kMGT]?)B", memory) if isinstance(memory, str) else None
    number = memory if found is None else float(found[1]) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[found[2]]
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not 1 <= number < 2**63:
        message = f'memory must be a number of bytes, or a text such as "500MB", got {short_repr(memory)}.'
        raise ValueError(message)
    return int(number)


def leaves_to_grow(tree: Tree, most: int, *, pure_too: bool) -> list[Path]:
    """The paths of leaves with at most `most` cases, in order; those of only one class if `pure_too`.

    >>> from ftree import Feature, Leaf, Schema
    >>> leaves_to_grow(Tree(Schema([Feature("x", "numeric")], "y", (0, 1)), Leaf((2, 1))), 5, pure_too=False)
    [()]
    """
    found: list[Path] = []
    pending: list[tuple[Node, Path]] = [(tree.root, ())]
    while pending:
        node, path = pending.pop()
        if isinstance(node, Branch):
            pending += [(child, (*path, number)) for number, child in reversed(list(enumerate(node.children)))]
        elif sum(count > 0 for count in node.counts) > (not pure_too) and sum(node.counts) <= most:
            found.append(path)
    return found


def with_subtrees(root: Node, subtrees: dict[Path, Node]) -> Node:
    """The tree with subtrees instead of leaves.

    >>> from ftree import Leaf
    >>> with_subtrees(Leaf((2, 1)), {(): Leaf((1, 2))})
    Leaf(counts=(1, 2))
    """
    top: tuple[Node, Path] = (root, ())

    def below(item: tuple[Node, Path]) -> Sequence[tuple[Node, Path]]:
        node, path = item
        return [(child, (*path, number)) for number, child in enumerate(node.children)] if isinstance(node, Branch) else []

    def rebuilt(item: tuple[Node, Path], children: tuple[Node, ...]) -> Node:
        node, path = item
        return Branch(node.counts, node.split, children) if isinstance(node, Branch) else subtrees.get(path, node)

    return fold_over(top, below, rebuilt)
