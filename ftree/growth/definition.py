"""Growth by definition: a step takes the cases of a node to a leaf, or to a split and its children's cases; `unfold` repeats it.

This is what `grow` means, for every policy, in plain recursion. Engines find the same trees faster, since they count all nodes of
a level at once; laws hold each of them equal to this page.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
from attrs import evolve, frozen

from ftree._lib.arrays import Array, times_and_fractions
from ftree._lib.random_numbers import child_keys
from ftree.criteria.frontier import Avc, Joint, Nodes
from ftree.criteria.inherited_state import InheritedState
from ftree.criteria.predicate import ask
from ftree.data.changes import as_grown
from ftree.data.channels import counts_of, rows_in_channels
from ftree.data.dataset import Dataset, require_dataset
from ftree.data.dataset_fields import unit_of
from ftree.growth.given_table import Prepared, fitting_limits, prepared_dataset
from ftree.growth.growing import completed, start_for, with_answers
from ftree.growth.levels import Growth
from ftree.growth.search import search
from ftree.growth.settings import search_settings
from ftree.growth.start import GrownFrom, StartNodes, start_nodes
from ftree.policy import ID3, Policy
from ftree.routing.missing_rules import parts_of
from ftree.splitters.missing_policies import hook, prediction_rule
from ftree.tree.fold import Grown, unfold
from ftree.tree.nodes import Branch, Leaf, Tree, new_tree
from ftree.tree.response import all_whole_numbers
from ftree.tree.splits.split import UNKNOWN, Split, child_of


def by_definition(dataset: Dataset, policy: Policy = ID3, *, start: GrownFrom | None = None) -> Tree:
    """The tree that `grow(dataset, policy, start=start)` grows, by pure recursion from node to node; slow, and equal.

    Raises the errors of `grow`.

    >>> from ftree import CART, datasets, grow
    >>> by_definition(datasets.weather(), CART) == grow(datasets.weather(), CART)
    True
    """
    require_dataset(dataset)
    if (other := as_grown(dataset)) is not dataset:
        return with_answers(by_definition(other, policy, start=start_for(start, dataset.schema, other.schema)), dataset)
    table, ends = prepared_dataset(dataset, policy)
    policy = fitting_limits(policy, table)
    growth, above = Growth(table.schema.features, policy, search_settings(policy, table)), start_nodes(start, table.schema)
    root = unfold(Seed(all_rows(table), 0, np.zeros(1, np.uint64), growth.inherited_state, above), partial(_step, growth, table))
    return completed(new_tree(table.schema, root, missing=prediction_rule(policy.missing)), Prepared(table, ends), policy)


@frozen(eq=False)
class Seed:
    """What a node grows from: its cases, its depth, its key of random numbers, inherited state, the node of a start tree."""

    cases: "NodeRows"
    depth: int
    key: Array
    inherited_state: InheritedState | None
    start: StartNodes | None


def _step(growth: Growth, table: Dataset, seed: Seed) -> Grown[Seed]:
    """A leaf, or the counts of the node, its split and the seeds of its children."""
    counts = seed.cases.counts()[None]
    own = all_whole_numbers(counts) if table.schema.has_classes else counts_of(counts, table.schema.response)
    split = _split(growth, seed, counts)
    if split is None:
        return Leaf(own[0])
    below = _divided(seed.cases, split, growth.policy, unit_of(table))
    state, counts = seed.inherited_state, np.array([cases.counts() for cases in below])
    inherited = None if state is None else state.below([split], [counts])
    start = None if seed.start is None else seed.start.below([split.n_children])
    keys, children = child_keys(seed.key, np.arange(len(below))), np.eye(len(below), dtype=bool)
    seeds = [
        Seed(cases, seed.depth + 1, keys[child], inherited and inherited[child], start and start.among(child))
        for cases, child in zip(below, children, strict=True)
    ]
    return own[0], split, seeds


def _split(growth: Growth, seed: Seed, counts: Array) -> Split | None:
    """The split of a start tree's node, or the best one unless a rule closes the node; None for a leaf."""
    if seed.start is not None and not seed.start.free(counts)[0]:
        (given,) = seed.start.nodes
        return given.split if isinstance(given, Branch) else None
    policy, settings = growth.policy, growth.settings
    node = Nodes(
        seed.depth,
        counts,
        settings.impurity(settings.altered(counts)),
        seed.key,
        inherited_state=seed.inherited_state,
        response=settings.response,
        risk=settings.risk,
    )
    if ask(growth.stop_early, node)[0]:
        return None
    found = search(node, seed.cases.count(), growth.features, settings, joint=seed.cases.joint)
    if ask(policy.stop, found)[0]:
        return None
    splits: Sequence[Split | None] = found.splits
    if settings.with_surrogates:
        splits = hook(policy.missing, "add_surrogates")(splits, seed.cases, growth.features, settings.with_surrogates)
    return splits[0]


def _divided(cases: "NodeRows", split: Split, policy: Policy, unit: float) -> "list[NodeRows]":
    """The cases of each child: rows with an answer as they are, others in the shares that the policy gives to each child."""
    child = cases.child(split)
    known, lost = child != UNKNOWN, np.flatnonzero(child == UNKNOWN)
    sizes = np.bincount(child[known], cases.weights[known], split.n_children)
    parts = parts_of(cases.shares[lost], sizes, hook(policy.missing, "shares"), unit)
    own = [(np.flatnonzero(child == number), np.flatnonzero(part > 0)) for number, part in enumerate(parts.T)]
    return [
        cases.taken(np.append(rows, lost[some]), np.append(cases.shares[rows], part[some]))
        for (rows, some), part in zip(own, parts.T, strict=True)
    ]


# The cases of a node


@frozen(eq=False)
class NodeRows:
    """The cases of a node: its rows' columns, what a row adds to the counts, how often it counts, and the share that is here."""

    columns: tuple[Array, ...]
    adds: Array
    times: Array
    shares: Array

    def taken(self, rows: Array, shares: Array) -> "NodeRows":
        """Some of the rows, with these shares."""
        return NodeRows(tuple(column[rows] for column in self.columns), self.adds[rows], self.times[rows], shares)

    @property
    def weights(self) -> Array:
        """The number of cases of each row that are here."""
        weights: Array = self.times * self.shares
        return weights

    def counts(self) -> Array:
        """The counts (K,) of the node."""
        counts: Array = self.weights @ self.adds
        return counts

    def count(self) -> Avc:
        """The counts of each value of each feature, a missing value last."""
        nothing = np.zeros(0, int), np.zeros((0, 1)), np.zeros((0, self.adds.shape[1]))  # where there are no features
        tables = [nothing, *(self._by_value(number, [column]) for number, column in enumerate(self.columns))]
        feature, values, counts = map(np.concatenate, zip(*tables, strict=True))
        return Avc(np.zeros(len(feature), int), feature, values[:, 0], counts)

    def joint(self, features: Sequence[int]) -> Joint:
        """The counts of each vector of values of several features."""
        node, vectors, counts = self._by_value(0, [self.columns[feature] for feature in features])
        return Joint(node, vectors, counts)

    def sides(self, splits: Sequence[Split | None]) -> Avc:
        """The counts of the two children of the node's split in place of the classes, for surrogates."""
        (split,) = splits
        child = np.full(len(self.shares), UNKNOWN) if split is None else self.child(split)
        known = np.flatnonzero(child != UNKNOWN)
        return evolve(self.taken(known, self.shares[known]), adds=np.eye(2)[child[known]]).count()

    def child(self, split: Split) -> Array:
        """The child of each row, -1 for a row to which the split gives no answer."""
        return child_of(split, *(self.columns[feature] for feature in split.features))

    def _by_value(self, number: int, columns: Sequence[Array]) -> tuple[Array, Array, Array]:
        ranked = [np.unique(column, return_inverse=True) for column in columns]
        codes, row = np.unique(np.array([code for _, code in ranked]).reshape(len(columns), -1), axis=1, return_inverse=True)
        counts = np.zeros((codes.shape[1], self.adds.shape[1]))
        np.add.at(counts, row.ravel(), self.adds * self.weights[:, None])
        values = [values[code] for (values, _), code in zip(ranked, codes, strict=True)]
        return np.full(len(counts), number), np.array(values).reshape(len(columns), -1).T, counts


def all_rows(table: Dataset) -> NodeRows:
    """The cases of the root: all rows of a table.

    >>> all_rows(Dataset.from_rows([["a"], ["b"], ["a"]], ["no", "yes", "yes"])).counts().tolist()
    [1.0, 2.0]
    """
    columns = (np.where(column < 0, np.nan, column) if column.dtype.kind != "f" else column for column in table.columns)
    adds = np.eye(len(table.schema.classes))[table.target_column] if table.schema.has_classes else rows_in_channels(table)
    ones, parts = np.ones(len(table)), times_and_fractions(table.weights, unit_of(table))
    times, shares = (ones if part is None else part for part in parts)
    return NodeRows(tuple(column.astype(np.float64) for column in columns), adds, times, shares)
