"""The battery for missing values: prediction rules and growth policies."""

from collections.abc import Callable
from typing import Any

import numpy as np
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree._lib.fields import name_of
from ftree._lib.messages import short_repr
from ftree.data.dataset import Dataset
from ftree.growth.growing import grow
from ftree.policy import ID3, Policy
from ftree.routing.descent import answers_of_nodes, compiled_counts, leaf_numbers, plain_counts_of_leaves
from ftree.routing.flat import flat
from ftree.routing.missing_rules import all_routes, as_prediction_rule, shares_of, whole_shares
from ftree.routing.predict import predict, predict_counts
from ftree.splitters import subset, threshold
from ftree.splitters.missing_policies import as_missing_policy, has_hooks, hook
from ftree.stop import max_depth
from ftree.testing.laws import law, trying
from ftree.testing.policy_laws import check_policy
from ftree.testing.strategies import datasets, trees
from ftree.tree.nodes import PredictionRule, Tree
from ftree.tree.splits.split import UNKNOWN, Split

_SIZES = st.lists(st.integers(0, 9), min_size=2, max_size=5).filter(any)


def check_missing(policy: object, *, oracle: Callable[[Dataset, Policy], Split | None] | None = None) -> None:
    """Check a prediction rule, a growth policy, or a value that is both: shares, counts and predictions obey the library's laws.

    A rule must return one finite share from 0 for each child, the same for the same sizes. It must not affect rows with an answer
    at every split. Each row is predicted as if it were alone, and NumPy and compiled code agree.

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
            _check_shares(rule, np.array(sizes, dtype=np.float64))

    @trying(fewer=3)
    @given(trees().flatmap(lambda tree: st.tuples(st.just(tree), datasets(schema=tree.schema, missing=True))), st.randoms())
    def answers(drawn: tuple[Tree, Dataset], random: Any) -> None:
        _check_answers(rule, *drawn, random)

    shares()
    answers()


def _check_shares(rule: PredictionRule, sizes: Any) -> None:
    given_sizes = sizes.copy()
    first = shares_of(rule, given_sizes)
    assert np.array_equal(given_sizes, sizes), "a rule does not change the sizes"
    assert np.array_equal(shares_of(rule, sizes.copy()), first), "a rule returns the same for the same sizes"
    level = np.array([sizes, sizes[::-1]])
    alone = [shares_of(rule, each) for each in level]
    assert np.array_equal(shares_of(rule, level), alone), "a rule that broadcasts returns for many branches the shares of each"


def _check_answers(rule: PredictionRule, tree: Tree, dataset: Dataset, random: Any) -> None:
    counts, nodes = predict_counts(tree, dataset, missing=rule), flat(tree.root)
    assert np.isfinite(counts).all(), "predicted counts are finite"
    assert (counts >= 0).all(), "predicted counts are never negative"
    complete = leaf_numbers(nodes, dataset.columns, len(dataset)) != UNKNOWN
    usual, labels = (np.asarray(predict(tree, dataset, missing=each)) for each in (all_routes(), rule))
    assert (labels[complete] == usual[complete]).all(), "a row with an answer at every split does not depend on the rule"
    order = random.sample(range(len(dataset)), len(dataset))
    assert np.array_equal(predict_counts(tree, dataset.take(order), missing=rule), counts[order]), "row order does not matter"
    given = nodes, dataset.columns, len(dataset), rule, answers_of_nodes(nodes, rule)
    slowly, found = plain_counts_of_leaves(*given), compiled_counts(*given)
    assert np.array_equal(found, slowly), "compiled code predicts as NumPy does"


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
        assert factors.shape == known.shape, "a discount is one factor for each share of known cases"
        assert (np.isfinite(factors) & (factors >= 0)).all(), "a discount is finite and never negative"

    @trying(fewer=3)
    @given(datasets(missing=True, weighted=True))
    def grown(dataset: Dataset) -> None:
        for each in _policies(missing):
            tree = grow(dataset, each, engine="plain")
            assert grow(dataset, each, engine="compiled") == tree, "all engines grow the same tree"
            own = None if predicts is None or as_prediction_rule(predicts) == all_routes() else as_prediction_rule(predicts)
            assert tree.missing == own, f"a tree keeps its rule, {short_repr(name_of(predicts))}"
            assert list(predict(tree, dataset)) == list(predict(tree, dataset, missing=own)), "a tree predicts by its rule"

    shared()
    discounted()
    grown()
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
            got, wanted = getattr(tree.root, "split", None), oracle(dataset, policy)
            law("the root's split is that of the oracle", got == wanted, got=got, wanted=wanted, dataset=dataset.columns)

    roots()


def _policies(missing: object) -> tuple[Policy, Policy]:
    """Policies with multiway and with binary splits."""
    return evolve(ID3, missing=missing), evolve(ID3, splits=(subset(), threshold()), missing=missing)
