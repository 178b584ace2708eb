"""The strategies make values as documented, and laws of checks are tried and told as said."""

from collections import Counter
from types import FunctionType

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from ftree import Branch, Feature, Leaf, Schema, criteria, missing, n_leaves, prune, splitters, stop
from ftree.policy.growth_policy import role_of
from ftree.splitters import all_parts
from ftree.splitters.missing_policies import has_hooks
from ftree.testing import chain, datasets, passes, policies, schemas, splits, stopping_rules, trees
from ftree.testing.laws import check_settings, equal, law, near
from ftree.tree import Threshold, WithSurrogates, preorder
from ftree.tree import splits as split_types

# A found value need not be the simplest of its kind.
quick = settings(max_examples=2000, database=None, phases=[Phase.generate])


@given(st.data())
def test_trees_have_sums_in_their_branches_and_few_leaves(data):
    tree = data.draw(trees(max_leaves=6))
    assert n_leaves(tree) <= 6
    for node in preorder(tree):
        if isinstance(node, Branch):
            assert node.counts == tuple(map(sum, zip(*(child.counts for child in node.children), strict=True)))


def drawn(strategy, parts_of):
    """The names of the parts of many values of a strategy."""
    found = set()

    @settings(
        max_examples=1500, database=None, phases=[Phase.generate], derandomize=True, suppress_health_check=list(HealthCheck)
    )
    @given(strategy)
    def collect(value):
        found.update(getattr(part, "__name__", type(part).__name__) for part in parts_of(value))

    collect()
    return found


def names(package, role=None, *, having=(), types=type):
    """The public names of what has a role in a policy, or is of a type with some attributes; but no protocols."""
    every = {name: getattr(package, name) for name in package.__all__}
    return {
        name
        for name, value in every.items()
        if not getattr(value, "_is_protocol", False)
        and isinstance(value, types)
        and (role is None or role_of(value) == role)
        and all(hasattr(value, each) for each in having)
    }


def several_passes(value):
    return [value, *(part for each in getattr(value, "passes", ()) for part in several_passes(each))]


SCHEMAS = schemas()
# Of each strategy: its values and how their parts are found; the public names of such parts; those never drawn, with the reason.
DRAWN = {
    "stopping_rules": (
        (stopping_rules(), lambda rule: all_parts([rule])),
        names(stop, having=["__call__", "__or__"]),
        {"max_leaves": "it is about whole trees"},
    ),
    "policies: impurities": (
        (policies(), lambda policy: [policy.impurity]),
        names(criteria, "an impurity", types=(FunctionType, type)) - names(criteria, having=["of_children"]),
        {
            "checked": "it is no impurity but a helper, as are proportions, expected_costs and without_rounding",
            "proportions": "",
            "expected_costs": "",
            "without_rounding": "",
            "kl_divergence": "it needs reference counts",
            "cost_risk": "it needs costs",
            "compiled_impurity": "it needs a function in machine code",
        },
    ),
    "policies: scores": (
        (policies(), lambda policy: [policy.score]),
        names(criteria, "a score", types=FunctionType),
        {
            "conditional_entropy": "it takes no impurity, and is lower where a split is better",
            "split_information": "it is the divisor of gain_ratio, and no score",
            "twoing": "it takes two children only",
        },
    ),
    "policies: splitters": (
        (policies(), lambda policy: all_parts(policy.splits)),
        names(splitters, having=["kinds"]),
        {
            "only": "it names features",
            "monotonic": "it names features",
            "interactions": "it names features",
        },
    ),
    "policies: missing": (
        (policies(), lambda policy: [policy.missing]),
        {name for name in names(missing) if has_hooks(getattr(missing, name))} | {"ignore"},
        {},
    ),
    "passes": (
        (SCHEMAS.flatmap(passes), several_passes),
        names(prune, having=["decisions"]) - {"PassWithDecisions"},
        {
            "from_function": "it makes passes of functions",
            "from_branch_function": "it makes passes of functions",
            "estimated_error": "it prunes regression trees only",
        },
    ),
    "splits": ((SCHEMAS.flatmap(splits), lambda split: [split]), names(split_types, having=["child"]), {}),
}


@pytest.mark.parametrize("strategy", DRAWN)
def test_a_strategy_draws_every_public_part_of_its_kind(strategy):
    values, public, exempt = DRAWN[strategy]
    assert public - drawn(*values) == exempt.keys()


@pytest.mark.parametrize(("reversed_", "default_child"), [(False, None), (True, 0), (False, 1)])
def test_surrogates_of_either_direction_and_every_default_child_happen(reversed_, default_child):
    def wanted(split):
        return (
            isinstance(split, WithSurrogates)
            and split.default_child == default_child
            and reversed_ in {s.reversed for s in split.surrogates}
        )

    found = find(schemas().flatmap(splits), wanted, settings=quick)
    assert all(surrogate.split.feature != found.split.feature for surrogate in found.surrogates)


def test_ties_gaps_and_weights_happen():
    tied = find(trees(), lambda tree: max(Counter(tree.root.counts).values()) > 1, settings=quick)
    assert len(tied.root.counts) > 1
    assert len(find(datasets(missing=True), lambda data: len(data.incomplete()) > 0, settings=quick)) > 0
    assert find(datasets(weighted=True), lambda data: max(data.weights) > 1, settings=quick).weights is not None


def test_chains_have_a_leaf_on_each_level_and_the_counts_of_alternating_cases():
    assert chain(0).root == Leaf((1, 0))
    inner = Branch((1, 1), Threshold(0, 1.5), (Leaf((0, 1)), Leaf((1, 0))))
    assert chain(2).root == Branch((2, 1), Threshold(0, 0.5), (Leaf((1, 0)), inner))
    assert chain(2).schema == Schema([Feature("x", "numeric")], "class", ("even", "odd"))


def test_a_broken_law_is_told_with_what_is_given_of_it():
    for given_values, message in [
        ({}, "a law"),
        ({"got": 0}, "a law: got 0"),
        ({"wanted": "more"}, "a law: must be more"),
        ({"got": None, "wanted": np.array([1, 2])}, "a law: got None, must be [1, 2]"),
        ({"n": np.int64(3), "name": "x"}, "a law: n = 3, name = x"),
        ({"got": np.float64(0.5), "n": (1,)}, "a law: got 0.5, for n = (1,)"),
    ]:
        with pytest.raises(AssertionError) as told:
            law("a law", holds=False, **given_values)
        assert str(told.value) == message
    law("a law", holds=1, got=0)


def test_numbers_are_equal_up_to_nine_digits_and_all_else_by_itself():
    assert near(1.0, 1 + 1e-9)
    assert near([0.0, np.nan], [1e-10, np.nan])
    assert near(1e6, 1e6 + 0.0005)
    for one, other in [(1.0, 1 + 1e-8), (0.0, 1e-8), ([1], [[1]]), ("a", "b"), ((1, "a"), (1, "b")), (None, 0)]:
        assert not near(one, other)
        with pytest.raises(AssertionError, match=r"^equal: got .*, must be .*, for n = 1$"):
            equal("equal", one, other, n=1)


@pytest.mark.parametrize(("most", "fewer", "wanted"), [(60, 1, 60), (60, 3, 20), (60, 20, 10), (4, 3, 4), (100, 10, 10)])
def test_a_check_takes_a_share_of_the_profiles_examples_and_at_least_ten_of_them(most, fewer, wanted):
    before = settings.get_current_profile_name()
    try:
        settings.register_profile("counted", max_examples=most)
        settings.load_profile("counted")
        found = check_settings(fewer=fewer)
    finally:
        settings.load_profile(before)
    assert found.max_examples == wanted
    assert (found.report_multiple_bugs, found.deadline) == (False, None)
    assert set(found.suppress_health_check) == {HealthCheck.too_slow, HealthCheck.data_too_large}
    assert check_settings().max_examples == settings.default.max_examples
