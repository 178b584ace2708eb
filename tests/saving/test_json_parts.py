"""Policies, rules, passes, their parts and decisions as JSON and back, those of users where they are named."""

import json
import re
from importlib import import_module
from math import inf, isinf

import numpy as np
import pytest
from attrs import NOTHING, evolve, field, fields, frozen, has
from hypothesis import given
from hypothesis import strategies as st
from published_form import written_and_read
from saved_examples import NO, XY

import ftree as ft
from ftree import criteria, missing, prune, splitters, stop
from ftree._lib.fields import name_of
from ftree.criteria import cost_risk
from ftree.prune import decisions_of
from ftree.saving import json_parts
from ftree.testing import passes, policies, schemas, stopping_rules, trees


@given(policies() | stopping_rules())
def test_a_policy_and_a_stopping_rule_come_back(part):
    assert written_and_read(part) == part


@given(schemas().flatmap(lambda schema: st.tuples(trees(schema=schema, min_count=1), passes(schema))))
def test_decisions_come_back_and_are_replayed(pair):
    tree, one = pair
    decisions = decisions_of(one, tree)
    again = ft.from_json(ft.to_json(decisions))
    assert again == decisions
    assert prune.replay(again, tree) == one(tree)


PARTS = [
    *[
        ft.ID3,
        ft.C45,
        ft.CART,
        ft.CHAID,
        ft.Policy(priors=(0.5, 0.5), costs=((0, 1), (5, 0)), impurity=criteria.dkm, score=criteria.twoing),
        evolve(ft.CART, impurity=criteria.variance),
    ],
    *[prune.chi_squared(), prune.collapse(), prune.cost_complexity(0.1), prune.critical_value(0.1), prune.error_based()],
    *[
        prune.estimated_error(),
        prune.mdl(),
        prune.minimum_error(m=2, prior=(0.5, 0.5)),
        prune.purity(0.5),
        prune.snip([(), (0, 1)]),
        prune.trim(stop.pure()),
    ],
    *[prune.compose(prune.collapse(), prune.pessimistic()), prune.compose(), prune.within(0.1)],
    *[prune.cost_complexity(0.1, risk=cost_risk((1, 2), costs=((0, 1), (5, 0)))), prune.from_function(prune.collapse())],
    *[stop.never, stop.always, stop.per_node(stop.max_leaves(3)), ~(stop.pure() & stop.min_gain(np.float32(0.1)))],
    *[missing.as_branch(floating=True), missing.as_value(), missing.ignore(predict=missing.weighted()), missing.surrogates()],
    *[
        splitters.by_permutation_test(0.1, resamples=99),
        splitters.by_score(),
        splitters.c45_min_branch(most=30),
        splitters.merging(test=criteria.likelihood_ratio),
    ],
    *[splitters.oblique(by=splitters.logistic()), splitters.oblique(by=splitters.coordinates()), splitters.one_value()],
    *[splitters.per_feature({"x": splitters.multiway()}, otherwise=[splitters.subset()])],
    *[splitters.interactions([["x", "y"], ["z"]], [splitters.monotonic({"y": -1}, [splitters.subset()])])],
    *[splitters.random_features(1, [splitters.random_threshold(seed=np.int64(3))], seed=0), criteria.entropy],
]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: getattr(part, "__name__", type(part).__name__))
def test_each_part_comes_back(part):
    assert written_and_read(part) == part


PACKAGES = {package: import_module(f"ftree.{package}") for package in json_parts._PACKAGES}
PUBLIC = {f"{package}.{name}": getattr(module, name) for package, module in PACKAGES.items() for name in module.__all__}
MEASURES = {name: each for name, each in PUBLIC.items() if name.startswith("criteria.") and name_of(each) == name[9:]}


def test_every_public_class_whose_objects_are_called_is_one_of_parts():
    called = {name for name, value in PUBLIC.items() if isinstance(value, type) and has(value) and "__call__" in dir(value)}
    assert {name for name in called if json_parts._part(name) is None} == {"linear.Expansion"}, "its rows are arrays"
    assert set(json_parts._OTHER_CLASSES) <= called


@pytest.mark.parametrize("name", [name for name, each in MEASURES.items() if not isinstance(each, type)])
def test_every_public_impurity_and_score_comes_back_by_its_name(name):
    assert json.loads(ft.to_json(MEASURES[name]))["part"] == {"type": name}
    assert written_and_read(MEASURES[name]) == MEASURES[name]


def required_of(part):
    """The names of the fields of a part that have no default."""
    return {each.name for each in fields(type(part)) if each.default is NOTHING} if has(type(part)) else set()


@given(st.sampled_from(PARTS) | policies(), st.data())
def test_an_option_that_a_text_lacks_has_its_default(part, data):
    """So a text of an earlier release is read, whose part had fewer options."""
    header = json.loads(ft.to_json(part))
    options = sorted(set(header["part"]) - {"type"} - required_of(part))
    lacking = data.draw(st.sets(st.sampled_from(options))) if options else set()
    for name in lacking:
        del header["part"][name]
    kept = {name: getattr(part, name) for name in header["part"] if name != "type"}
    try:
        wanted = type(part)(**kept) if lacking else part
    except ValueError as error:  # such as a prior without its weight
        with pytest.raises(ValueError, match=re.escape(str(error))):
            ft.from_json(json.dumps(header))
    else:
        assert ft.from_json(json.dumps(header)) == wanted


@pytest.mark.parametrize("part", [each for each in PARTS if required_of(each)], ids=lambda part: type(part).__name__)
def test_a_field_without_a_default_must_be_there_and_no_other_may(part):
    header = json.loads(ft.to_json(part))
    for name in required_of(part):
        other = {key: value for key, value in header["part"].items() if key != name}
        with pytest.raises(ValueError, match=rf"must be an object with the keys type, .*{name}"):
            ft.from_json(json.dumps(header | {"part": other}))
    with pytest.raises(ValueError, match=r"got the keys 'type', .*'later'"):
        ft.from_json(json.dumps(header | {"part": header["part"] | {"later": 1}}))


@pytest.mark.parametrize("value", [NO, XY, None, len, stop.pure, [1], {"a": 1}, np.zeros(2)])
def test_only_trees_parts_and_decisions_are_written(value):
    with pytest.raises(TypeError, match=r"value must be a Tree, a policy, a pass or another part of the library, or a sequence"):
        ft.to_json(value)


class Choice:
    """A choice between features, which cannot be a key of a dictionary."""

    __hash__ = None

    def __call__(self, candidates):
        return splitters.by_score()(candidates)


@pytest.mark.parametrize(
    "value",
    [
        ft.Policy(choose=Choice()),
        evolve(ft.ID3, impurity=lambda counts: counts.sum(-1)),
        evolve(ft.CART, impurity=evolve(criteria.poisson, scale=2.0)),
        stop.pure() | (lambda frontier: frontier.depth > 3),
        stop.per_node(min),
        ft.Tree(XY, NO, missing=lambda sizes: sizes),
        prune.reduced_error(ft.Dataset.from_rows([[1], [2]], ["a", "b"])),
    ],
    ids=["unhashable", "impurity", "another of the name of the library's", "rule", "builtin", "prediction rule", "dataset"],
)
def test_what_has_no_name_and_datasets_are_refused(value):
    with pytest.raises(TypeError, match=r"A part must be one of the library's, a function .* has no name that could be written"):
        ft.to_json(value)


def root_impurity(counts):
    return np.sqrt(criteria.gini(counts))


@frozen
class Shallow:
    """A rule of one's own, which may hold other parts."""

    depth: int
    other: object = stop.never

    def __call__(self, frontier):
        return (frontier.depth >= self.depth) | self.other(frontier)


@frozen
class Evenly:
    """A policy for missing values of one's own, which is no function."""

    most: float
    twice: float = field(init=False, default=2.0, eq=False)

    def shares(self, sizes):
        return np.full(sizes.shape, self.most / sizes.shape[-1])

    def discount(self, known):
        return known


OWN_POLICY = evolve(
    ft.ID3, impurity=root_impurity, stop=stop.pure() | Shallow(2, stop.max_depth(9)) | Shallow(3, Shallow(4, stop.pure()))
)


def test_parts_of_ones_own_come_back_where_they_are_named(tmp_path):
    text = ft.to_json(OWN_POLICY)
    assert ft.from_json(text, parts=[Shallow, root_impurity]) == OWN_POLICY
    ft.save(OWN_POLICY, tmp_path / "policy.json.gz")
    assert ft.load(tmp_path / "policy.json.gz", parts=(root_impurity, Shallow)) == OWN_POLICY
    assert ft.from_json(ft.to_json(Shallow(1)), parts=(Shallow,)) == Shallow(1)
    assert ft.from_json(ft.to_json(evolve(ft.CART, missing=Evenly(1.0))), parts=(Evenly,)) == evolve(ft.CART, missing=Evenly(1.0))
    tree = ft.Tree(XY, NO, missing=root_impurity)
    assert ft.from_json(ft.to_json(tree), parts=(root_impurity,)).missing is root_impurity


@pytest.mark.parametrize(
    ("parts", "error", "words"),
    [
        ((), ValueError, r"type must be a part of the library, .* or one of parts=\(\.\.\.\), got 'own.root_impurity'"),
        ([root_impurity], ValueError, r"got 'own.Shallow'"),
        (
            [root_impurity, frozen(type("Shallow", (), {}))],
            ValueError,
            r"own.Shallow must be an object with the keys type, got the keys 'type', 'depth', 'other'",
        ),
        ([lambda counts: counts], TypeError, r"parts must be a sequence of attrs classes and functions, .* got <function"),
        (
            [root_impurity, Shallow, frozen(type("Shallow", (), {}))],
            ValueError,
            "parts must have distinct names, got two of the name Shallow. Rename one of them.",
        ),
        (int, TypeError, r"parts must be a sequence of attrs classes and functions"),
        (7, TypeError, r"got 7"),
    ],
)
def test_parts_that_are_not_named_are_refused(parts, error, words):
    with pytest.raises(error, match=words):
        ft.from_json(ft.to_json(OWN_POLICY), parts=parts)


def called_from(depth, function):
    return called_from(depth - 1, function) if depth else function()


@pytest.mark.parametrize("depth", range(6))
def test_what_nests_too_deep_is_refused_wherever_python_has_no_more_stack(depth):
    rule = stop.pure()
    for _ in range(3000):
        rule = ~rule
    with pytest.raises(ValueError, match="value must be nested a few hundred deep at most"):
        called_from(depth, lambda: ft.to_json(rule))


def test_infinite_scores_of_decisions_come_back():
    decisions = (prune.Decision((), (2, 1), as_leaf=1, threshold=-inf),)
    assert isinf(written_and_read(decisions)[0].threshold)
