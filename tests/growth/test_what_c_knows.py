"""What the C library knows of a policy: a new part, option or field is NumPy's, until C knows it and laws draw it."""

import numpy as np
import pytest
from attrs import evolve, fields, frozen, make_class
from attrs import field as attrib

from ftree import CART, Dataset, Feature, Schema, entropy, grow
from ftree._lib.fields import has_only
from ftree.datasets import weather
from ftree.growth.depth_first.what_c_knows import LIMITS, OPTIONS, SPLIT_KINDS, stop_limits
from ftree.splitters import (
    by_gain_ratio,
    by_score,
    c45_min_branch,
    multiway,
    one_value,
    random_features,
    random_threshold,
    subset,
    threshold,
)
from ftree.stop import max_depth, max_leaves, min_best_child, min_errors, min_gain, min_rows, no_gain, pure

# Each option of a part, with a value that changes the tree of `table`: a part of C that ignores the option grows another tree.
CHANGED = {
    (threshold, "min_cases"): [40, c45_min_branch(), c45_min_branch(most=5)],
    (threshold, "mdl"): [True],
    (threshold, "at"): ["observed"],
    (threshold, "bins"): [4],
    (random_threshold, "seed"): [1],
    (multiway, "min_cases"): [150],
    (multiway, "empty"): [True],
    (subset, "min_cases"): [200],
    (subset, "exact"): [0],
    (one_value, "min_cases"): [200],
    (random_features, "n"): [2],
    (random_features, "splitters"): [(multiway(), threshold(min_cases=300))],
    (random_features, "seed"): [1],
    (by_gain_ratio, "slack"): [1.0],
}
NEEDED = {random_threshold: {"seed": 0}, random_features: {"n": 1, "splitters": (multiway(), threshold()), "seed": 0}}


def table(n=1200):
    """Two numbers and two names for five classes; one of nine names does not occur."""
    random = np.random.default_rng(0)
    numbers, names = random.normal(size=(2, n)).round(2), random.integers(0, 8, (2, n))
    rates = random.dirichlet(np.ones(5), 8)[names[1]].cumsum(axis=1)  # no order of the names is that of all classes
    labels = np.where(random.random(n) < 0.5, np.digitize(numbers[0], [0.2, 1.3]), (random.random((n, 1)) > rates).sum(axis=1))
    features = [*(Feature(f"x{i}", "numeric") for i in range(2)), *(Feature(f"z{i}", "nominal", range(9)) for i in range(2))]
    return Dataset(Schema(features, "y", range(5)), [*numbers, *names], labels)


def grown_by(part, engine):
    """The tree of a table by a part; by one that only splits numbers, of its numbers."""
    is_choice = type(part) in (by_score, by_gain_ratio)
    splits = (multiway(), threshold()) if is_choice else (part,)
    choose = part if is_choice else by_gain_ratio() if type(part) in SPLIT_KINDS and "numeric" not in part.kinds else by_score()
    policy = evolve(CART, impurity=entropy, splits=splits, choose=choose, stop=max_depth(6) | pure() | no_gain())
    return grow(table(), policy, engine=engine)


@pytest.mark.parametrize(
    ("part", "option"), [(part, option) for part, options in OPTIONS.items() if part not in LIMITS for option in options]
)
def test_each_option_that_c_knows_changes_its_trees_as_those_of_numpy(part, option):
    """For a new option add a value above, and draw it in `policies_with_options` of test_table_growth."""
    usual, needed = [], NEEDED.get(part, {})
    for changed in CHANGED[part, option]:
        other = part(**{**needed, option: changed})
        tree = grown_by(other, "compiled")
        assert tree == grown_by(other, "plain")
        usual.append(grown_by(part(**needed), "compiled") == tree)
    assert not any(usual)


# Stopping rules at the own number of a node, the root, and just beyond: one of both keeps it open.
AT_LIMIT = {
    pure: lambda _: [pure(), max_depth(30)],
    max_depth: lambda node: [max_depth(node.depth), max_depth(node.depth + 1)],
    min_rows: lambda node: [min_rows(float(node.weight) + more) for more in (0, 0.5)],
    min_errors: lambda node: [min_errors(errors_of(node) + more) for more in (0, 0.5)],
    min_best_child: lambda node: [min_best_child(node.weight_of(node.child_counts).min() + more) for more in (0, 0.5)],
    no_gain: lambda _: [no_gain(), max_depth(30)],
    min_gain: lambda node: [min_gain(node.gain), min_gain(node.gain + 1e-6)],
    max_leaves: lambda _: [max_leaves(1), max_leaves(300)],
}


def errors_of(node):
    """Of numbers those of the root, in its mean risk of a case, but for rounding."""
    return float(node.weight) - (node.counts.max() if node.response is None else 0.25)


def data_of(form, target):
    """A table whose features are all numbers if it is to be presorted; its classes, or a whole number for each."""
    data = table(400)
    n = 2 if form == "presorted" else len(data.columns)
    features, columns = data.schema.features[:n], data.columns[:n]
    if target == "numbers":
        made = Dataset.from_columns({"y": data.target_column * 1.0}, target="y", response="numbers")
        return evolve(made, schema=evolve(made.schema, features=features), columns=columns)
    return Dataset(Schema(features, "y", range(5)), columns, data.target_column)


@pytest.mark.parametrize("rule", LIMITS, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("form", ["presorted", "table"])
@pytest.mark.parametrize("target", ["classes", "numbers"])
def test_each_limit_that_c_knows_closes_the_nodes_that_numpy_closes(rule, form, target):
    data, levels = data_of(form, target), []
    policy = evolve(CART, splits=(threshold(),) if form == "presorted" else (multiway(), threshold()), stop=max_depth(5))
    grow(data, policy, trace=levels.append)
    grown = []
    for other in AT_LIMIT[rule](levels[0][0]):
        stopped = evolve(policy, stop=other) if rule in (pure, no_gain) else policy.stopping(other)
        tree = grow(data, stopped, engine="compiled")
        assert tree == grow(data, stopped, engine="plain")
        grown.append(tree)
    assert grown[0] != grown[1] or rule is no_gain


def test_an_option_of_a_part_is_one_of_its_fields():
    """One that is not listed is NumPy's."""
    for part, options in OPTIONS.items():
        assert set(options) <= {field.name for field in fields(part)}
        assert part in LIMITS or {own for own, _ in CHANGED} >= {part} or not options


def test_an_option_that_is_not_known_must_have_its_default():
    later = make_class("later", {"min_cases": attrib(default=0), "mood": attrib(default="calm")}, frozen=True)
    assert has_only(later(min_cases=3), "min_cases")
    assert not has_only(later(mood="wild"), "min_cases")


def test_a_rule_with_an_option_that_is_not_listed_is_numpys(monkeypatch):
    later = make_class("later", {"strict": attrib(default=False)}, bases=(min_rows,), frozen=True)
    for table in (LIMITS, OPTIONS):
        monkeypatch.setitem(table, later, table[min_rows])
    assert stop_limits(later(3)) == stop_limits(min_rows(3))
    assert stop_limits(later(3, strict=True)) is None


def test_a_part_of_another_type_is_numpys():
    @frozen
    class Best:
        def __call__(self, candidates):
            return candidates.score

    assert grow(weather(), evolve(CART, choose=Best())) == grow(weather(), CART)


def test_a_limit_beyond_all_floats_is_none():
    endless = CART.stopping(max_depth(10**400) | min_best_child(0))
    assert grow(weather(), endless, engine="compiled") == grow(weather(), endless, engine="plain")
