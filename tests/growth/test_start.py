"""Growth from a tree: the same tree as in one go, whatever stopped the first growth."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import assume, given
from hypothesis import strategies as st
from test_table_growth import kinds_of_weights, weighed

from ftree import C45, CART, CHAID, ID3, Branch, Dataset, Feature, Leaf, Schema, Tree, depth, grow, leaves, n_leaves, recount
from ftree.routing import at_observed
from ftree.splitters import as_branch, multiway, random_threshold, threshold
from ftree.splitters.combine import all_parts
from ftree.stop import max_depth, max_leaves, never, pure
from ftree.testing import datasets, policies, schemas, stopping_rules, trees
from ftree.tree import Groups, Multiway, Threshold, walk
from ftree.tree.splits import recoded


class ToTheFirst:
    """A user's missing-value policy: the first child gets every case without an answer."""

    @staticmethod
    def shares(sizes):
        return np.eye(1, len(sizes))[0]


FAMOUS = [
    evolve(ID3, missing=as_branch()),
    evolve(CART, missing=as_branch(), stop=pure()),
    evolve(ID3, missing=ToTheFirst()),
    ID3,
    CART,
    C45,
    CHAID,
    evolve(ID3, splits=(multiway(), random_threshold(seed=3))),
    evolve(CART, missing="ignore", stop=pure()),
    evolve(CART, missing="ignore", splits=(threshold(at="observed"),)),
    ID3.stopping(max_leaves(3)),
]
ENGINES = st.sampled_from(["plain", "compiled"])
XOR = Dataset.from_rows([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], kinds="nominal")
STUMP = Tree(XOR.schema, Branch((2, 2), Multiway(0, (0, 1)), [Leaf((1, 1)), Leaf((1, 1))]))


def paths_of_leaves(tree):
    return [path for path, node in walk(tree) if isinstance(node, Leaf)]


def keeps_splits(tree, splits):
    grown = dict(walk(tree))
    assert {path: grown[path].split for path in splits} == splits


@given(
    st.sampled_from(FAMOUS) | policies(),
    datasets(missing=True, weighted=True, max_rows=24),
    stopping_rules() | st.integers(1, 4).map(max_leaves),
    kinds_of_weights,
    ENGINES,
)
def test_growing_with_an_earlier_stop_and_then_from_there_is_growing_in_one_go(policy, dataset, earlier, kind, engine):
    data = weighed(dataset, kind)
    start = grow(data, policy.stopping(earlier), engine=engine)
    at_once = grow(data, policy, engine=engine)
    assert grow(data, policy, start=start, engine=engine) == at_once
    assert grow(data, policy, start=at_once, engine=engine) == at_once


@given(st.sampled_from(FAMOUS[:-1]) | policies(), datasets(missing=True, weighted=True, max_rows=24), stopping_rules(), ENGINES)
def test_growing_leaf_by_leaf_is_growing_all_of_them(policy, dataset, earlier, engine):
    start = grow(dataset, policy.stopping(earlier), engine=engine)
    tree = start
    for path in paths_of_leaves(start):
        tree = grow(dataset, policy, start=(tree, path), engine=engine)
    assert tree == grow(dataset, policy, engine=engine)


@given(st.data(), policies(), st.booleans())
def test_engines_go_on_alike_from_any_tree_and_keep_its_splits(draws, policy, traced):
    schema = draws.draw(schemas())
    start, policy = draws.draw(trees(schema=schema)), evolve(policy, missing=draws.draw(st.sampled_from(["ignore", "heaviest"])))
    data = draws.draw(datasets(schema=schema, missing=True, weighted=True, max_rows=24))
    levels = []
    trace = levels.append if traced else None
    tree = grow(data, policy, start=start, engine="plain")
    assert grow(data, policy, start=start, engine="compiled", trace=trace) == tree
    observed = any(getattr(part, "at", None) == "observed" for part in all_parts(policy.splits))
    kept = at_observed(start, data) if observed else start  # such a policy moves the thresholds of the start as well
    keeps_splits(tree, {path: node.split for path, node in walk(kept) if isinstance(node, Branch)})
    for _, node in walk(tree):
        below = node.children if isinstance(node, Branch) else [node]
        assert node.counts == tuple(map(sum, zip(*(child.counts for child in below), strict=True)))
    assert tree.root.counts == data.class_counts()
    assert not traced or len(levels) == 1 + depth(tree)


def innermost(split):
    return innermost(split.split) if hasattr(split, "split") else split


@given(st.data())
def test_a_start_that_does_not_grow_is_recounted(draws):
    schema = draws.draw(schemas())
    start = draws.draw(trees(schema=schema, surrogates=False))
    # These have no answer for values that they do not list.
    assume(not any(isinstance(node, Branch) and isinstance(innermost(node.split), (Groups, Multiway)) for _, node in walk(start)))
    data = draws.draw(datasets(schema=schema, weighted=True))
    assert grow(data, evolve(ID3, stop=max_depth(0)), start=start) == recount(start, data)


@pytest.mark.parametrize("engine", ["plain", "compiled"])
def test_a_root_chosen_by_hand_finds_what_no_gain_at_the_root_hides(engine):
    assert n_leaves(grow(XOR, engine=engine)) == 1
    assert n_leaves(grow(XOR, start=STUMP, engine=engine)) == 4


def test_the_policy_can_change_below_a_depth():
    data = Dataset.from_rows([[0.0, "a"], [1.0, "b"], [2.0, "a"], [3.0, "b"]], [0, 1, 1, 0])
    above = grow(data, evolve(CART, splits=(threshold(),), stop=max_depth(1)))
    tree = grow(data, evolve(ID3, splits=(multiway(),)), start=above)
    assert isinstance(tree.root.split, Threshold)
    assert {type(child.split) for child in tree.root.children if isinstance(child, Branch)} == {Multiway}


def test_a_value_that_two_leaves_of_the_start_share_begins_in_each():
    """The largest one of a leaf is the smallest one of the next, where sorted values have no codes."""
    groups, labels = np.repeat(["a", "b"], 300), np.random.default_rng(0).integers(0, 3, 600)
    shared = np.append(np.arange(300.0), np.arange(299.0, 599.0))
    data = Dataset.from_columns({"g": groups, "x": shared, "y": labels}, target="y")
    start = grow(data, evolve(ID3, splits=(multiway(),), stop=max_depth(1)))
    assert grow(data, ID3, start=start, engine="compiled") == grow(data, ID3, start=start, engine="plain")


def test_a_leaf_without_a_case_stays_a_leaf_and_a_branch_without_one_stays_a_branch():
    start = Tree(XOR.schema, Branch((2, 2), Multiway(0, (0, 1)), [Leaf((1, 1)), STUMP.root]))
    for engine in ("plain", "compiled"):
        tree = grow(XOR.take([0, 1]), evolve(ID3, stop=never), start=start, engine=engine)
        assert n_leaves(tree) == 4
        assert tree.root.children[1] == Branch((0, 0), Multiway(0, (0, 1)), [Leaf((0, 0)), Leaf((0, 0))])


def test_an_impurity_is_not_asked_about_nodes_without_a_case():
    def strict(counts):
        assert counts.sum(axis=-1).min() > 0
        return 1 - (counts / counts.sum(axis=-1, keepdims=True)).max(axis=-1)

    tree = grow(XOR.take([0, 1]), evolve(ID3, impurity=strict), start=STUMP)
    assert [leaf.counts for leaf in leaves(tree)] == [(1, 0), (0, 1), (0, 0)]


@pytest.mark.parametrize("policy", [evolve(ID3, splits=(threshold(at="observed"),)), C45], ids=["observed", "C4.5"])
def test_observed_thresholds_of_the_start_stay_and_midpoints_move_as_those_below_do(policy):
    data = Dataset.from_rows([[1.0], [2.0], [3.0], [4.0]] * 5, [0, 1, 0, 1] * 5)
    midpoint = Tree(data.schema, Branch((10, 10), Threshold(0, 2.5), [Leaf((5, 5)), Leaf((5, 5))]))
    tree = grow(data, policy, start=midpoint)
    assert tree.root.split == Threshold(0, 2.0)
    assert tree == grow(data, policy, start=tree)
    assert {child.split.at for child in tree.root.children} == {1.0, 3.0}


def test_max_leaves_counts_the_leaves_of_the_start():
    policy = evolve(ID3, stop=pure())
    assert n_leaves(grow(XOR, policy.stopping(max_leaves(3)), start=STUMP)) == 3
    assert grow(XOR, policy.stopping(max_leaves(1)), start=STUMP).root == Leaf((2, 2))


def test_the_trace_sees_every_level_and_no_gain_where_a_split_was_given():
    levels = []
    grow(XOR, start=STUMP, trace=levels.append)
    assert [level.depth for level in levels] == [0, 1, 2]
    assert levels[0].splits == (Multiway(0, (0, 1)),)
    assert np.isnan(levels[0].gain).all()
    assert levels[1].gain.tolist() == [1.0, 1.0]


def large(n=300):
    rng = np.random.default_rng(1)
    columns = {f"x{i}": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)) for i in range(4)}
    return Dataset.from_columns(
        columns | {"c": rng.integers(0, 5, n), "y": rng.integers(0, 3, n)}, target="y", kinds={"c": "nominal"}
    )


def test_threads_grow_below_a_start(capsys):
    data, policy = large(), evolve(ID3, stop=pure())
    start = grow(data, policy.stopping(max_depth(3)))
    path = paths_of_leaves(start)[-1]
    at_once, below = grow(data, policy, engine="plain"), grow(data, policy, start=(start, path), engine="plain")
    assert n_leaves(start) < n_leaves(below) < n_leaves(at_once)
    for n_jobs in (1, 2):
        assert grow(data, policy, start=start, engine="compiled", n_jobs=n_jobs, progress=True) == at_once
        assert "100% of the cases done" in capsys.readouterr().err
        assert grow(data, policy, start=(start, path), engine="compiled", n_jobs=n_jobs) == below


OTHER = Schema([Feature("x", "numeric")], "class", (0, 1))


@pytest.mark.parametrize(
    ("start", "at", "error", "said"),
    [
        (STUMP.root, None, TypeError, "start must be a Tree, or a pair (Tree, path), got a Branch"),
        ("ID3", None, TypeError, "start must be a Tree, or a pair (Tree, path), got a str"),
        (None, (0,), TypeError, "start must be a Tree, or a pair (Tree, path), got None"),
        (STUMP, (), ValueError, "start must have a path to a leaf of its tree, got (), the path of a branch"),
        (STUMP, (2,), IndexError, "2"),
        (STUMP, (0, 0), IndexError, "0"),
        (Tree(OTHER, Branch((2, 2), Threshold(0, 0.5), STUMP.root.children)), None, ValueError, "must have the feature 'x'"),
        (Tree(evolve(XOR.schema, classes=(0, 1, 2)), Leaf((1, 1, 0))), None, ValueError, "classes of the dataset, got 2"),
    ],
)
def test_what_growth_cannot_start_from_is_refused(start, at, error, said):
    with pytest.raises(error) as caught:
        grow(XOR, start=start if at is None else (start, at))
    assert said in str(caught.value)


@given(st.data(), ENGINES)
def test_features_are_matched_by_name_and_codes_by_value(draws, engine):
    data = draws.draw(datasets(missing=True, weighted=True))
    order = draws.draw(st.permutations(range(len(data.schema.features))))
    features = [evolve(feature, values=feature.values[::-1]) for feature in data.schema.features]
    turned = [column if column.dtype.kind == "f" else np.where(column < 0, -1, len(feature.values) - 1 - column)
              for feature, column in zip(features, data.columns, strict=True)]  # fmt: skip
    new = Feature("new", "nominal", ("a", "b"))
    schema = evolve(data.schema, features=[*(features[number] for number in order), new])
    other = evolve(data, schema=schema, columns=[*(turned[number] for number in order), np.arange(len(data)) % 2])
    assume(not any(feature.kind == "ordinal" for feature in features))
    start = grow(data, evolve(CART, stop=max_depth(2), missing="ignore"))
    tree = grow(other, evolve(ID3, stop=never), start=start, engine=engine)
    assert tree.schema == schema
    keeps_splits(tree, {path: recoded(node.split, data.schema, schema) for path, node in walk(start) if isinstance(node, Branch)})


def test_a_value_that_is_gone_is_refused_where_a_split_uses_it():
    data = evolve(XOR, schema=evolve(XOR.schema, features=[Feature("x0", "nominal", (1, 2)), XOR.schema.features[1]]))
    with pytest.raises(ValueError, match="must have the value 0, which a split uses"):
        grow(data, start=STUMP)


def test_a_start_of_fewer_classes_in_another_order_counts_those_of_the_dataset():
    start = Tree(evolve(XOR.schema, classes=(1,)), Leaf((4,)))
    assert grow(XOR, start=start).root == Leaf((2, 2))
    with pytest.raises(ValueError, match="must have a row with a weight above 0"):
        grow(XOR.take([]), start=STUMP)
