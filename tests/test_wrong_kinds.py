"""A value of the wrong kind gets an error at once: what the argument must be, and what it got."""

from fractions import Fraction

import numpy as np
import pytest

import ftree as ft
from ftree import prune, stop, testing
from ftree.criteria import pearson
from ftree.routing import m_estimate
from ftree.splitters import by_gain_ratio, by_score, interactions, multiway, per_feature, random_features, threshold
from ftree.stop import max_depth
from ftree.study import root_feature_counts
from ftree.tree import Intervals, Oblique, Surrogate, Threshold

DATA = ft.Dataset.from_rows([["a"], ["b"]], ["no", "yes"])
TREE = ft.grow(DATA)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ft.fold(TREE, 3, len), "leaf must be a function, got 3."),
        (lambda: ft.fold(TREE, len, None), "branch must be a function, got None."),
        (lambda: ft.unfold(0, 3), "step must be a function, got 3."),
        (lambda: ft.unfold(0, str), "step must return a Leaf, or a tuple (counts, split, seeds of the children), got '0'."),
        (lambda: ft.Schema([3], "class", (0, 1)), 'features must be Feature objects, such as Feature("age", "numeric"), got 3.'),
        (lambda: ft.Dataset.from_pairs(3), "pairs must be a sequence of (row, label), got 3."),
        (
            lambda: ft.Dataset.read_csv(3.5),
            "path must be text, a path or an open file, got 3.5. For a table in memory, use from_frame.",
        ),
        (lambda: prune.replay([ft.Leaf((1,))], TREE), "such as pass_.decisions(tree), got Leaf(counts=(1,))."),
        (lambda: testing.check_pass(prune.collapse), "got the class collapse. Write collapse(...), with parentheses."),
        (lambda: testing.check_export(ft.text, predict=3), "predict must be a function, got 3."),
        (lambda: testing.check_export(ft.text, from_=3), "from_ must be a function, got 3."),
    ],
)
def test_what_has_no_meaning_is_a_type_error(make, words):
    with pytest.raises(TypeError) as caught:
        make()
    assert str(caught.value).endswith(words)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ft.majority(()), "counts must be numbers, one for each class, got ()."),
        (lambda: ft.majority("ab"), "counts must be numbers, one for each class, got 'ab'."),
        (lambda: ft.majority(3), "counts must be numbers, one for each class, got 3."),
        (lambda: ft.gain([[1], [1, 2]]), "class counts (..., V, K), one list for each child, got [[1], [1, 2]]."),
        (lambda: pearson([["a"], ["b"]]), "class counts (..., V, K), one list for each child, got [['a'], ['b']]."),
        (
            lambda: m_estimate(2, prior=(0.5, 0.3, 0.2))([3, 1]),
            "counts must be class counts (..., 3), one for each share of the prior, got [3, 1].",
        ),
        (lambda: m_estimate(2, prior=(1,))(3), "counts must be numbers from 0, with classes on the last axis, got 3."),
        (lambda: stop.max_depth(True), "max_depth must be a whole number from 0, got True."),  # noqa: FBT003  # the point
    ],
)
def test_a_value_without_a_meaning_is_a_value_error(make, words):
    with pytest.raises(ValueError, match=r"must be") as caught:
        make()
    assert str(caught.value).endswith(words)


def test_a_class_folds_like_a_function():
    assert ft.fold(TREE, repr, lambda _, below: set(below)) == set(map(repr, TREE.root.children))
    assert ft.fold(TREE, type, lambda _, below: below[0]) is ft.Leaf


@pytest.mark.parametrize(
    "make",
    [
        lambda number: ft.Leaf((number, 1.5)),
        lambda number: ft.Leaf((number,)),
        lambda number: Threshold(0, number),
        lambda number: Oblique((number, 1), 0),
        lambda number: Intervals(0, (0, number)),
        lambda number: Surrogate(Threshold(0, 1), agreement=number),
        lambda number: prune.minimum_error(m=number),
        lambda number: m_estimate(number, (0.5, 0.5)),
        lambda number: m_estimate(1, (number, 0.5)),
        stop.min_rows,
        lambda number: threshold(min_cases=number),
        lambda number: ft.Dataset.from_rows([[1]], [0], weights=[number]),
        lambda number: ft.Dataset.from_rows([[number]], [0]),
        lambda number: ft.Dataset.from_rows([[1]], [Fraction(number, 7)]),
        lambda number: ft.predict(TREE, ["a"], costs=[[0, number], [1, 0]]),
        lambda number: ft.predict(TREE, ["a"], priors=[number, 1]),
    ],
)
def test_a_number_beyond_all_floats_is_refused_as_infinity_is(make):
    with pytest.raises((ValueError, TypeError), match=r"must .* got "):
        make(10**400)


DEEP = []
for _ in range(5000):
    DEEP = [DEEP]
CYCLE = []
CYCLE.append(CYCLE)
NO_VALUES = [np.array(1), np.ma.masked, dict, DEEP, CYCLE]


@pytest.mark.parametrize("value", NO_VALUES, ids=["array without dimensions", "masked", "class", "deep list", "cycle"])
@pytest.mark.parametrize(
    "make",
    [
        lambda value, _: ft.Dataset.from_rows(value, [0]),
        lambda value, _: ft.Dataset.from_rows([[1], value], [0, 1]),
        lambda value, _: ft.Dataset.from_rows([[1]], [0], features=value),
        lambda value, _: ft.Dataset.from_rows([[1]], [0], features=[value]),
        lambda value, _: ft.Dataset.from_rows([[1]], [0], target=value),
        lambda value, _: ft.Dataset.from_rows([[1]], [0], kinds=value),
        lambda value, _: ft.Dataset.from_rows([[1]], [0], kinds={"x0": value}),
        lambda value, _: ft.Dataset.from_rows([[1]], [0], classes=value),
        lambda value, _: ft.Dataset.from_columns(value),
        lambda value, _: ft.Dataset.from_frame(value, [0]),
        lambda value, _: ft.Dataset.from_frame([[1]], value),
        lambda value, _: ft.Dataset.from_columns({"a": value, "class": [0, 1]}),
        lambda value, path: ft.Dataset.read_csv(path, header=["a", value]),
        lambda value, path: ft.Dataset.read_csv(path, kinds={"a": value}),
        lambda value, path: ft.Dataset.read_csv(path, target=value),
        lambda value, path: ft.Dataset.read_csv(path, target=np.timedelta64(value is dict, "M")),
        lambda value, _: ft.predict(TREE, value),
        lambda value, _: ft.Feature(value, value),
        lambda value, _: ft.Schema([], value, value),
        lambda value, _: ft.Dataset(value, [], [0]),
        lambda value, _: ft.Dataset(DATA.schema, value, [0]),
        lambda value, _: ft.Dataset(DATA.schema, [value], [0]),
        lambda value, _: ft.Dataset(DATA.schema, [[0]], value),
        lambda value, _: DATA.counts_by(value),
        lambda value, _: DATA.split(0.5, seed=value),
        lambda value, _: list(DATA.folds(2, seed=value)),
        lambda value, _: DATA.shuffle(seed=value),
        lambda value, _: ft.learning_curve(DATA, sizes=[1], seed=value),
        lambda value, _: root_feature_counts(DATA, size=1, seed=value),
        lambda value, _: prune.error_based(confidence=value),
        lambda value, _: prune.critical_value(value),
        lambda value, _: ft.gini(value),
        lambda value, _: ft.majority(value),
        lambda value, _: ft.learning_curve(DATA, sizes=value),
        lambda value, _: ft.cross_validate(DATA, folds=value),
        lambda value, _: ft.cross_validate(DATA, metrics=value),
        lambda value, _: prune.select(value, by=prune.lowest_error, on=DATA),
        lambda value, _: prune.replay(value, TREE),
        lambda value, _: prune.explain(value, TREE),
        lambda value, _: ft.page(TREE, path=value),
        lambda value, _: ft.from_json(ft.to_json(TREE), parts=value),
        lambda value, _: ft.c45(DATA, raising=value),
        lambda value, _: ft.Policy(splits=value),
        lambda value, _: per_feature({"x": value}),
        lambda value, _: random_features(1, value, seed=0),
        lambda value, _: interactions(value, ft.ID3.splits),
    ],
)
def test_a_value_that_only_looks_like_values_is_refused(make, value, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,class\n1,0\n2,1\n")
    with pytest.raises((ValueError, TypeError, KeyError), match=r"must .*got "):
        make(value, path)


@pytest.mark.parametrize("part", [by_score(), by_gain_ratio(), multiway(), threshold(), ft.gini, ft.gain])
def test_a_part_of_another_role_is_refused_as_a_stopping_rule(part):
    for rule in (part, max_depth(3) | part):
        with pytest.raises(TypeError, match=r"^stop must be a stopping rule, such as .*, which has another role\.$"):
            ft.evolve(ft.ID3, stop=rule)


def test_a_score_is_no_impurity_an_impurity_no_score_and_a_splitter_neither():
    for parts, message in [
        ({"score": ft.gini}, "score must be a score, such as gain, got gini, which is an impurity"),
        *(({name: threshold()}, rf"^{name} must be .*, got .*, which has another role\.$") for name in ("impurity", "score")),
        ({"impurity": ft.gain}, "impurity must be an impurity, such as entropy, got gain, which is a score"),
    ]:
        with pytest.raises(TypeError, match=message):
            ft.evolve(ft.ID3, **parts)
