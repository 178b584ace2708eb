"""Growing is an unfold over levels: a pure step takes the open nodes of one level to those of the next.

In a step the engine counts, the search gives each node its best split, the stopping rule closes nodes, and the
engine advances to the children of the others. When none is open, nodes are assembled from the leaves upwards.
After SLIQ (Mehta, Agrawal & Rissanen 1996) and RainForest (Gehrke, Ramakrishnan & Ganti 1998).
"""

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np
from attrs import evolve, frozen

from ftree.dataset import Dataset
from ftree.engine import Engine, Start, plain
from ftree.frontier import Array, Frontier
from ftree.policy import ID3, Policy
from ftree.predicate import ask
from ftree.prune.trim import trim
from ftree.schema import Feature
from ftree.search import checked, search
from ftree.split import Split, arity
from ftree.stop import before_the_search, leaf_limit, max_leaves
from ftree.tree import Branch, Leaf, Node, Tree, whole_numbers


@frozen(eq=False)
class Level:
    """A finished level: its depth, the counts of its nodes (m, K), and for each its split, or None for a leaf.

    `gain` has what each split took off the impurity (bits for entropy); it is NaN where no split was looked for.
    """

    depth: int
    counts: Array
    splits: tuple[Split | None, ...]
    gain: Array


def grow(
    dataset: Dataset,
    policy: Policy = ID3,
    *,
    trace: Callable[[Level], Any] | None = None,
    engine: Start = plain,
) -> Tree:
    """Grow a tree; same data and policy, same tree, whatever the order of rows.

    `trace` is called with each finished level, root first.

    Raises a TypeError for something that is no dataset or policy, a ValueError for data without a case.

    >>> xor = Dataset.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], kinds="nominal")
    >>> grow(xor)
    <Tree for 'class': 1 nodes, 1 leaves>
    >>> from ftree.stop import never
    >>> grow(xor, evolve(ID3, stop=never))
    <Tree for 'class': 7 nodes, 4 leaves>
    """
    if trace is not None and not callable(trace):
        message = f"trace is a function that is called with each finished level; {trace!r} came."
        raise TypeError(message)
    table = _checked(dataset, policy)
    start = engine(table, "heaviest" if policy.missing == "heaviest" else "ignore")
    levels = []
    for level in _levels(table.schema.features, policy, start):
        levels.append(level)
        if trace is not None:
            trace(level)
    tree = Tree(table.schema, _assembled(levels))
    limit = leaf_limit(policy.stop)
    return tree if limit is None else trim(max_leaves(limit), impurity=policy.impurity)(tree)


def step(features: Sequence[Feature], policy: Policy, engine: Engine, depth: int) -> tuple[Level, Engine]:
    """Take one level to the next: decide a split or None for each open node, and advance the engine.

    >>> from ftree.policy import ID3
    >>> data = Dataset.from_rows([["a"], ["b"]], ["no", "yes"])
    >>> level, _ = step(data.schema.features, ID3, plain(data, "ignore"), 0)
    >>> level.splits, level.gain.tolist()
    ((Multiway(feature=0, values=(0, 1)),), [1.0])
    """
    counts = engine.totals()
    frontier = Frontier(depth, counts, checked(policy.impurity, policy.impurity(counts), counts.shape[:-1]))
    worth = ~ask(before_the_search(policy.stop), frontier)
    splits: list[Split | None] = [None] * len(counts)
    gain = np.full(len(counts), np.nan)
    if worth.any():
        kept = engine.keep(worth)
        open_nodes = evolve(frontier, counts=counts[worth], impurity=frontier.impurity[worth])
        searched = search(open_nodes, kept.count(), features, policy.splits, policy.impurity, policy.score, joint=kept.joint)
        closed = ask(policy.stop, searched)
        gain[worth] = searched.gain
        for node, split, stopped in zip(np.flatnonzero(worth), searched.splits, closed, strict=True):
            splits[node] = None if stopped else split
    return Level(depth, counts, tuple(splits), gain), engine.advance(splits)


def _levels(features: Sequence[Feature], policy: Policy, engine: Engine) -> Iterator[Level]:
    level, engine = step(features, policy, engine, 0)
    yield level
    while any(split is not None for split in level.splits):
        level, engine = step(features, policy, engine, level.depth + 1)
        yield level


def _assembled(levels: Sequence[Level]) -> Node:
    nothing: tuple[Node, ...] = ()
    return reduce(_with_children, reversed(levels), nothing)[0]


def _with_children(below: tuple[Node, ...], level: Level) -> tuple[Node, ...]:
    """The nodes of a level, from those of the level below."""
    children = iter(below)
    return tuple(
        Leaf(counts) if split is None else Branch(counts, split, [next(children) for _ in range(arity(split))])
        for counts, split in zip(map(whole_numbers, level.counts), level.splits, strict=True)
    )


def _checked(dataset: Dataset, policy: Policy) -> Dataset:
    if not isinstance(dataset, Dataset):
        message = f"grow takes a Dataset, made by Dataset.from_rows, from_columns or read_csv; a {type(dataset).__name__} came."
        raise TypeError(message)
    if not isinstance(policy, Policy):
        message = f"A policy is a Policy such as ID3, or attrs.evolve(ID3, stop=...); a {type(policy).__name__} came."
        raise TypeError(message)
    if not sum(dataset.class_counts()):
        message = f"grow needs at least one row with a weight above 0; the dataset has {len(dataset)} rows."
        raise ValueError(message)
    return dataset.missing_as_value() if policy.missing == "as_value" else dataset
