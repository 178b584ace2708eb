"""Checks for growth policies, and for missing values: prediction rules and growth policies."""

from collections.abc import Callable, Collection, Hashable
from copy import deepcopy
from typing import Any, Literal

import numpy as np
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree._lib.arrays import TIE
from ftree._lib.fields import name_of
from ftree._lib.messages import short_repr
from ftree.criteria.frontier import Frontier
from ftree.criteria.inherited_state import parts_with_state
from ftree.data.dataset import Dataset
from ftree.growth.given_table import require_policy
from ftree.growth.growing import grow
from ftree.policy import ID3, Policy
from ftree.routing.counting import recount
from ftree.routing.descent import descend, plain_counts_of_leaves
from ftree.routing.flat import flat
from ftree.routing.missing_rules import all_routes, as_prediction_rule, sees_rows, shares_of, whole_shares
from ftree.routing.predict import predict, predict_counts
from ftree.routing.reach import answers_of_nodes, leaf_numbers, native_counts
from ftree.splitters import all_parts, by_score, subset, threshold
from ftree.splitters.missing_policies import as_missing_policy, has_hooks, hook
from ftree.stop import leaf_limit, max_depth, never
from ftree.testing.laws import COPIES, MANY, ask_again, equal, law, same, trying
from ftree.testing.strategies import datasets, schemas, trees
from ftree.tree.edit import collapse_at
from ftree.tree.fold import depth, leaves
from ftree.tree.nodes import Branch, Node, PredictionRule, Tree, preorder
from ftree.tree.schema import Schema
from ftree.tree.splits.split import UNKNOWN, Split


def check_policy(
    policy: Policy,
    *,
    n_classes: int | None = None,
    oracle: Callable[[Dataset], Tree] | None = None,
    exempt: Collection[Literal["apart", "best", "empty", "names"]] = (),
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
    _check_divisions(policy, n_classes or 2)

    of_classes = schemas(n_classes=n_classes)

    @trying()
    @given(of_classes.flatmap(lambda one: datasets(schema=one, missing=True, weighted=True)), st.randoms(use_true_random=False))
    def with_gaps(dataset: Dataset, random: Any) -> None:
        dataset = evolve(dataset, weights=np.square(np.asarray(dataset.weights)))  # so that weights matter more
        tree = grow(dataset, policy)
        _check_counts(dataset, tree)

        def grown_from(other: Dataset, text: str, *, exempt: str = "", **engine: Any) -> None:
            again = grow(other, policy, **engine)
            law(text, again.root == tree.root, got=again.root, wanted=tree.root, exempt=exempt, dataset=_listed(dataset))

        grown_from(dataset, "all engines grow the same tree", engine="plain")
        order = random.sample(range(len(dataset)), len(dataset))
        grown_from(dataset.take(order), "rows in another order grow the same tree")
        grown_from(_copies(dataset), "weight k equals k copies")
        if "names" not in exempt:
            grown_from(_renamed(dataset), "renaming changes names only", exempt="names")

    @trying()
    @given(of_classes.flatmap(lambda one: datasets(schema=one)))
    def without_gaps(dataset: Dataset) -> None:
        levels: list[Frontier] = []
        tree = grow(dataset, policy, trace=levels.append)
        _check_cases(dataset, tree, exempt)
        _check_inherited_state(policy, tree)
        if leaf_limit(policy.stop) is None:
            _check_again(policy, dataset, tree)
        law("the trace has every level", leaf_limit(policy.stop) is not None or len(levels) == 1 + depth(tree), got=len(levels))
        if "best" not in exempt and policy.choose == by_score() and policy.priors is None and policy.costs is None:
            _check_choice(policy, dataset, tree)
        if "apart" not in exempt:
            full, clear = grow(dataset, evolve(policy, stop=never)), _unambiguous(dataset)
            found, right, shown = list(predict(full, clear)), clear.labels.tolist(), _listed(dataset)
            equal("predictions are correct for points with one label", found, right, exempt="apart", dataset=shown)
        if oracle is not None:
            same("a policy grows what the oracle grows", tree.root, oracle(dataset).root, dataset=_listed(dataset))

    for laws in with_gaps, without_gaps:
        ask_again(laws, policy, lambda own, dataset, **_: grow(dataset, own), every=4)


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
            raise AssertionError(f"no part of a policy divides 0 by 0: {error}, for {_listed(table)}") from error


def _copies(dataset: Dataset) -> Dataset:
    """Each row as often as its weight says."""
    return evolve(dataset, weights=None).take(np.repeat(np.arange(len(dataset)), np.asarray(dataset.weights).astype(int)))


def _check_counts(dataset: Dataset, tree: Tree) -> None:
    equal("the root has every case", tree.root.counts, dataset.class_counts(), dataset=_listed(dataset))
    for node in preorder(tree):
        if isinstance(node, Branch):
            sums = tuple(map(sum, zip(*(child.counts for child in node.children), strict=True)))
            same("a branch's counts are the sum of its children's", node.counts, sums)


def _check_cases(dataset: Dataset, tree: Tree, exempt: Collection[str]) -> None:
    """Every case is in the leaf to which the splits lead it."""
    recounted, shown = recount(tree, dataset), _listed(dataset)
    same("splitters count what goes to the children of their splits", tree.root, recounted.root, dataset=shown)
    levels = descend(flat(tree), dataset.columns, np.ones(len(dataset)), all_routes(), 1.0)
    reached = sorted(row for level in levels for row in level.ending().rows.tolist())
    law("every case reaches exactly one leaf", reached == list(range(len(dataset))), got=reached, dataset=_listed(dataset))
    empty = [leaf for leaf in leaves(tree) if not sum(leaf.counts)]
    law("no leaf is without a case", "empty" in exempt or not empty, got=tree.root, exempt="empty", dataset=_listed(dataset))


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
        law("a branch that was cut grows again", again == tree, got=again.root, wanted=tree.root, dataset=_listed(dataset))


def _check_choice(policy: Policy, dataset: Dataset, tree: Tree) -> None:
    """No split of a single feature scores higher than the root's, and none of a lower feature scores as high."""
    if not isinstance(tree.root, Branch):
        return
    chosen, own = tree.root.split, _root_score(policy, tree.root)
    for number, (feature, column) in enumerate(zip(dataset.schema.features, dataset.columns, strict=True)):
        alone = evolve(dataset, schema=evolve(dataset.schema, features=[feature]), columns=[column])
        other = grow(alone, evolve(policy, stop=max_depth(1))).root
        if isinstance(other, Branch):
            given: dict[str, Any] = {"exempt": "best", "feature": feature.name, "dataset": _listed(dataset)}
            reached = _root_score(policy, other)
            law("no other feature's split scores higher", reached <= own + TIE, got=own, wanted=reached, **given)
            first = number >= min(chosen.features) or reached < own - TIE / 2
            law("of equal splits the lowest feature's is chosen", first, got=chosen, wanted=other.split, **given)


def _root_score(policy: Policy, root: Branch) -> float:
    return float(policy.score(np.array([child.counts for child in root.children]), policy.impurity))


def _listed(dataset: Dataset) -> dict[str, Any]:
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

# Prediction rules for missing values, and growth policies for them.


_SIZES = st.lists(st.integers(0, 9), min_size=2, max_size=MANY).filter(any)


def check_missing(policy: object, *, oracle: Callable[[Dataset, Policy], Split | None] | None = None) -> None:
    """Check a prediction rule, a growth policy, or a value that is both: shares, counts and predictions obey the library's laws.

    A rule must return one finite share from 0 for each child, the same for the same sizes. It must not affect rows with an answer
    at every split, unless it sees rows (`of_rows`). Each row is predicted as if it were alone, and NumPy and compiled code agree.

    A growth policy must divide whole rows. Counts add up, and neither row order nor names matter, weights are copies,
    all engines grow the same tree, and the tree keeps the prediction rule, which is checked as well.

    `oracle` gives the right split of the root, from a dataset and the policy with these missing-value hooks.

    >>> from ftree.missing import weighted
    >>> check_missing(weighted())
    """
    if has_hooks(policy):
        _check_growth(policy, oracle)
    else:
        _check_rule(as_prediction_rule(policy))  # type: ignore[arg-type]  # it raises for anything but a rule


def _check_rule(rule: PredictionRule) -> None:
    @trying()
    @given(st.lists(_SIZES, min_size=1, max_size=3))
    def shares(several: list[list[int]]) -> None:
        for sizes in several:
            for times in (2**-4, 1, 1000):
                _check_shares(rule, times * np.array(sizes, dtype=np.float64))

    @trying()
    @given(trees().flatmap(lambda tree: st.tuples(st.just(tree), datasets(schema=tree.schema, missing=True))), st.randoms())
    def answers(drawn: tuple[Tree, Dataset], random: Any) -> None:
        _check_answers(rule, *drawn, random)

    ask_again(shares, rule, lambda own, several: np.concatenate([shares_of(own, np.array(sizes, float)) for sizes in several]))
    answers()


def _check_shares(rule: PredictionRule, sizes: Any) -> None:
    given_sizes = sizes.copy()
    first = shares_of(rule, given_sizes)
    same("a rule does not change the sizes", given_sizes, sizes)
    same("a rule returns the same for the same sizes", shares_of(rule, sizes.copy()), first, sizes=sizes)
    level = np.array([sizes, sizes[::-1]] * COPIES)
    alone = [shares_of(rule, each) for each in level[:2]] * COPIES
    same("a rule that broadcasts returns for many branches the shares of each", shares_of(rule, level), alone, sizes=level)


def _check_answers(rule: PredictionRule, tree: Tree, dataset: Dataset, random: Any) -> None:
    counts, nodes = predict_counts(tree, dataset, missing=rule), flat(tree)
    shown: dict[str, Any] = {"tree": tree, "dataset": _listed(dataset)}
    law("predicted counts are finite and never negative", (np.isfinite(counts) & (counts >= 0)).all(), got=counts, **shown)
    alone = [predict_counts(tree, dataset.take(np.array([row])), missing=rule)[0] for row in range(len(dataset))]
    equal("each row is predicted as if it were alone", counts, alone, **shown)
    order = random.sample(range(len(dataset)), len(dataset))
    same("row order does not matter", predict_counts(tree, dataset.take(order), missing=rule), counts[order], **shown)
    if sees_rows(rule):
        return
    complete = leaf_numbers(nodes, dataset.columns, len(dataset)) != UNKNOWN
    usual, labels = (np.asarray(predict(tree, dataset, missing=each)) for each in (all_routes(), rule))
    same("a row with an answer at every split does not depend on the rule", labels[complete], usual[complete], **shown)
    given = nodes, dataset.columns, len(dataset), rule, answers_of_nodes(nodes, rule)
    slowly, found = plain_counts_of_leaves(*given), native_counts(*given)
    same("compiled code predicts as NumPy does", found, slowly, **shown)


def _check_growth(policy: object, oracle: Callable[[Dataset, Policy], Split | None] | None) -> None:
    missing, shares, predicts = as_missing_policy(policy), hook(policy, "shares"), hook(policy, "predict")

    @trying()
    @given(_SIZES)
    def shared(sizes: list[int]) -> None:
        _check_shares(shares, np.array(sizes, dtype=np.float64))
        whole_shares(shares, np.array(sizes))

    @trying()
    @given(st.lists(st.floats(0, 1), max_size=4).map(np.array))
    def discounted(known: Any) -> None:
        factors = np.asarray(hook(policy, "discount")(known))
        equal("a discount is one factor for each share of known cases", factors.shape, known.shape, known=known)
        law("a discount is finite and never negative", (np.isfinite(factors) & (factors >= 0)).all(), got=factors, known=known)

    @trying(fewer=3)
    @given(datasets(missing=True, weighted=True))
    def grown(dataset: Dataset) -> None:
        made, copied = hook(missing, "prepare")(_copies(dataset)), _copies(hook(missing, "prepare")(dataset))
        equal("weight k is prepared as k copies", made.columns, copied.columns, dataset=_listed(dataset))
        for each in _policies(missing):
            tree = grow(dataset, each, engine="plain")
            shown = {"policy": each, "dataset": _listed(dataset)}
            same("all engines grow the same tree", grow(dataset, each, engine="compiled"), tree, **shown)
            own = None if predicts is None or as_prediction_rule(predicts) == all_routes() else as_prediction_rule(predicts)
            same(f"a tree keeps its rule, {short_repr(name_of(predicts))}", tree.missing, own)
            same("a tree predicts by its rule", predict(tree, dataset), predict(tree, dataset, missing=own), **shown)

    ask_again(shared, shares, lambda own, sizes: shares_of(own, np.array(sizes, float)))
    discounted()
    ask_again(grown, missing, lambda own, dataset: grow(dataset, evolve(ID3, missing=own), engine="plain"))
    if oracle is not None:
        _check_roots(missing, oracle)
    check_policy(evolve(ID3, missing=missing))
    _check_rule(all_routes() if predicts is None else as_prediction_rule(predicts))


def _check_roots(missing: object, oracle: Callable[[Dataset, Policy], Split | None]) -> None:
    @trying()
    @given(datasets(missing=True, weighted=True))
    def roots(dataset: Dataset) -> None:
        for policy in _policies(missing):
            tree = grow(dataset, policy.stopping(max_depth(1)), engine="plain")
            split, shown = getattr(tree.root, "split", None), _listed(dataset)
            same("the root's split is that of the oracle", split, oracle(dataset, policy), dataset=shown)

    roots()


def _policies(missing: object) -> tuple[Policy, Policy]:
    """Policies with multiway and with binary splits."""
    return evolve(ID3, missing=missing), evolve(ID3, splits=(subset(), threshold()), missing=missing)
