"""Checks for growth policies."""

from collections.abc import Callable, Collection, Hashable
from copy import deepcopy
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import evolve
from hypothesis import strategies as st

from ftree._lib.arrays import TIE
from ftree.criteria.inherited_state import parts_with_state
from ftree.data.dataset import Dataset
from ftree.growth.given_table import require_policy
from ftree.growth.growing import grow
from ftree.policy import Policy
from ftree.routing.counting import recount
from ftree.routing.descent import descend
from ftree.routing.flat import flat
from ftree.routing.missing_rules import all_routes
from ftree.routing.predict import predict
from ftree.splitters import all_parts, by_score
from ftree.stop import leaf_limit, max_depth, never
from ftree.testing.laws import check_stateless, equal, law, require_exempt, same
from ftree.testing.strategies import datasets, schemas
from ftree.tree.edit import collapse_at
from ftree.tree.fold import leaves
from ftree.tree.nodes import Branch, Node, Tree, preorder
from ftree.tree.schema import Schema

_Law: TypeAlias = Literal["apart", "best", "empty", "names"]


def check_policy(
    policy: Policy,
    *,
    n_classes: int | None = None,
    oracle: Callable[[Dataset], Tree] | None = None,
    exempt: Collection[_Law] = (),
) -> None:
    """Check a policy: counts add up, each case has one leaf, and row order, names and copies for weights do not matter.

    All engines grow the same tree. If the policy chooses by score, no other feature's split of the root scores higher, and of
    equal ones it is the lowest feature's. A policy that scores or draws in another way is `exempt` from this law, "best".

    No leaf is without a case; a policy that makes such leaves, as `multiway(empty=True)` does, is exempt from "empty".
    Without stopping, it must predict the label of every feature vector that has only one label. A policy that refuses some
    splits, as CHAID's and those with minimum sizes do, is exempt from this law, "apart". One that reads the values of texts
    is exempt from "names".

    A policy for so many classes is told `n_classes`.

    `oracle` grows the right tree of a dataset without missing values.

    >>> from ftree import ID3
    >>> check_policy(ID3)
    """
    require_policy(policy)
    require_exempt(exempt, _Law)
    _check_divisions(policy, n_classes or 2)

    def with_gaps(dataset: Dataset, random: Any) -> None:
        _check_grown_alike(policy, evolve(dataset, weights=np.square(np.asarray(dataset.weights))), random, exempt)

    def without_gaps(dataset: Dataset) -> None:
        tree = grow(dataset, policy)
        _check_cases(dataset, tree, exempt)
        _check_inherited_state(policy, tree)
        if leaf_limit(policy.stop) is None:
            _check_again(policy, dataset, tree)
        if "best" not in exempt and policy.choose == by_score() and policy.priors is None and policy.costs is None:
            _check_choice(policy, dataset, tree)
        if "apart" not in exempt:
            _check_apart(policy, dataset)
        if oracle is not None:
            same("a policy grows what the oracle grows", tree.root, oracle(dataset).root, dataset=listed(dataset))

    schema = schemas(n_classes=n_classes)
    gaps = schema.flatmap(lambda one: datasets(schema=one, missing=True, weighted=True))
    answer = lambda own, dataset, **_: grow(dataset, own)  # noqa: E731  # for both
    check_stateless(policy, with_gaps, answer, every=4, dataset=gaps, random=st.randoms(use_true_random=False))
    check_stateless(policy, without_gaps, answer, every=4, dataset=schema.flatmap(lambda one: datasets(schema=one)))


def _check_grown_alike(policy: Policy, dataset: Dataset, random: Any, exempt: Collection[str]) -> None:
    """Any engine, rows in another order, copies for weights and other names give the same tree."""
    tree = grow(dataset, policy)
    _check_counts(dataset, tree)

    def grown_from(other: Dataset, text: str, *, exempt: str = "", **engine: Any) -> None:
        again = grow(other, policy, **engine)
        law(text, again.root == tree.root, got=again.root, wanted=tree.root, exempt=exempt, dataset=listed(dataset))

    grown_from(dataset, "all engines grow the same tree", engine="plain")
    order = random.sample(range(len(dataset)), len(dataset))
    grown_from(dataset.take(order), "rows in another order grow the same tree")
    grown_from(copies(dataset), "weight k equals k copies")
    if "names" not in exempt:
        grown_from(_renamed(dataset), "renaming changes names only", exempt="names")


def _check_divisions(policy: Policy, n_classes: int) -> None:
    """No part divides 0 by 0, tried on a few tables first: the laws would report it late, and in other words."""
    for seed in range(6):
        a, b, labels = np.random.default_rng(seed).integers(0, 3, (3, 12))
        columns = {"a": a * 1.0, "b": list(map("xyz".__getitem__, b)), "label": labels % n_classes}
        table = Dataset.from_columns(columns, target="label", kinds={"a": "numeric"}, classes=range(n_classes))
        try:
            with np.errstate(invalid="raise"):
                grow(table, policy, engine="plain")
        except FloatingPointError as error:
            raise AssertionError(f"no part of a policy divides 0 by 0: {error}, for {listed(table)}") from error


def copies(dataset: Dataset) -> Dataset:
    """Each row as often as its weight says."""
    return evolve(dataset, weights=None).take(np.repeat(np.arange(len(dataset)), np.asarray(dataset.weights).astype(int)))


def _check_counts(dataset: Dataset, tree: Tree) -> None:
    equal("the root has every case", tree.root.counts, dataset.class_counts(), dataset=listed(dataset))
    for node in preorder(tree):
        if isinstance(node, Branch):
            sums = tuple(map(sum, zip(*(child.counts for child in node.children), strict=True)))
            same("a branch's counts are the sum of its children's", node.counts, sums)


def _check_cases(dataset: Dataset, tree: Tree, exempt: Collection[str]) -> None:
    """Every case is in the leaf to which the splits lead it."""
    recounted, shown = recount(tree, dataset), listed(dataset)
    same("splitters count what goes to the children of their splits", tree.root, recounted.root, dataset=shown)
    levels = descend(flat(tree), dataset.columns, np.ones(len(dataset)), all_routes(), 1.0)
    reached = sorted(row for level in levels for row in level.ending().rows.tolist())
    law("every case reaches exactly one leaf", reached == list(range(len(dataset))), got=reached, dataset=listed(dataset))
    empty = [leaf for leaf in leaves(tree) if not sum(leaf.counts)]
    law("no leaf is without a case", "empty" in exempt or not empty, got=tree.root, exempt="empty", dataset=listed(dataset))


def _check_inherited_state(policy: Policy, tree: Tree) -> None:
    """No part changes the inherited state of a node, which its siblings may share."""
    for part in parts_with_state(all_parts((*policy.splits, policy.choose, policy.stop))):
        nodes: list[tuple[Node, Any]] = [(tree.root, part.at_root(tree.schema.features))]
        while nodes:
            node, value = nodes.pop()
            if isinstance(node, Branch):
                kept = deepcopy(value)
                below = part.below(value, node.split, np.array([child.counts for child in node.children]))
                equal("the inherited state of a node stays as it was", value, kept, split=node.split)
                nodes += zip(node.children, below, strict=True)


def _check_again(policy: Policy, dataset: Dataset, tree: Tree) -> None:
    """A leaf grows into the subtree that stood there, whatever else grows."""
    below = tree.root.children if isinstance(tree.root, Branch) else ()
    for number in [number for number, child in enumerate(below) if isinstance(child, Branch)][-1:]:
        again = grow(dataset, policy, start=(collapse_at(tree, (number,)), (number,)))
        law("a branch that was cut grows again", again == tree, got=again.root, wanted=tree.root, dataset=listed(dataset))


def _check_choice(policy: Policy, dataset: Dataset, tree: Tree) -> None:
    """No split of a single feature scores higher than the root's, and none of a lower feature scores as high."""
    if not isinstance(tree.root, Branch):
        return
    chosen, own = tree.root.split, _root_score(policy, tree.root)
    for number, (feature, column) in enumerate(zip(dataset.schema.features, dataset.columns, strict=True)):
        alone = evolve(dataset, schema=evolve(dataset.schema, features=[feature]), columns=[column])
        other = grow(alone, evolve(policy, stop=max_depth(1))).root
        if isinstance(other, Branch):
            given: dict[str, Any] = {"exempt": "best", "feature": feature.name, "dataset": listed(dataset)}
            reached = _root_score(policy, other)
            law("no other feature's split scores higher", reached <= own + TIE, got=own, wanted=reached, **given)
            first = number >= min(chosen.features) or reached < own - TIE / 2
            law("of equal splits the lowest feature's is chosen", first, got=chosen, wanted=other.split, **given)


def _check_apart(policy: Policy, dataset: Dataset) -> None:
    """A tree grown without stopping is right about feature vectors that have only one label."""
    full, clear = grow(dataset, evolve(policy, stop=never)), _unambiguous(dataset)
    found, right = list(predict(full, clear)), clear.labels.tolist()
    equal("predictions are correct for points with one label", found, right, exempt="apart", dataset=listed(dataset))


def _root_score(policy: Policy, root: Branch) -> float:
    return float(policy.score(np.array([child.counts for child in root.children]), policy.impurity))


def listed(dataset: Dataset) -> dict[str, Any]:
    """The columns, labels and weights of a dataset, for messages."""
    columns = {feature.name: column.tolist() for feature, column in zip(dataset.schema.features, dataset.columns, strict=True)}
    return columns | {"labels": dataset.target_column.tolist(), "weights": np.asarray(dataset.weights).tolist()}


def _renamed(dataset: Dataset) -> Dataset:
    """Rename features, values and classes, in the reverse of alphabetical order."""
    features = [evolve(f, name=_NAMES[n], values=_NAMES[: len(f.values)]) for n, f in enumerate(dataset.schema.features)]
    return evolve(dataset, schema=Schema(features, "new target", _NAMES[: len(dataset.schema.classes)]))


def _unambiguous(dataset: Dataset) -> Dataset:
    """The rows whose feature vector has only one label."""
    labels: dict[Hashable, set[int]] = {}
    points = list(zip(*(column.tolist() for column in dataset.columns), strict=True))
    for point, label in zip(points, dataset.target_column.tolist(), strict=True):
        labels.setdefault(point, set()).add(label)
    return dataset.take(np.array([len(labels[point]) == 1 for point in points], dtype=bool))


_NAMES = tuple("zyxwvutsrqponmlkjihgfedcba")
