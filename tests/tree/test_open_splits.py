"""Two users' split types work like the library's own: one with conditions in the algebra, one opaque."""

from operator import add, gt
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen
from extensions.test_split_type import SCHEMA, Compare
from hypothesis import given
from hypothesis import strategies as st

import ftree as ft
from ftree import prune
from ftree.show import AnyOf, Between, Opaque, holds
from ftree.stop import max_depth, never
from ftree.testing import check_pass, check_policy, check_split, datasets, passes
from ftree.tree import Threshold, diff, replace_at


def is_odd(left, right):
    return (left + right) % 2 >= 1


def is_far(left, right):
    return np.abs(left - right) > 1


FUNCTIONS = {"is_odd": is_odd, "is_far": is_far}


@frozen
class ByFunction:
    """Child 1 where a Python function of two columns is true."""

    function: Any
    a: int
    b: int
    n_children = 2

    @property
    def features(self):
        return self.a, self.b

    @property
    def conditions(self):
        name = self.function.__name__
        return Opaque(self, 0, f"not {name}({{0}}, {{1}})"), Opaque(self, 1, f"{name}({{0}}, {{1}})")

    def child(self, left, right):
        unknown = np.isnan(left) | np.isnan(right)
        return np.where(unknown, -1, self.function(np.where(unknown, 0, left), np.where(unknown, 0, right)))

    def renumbered(self, features, _):
        return evolve(self, a=features[self.a], b=features[self.b])

    def to_fields(self):
        return {"function": self.function.__name__, "a": self.a, "b": self.b}

    @classmethod
    def from_fields(cls, fields):
        return cls(FUNCTIONS[fields["function"]], fields["a"], fields["b"])


@frozen
class OfPairs:
    """A splitter that offers a split for each pair of numeric features; of equal ones, the first."""

    make: Any
    kinds = ("numeric",)

    def best(self, vectors, measure):
        vector, counts = vectors.vector, vectors.counts
        pairs = [(a, b) for a in range(vector.shape[1]) for b in range(vector.shape[1]) if a < b]
        found = [self._scored(self.make(a, b), vector, counts, measure) for a, b in pairs]
        return max((each for each in found if each is not None), key=lambda each: each[0], default=None)

    def _scored(self, split, vector, counts, measure):
        child = split.child(*(vector[:, feature] for feature in split.features))
        sides = np.stack([counts[child == side].sum(axis=0) for side in range(2)])
        if not sides.sum(axis=1).all():
            return None
        return float(measure(sides)) * sides.sum() / counts.sum(), split, sides


def odd(a, b):
    return ByFunction(is_odd, a, b)


def far(a, b):
    return ByFunction(is_far, a, b)


OURS = ft.ID3.splits
COMPARING = evolve(ft.ID3, splits=(*OURS, OfPairs(Compare)))
FUNCTIONAL = evolve(ft.ID3, splits=(*OURS, OfPairs(odd), OfPairs(far)))
TYPES = {"in the algebra": (COMPARING, Compare, Compare(0, 1)), "opaque": (FUNCTIONAL, ByFunction, odd(0, 1))}

ROWS = [[x, y, z] for x in range(4) for y in range(4) for z in range(2)]
DATA = {
    "in the algebra": ft.Dataset.from_rows(ROWS, ["no" if x <= y else "yes" for x, y, _ in ROWS], features=list("xyz")),
    "opaque": ft.Dataset.from_rows(ROWS, ["yes" if (x + y) % 2 else "no" for x, y, _ in ROWS], features=list("xyz")),
}
KNOWN = pytest.mark.parametrize("kind", TYPES)


def grown(kind):
    return ft.grow(DATA[kind], TYPES[kind][0])


@KNOWN
def test_their_splits_obey_the_laws_of_splits(kind):
    split = TYPES[kind][2]
    check_split(split, SCHEMA)


@pytest.mark.usefixtures("fewer")
@KNOWN
def test_policies_with_them_obey_the_laws_of_policies(kind):
    policy = TYPES[kind][0]
    check_policy(policy)


@KNOWN
def test_they_are_found_where_they_are_best_and_predict(kind):
    tree = grown(kind)
    assert tree.root.split == TYPES[kind][2]
    assert ft.n_leaves(tree) == 2
    assert ft.accuracy(tree, DATA[kind]) == 1.0
    rows = [[3, 1, 0], [None, 1, 0]]
    assert ft.predict(tree, rows[0]) == ("yes" if kind == "in the algebra" else "no")
    assert ft.predict_counts(tree, rows[1]).tolist() == list(tree.root.counts)
    many = DATA[kind].take(np.tile(np.arange(len(ROWS)), 4000))
    assert ft.accuracy(tree, many) == 1.0, "a hundred thousand rows go the way that few rows go"


@KNOWN
@given(data=datasets(schema=SCHEMA, missing=True, weighted=True, max_rows=12))
def test_growth_goes_on_below_them_in_every_engine(kind, data):
    policy, _, split = TYPES[kind]
    by_hand = ft.Tree(
        SCHEMA, ft.Branch((1, 1), split, [ft.Leaf((1, 0)), ft.Branch((0, 1), split, [ft.Leaf((0, 1)), ft.Leaf((0, 0))])])
    )
    for going_on in (policy, evolve(ft.ID3, stop=never), evolve(ft.ID3, missing="heaviest")):
        tree = ft.grow(data, going_on, start=by_hand, engine="plain")
        assert (tree.root.split, tree.root.children[1].split) == (split, split)
        assert ft.grow(data, going_on, start=by_hand, engine="compiled") == tree
    assert ft.grow(data, policy, start=ft.grow(data, policy.stopping(max_depth(1)))) == ft.grow(data, policy)


@KNOWN
def test_they_are_printed_and_explained(kind):
    tree, (low, high) = grown(kind), (("x - y <= 0", "x - y > 0"), ("not is_odd(x, y)", "is_odd(x, y)"))[kind == "opaque"]
    cases = [f"({sum(leaf.counts):.1f})" for leaf in tree.root.children]
    assert ft.text(tree) == f"{low}: no {cases[0]}\n{high}: yes {cases[1]}"
    assert ft.path_of(tree, [3, 2, 0]).reasons == (high,)
    unknown = "x - y" if kind == "in the algebra" else "x, y"
    assert ft.path_of(tree, [3, None, 0], missing="heaviest").reasons[0].startswith(f"{unknown} unknown, so ")
    assert low in prune.explain(prune.pessimistic(), tree)
    assert r"\le 0" in ft.latex(ft.rules(tree)[0]) or r"\text{not is" in ft.latex(ft.rules(tree)[0])


@KNOWN
def test_they_have_importances_and_are_compared(kind):
    tree = grown(kind)
    assert ft.importances(tree) == {"x": 0.5, "y": 0.5, "z": 0.0}
    assert diff(prune.trim(max_depth(0))(tree), tree) == ((),)


@KNOWN
def test_dictionaries_are_read_where_the_type_is_given(kind):
    _, family, split = TYPES[kind]
    branch = ft.Tree(SCHEMA, ft.Branch((1, 1), split, (ft.Leaf((1, 0)), ft.Leaf((0, 1)))))
    with pytest.raises(ValueError, match=rf"got '{family.__name__}'. Pass your own types as splits="):
        ft.from_dict(ft.to_dict(branch), SCHEMA)
    moved = evolve(SCHEMA, features=SCHEMA.features[::-1])
    with pytest.raises(ValueError, match="The name and keys of"):
        ft.from_dict(ft.to_dict(branch), moved, splits=(family,))


@pytest.mark.wide
@KNOWN
@given(data=st.data())
def test_every_pass_prunes_trees_of_them(kind, data):
    policy = TYPES[kind][0]
    tree = ft.grow(data.draw(datasets(schema=SCHEMA, max_rows=8, missing=True, weighted=True)), evolve(policy, stop=never))
    assert ft.n_leaves(data.draw(passes(SCHEMA))(tree)) <= ft.n_leaves(tree)
    complete = data.draw(datasets(schema=SCHEMA, max_rows=8))
    assert ft.accuracy(prune.reduced_error(complete)(tree), complete) >= ft.accuracy(tree, complete)


@pytest.mark.slow
@pytest.mark.parametrize("pass_", [prune.mdl(), prune.error_based(), prune.cost_complexity(0.01), prune.collapse()])
@KNOWN
def test_passes_keep_their_laws_on_trees_of_them(kind, pass_):
    policy = TYPES[kind][0]
    own = datasets(schema=SCHEMA, max_rows=8, missing=True).map(lambda dataset: ft.grow(dataset, evolve(policy, stop=never)))
    check_pass(pass_, given_trees=own, exempt={"once"})


def test_a_child_that_is_no_number_of_a_child_is_refused():
    @frozen
    class Wrong(Compare):
        answer: Any = None

        def child(self, left, right):
            return self.answer(left, right)

    twig = ft.Branch((1, 1), Wrong(0, 1, add), (ft.Leaf((1, 0)), ft.Leaf((0, 1))))
    with pytest.raises(TypeError, match=r"child must return one integer for each of 1 rows, from -1 to 1, got an array of float"):
        ft.predict(ft.Tree(SCHEMA, twig), [[1, 2, 3]])
    for answer, got in ((lambda left, _: np.full(len(left), 2), "got 2 to 2"), (lambda *_: [0, 0, 0], r"with shape \(3,\)")):
        wrong = ft.Tree(SCHEMA, ft.Branch((1, 1), Wrong(0, 1, answer), twig.children))
        with pytest.raises(TypeError, match=got):
            ft.predict(wrong, [[1, 2, 3]])
    right = ft.Tree(SCHEMA, ft.Branch((1, 1), Wrong(0, 1, gt), twig.children))
    assert ft.predict(right, [[1, 2, 3], [2, 1, 3]]) == ["no", "yes"]


@frozen
class Outside:
    """Child 0 where x lies in an interval, child 1 elsewhere."""

    low: float
    high: float
    features = (0,)
    n_children = 2

    @property
    def conditions(self):
        return Between(0, self.low, self.high), AnyOf((Between(0, at_most=self.low), Between(0, above=self.high)))

    def child(self, column):
        return np.where(np.isnan(column), -1, (column <= self.low) | (column > self.high))


def test_conditions_of_any_shape_are_merged_printed_and_hold():
    check_split(Outside(1.0, 2.0), SCHEMA)
    inner = ft.Branch((1, 2), Threshold(0, 3), (ft.Leaf((1, 0)), ft.Leaf((0, 2))))
    tree = ft.Tree(SCHEMA, ft.Branch((1, 3), Outside(1.0, 2.0), (ft.Leaf((0, 1)), inner)))
    assert [str(rule) for rule in ft.rules(tree)] == [
        "if 1 < x <= 2 then yes",
        "if (x <= 1 or x > 2) and x <= 3 then no",
        "if (x <= 1 or x > 2) and x > 3 then yes",
    ]
    assert [holds(ft.rules(tree)[1], {"x": x}) for x in (0, 1.5, 2.5, 4)] == [True, False, True, False]
    assert str(ft.path_of(tree, [2.5, 0, 0])) == "(x <= 1 or x > 2) and x <= 3 -> no"
    (difference,) = ft.compare_trees(tree, replace_at(tree, (1, 1), ft.Leaf((1, 0)))).differences[-1:]
    assert str(difference).startswith("(x <= 1 or x > 2) and x > 3")


@given(st.floats(-1, 5))
def test_the_nearest_other_answer_is_found_behind_alternatives(x):
    inner = ft.Branch((1, 2), Threshold(1, 3), (ft.Leaf((1, 0)), ft.Leaf((0, 2))))
    tree = ft.Tree(SCHEMA, ft.Branch((1, 3), Outside(1.0, 2.0), (ft.Leaf((0, 1)), inner)))
    found = ft.explain_row(tree, [x, 0.0, 0.0]).other
    assert found.label != ft.predict(tree, [x, 0.0, 0.0])
    assert len(found.changes) == 1
