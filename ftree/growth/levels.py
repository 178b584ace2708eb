"""One level of growth: the search gives each open node its best split, the stopping rule closes nodes, the engine advances."""

from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np
from attrs import evolve, field, frozen

from ftree._lib.arrays import Array
from ftree.criteria.costs import factors
from ftree.criteria.frontier import Frontier
from ftree.criteria.impurity import checked
from ftree.criteria.predicate import ask
from ftree.growth.assemble import check_room
from ftree.growth.engines.fused import GrownSubtrees, StopLimits
from ftree.growth.engines.protocol import Abilities, Engine, FindsSurrogates, GrowsSubtrees
from ftree.growth.search import Terms, search, search_at_once
from ftree.growth.split_arrays import Cuts
from ftree.growth.start_tree import StartNodes
from ftree.growth.table_summary import TableSummary
from ftree.policy import Policy
from ftree.splitters import many_valued
from ftree.splitters.missing_hooks import hook
from ftree.splitters.random_numbers import child_keys
from ftree.stop import before_the_search
from ftree.tree.schema import Feature
from ftree.tree.splits.protocol import Split


@frozen(eq=False)
class Level:
    """A finished level of growth: its depth, the class counts (m, K) of its m nodes, and each node's split or None for a leaf.

    `gain` (m,) is each split's gain (bits for entropy), NaN for nodes that were not searched. `keys` (m,) are numbers made
    from the path to each node, as seeds for random splitters.

    >>> from ftree import ID3
    >>> from ftree.datasets import xor
    >>> from ftree.growth import EngineSetup, plain, summary_of, step
    >>> growth = Growth(xor().schema.features, ID3, terms_of(ID3, summary_of(xor())))
    >>> level, _ = step(growth, plain(xor(), EngineSetup()))
    >>> level.depth, level.counts.tolist(), list(level.splits)
    (0, [[2, 2]], [None])
    """

    depth: int
    counts: Array
    splits: Sequence[Split | None]
    gain: Array
    keys: Array


@frozen(eq=False)
class Growth:
    """The constants of a growth: the features, the policy, the search's terms, the engine's abilities.

    `limits` are the stopping rule in numbers, if the engine may grow small nodes to the end at once.

    >>> from ftree import ID3
    >>> from ftree.datasets import xor
    >>> from ftree.growth import summary_of, terms_of
    >>> growth = Growth(xor().schema.features, ID3, terms_of(ID3, summary_of(xor())))
    >>> growth.policy == ID3
    True
    """

    features: Sequence[Feature]
    policy: Policy
    terms: Terms
    able: Abilities = field(factory=Abilities)
    limits: StopLimits | None = None


def step(
    growth: Growth,
    engine: Engine,
    above: Level | None = None,
    *,
    start: StartNodes | None = None,
    others: Array | None = None,
) -> tuple[Level, Engine]:
    """Decide a split, or None, for each open node of a level, and advance the engine to the next one.

    `start` has the nodes of a start tree, whose splits are kept. `others` (boolean) marks the nodes that are
    still in the engine, if it has grown some of them to the end.

    >>> from ftree import ID3, Dataset
    >>> from ftree.growth.engines.numpy_engine import plain
    >>> from ftree.growth.engines.protocol import EngineSetup
    >>> from ftree.growth.table_summary import summary_of
    >>> data = Dataset.from_rows([["a"], ["b"]], ["no", "yes"])
    >>> level, _ = step(Growth(data.schema.features, ID3, terms_of(ID3, summary_of(data))), plain(data, EngineSetup()))
    >>> tuple(level.splits), level.gain.tolist()
    ((Multiway(feature=0, values=(0, 1)),), [1.0])
    """
    counts = engine.totals()
    check_room(len(counts), counts.shape[1], copies=6)  # the search counts at least two children of each node, some of them twice
    depth, keys = (above.depth + 1, _keys_below(above)) if above else (0, np.zeros(1, dtype=np.uint64))
    nodes = Level(depth, counts, (None,) * len(counts), np.full(len(counts), np.nan), keys if others is None else keys[others])
    free = np.ones(len(counts), dtype=bool) if start is None else start.free(counts)
    level, child_counts = _searched_level(growth, engine, nodes, free)
    if start is not None:
        level, child_counts = evolve(level, splits=start.given(level.splits)), start.child_counts()
    return level, engine.advance(level.splits, child_counts) if _any_split(level.splits) else engine


def _searched_level(growth: Growth, engine: Engine, level: Level, free: Array) -> tuple[Level, Array | None]:
    """The level with the splits and gains of its free nodes; then their children's counts, None if no search has counted them."""
    policy, terms = growth.policy, growth.terms
    if not free.any():
        return level, None
    counts = level.counts[free]
    measured = checked(policy.impurity, policy.impurity(terms.altered(counts)), (len(counts),))
    frontier = Frontier(level.depth, counts, measured, level.keys[free])
    worth = ~ask(before_the_search(policy.stop), frontier)
    if not worth.any():
        return level, None
    open_nodes = evolve(frontier, **{name: getattr(frontier, name)[worth] for name in ("counts", "impurity", "keys")})
    free = _spread(free, worth)
    searched = _searched(open_nodes, engine.keep(free), growth)
    level.gain[free] = searched.gain
    splits = _still_open(searched.splits, ask(policy.stop, searched), free)
    if terms.gaps:
        return evolve(level, splits=_backed(splits, engine, growth)), None
    known = np.repeat(numbers_of_children(splits)[free] > 0, searched.n_children)
    return evolve(level, splits=splits), searched.child_counts[known]


def _spread(mask: Array, part: Array) -> Array:
    """A mask of the nodes marked by another mask, as a mask of all nodes."""
    both = mask.copy()
    both[mask] = part
    return both


def _backed(splits: Sequence[Split | None], engine: Engine, growth: Growth) -> Sequence[Split | None]:
    """The splits, with the policy's additions for features with missing values, such as surrogates."""
    if growth.able.surrogates:
        return cast("FindsSurrogates", engine).with_surrogates(splits)
    if not growth.able.sides:
        message = f"engine must count sides for surrogates, as the plain engine does, got {type(engine).__name__}."
        raise TypeError(message)
    back = hook(growth.policy.missing, "back")
    backed: Sequence[Split | None] = back(splits, engine, growth.features, growth.terms.gaps)
    return backed


def terms_of(policy: Policy, table: TableSummary) -> Terms:
    """The parts of a policy that the search needs, for the classes and features of a table.

    >>> from ftree import CART
    >>> from ftree.datasets import xor
    >>> from ftree.growth import summary_of
    >>> terms_of(CART, summary_of(xor())) is not None
    True
    """
    weighed = policy.priors is not None or policy.costs is not None
    altered = factors(table.class_counts(), policy.priors, policy.costs) if weighed else None
    many = many_valued(table.schema.features, table.n_cases)
    gaps, discount, variants = _backed_features(policy, table), hook(policy.missing, "discount"), hook(policy.missing, "variants")
    if variants is not None and not table.gaps():
        variants = None
    return Terms(policy.splits, policy.impurity, policy.score, policy.choose, altered, gaps, many, discount, variants)


def _backed_features(policy: Policy, table: TableSummary) -> frozenset[int]:
    """Numbers of the features to whose splits the policy makes additions, such as surrogates."""
    if hook(policy.missing, "back") is None:
        return frozenset()
    return frozenset(range(len(table.schema.features))) if hook(policy.missing, "everywhere") else table.gaps()


def _keys_below(above: Level) -> Array:
    """Keys of the children of a level, node after node."""
    widths = numbers_of_children(above.splits)
    parents = np.repeat(above.keys, widths)
    return child_keys(parents, np.arange(len(parents)) - np.repeat(np.cumsum(widths) - widths, widths))


def _searched(open_nodes: Frontier, engine: Engine, growth: Growth) -> Frontier:
    if growth.able.splits:
        return search_at_once(open_nodes, engine, growth.features, growth.terms)
    return search(open_nodes, engine.count(), growth.features, growth.terms, joint=engine.joint)


def _still_open(splits: Sequence[Split | None], closed: Array, worth: Array) -> Sequence[Split | None]:
    """The splits of all nodes, None for nodes that are closed or were not searched."""
    if isinstance(splits, Cuts):
        return splits.without(closed).among(worth)
    found = iter(None if stopped else split for split, stopped in zip(splits, closed.tolist(), strict=True))
    return tuple(next(found) if searched else None for searched in worth.tolist())


def levels(
    growth: Growth, engine: Engine, start: StartNodes | None = None
) -> Iterator[tuple[Level, GrownSubtrees | None, Engine]]:
    """Each level, the subtrees that the engine has grown to the end there, whose nodes it omits, and the next engine."""
    level, depth = None, 0
    while level is None or _any_split(level.splits):
        finished = _finished(growth, engine, depth, start)
        others = None if finished is None else _unfinished(engine, finished)
        if others is not None:
            if not others.any():
                nothing = engine.totals()[:0]
                yield Level(depth, nothing, (), nothing.sum(axis=1), np.zeros(0, dtype=np.uint64)), finished, engine
                return
            engine, start = engine.keep(others), None if start is None else start.among(others)
        level, engine = step(growth, engine, level, start=start, others=others)
        yield level, finished, engine
        start = None if start is None else start.below(numbers_of_children(level.splits).tolist())
        depth += 1


def _finished(growth: Growth, engine: Engine, depth: int, start: StartNodes | None) -> GrownSubtrees | None:
    """The subtrees below free nodes of a level that the engine grows to the end."""
    if growth.limits is None or not growth.able.subtrees or (growth.terms.gaps and not growth.able.surrogates):
        return None
    if start is None:
        return cast("GrowsSubtrees", engine).finish(depth, growth.limits)
    counts = engine.totals()
    free = start.free(counts)
    found = cast("GrowsSubtrees", engine.keep(free)).finish(depth, growth.limits) if free.any() else None
    return None if found is None else found.among(free)


def _unfinished(engine: Engine, finished: GrownSubtrees) -> Array:
    """Which nodes are not finished."""
    others = np.ones(len(engine.totals()), dtype=bool)
    others[finished.node] = False
    return others


def _any_split(splits: Sequence[Split | None]) -> bool:
    return bool(splits.kind.any()) if isinstance(splits, Cuts) else any(split is not None for split in splits)


def numbers_of_children(splits: Sequence[Split | None]) -> Array:
    """Number of children of each node, 0 for a leaf."""
    if isinstance(splits, Cuts):
        return splits.arity
    return np.array([0 if split is None else split.n_children for split in splits], dtype=np.int64)
