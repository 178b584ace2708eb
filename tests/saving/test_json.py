"""Trees, parts and decisions as JSON and back: the result is equal, at any depth, and follows the published form."""

import gzip
import json
import os
import re
import subprocess
import sys
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from math import inf, isinf, nan
from pathlib import Path

import numpy as np
import pytest
from attrs import NOTHING, evolve, field, fields, frozen, has
from hypothesis import given
from hypothesis import strategies as st
from published_form import FORM, written_and_read

import ftree as ft
from ftree import criteria, missing, prune, splitters, stop
from ftree._lib.fields import name_of
from ftree._lib.machine import complete_or_nothing
from ftree.criteria import cost_risk
from ftree.datasets import weather
from ftree.exchange import to_python
from ftree.exchange.plain_values import plain_value, plain_values
from ftree.prune import decisions_of
from ftree.responses import events
from ftree.saving import json_parts, save_and_load
from ftree.testing import chain, passes, policies, schemas, stopping_rules, trees
from ftree.tree import IsMissing, Threshold, WithDefault, exact_sums, numbers

RULES = [None, missing.all_routes(), missing.weighted(), missing.heaviest(), missing.stop_here()]
NO, YES = ft.Leaf((1, 0)), ft.Leaf((0, 1))
XY = ft.Schema([ft.Feature("x", "numeric"), ft.Feature("y", "numeric")], "class", ("no", "yes"))


def leaf_of(*classes):
    return ft.Tree(ft.Schema((), "class", classes), ft.Leaf([1] * len(classes)))


# Round trips ----------------------------------------------------------------------------------------------------------


@given(trees() | trees(response="numbers") | trees(response="events"), st.sampled_from(RULES))
def test_from_json_of_to_json_is_the_tree_with_its_rule(tree, rule):
    tree = evolve(tree, missing=rule)
    again = written_and_read(tree)
    assert again == tree
    assert repr(again.root) == repr(tree.root)


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
    assert ft.from_json(json.dumps(header)) == (type(part)(**kept) if lacking else part)


@pytest.mark.parametrize("part", [each for each in PARTS if required_of(each)], ids=lambda part: type(part).__name__)
def test_a_field_without_a_default_must_be_there_and_no_other_may(part):
    header = json.loads(ft.to_json(part))
    for name in required_of(part):
        other = {key: value for key, value in header["part"].items() if key != name}
        with pytest.raises(ValueError, match=rf"must be an object with the keys type, .*{name}"):
            ft.from_json(json.dumps(header | {"part": other}))
    with pytest.raises(ValueError, match=r"got the keys 'type', .*'later'"):
        ft.from_json(json.dumps(header | {"part": header["part"] | {"later": 1}}))


def test_decisions_and_responses_without_an_option_are_read():
    header = json.loads(ft.to_json([prune.Decision((), (2, 1)), prune.Decision((0,), (2, 0), as_leaf=0.5, done="cut")]))
    del header["decisions"]["as_leaf"], header["decisions"]["done"]
    assert ft.from_json(json.dumps(header)) == (prune.Decision((), (2, 1)), prune.Decision((0,), (2, 0)))
    tree = ft.grow(ft.Dataset.from_rows([[1], [2]], [0, 2], response=events()), ft.CART)
    header = json.loads(ft.to_json(tree))
    del header["tree"]["schema"]["response"]["exposure"]
    FORM.validate(header)
    assert ft.from_json(json.dumps(header)) == tree


def _typed(label):
    """The text of a label and of its members; a set's are sorted, since its order differs between processes."""
    if isinstance(label, frozenset):
        return sorted(map(str, map(_typed, label)))
    return type(label), repr(label)


@pytest.mark.parametrize(
    "label",
    [
        *["", 'é\n"\\\x00', 0, -1, 2**70, 10**400, True, None, 0.1, -0.0, 1e308, 5e-324, inf, -inf, ("a", (1, None)), b"\xff"],
        *[
            date(2020, 1, 31),
            datetime.fromisoformat("2020-01-01T12:30:00.000005"),
            datetime(2020, 1, 1, tzinfo=UTC),
            time(12, 30),
            timedelta(-1, 5, 7),
        ],
        *[Decimal("1.50"), Fraction(-1, 3), frozenset({"b", "a", 1}), frozenset({frozenset()})],
        *[np.datetime64("2020-01-31"), np.datetime64(5, "25s"), np.timedelta64(7, "h")],
    ],
    ids=lambda label: type(label).__name__,
)
def test_labels_and_values_keep_their_types(label):
    values = ft.Feature("f", "nominal", (label, "other"))
    tree = ft.Tree(ft.Schema([values], "class", ("other", label)), ft.Leaf((1, 2)))
    again = written_and_read(tree)
    assert _typed(again.schema.classes[1]) == _typed(label) == _typed(again.schema.features[0].values[0])
    assert again == tree


@pytest.mark.parametrize(("label", "plain"), [(np.int64(3), 3), (np.float32(0.5), 0.5), (np.True_, True), (np.str_("a"), "a")])
def test_labels_of_numpy_are_those_of_python(label, plain):
    (again, *_) = written_and_read(leaf_of(label, "b")).schema.classes
    assert type(again) is type(plain)
    assert again == plain


def test_classes_that_python_tells_apart_by_type_only_are_kept_apart():
    assert [type(each) for each in written_and_read(leaf_of("1", 1, 0.0, date(1, 1, 1))).schema.classes] == [
        str,
        int,
        float,
        date,
    ]


@pytest.mark.parametrize(
    "counts", [(3, 0.1 + 0.2), (Fraction(1, 3), np.int8(7)), (2**70, 1e-300), (10**99, 7 * 10**98), (np.float32(0.1), 0)]
)
def test_counts_are_exact(counts):
    leaf = ft.Leaf(counts)
    again = written_and_read(ft.Tree(ft.Schema((), "class", (0, 1)), leaf)).root
    assert repr(again) == repr(leaf)


NUMBERS = ft.Schema((), "mpg", (), response=numbers(-0.1, 2.0**-1074, part=0.5))


def test_sums_of_numbers_are_exact_at_any_size():
    tree = ft.Tree(NUMBERS, ft.Leaf((0.5, 3**70, 2**300 + 1)))
    again = written_and_read(tree)
    assert (again, repr(again.root), repr(again.schema)) == (tree, repr(tree.root), repr(tree.schema))
    assert ft.from_dict(ft.to_dict(tree, counts=True, schema=True)) == tree


OF_NUMBERS = ft.to_json(ft.Tree(NUMBERS, ft.Leaf((1, 2, 4))))
OF_EVENTS = ft.to_json(ft.Tree(ft.Schema((), "n", (), response=exact_sums(events("years", rate=0.5))), ft.Leaf((1, 2, 4, 0))))


@pytest.mark.parametrize(
    ("text", "old", "new", "message"),
    [
        (OF_NUMBERS, '"type":"numbers"', '"type":"ranks"', "must be of type 'numbers', with a centre, a unit and a part, or in"),
        (OF_NUMBERS, '"part":0.5', '"part":"0.5"', "The response must be of type 'numbers', with"),
        (OF_NUMBERS, '"part":0.5', f'"part":{10**400}', "The response must be of type 'numbers', with"),
        (OF_NUMBERS, "[[1],[2],[4]]", "[[1e-320],[2],[4]]", "Sums of a node must have a finite number as their answer, got"),
        (OF_EVENTS, '"rate":0.5', f'"rate":{10**400}', "rate must be 0, or a number from 1e-100 to 1e\\+100, got 1000"),
        (OF_NUMBERS, '"part":0.5', '"part":0.3', "part must be a power of two, such as 0.25, got 0.3"),
        (OF_NUMBERS, ',"part":0.5', "", "The response must be an object with the keys type, centre, unit, part, got"),
        (OF_NUMBERS, '"classes":[]', '"classes":[1]', r"classes must be \(\) for a target of numbers, got \(1,\)"),
        (OF_EVENTS, '"rate":0.5', '"rate":"0.5"', "rate must be 0, or a number from 1e-100 to 1e\\+100, got '0.5'"),
        (OF_EVENTS, '"rate":0.5', '"rate":-0.5', "rate must be 0, or a number from 1e-100 to 1e\\+100, got -0.5"),
        (OF_EVENTS, '"grids":[[0.0,1.0],', '"grids":[[0.0,0.0],', "unit must be a number above 0, and at most 1e300, got 0.0"),
        (OF_EVENTS, '"grids":[[0.0,1.0],', '"grids":[', "grids must"),
        (OF_EVENTS, '"grids":[[0.0,1.0],', '"grids":[[-1e308,1.0],', "grids must have centres of at most 1e"),
        (OF_EVENTS, '"grids":[[0.0,1.0],', '"grids":[[0.0,5e-324],', "grids must have centres of at most 1e"),
        (OF_EVENTS, '"part":1.0', '"part":3.0', "part must be a power of two"),
        (OF_EVENTS, '"part":1.0', '"part":"1"', r"or in ftree.responses or parts=\(...\), with grids and a part, got"),
    ],
)
def test_a_wrong_response_is_refused_by_name(text, old, new, message):
    assert old in text
    with pytest.raises(ValueError, match=message):
        ft.from_json(text.replace(old, new))


@frozen
class Above:
    """A response of one's own: numbers above a limit."""

    limit: float
    kind, channels = "numbers above", ("cases", "sum", "squares")

    def add(self, values):
        above = np.maximum(values - self.limit, 0.0)
        return above, above**2

    def answer(self, cases, total, _):
        return total / np.maximum(cases, 1)

    def loss(self, answer, cases, total, squares):
        return cases * answer**2 - 2 * answer * total + squares


@frozen
class Clash(Above):
    """A response with a field of a name that JSON needs."""

    grids: int = 1


def test_a_response_of_ones_own_is_written_by_its_name_and_read_where_it_is_named():
    tree = ft.grow(ft.Dataset.from_rows([[1], [2]], [0.5, 2.5], response=Above(1.0)), ft.CART)
    text = ft.to_json(tree)
    assert written_and_read(tree, parts=(Above,)) == tree
    with pytest.raises(ValueError, match=r"A program must be of .* or of linear models, got one of"):
        to_python(tree)
    with pytest.raises(ValueError, match=r"or in ftree.responses or parts=\(...\), with grids and a part, got"):
        ft.from_json(text)
    with pytest.raises(ValueError, match="The response must be an object with the keys type, grids, part, limit, got"):
        ft.from_json(text.replace('"limit"', '"least"'), parts=(Above,))
    for own in (exact_sums(Clash(1.0)), Subclass()):
        with pytest.raises(TypeError, match=r"response must be that of .*, to be written, got"):
            ft.to_json(ft.Tree(ft.Schema((), "mpg", (), response=own), ft.Leaf((1, 2, 4)[: len(own.channels)])))


@frozen
class Subclass(numbers):
    """A response of another type."""


@pytest.mark.parametrize("time", ["date", "datetime", "datetime in UTC", "time of day", "duration"])
def test_times_are_kept(time):
    tree = ft.Tree(
        ft.Schema([ft.Feature("when", "numeric", time=time)], "class", ("no", "yes")),
        ft.Branch((1, 1), Threshold(0, 0.1), (NO, YES)),
    )
    assert written_and_read(tree).schema.features[0].time == time
    assert ft.from_dict(ft.to_dict(tree, counts=True, schema=True)) == tree


def test_splits_inside_splits_come_back():
    inner = WithDefault(Threshold(0, 0.5), default_child=1)
    tree = ft.Tree(XY, ft.Branch((1, 1), WithDefault(inner, default_child=0), (NO, YES)))
    assert written_and_read(tree) == tree


def test_a_tree_of_any_depth_comes_back():
    deep = chain(3000)
    assert ft.from_json(ft.to_json(deep)) == deep


# Users' splits ------------------------------------------------------------------------------------------------------


@frozen
class Below(Threshold):
    """A user's split: an attrs class, with a bound of any type that JSON can represent."""

    note: object = field(default=None, kw_only=True)


class Written:
    """A user's split that defines its written form."""

    features, n_children, conditions = (0,), 2, Threshold(0, 0.5).conditions

    def __init__(self, *marks):
        self.marks = marks

    def child(self, column):
        return Threshold(0, 0.5).child(column)

    def to_fields(self):
        return {f"mark{n}": mark for n, mark in enumerate(self.marks)}

    @classmethod
    def from_fields(cls, fields):
        return cls(*fields.values())

    def __eq__(self, other):
        return self.marks == other.marks

    __hash__ = None


def tree_with(*splits):
    node = NO
    for split in splits:
        node = ft.Branch(node.counts, split, (node, ft.Leaf((0, 0))))
    return ft.Tree(XY, node)


@pytest.mark.parametrize("note", [None, "é", (1, ("a", None)), inf, True, Fraction(1, 3)])
def test_a_split_of_ones_own_comes_back_where_it_is_named(note):
    tree = tree_with(Below(0, 0.5, note=note), Below(1, 1.5, note=note))
    assert written_and_read(tree, splits=(Below,)) == tree
    with pytest.raises(
        ValueError, match=r"must be of one of the types .*, got 'Below'. Pass your own types as splits=\(Below,\)"
    ):
        ft.from_json(ft.to_json(tree))


def test_a_split_that_says_how_it_is_written_comes_back():
    for tree in (tree_with(Written(1, "a"), Written(2, None)), tree_with(Written())):
        assert written_and_read(tree, splits=[Written]) == tree


def test_a_split_of_two_forms_and_two_types_of_one_name_are_refused():
    with pytest.raises(TypeError, match=r"to_fields\(\) of Written must have the same names for each split"):
        ft.to_json(tree_with(Written(1), Written(1, 2)))
    other = frozen(type("Threshold", (Threshold,), {}))
    with pytest.raises(TypeError, match="Split types must have distinct names, got two of the name Threshold"):
        ft.to_json(tree_with(Threshold(0, 0.5), other(0, 0.5)))
    with pytest.raises(ValueError, match="splits must have distinct names, got two of the name Threshold"):
        ft.from_json("", splits=(other, Threshold))


def test_a_type_that_makes_no_split_is_refused():
    text = ft.to_json(tree_with(Written())).replace("Written", "dict")
    with pytest.raises(ValueError, match=r"The split of node 0 must be a split with 2 children, as n_children says, got \{\}"):
        ft.from_json(text, splits=[dict])
    with pytest.raises(TypeError, match="splits must be a sequence of split types"):
        ft.from_json(text, splits=(3,))


# What cannot be written -----------------------------------------------------------------------------------------------


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
        stop.pure() | (lambda frontier: frontier.depth > 3),
        stop.per_node(min),
        ft.Tree(XY, NO, missing=lambda sizes: sizes),
        prune.reduced_error(ft.Dataset.from_rows([[1], [2]], ["a", "b"])),
    ],
    ids=["unhashable", "impurity", "rule", "builtin", "prediction rule", "dataset"],
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


@pytest.mark.parametrize(
    ("label", "error", "words"),
    [
        (1j, TypeError, r"A value must be None, a bool, .*, got 1j"),
        (np.longdouble(1) / 3, TypeError, "A value must be None, a bool"),
        (st, TypeError, "A value must be None, a bool"),
        (nan, ValueError, "The classes must be equal to themselves, got nan"),
        ("\ud800", ValueError, "Text must be Unicode without single surrogates"),
        (10**5000, ValueError, "value must be of whole numbers with at most 4300 digits"),
    ],
    ids=["complex", "long double", "module", "NaN", "surrogate", "long"],
)
def test_labels_that_json_cannot_keep_are_refused(label, error, words):
    with pytest.raises(error, match=words):
        ft.to_json(leaf_of(label))


def test_what_nests_too_deep_is_refused():
    rule = stop.pure()
    for _ in range(3000):
        rule = ~rule
    with pytest.raises(ValueError, match="value must be nested a few hundred deep at most"):
        ft.to_json(rule)


# What cannot be read --------------------------------------------------------------------------------------------------

TREE = json.loads(
    ft.to_json(ft.Tree(XY, ft.Branch((1, 1), Threshold(0, 0.5), (NO, ft.Branch((0, 1), Threshold(1, 2.5), (NO, YES))))))
)
PART = json.loads(ft.to_json(stop.max_depth(3) | stop.pure()))
DECISIONS = json.loads(ft.to_json([prune.Decision((0,), (2, 1), 1.0, 2.0, done="cut", becomes=NO)]))


def changed(document, path, value):
    """The text of a document with one value replaced; a function makes the new value from the old one."""
    document = json.loads(json.dumps(document))
    place = document
    *above, last = path
    for key in above:
        place = place[key]
    place[last] = value(place[last]) if callable(value) else value
    return json.dumps(document)


NODES = ["tree", "nodes"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "text must be JSON, got '' at 0: Expecting value"),
        ("[]", r"The text must be an object with the keys format, version, and may have tree, part, decisions, got \[\]"),
        ('{"format":"ftree","version":1}', "one of tree, part and decisions, got .* and 0 of these"),
        (changed(PART, ["tree"], {}), "and 2 of these"),
        (changed(PART, ["format"], "other"), "The text must be an object with the format 'ftree'"),
        (changed(PART, ["version"], 2), "version must be 1, got 2. A later release of ftree may read the text"),
        (changed(PART, ["more"], 2), "The text must be an object with the keys format, .* got the keys"),
        ('{"format":"ftree","format":"ftree"}', "An object must have each key once, got 'format' twice"),
        (ft.to_json(stop.max_depth(3)).replace("3", "NaN"), "A number must be finite, got NaN"),
        (ft.to_json(stop.max_depth(3)).replace("3", "1e999"), "A number must be finite, got '1e999'"),
        (ft.to_json(stop.max_depth(3)).replace("3", "9" * 5000), "text must be JSON of whole numbers with at most 4300 digits"),
        (b"\xff", r"text must be UTF-8, got b'\\xff' at byte 0"),
        ("[" * 100_000, "text must be JSON with less nesting"),
        ('{"format":"ftree","version":1,"part":' + "[" * 600 + "]" * 600 + "}", r"part must be a part of the library, got \[\["),
        (
            '{"format":"ftree","version":1,"part":' + '{"tuple":[' * 400 + "]}" * 400 + "}",
            "text must be JSON with less nesting",
        ),
        (changed(TREE, ["tree", "schema", "target"], "\ud800"), "Text must be Unicode without single surrogates"),
        (changed(TREE, ["tree", "schema", "target"], 3), "A name must be a text, got 3"),
        (changed(TREE, ["tree", "schema", "target"], "x"), "target must not be the name of a feature, got 'x'"),
        (changed(TREE, ["tree", "schema", "classes"], ["no", "no"]), "classes must be distinct, got 'no' twice"),
        (changed(TREE, ["tree", "schema", "classes"], [{"decimal": "sNaN"}, "no"]), "must be hashable"),
        (changed(TREE, ["tree", "schema", "classes"], [["no"], "yes"]), r"A value must be text, .*, got \['no'\]"),
        (changed(TREE, ["tree", "schema", "classes"], [{"date": "20200131"}, 1]), "A value of type date must be written as"),
        (changed(TREE, ["tree", "schema", "classes"], [{"date": 3}, 1]), "A value of type date must be written as"),
        (changed(TREE, ["tree", "schema", "classes"], [{"os": 1}, 1]), "A value must be text, .*, got {'os': 1}"),
        (changed(TREE, ["tree", "schema", "features", 0, "values"], []), "A feature must be an object with the keys name, kind"),
        (
            changed(TREE, ["tree", "schema", "features", 0, "kind"], "nominal"),
            "A feature must be an object with the keys .*values",
        ),
        (changed(TREE, ["tree", "schema", "features", 0, "time"], "era"), "time must be one of 'date'"),
        (changed(TREE, ["tree", "schema", "features", 0], 3), "A feature must be an object .*, got 3"),
        (changed(TREE, ["tree", "missing"], {"type": "missing.as_value"}), "missing must be a function"),
        (changed(TREE, ["tree", "missing"], {"type": "os.system"}), "type must be a part of the library.*, got 'os.system'"),
        (changed(TREE, ["tree", "missing"], {"type": ["a"]}), r"type must be a part of the library.*, got \['a'\]"),
        (
            changed(TREE, ["tree", "missing"], {"type": "criteria.gini", "of": 3}),
            "criteria.gini must be an object with the keys type",
        ),
        (changed(TREE, [*NODES, "n_children"], [2, 0, 3, 0, 0]), "n_children must be the numbers of children of a tree's nodes"),
        (changed(TREE, [*NODES, "n_children"], [10**9, 0, 2, 0, 0]), "n_children must be whole numbers from 0 and below 5"),
        (changed(TREE, [*NODES, "n_children"], 10**9), "n_children must be a list, got 1000000000"),
        (changed(TREE, [*NODES, "n_children"], [4, 0, 0, 0, 0]), "The nodes of a type must be whole numbers from 0 and below 1"),
        (changed(TREE, [*NODES, "counts"], []), "counts must be a list of 2, got 0 items"),
        (changed(TREE, [*NODES, "counts", 0], [1]), "The counts of a class must be a list of 5, got 1 items"),
        (changed(TREE, [*NODES, "counts", 0, 1], -1), "counts must be numbers from 0"),
        (changed(TREE, [*NODES, "counts"], [[6e99] * 5] * 2), "counts must be numbers from 0"),
        (changed(TREE, [*NODES, "splits", 0, "nodes"], [0, 0]), "splits must be one for each node with children"),
        (changed(TREE, [*NODES, "splits", 0, "type"], "Multiway"), "Fields of Multiway must be those of its to_fields"),
        (
            changed(TREE, [*NODES, "splits", 0, "type"], ["Multiway"]),
            r"A split must be of one of the types .*, got \['Multiway'\]",
        ),
        (changed(TREE, [*NODES, "splits", 0, "fields"], []), r"fields must be an object of columns, got \[\]"),
        (changed(TREE, [*NODES, "splits", 0, "fields", "at"], [1]), "The field 'at' must be a list of 2, got 1 items"),
        (changed(TREE, [*NODES, "splits", 0, "fields", "at", 0], "low"), "Fields of Threshold must be those"),
        (changed(TREE, [*NODES, "splits", 0, "fields", "at", 0], {"float": "inf"}), "at must be a finite number, got inf"),
        (changed(TREE, [*NODES, "splits", 0, "fields", "feature", 0], 7), "A split must use features 0 to 1 of the schema"),
        (changed(TREE, [*NODES, "splits", 0, "fields", "feature", 0], {"type": "Threshold"}), "Fields of Threshold must be"),
        (changed(PART, ["part", "rules"], 3), "stop.any_of must have fields that its constructor takes"),
        (changed(PART, ["part", "rules"], [{"type": "stop.max_depth", "limit": "3"}]), "max_depth must be a whole number from 0"),
        (changed(PART, ["part"], 3), "part must be a part of the library, got 3"),
        (changed(DECISIONS, ["decisions", "done"], ["exploded"]), "done must be one of 'kept', 'cut', 'raised', 'recounted'"),
        (changed(DECISIONS, ["decisions", "path"], [[-1]]), "path must be whole numbers from 0"),
        (changed(DECISIONS, ["decisions", "child"], [0.5]), "child must be whole numbers from 0"),
        (changed(DECISIONS, ["decisions", "as_leaf"], ["low"]), "as_leaf must be a number or null, got 'low'"),
        (changed(DECISIONS, ["decisions", "counts"], [["a"]]), "counts must be numbers from 0"),
        (changed(DECISIONS, ["decisions", "counts"], [[1]]), "counts must be a list of 1, got 2 items"),
    ],
)
def test_a_text_that_to_json_does_not_write_is_refused(text, words):
    with pytest.raises(ValueError, match=words):
        ft.from_json(text)


def test_only_text_is_read():
    with pytest.raises(TypeError, match=r"text must be a str or bytes, got a dict. load\(path\) reads a file"):
        ft.from_json({})


def test_infinite_scores_of_decisions_come_back():
    decisions = (prune.Decision((), (2, 1), as_leaf=1, threshold=-inf),)
    assert isinf(written_and_read(decisions)[0].threshold)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"{}", "path must be a gzip file, as its name says, got t.json.gz"),
        (None, "path must be a gzip file, as its name says, got t.json.gz"),
        (b" " * 10**7, "path must be a file of at most 100 times its compressed size, got t.json.gz, which has more"),
    ],
)
def test_a_damaged_compressed_file_is_refused(data, words, tmp_path):
    whole = gzip.compress(data or ft.to_json(ft.C45).encode())
    (tmp_path / "t.json.gz").write_bytes(data if data == b"{}" else whole[:-10] if data is None else whole)
    with pytest.raises(ValueError, match=words):
        ft.load(tmp_path / "t.json.gz")


def test_a_path_is_text_or_a_path():
    for function in (ft.load, lambda path: ft.save(ft.ID3, path)):
        with pytest.raises(TypeError, match="path must be a str or a Path, got 3"):
            function(3)


# Dictionaries with their schema ---------------------------------------------------------------------------------------


@given(trees(), st.sampled_from(RULES))
def test_a_dictionary_with_its_schema_needs_nothing_else(tree, rule):
    tree = evolve(tree, missing=rule)
    again = ft.from_dict(ft.to_dict(tree, counts=True, schema=True))
    assert again == tree
    assert ft.from_dict(ft.to_dict(tree, counts=True, schema=True), missing=missing.heaviest()).missing == missing.heaviest()


def message(text):
    return f"^{re.escape(text)}$"


SCHEMA = ft.Schema([ft.Feature("wind", "numeric"), ft.Feature("sky", "nominal", ("grey", "blue"))], "ride", ("no", "yes"))


@pytest.mark.parametrize("name", ["tree.json", "tree.json.gz"])
def test_a_file_has_the_splits_of_users_where_they_are_named(name, tmp_path):
    ft.save(tree_with(Below(0, 0.5)), tmp_path / name)
    assert ft.load(str(tmp_path / name), splits=(Below,)) == tree_with(Below(0, 0.5))
    with pytest.raises(ValueError, match="got 'Below'"):
        ft.load(tmp_path / name)


def test_the_same_value_makes_the_same_file(tmp_path):
    ft.save(ft.C45, tmp_path / "a.json.gz")
    raw = (tmp_path / "a.json.gz").read_bytes()
    assert raw[4:8] == b"\0" * 4, "the time of writing would differ"
    assert gzip.decompress(raw).decode() == ft.to_json(ft.C45) + "\n"


def test_a_compressed_file_may_be_as_long_as_its_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(save_and_load, "_MOST_TIMES", 0)
    text = ft.to_json(ft.Tree(SCHEMA, ft.Leaf((1, 2))))
    for blanks, fits in ((1000 - len(text), True), (1001 - len(text), False)):
        (tmp_path / "t.gz").write_bytes(gzip.compress((text + " " * blanks).encode()))
        if fits:
            assert ft.load(tmp_path / "t.gz").root == ft.Leaf((1, 2))
        else:
            got = "path must be a file of at most 0 times its compressed size, got t.gz, which has more."
            with pytest.raises(ValueError, match=message(got)):
                ft.load(tmp_path / "t.gz")


def test_values_of_features_that_no_test_uses_are_not_written():
    wide = ft.Schema([*SCHEMA.features, ft.Feature("size", "ordinal", (1, 2.5, "a", None))], "ride", ("no", "yes"))
    assert plain_values(wide, [0, 1]) == [None, ["grey", "blue"], []]
    assert plain_values(wide, [2]) == [[], [], [1, 2.5, "a", None]]
    assert [type(plain_value("It", value)) for value in (True, 1, 2.0, "a", None)] == [bool, int, float, str, type(None)]
    for wrong in (float("inf"), float("nan"), (1,), b"a"):
        with pytest.raises(ValueError, match=r"^It must be a text, a finite number, a boolean or None to be exported, got"):
            plain_value("It", wrong)


def test_the_names_and_keys_of_a_split_are_those_that_it_writes():
    tree = ft.Tree(SCHEMA, ft.Branch((1, 2), IsMissing(0), (ft.Leaf((1, 0)), ft.Leaf((0, 2)))))
    nested = ft.to_dict(tree, counts=True)
    assert ft.from_dict(nested, SCHEMA) == tree
    ((name, children),) = nested.items()
    kind, (feature,), fields = name
    assert (kind, feature) == (("type", "IsMissing"), "wind")
    for other in ({(kind, ("sky",), fields): children}, {name: dict(zip(("a", "b"), children.values(), strict=True))}):
        with pytest.raises(ValueError, match=r"^The name and keys of IsMissing\(feature=0\) must be .*, got .* and .*\.$"):
            ft.from_dict(other, SCHEMA)


FULL = """
import resource, sys
from ftree import grow, load, page, save
from ftree.datasets import monks, weather
from ftree.show import Document

def check(path, write, small, large):
    write(small)
    with open(path, "rb") as file:
        old = file.read()
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(old), unlimited))
    try:
        write(large)
    except OSError:
        with open(path, "rb") as file:
            assert file.read() == old
    else:
        raise AssertionError("there was room")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (unlimited, unlimited))

unlimited, (json, svg) = resource.RLIM_INFINITY, (f"{sys.argv[1]}/old.{kind}" for kind in ("json", "svg"))
check(json, lambda tree: save(tree, json), grow(weather()), grow(monks(1)))
check(svg, lambda text: Document(text, "svg").save(svg), "a" * 99, "a" * 99_999)
"""


def test_an_old_file_stays_if_there_is_no_room_for_the_new_one(tmp_path):
    pytest.importorskip("resource")
    subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], check=True)  # noqa: S603  # our own code
    assert sorted(file.name for file in tmp_path.iterdir()) == ["old.json", "old.svg"]


def test_a_tree_is_saved_where_a_link_leads_and_to_a_device(tmp_path):
    (tmp_path / "link.json").symlink_to(tmp_path / "tree.json")
    ft.save(ft.grow(weather()), tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert ft.load(tmp_path / "tree.json") == ft.grow(weather())
    ft.save(ft.grow(weather()), os.devnull)
    assert not Path(os.devnull).is_file()


def test_no_file_that_a_writer_did_not_make_is_touched(tmp_path):
    """Two writers of one path have places of their own, beside which any other file stays."""
    file, own = tmp_path / "tree.json", tmp_path / "tree.json.unfinished"
    own.write_text("a user's")
    with complete_or_nothing(file) as first, complete_or_nothing(file) as second:
        first.write_text("first")
        second.write_text("second")
    assert (file.read_text(), own.read_text()) == ("first", "a user's")
    with pytest.raises(ZeroDivisionError), complete_or_nothing(file) as third:
        third.write_text(str(1 / 0))
    assert (file.read_text(), sorted(tmp_path.iterdir())) == ("first", [file, own])
    with pytest.raises(FileNotFoundError, match=r"path must be in a folder that exists, got '.*none.tree.json'"):
        ft.save(ft.CART, tmp_path / "none" / "tree.json")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no umask")
def test_a_file_has_the_permissions_of_a_new_one(tmp_path):
    (tmp_path / "new").touch()
    ft.save(ft.CART, tmp_path / "policy.json")
    assert (tmp_path / "policy.json").stat().st_mode == (tmp_path / "new").stat().st_mode


def test_a_part_with_a_value_that_is_not_equal_to_itself_is_refused():
    with pytest.raises(ValueError, match=r"A value must be equal to itself, got NaN"):
        ft.to_json(Above(np.nan))
