"""Every engine grows what the definition grows: any policy, response, weights, missing values and start."""

from functools import partial

import numpy as np
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from test_inherited_state import LevelsAbove
from test_regression import POLICIES as POLICIES_OF_SUMS
from test_regression import fractions_of, tables
from test_start import FAMOUS
from test_table_growth import POLICIES as FAMOUS_WITH_OPTIONS
from test_table_growth import kinds_of_weights, policies_with_options, weighed

from ftree import CART, CHAID, ID3, Dataset, grow
from ftree.growth import by_definition
from ftree.missing import as_branch, surrogates
from ftree.splitters import (
    by_permutation_test,
    interactions,
    merging,
    monotonic,
    multiway,
    oblique,
    random_features,
    random_threshold,
    subset,
    threshold,
)
from ftree.stop import max_depth, not_significant, pure
from ftree.testing import datasets, policies, stopping_rules, trees
from ftree.tree import Threshold, n_nodes

LOOSE = merging(alpha_merge=0.5, alpha_split=1, bonferroni=False)
CLASSES = [
    *FAMOUS,
    *FAMOUS_WITH_OPTIONS.values(),
    evolve(CART, missing=surrogates(everywhere=True)),
    evolve(ID3, missing="heaviest", splits=(multiway(), threshold(bins=2, at="observed"))),
    evolve(ID3, splits=(random_features(1, (subset(), random_threshold(seed=2)), seed=5),)),
    evolve(ID3, splits=(interactions([["f0"]], (multiway(), threshold())),)),
    evolve(ID3, choose=by_permutation_test(resamples=9), stop=not_significant(0.9)),
    evolve(CART, splits=(subset(), oblique()), missing="as_branch"),
    *[evolve(CHAID, missing=as_branch(floating=True), splits=(each,)) for each in (LOOSE, random_features(1, (LOOSE,), seed=2))],
    ID3.stopping(LevelsAbove(2)),
]
SUMS = POLICIES_OF_SUMS | st.sampled_from(
    [evolve(CART, splits=(threshold(at="observed"), subset())), CART.stopping(LevelsAbove(2))]
)
ENGINES = st.sampled_from(["plain", "compiled"])


@given(st.data(), datasets(missing=True, weighted=True, max_rows=24), kinds_of_weights, ENGINES)
def test_engines_grow_the_tree_of_the_definition(draws, table, weights, engine):
    own = policies_with_options(len(table.schema.classes))
    policy = draws.draw(policies() | st.sampled_from([each for each in CLASSES if fits(each, table)]) | own)
    dataset = weighed(table, weights)
    assert outcome(by_definition, dataset, policy) == outcome(partial(grow, engine=engine), dataset, policy)


def outcome(grown, *given):
    """The tree, or why there is none."""
    try:
        return grown(*given)
    except ValueError as refused:
        return str(refused)


def fits(policy, table):
    """Whether a policy has a prior for each class."""
    return all(each is None or len(each) == len(table.schema.classes) for each in (policy.priors, policy.costs))


@given(tables(missing=True, weighted=True, max_rows=20), SUMS, st.booleans(), ENGINES)
def test_engines_grow_the_tree_of_the_definition_of_numbers_and_events(table, policy, fractional, engine):
    dataset = fractions_of(table) if fractional else table
    assert by_definition(dataset, policy) == grow(dataset, policy, engine=engine)


@given(st.data(), datasets(missing=True, weighted=True, max_rows=24), policies(), stopping_rules())
def test_growth_from_a_start_is_that_of_the_definition(draws, dataset, policy, earlier):
    start = draws.draw(st.just(grow(dataset, policy.stopping(earlier))) | trees(schema=dataset.schema))
    assert by_definition(dataset, policy, start=start) == grow(dataset, policy, start=start)


class Falsy(Threshold):
    """A split of one's own that has a length, and so no truth."""

    def __len__(self):
        return 0


def test_a_split_that_is_false_divides_rows_as_any_other():
    class Cutting:
        kinds = threshold().kinds

        def __call__(self, runs, measure):
            best = threshold()(runs, measure)
            build = best.build

            def made(number):
                split, counts = build(number)
                return Falsy(split.feature, split.at), counts

            return evolve(best, build=made)

    table = Dataset.from_rows([[a, b] for a in (0.0, 1.0) for b in (0.0, 1.0)], [0, 1, 1, 0])
    policy = evolve(ID3, splits=(Cutting(),), stop=pure())
    assert n_nodes(by_definition(table, policy)) == n_nodes(grow(table, policy)) == 7


def test_monotonic_answers_hand_their_bounds_down():
    random = np.random.default_rng(0)
    cells = random.integers(0, 5, (80, 2)).astype(float)
    labels = np.where(cells.sum(axis=1) + random.normal(size=80) > 4, "yes", "no")
    table = Dataset.from_columns({"a": cells[:, 0], "b": cells[:, 1], "buys": labels}, target="buys")
    policy = evolve(ID3, splits=(monotonic({"a": 1}, (threshold(),)),)).stopping(max_depth(4))
    assert by_definition(table, policy) == grow(table, policy) != grow(table, evolve(policy, splits=(threshold(),)))


def test_a_tree_as_deep_as_the_table_is_long_grows():
    n = 3000
    table = Dataset.from_columns({"x": np.arange(n), "class": np.arange(n) % 2}, target="class")
    policy = evolve(ID3, splits=(threshold(),))
    assert by_definition(table, policy) == grow(table, policy)
