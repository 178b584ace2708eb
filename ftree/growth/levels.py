"""One level of growth: the search gives each open node its best split, the stopping rule closes nodes, the engine advances.

The splits of a start tree are kept, level by level, and growth continues from its leaves.
"""

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from attrs import Factory, evolve, field, frozen

from ftree._lib.arrays import Array, offsets
from ftree._lib.messages import short_repr, type_of
from ftree._lib.objects import cached_by_identity, fold_over
from ftree._lib.random_numbers import child_keys
from ftree.criteria.frontier import Frontier
from ftree.criteria.impurity import checked
from ftree.criteria.inherited_state import HasInheritedState, InheritedState, parts_with_state, state_of_root
from ftree.criteria.predicate import StoppingRule, ask
from ftree.data.cases import effective_cases
from ftree.data.dataset import Dataset
from ftree.growth.assemble import check_room
from ftree.growth.engines.engine import Engine, counts_sides
from ftree.growth.given_table import TableOrCounted
from ftree.growth.search import SearchSettings, search
from ftree.policy import Policy
from ftree.splitters import all_parts, many_valued
from ftree.splitters.missing_policies import hook
from ftree.stop import before_the_search
from ftree.tree.edit import replace_at, subtree_at
from ftree.tree.nodes import Branch, Leaf, Node, Path, Tree, children
from ftree.tree.response import numbers
from ftree.tree.schema import Feature, Schema, by_task, response_of_sums
from ftree.tree.splits.split import Split, recoded

# A tree whose leaves grow; or only the leaf at a path.
GrownFrom: TypeAlias = Tree | tuple[Tree, Path]


@cached_by_identity
def _stop_early(policy: Policy) -> StoppingRule:
    """The rules of a policy that need no search; cached, since finding them takes as long as a small level."""
    return before_the_search(policy.stop)


@frozen(eq=False)
class Growth:
    """The constants of a growth: the features, the policy, the search settings.

    `stop_early` is the part of the stopping rule that depends on no split, which closes nodes before the search.
    `inherited_state` is that of the root.

    >>> from ftree import ID3
    >>> from ftree.datasets import xor
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


def step(
    growth: Growth,
    engine: Engine,
    above: Frontier | None = None,
    *,
    start: "StartNodes | None" = None,
    keys: Array | None = None,
) -> tuple[Frontier, Engine]:
    """Decide a split, or None, for each open node of a level, and advance the engine to the next one.

    `start` has the nodes of a start tree, whose splits are kept. `keys` are those of the nodes for random numbers, if the first
    level is not the root.

    >>> from ftree import ID3, Dataset
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
    nodes = Frontier(depth, counts, impurity, keys, inherited_state=inherited, response=settings.response, risk=settings.risk)
    level, child_counts = _searched_level(growth, engine, nodes, free)
    if start is not None:
        splits, child_counts = start.given(level.splits), None  # nobody has counted below the start's splits
        level = evolve(level, splits=splits, n_children=numbers_of_children(splits), child_counts=None)
    return level, engine.advance(level.splits, child_counts) if level.open.any() else engine


def _searched_level(growth: Growth, engine: Engine, nodes: Frontier, free: Array) -> tuple[Frontier, Array | None]:
    """The finished level, whose free nodes are searched, and its children's counts, None if no search has counted them."""
    policy, settings, free, gain = growth.policy, growth.settings, free.copy(), np.full(len(free), np.nan)
    if free.any():
        free[free.copy()] = ~ask(growth.stop_early, nodes[free])
    if not free.any():
        sizes = np.zeros(len(free), dtype=np.int64)
        return evolve(nodes, splits=(None,) * len(free), gain=gain, n_children=sizes, child_counts=None), None
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
    return evolve(nodes, splits=splits, gain=gain, n_children=sizes, child_counts=child_counts), child_counts


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


def search_settings(policy: Policy, table: TableOrCounted) -> SearchSettings:
    """The parts of a policy that the search needs, for the classes and features of a table.

    >>> from ftree import CART
    >>> from ftree.datasets import xor
    >>> search_settings(CART, xor()).score
    <function gain at 0x...>
    """
    impurity, response = policy.impurity, None
    if not table.schema.has_classes:
        from ftree.growth.regression import fitting, impurity_at_root  # noqa: PLC0415  # trees of classes do without it

        measured: Dataset = table if isinstance(table, Dataset) else table.summary.distinct_targets()  # type: ignore[attr-defined]
        policy = fitting(policy, measured)
        impurity, response = impurity_at_root(policy, measured), response_of_sums(table.schema)
    altered = None
    if policy.priors is not None or policy.costs is not None:
        from ftree.criteria.costs import factors  # noqa: PLC0415  # few policies have priors or costs

        altered = factors(table.class_counts(), policy.priors, policy.costs)
    cases = effective_cases(table) if isinstance(table, Dataset) else table.n_cases
    many = many_valued(table.schema.features, cases)
    discount, variants = hook(policy.missing, "discount"), hook(policy.missing, "variants")
    with_surrogates = _features_with_surrogates(policy, table)
    if variants is not None and not table.gaps():
        variants = None
    return SearchSettings(
        policy.splits, impurity, policy.score, policy.choose, altered, with_surrogates, many, discount, variants, response
    )


def _features_with_surrogates(policy: Policy, table: TableOrCounted) -> frozenset[int]:
    """Numbers of the features to whose splits the policy makes additions, such as surrogates."""
    if hook(policy.missing, "add_surrogates") is None:
        return frozenset()
    return frozenset(range(len(table.schema.features))) if hook(policy.missing, "everywhere") else table.gaps()


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


def levels(growth: Growth, engine: Engine, start: "StartNodes | None" = None) -> Iterator[Frontier]:
    """Each level, the root's first."""
    level: Frontier | None = None
    while level is None or level.open.any():
        level, engine = step(growth, engine, level, start=start)
        yield level
        start = None if start is None else start.below(level.n_children.tolist())


def numbers_of_children(splits: Sequence[Split | None]) -> Array:
    """Number of children of each node, 0 for a leaf."""
    return np.array([0 if split is None else split.n_children for split in splits], dtype=np.int64)


# The tree from which growth starts


@frozen(eq=False)
class StartNodes:
    """The nodes of a start tree at one level of growth, in order; None where growth is free, which is below its leaves.

    `only` is the only leaf that grows, identified as an object; if it is None, all leaves grow.

    >>> from ftree.tree import Threshold
    >>> stump = Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1))))
    >>> root = StartNodes((stump,))
    >>> root.given([None]), root.below([2]).nodes
    ([Threshold(feature=0, at=0.5)], (None, None))
    """

    nodes: tuple[Node | None, ...]
    only: Leaf | None = None

    def free(self, counts: Array) -> Array:
        """Which nodes the search may split, given the class counts (m, K): those with cases; others stay leaves."""
        return np.array([node is None for node in self.nodes], dtype=bool) & counts.any(axis=1)

    def given(self, splits: Sequence[Split | None]) -> "Sequence[Split | None]":
        """The splits of the level: those of the start tree, and those found for the other nodes."""
        return [node.split if isinstance(node, Branch) else split for node, split in zip(self.nodes, splits, strict=True)]

    def among(self, nodes: Array) -> "StartNodes":
        """The start nodes that a boolean mask marks."""
        return evolve(self, nodes=tuple(node for node, kept in zip(self.nodes, nodes.tolist(), strict=True) if kept))

    def below(self, n_children: Sequence[int]) -> "StartNodes | None":
        """The next level, given each node's number of children; None below a level that is entirely free."""
        if all(node is None for node in self.nodes):
            return None
        listed = list[Node | None]()
        for node, n in zip(self.nodes, n_children, strict=True):
            listed += map(self.or_free, node.children) if isinstance(node, Branch) else [None] * n
        return evolve(self, nodes=tuple(listed))

    def or_free(self, node: Node) -> Node | None:
        """The node, or None for a leaf that grows."""
        return None if isinstance(node, Leaf) and (self.only is None or node is self.only) else node


def start_nodes(start: GrownFrom | None, schema: Schema) -> StartNodes | None:
    """The root of the start tree in the schema of a table; None without a start, or if it is a leaf.

    Raises a TypeError for a start that is not a tree, an IndexError for a path that leaves the tree, a ValueError for a path to a
    branch, and for a tree that does not fit the schema.
    """
    if start is None:
        return None
    tree, path = start if isinstance(start, tuple) and len(start) == len(("tree", "path")) else (start, None)
    if not isinstance(tree, Tree):
        message = f"start must be a Tree, or a pair (Tree, path), got {type_of(tree)}. Write Tree(schema, node) for a node."
        raise TypeError(message)
    if path is None:
        return _at_root(StartNodes((start_in_schema(tree, schema),), None))
    only = Leaf(_leaf_at(tree, path).counts)
    return _at_root(StartNodes((start_in_schema(replace_at(tree, path, only), schema),), only))


def _at_root(nodes: StartNodes) -> StartNodes | None:
    """The nodes, or None if the root is free."""
    (root,) = nodes.nodes
    return None if root is None or nodes.or_free(root) is None else nodes


def start_in_schema(start: Tree, schema: Schema) -> Node:
    """The root of a start tree in the schema of a table: features are matched by name, codes by value.

    Raises a ValueError for a class that the schema lacks, and for a split that uses a feature or a value that it lacks.

    >>> from ftree import Feature
    >>> from ftree.tree import Threshold
    >>> old, new = (Schema([Feature(name, "numeric") for name in names], "class", (0, 1)) for names in ("xy", "yx"))
    >>> start_in_schema(Tree(old, Branch((1, 1), Threshold(0, 0.5), (Leaf((1, 0)), Leaf((0, 1))))), new).split
    Threshold(feature=1, at=0.5)
    """
    if start.schema.response.kind != schema.response.kind:
        wanted, got = by_task(schema.response.kind), by_task(start.schema.response.kind)
        raise ValueError(f"start must be {wanted}, to fit the dataset, got {got}.")
    if gone := [label for label in start.schema.classes if label not in schema.classes]:
        raise ValueError(f"start must have classes of the dataset, got {short_repr(gone[0])}, which the dataset does not have.")
    if start.schema.features == schema.features:
        return start.root

    def in_schema(node: Node, below: tuple[Node, ...]) -> Node:
        return Branch(node.counts, recoded(node.split, start.schema, schema), below) if isinstance(node, Branch) else node

    return fold_over(start.root, children, in_schema)


def _leaf_at(start: Tree, at: Path) -> Leaf:
    node = subtree_at(start, at).root
    if not isinstance(node, Leaf):
        message = f"start must have a path to a leaf of its tree, got {short_repr(at)}, the path of a branch."
        raise ValueError(message)  # noqa: TRY004  # the path has the right type, but leads to the wrong kind of node
    return node
