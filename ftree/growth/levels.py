"""Growth level by level: `levels` repeats `step`.

In a step, the engine counts, the search gives each open node its best split, the stopping rule closes nodes, and the engine
advances.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from attrs import Factory, evolve, field, frozen

from ftree._lib.arrays import Array, offsets
from ftree._lib.machine import thread_pool
from ftree._lib.messages import short_repr, type_of
from ftree._lib.objects import cached_by_identity
from ftree._lib.random_numbers import child_keys
from ftree.criteria.frontier import Frontier, Nodes
from ftree.criteria.impurity import checked
from ftree.criteria.inherited_state import HasInheritedState, InheritedState, parts_with_state, state_of_root
from ftree.criteria.predicate import StoppingRule, ask
from ftree.data.dataset import Dataset
from ftree.growth.assemble import check_room
from ftree.growth.engines.engine import Engine, EngineSetup, Start, counts_sides
from ftree.growth.engines.plain_engine import plain
from ftree.growth.given_table import EngineChoice, TableOrCounted, is_native
from ftree.growth.search import search
from ftree.growth.settings import SearchSettings
from ftree.growth.start import StartNodes
from ftree.policy import Policy
from ftree.splitters import all_parts
from ftree.splitters.missing_policies import hook
from ftree.stop import before_the_search
from ftree.tree.nodes import PredictionRule
from ftree.tree.response import numbers
from ftree.tree.schema import Feature
from ftree.tree.splits.split import Split


@cached_by_identity
def _stop_early(policy: Policy) -> StoppingRule:
    """The rules of a policy that need no search; cached, since finding them takes as long as a small level."""
    return before_the_search(policy.stop)


@frozen(eq=False)
class Growth:
    """The constants of a growth: the features, the policy, the search settings, which are those of this policy.

    `stop_early` is the part of the stopping rule that depends on no split, which closes nodes before the search.
    `inherited_state` is that of the root.

    >>> from ftree import ID3
    >>> from ftree.datasets import xor
    >>> from ftree.growth import search_settings
    >>> growth = Growth(xor().schema.features, ID3, search_settings(ID3, xor()))
    >>> growth.policy == ID3
    True
    """

    features: Sequence[Feature]
    policy: Policy
    settings: SearchSettings
    stop_early: StoppingRule = field(init=False, default=Factory(lambda self: _stop_early(self.policy), takes_self=True))
    inherited_state: InheritedState | None = field(
        init=False, default=Factory(lambda self: _state_of_root(self.policy, self.features), takes_self=True)
    )


def levels(growth: Growth, engine: Engine, start: StartNodes | None = None) -> Iterator[Frontier]:
    """Each level, the root's first."""
    level: Frontier | None = None
    while level is None or level.open.any():
        level, engine = step(growth, engine, level, start=start)
        yield level
        start = None if start is None else start.below(level.n_children.tolist())


def step(
    growth: Growth,
    engine: Engine,
    above: Frontier | None = None,
    *,
    start: StartNodes | None = None,
    keys: Array | None = None,
) -> tuple[Frontier, Engine]:
    """Decide a split, or None, for each open node of a level, and advance the engine to the next one.

    `start` has the nodes of a start tree, whose splits are kept. `keys` seed the nodes' random numbers; give
    them only if the first level is not the root.

    >>> from ftree import ID3, Dataset
    >>> from ftree.growth import search_settings
    >>> from ftree.growth.engines.plain_engine import plain
    >>> from ftree.growth.engines.engine import EngineSetup
    >>> data = Dataset.from_rows([["a"], ["b"]], ["no", "yes"])
    >>> level, _ = step(Growth(data.schema.features, ID3, search_settings(ID3, data)), plain(data, EngineSetup()))
    >>> tuple(level.splits), level.gain.tolist()
    ((Multiway(feature=0, values=(0, 1)),), [1.0])
    """
    counts, settings = engine.totals(), growth.settings
    check_room(len(counts), counts.shape[1], copies=6)  # the search counts at least two children of each node, some of them twice
    depth = 0 if above is None else above.depth + 1
    if keys is None:
        keys = np.zeros(1, np.uint64) if above is None else _keys_below(above)
    free = np.ones(len(counts), dtype=bool) if start is None else start.free(counts)
    inherited = growth.inherited_state if above is None else _state_below(above, counts)
    impurity = _impurity(growth, counts, free)
    nodes = Nodes(depth, counts, impurity, keys, inherited_state=inherited, response=settings.response, risk=settings.risk)
    level, child_counts = _searched_level(growth, engine, nodes, free)
    if start is not None:
        splits, child_counts = start.given(level.splits), None  # nobody has counted below the start's splits
        level = evolve(level, splits=splits, n_children=numbers_of_children(splits), child_counts=None)
    return level, engine.advance(level.splits, child_counts) if level.open.any() else engine


def _searched_level(growth: Growth, engine: Engine, nodes: Nodes, free: Array) -> tuple[Frontier, Array | None]:
    """The finished level, whose free nodes are searched, and its children's counts, None if no search has counted them."""
    policy, settings, free, gain = growth.policy, growth.settings, free.copy(), np.full(len(free), np.nan)
    if free.any():
        free[free.copy()] = ~ask(growth.stop_early, nodes[free])
    if not free.any():
        sizes = np.zeros(len(free), dtype=np.int64)
        return nodes.decided((None,) * len(free), gain, sizes, None), None
    open_nodes, kept = nodes[free], engine.keep(free)
    found = search(open_nodes, kept.count(), growth.features, settings, joint=kept.joint)
    response: Any = settings.response
    if nodes.depth == 0 and response is not None and not isinstance(response, numbers):
        from ftree.criteria.impurity_of_sums import without_limbs  # noqa: PLC0415  # trees of classes do without it

        response.check_losses(without_limbs(found.child_counts, response))
    gain[free] = found.gain
    splits = _still_open(found.splits, ask(policy.stop, found), free)
    sizes = numbers_of_children(splits)
    # Surrogates send some cases another way than the search has counted.
    child_counts = None if settings.with_surrogates else found.child_counts[np.repeat(sizes[free] > 0, found.n_children)]
    splits = _add_surrogates(splits, engine, growth) if settings.with_surrogates else splits
    return nodes.decided(splits, gain, sizes, child_counts), child_counts


def _impurity(growth: Growth, counts: Array, free: Array) -> Array:
    """The impurity of the free nodes, NaN for others, which may have no case."""
    impurity, settings = np.full(len(free), np.nan), growth.settings
    if free.any():
        measured = settings.impurity(settings.altered(counts[free]))
        impurity[free] = checked(settings.impurity, measured, (int(np.count_nonzero(free)),))
    return impurity


def _add_surrogates(splits: Sequence[Split | None], engine: Engine, growth: Growth) -> Sequence[Split | None]:
    """The splits, with the policy's additions for features with missing values, such as surrogates."""
    if not counts_sides(engine):
        raise TypeError(f"engine must count sides for surrogates, as the plain engine does, got {type(engine).__name__}.")
    add_surrogates = hook(growth.policy.missing, "add_surrogates")
    found: Sequence[Split | None] = add_surrogates(splits, engine, growth.features, growth.settings.with_surrogates)
    return found


def _keys_below(above: Frontier) -> Array:
    """Keys of the children of a level, node after node."""
    parents, first = np.repeat(above.keys, above.n_children), offsets(above.n_children)[:-1]
    return child_keys(parents, np.arange(len(parents)) - np.repeat(first, above.n_children))


def _state_of_root(policy: Policy, features: Sequence[Feature]) -> InheritedState | None:
    return state_of_root(_parts_with_state(policy), features)


@cached_by_identity
def _parts_with_state(policy: Policy) -> tuple[HasInheritedState, ...]:
    """The parts of a policy with inherited state; cached, since the check takes as long as a small level."""
    return parts_with_state(all_parts((*policy.splits, policy.choose, policy.stop)))


def _state_below(above: Frontier, counts: Array) -> InheritedState | None:
    """The inherited state of the children of a level; `counts` are theirs."""
    if above.inherited_state is None:
        return None
    return above.inherited_state.below(above.splits, np.split(counts, np.cumsum(above.n_children[above.open])[:-1]))


def _still_open(splits: Sequence[Split | None], closed: Array, searched: Array) -> Sequence[Split | None]:
    """The splits of all nodes, None for nodes that are closed or were not searched."""
    found = iter(None if stopped else split for split, stopped in zip(splits, closed.tolist(), strict=True))
    return tuple(next(found) if was else None for was in searched.tolist())


def numbers_of_children(splits: Sequence[Split | None]) -> Array:
    """Number of children of each node, 0 for a leaf."""
    return np.array([0 if split is None else split.n_children for split in splits], dtype=np.int64)


# The engine


@contextmanager
def started(
    table: TableOrCounted, policy: Policy, settings: SearchSettings, choice: EngineChoice, n_jobs: int | None
) -> Iterator[Engine]:
    """The engine that counts level by level, with all rows in the root; its threads end with the growth."""
    if not isinstance(table, Dataset):
        yield table.start_engine(policy, settings)
        return
    missing: PredictionRule = hook(policy.missing, "shares")
    if callable(choice) and not table.schema.has_classes:
        kind, got = table.schema.response.kind, short_repr(choice)
        raise ValueError(f"engine must be 'auto', 'plain' or 'compiled' for a target of {kind}, got {got}.")
    if not callable(choice) and not is_native(choice):
        yield plain(table, EngineSetup(missing))
        return
    with thread_pool(n_jobs) as threads:
        yield _ready(choice if callable(choice) else plain, table, EngineSetup(missing, threads))


def _ready(start: Start, table: Dataset, setup: EngineSetup) -> Engine:
    engine = start(table, setup)
    if not hasattr(engine, "totals"):
        wanted = "a function of a dataset and a setup that returns an engine (ftree.growth.engines.engine.Engine)"
        raise TypeError(f"engine must be {wanted}, got one that returns {type_of(engine)}.")
    return engine
