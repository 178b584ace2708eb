"""The levels of growth put together, each reported when it is finished."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import read_only
from ftree._lib.progress import Progress
from ftree.growth.assemble import Assembly
from ftree.growth.checkpoint import Checkpoint, GrownLevels
from ftree.growth.engines.fused import GrownSubtrees
from ftree.growth.engines.protocol import Engine
from ftree.growth.levels import Level, numbers_of_children
from ftree.policy import Policy
from ftree.tree.nodes import Tree
from ftree.tree.schema import Schema


@frozen(eq=False)
class Reports:
    """The receivers of each finished level: a progress line, a trace, a checkpoint; None for those not wanted.

    `total` is the number of cases.
    """

    total: float
    line: Progress | None = None
    trace: Callable[[Level], Any] | None = None
    save: Callable[[Level, Assembly, Engine], None] | None = None

    def __call__(self, level: Level, parts: Assembly, engine: Engine) -> None:
        """Report a level, given the nodes so far, and the engine of the next level."""
        if self.save is not None:
            self.save(level, parts, engine)
        if self.line is not None:
            self.line.level(level.depth, *_what_is_open(level, self.total))
        if self.trace is not None:
            arrays = {name: read_only(getattr(level, name)) for name in ("counts", "gain", "keys")}
            self.trace(evolve(level, splits=tuple(level.splits), **arrays))


def collected(found: Iterable[tuple[Level, GrownSubtrees | None, Engine]], report: Reports) -> Assembly:
    """The nodes of all levels, each level reported when it is finished."""
    parts = Assembly()
    for level, finished, engine in found:
        _collect(parts, level, finished)
        report(level, parts, engine)
    return parts


def keep_levels(saved: Checkpoint, policy: Policy, schema: Schema, level: Level, parts: Assembly, engine: Engine) -> None:
    """Save the levels so far, with the children of the last one as leaves."""
    so_far = parts.copy()
    if any(split is not None for split in level.splits):
        counts = engine.totals()
        nothing = np.zeros(len(counts), dtype=np.int64)
        so_far.add(so_far.size + np.arange(len(counts)), counts, (None,) * len(counts), nothing, nothing)
    saved.save(policy, GrownLevels(Tree(schema, so_far.root()), level.depth + 1))


def _collect(parts: Assembly, level: Level, finished: GrownSubtrees | None) -> None:
    """Add a level's nodes to the parts of the tree, then the subtrees that the engine has grown to the end."""
    n, begin = len(level.counts), parts.size
    place = np.arange(n)
    if finished is not None:
        parts.add(begin + finished.place, finished.counts, finished.cuts, finished.cuts.arity, begin + finished.first)
        if not n:
            return
        place = np.delete(np.arange(n + len(finished.node)), finished.node)
    sizes = numbers_of_children(level.splits)
    behind = parts.size + n
    parts.add(begin + place, level.counts, level.splits, sizes, behind + np.cumsum(sizes) - sizes)


def _what_is_open(level: Level, total: float) -> tuple[int, float]:
    """Number of nodes that are split, and the share of the cases in finished leaves."""
    goes_on = np.array([split is not None for split in level.splits], dtype=bool)
    return int(goes_on.sum()), 1.0 - float(level.counts[goes_on].sum() / total)
