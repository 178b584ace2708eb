"""Checks for missing values: prediction rules and growth policies."""

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import evolve
from hypothesis import strategies as st

from ftree._lib.fields import name_of
from ftree._lib.messages import short_repr
from ftree.data.dataset import Dataset
from ftree.growth.growing import grow
from ftree.policy import ID3, Policy
from ftree.routing.descent import plain_counts_of_leaves
from ftree.routing.flat import flat
from ftree.routing.missing_rules import all_routes, as_prediction_rule, sees_rows, shares_of, whole_shares
from ftree.routing.predict import answers_of_nodes, predict, predict_counts
from ftree.routing.reach import leaf_numbers, native_counts
from ftree.splitters import subset, threshold
from ftree.splitters.missing_policies import as_missing_policy, has_hooks, hook
from ftree.stop import max_depth
from ftree.testing.laws import COPIES, MANY, check_laws, check_stateless, equal, law, same
from ftree.testing.policy_laws import check_policy, copies, listed
from ftree.testing.strategies import datasets, trees
from ftree.tree.nodes import PredictionRule, Tree
from ftree.tree.splits.split import UNKNOWN, Split

_SIZES = st.lists(st.integers(0, 9), min_size=2, max_size=MANY).filter(any)
_GAPS = datasets(missing=True, weighted=True)


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


# Prediction rules.


def _check_rule(rule: PredictionRule) -> None:
    def shares(several: list[list[int]]) -> None:
        for sizes in several:
            for times in (2**-4, 1, 1000):
                _check_shares(rule, times * np.array(sizes, dtype=np.float64))

    def answers(drawn: tuple[Tree, Dataset], random: Any) -> None:
        _check_answers(rule, *drawn, random)

    told = lambda own, several: np.concatenate([shares_of(own, np.array(sizes, float)) for sizes in several])  # noqa: E731  # short
    check_stateless(rule, shares, told, several=st.lists(_SIZES, min_size=1, max_size=3))
    with_rows = trees().flatmap(lambda tree: st.tuples(st.just(tree), datasets(schema=tree.schema, missing=True)))
    check_laws(answers, drawn=with_rows, random=st.randoms())


def _check_shares(rule: PredictionRule, sizes: Any) -> None:
    given_sizes = sizes.copy()
    shares_of(rule, given_sizes)
    same("a rule does not change the sizes", given_sizes, sizes)
    level = np.array([sizes, sizes[::-1]] * COPIES)
    alone = [shares_of(rule, each) for each in level[:2]] * COPIES
    same("a rule that broadcasts returns for many branches the shares of each", shares_of(rule, level), alone, sizes=level)


def _check_answers(rule: PredictionRule, tree: Tree, dataset: Dataset, random: Any) -> None:
    counts, nodes = predict_counts(tree, dataset, missing=rule), flat(tree)
    shown: dict[str, Any] = {"tree": tree, "dataset": listed(dataset)}
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


# Growth policies.


def _check_growth(policy: object, oracle: Callable[[Dataset, Policy], Split | None] | None) -> None:
    missing, shares, predicts = as_missing_policy(policy), hook(policy, "shares"), hook(policy, "predict")
    rule = all_routes() if predicts is None else as_prediction_rule(predicts)

    def shared(sizes: list[int]) -> None:
        _check_shares(shares, np.array(sizes, dtype=np.float64))
        whole_shares(shares, np.array(sizes))  # raises

    def grown(dataset: Dataset) -> None:
        _check_grown(missing, rule, dataset)
        for each in _policies(missing):
            if oracle is not None:
                split = getattr(grow(dataset, each.stopping(max_depth(1)), engine="plain").root, "split", None)
                same("the root's split is that of the oracle", split, oracle(dataset, each), dataset=listed(dataset))

    check_stateless(shares, shared, lambda own, sizes: shares_of(own, np.array(sizes, float)), sizes=_SIZES)
    check_laws(lambda known: _check_discount(policy, known), known=st.lists(st.floats(0, 1), max_size=4).map(np.array))
    check_stateless(missing, grown, lambda own, dataset: grow(dataset, evolve(ID3, missing=own), engine="plain"), dataset=_GAPS)
    check_policy(evolve(ID3, missing=missing))
    _check_rule(rule)


def _check_discount(policy: object, known: Any) -> None:
    factors = np.asarray(hook(policy, "discount")(known))
    equal("a discount is one factor for each share of known cases", factors.shape, known.shape, known=known)
    law("a discount is finite and never negative", (np.isfinite(factors) & (factors >= 0)).all(), got=factors, known=known)


def _check_grown(missing: Any, rule: PredictionRule, dataset: Dataset) -> None:
    """Weights are prepared as copies, compiled code grows what NumPy grows, and trees keep the prediction rule."""
    made, copied = hook(missing, "prepare")(copies(dataset)), copies(hook(missing, "prepare")(dataset))
    equal("weight k is prepared as k copies", made.columns, copied.columns, dataset=listed(dataset))
    for each in _policies(missing):
        tree = grow(dataset, each, engine="plain")
        shown = {"policy": each, "dataset": listed(dataset)}
        same("all engines grow the same tree", grow(dataset, each, engine="compiled"), tree, **shown)
        same(f"a tree keeps its rule, {short_repr(name_of(rule))}", tree.missing, None if rule == all_routes() else rule)


def _policies(missing: Any) -> tuple[Policy, Policy]:
    """Policies with multiway and with binary splits."""
    return evolve(ID3, missing=missing), evolve(ID3, splits=(subset(), threshold()), missing=missing)
