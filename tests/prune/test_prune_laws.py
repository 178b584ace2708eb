"""The laws of every pruning pass, comparisons with brute force and scikit-learn, any depth, and clear errors."""

from itertools import pairwise, product
from math import inf, nan

import numpy as np
import pytest
from attrs import evolve
from drawn_rows import COMPLETE, SCHEMA, WITH_GAPS, made
from hypothesis import given
from hypothesis import strategies as st

from ftree import CART, Branch, Dataset, Leaf, Tree, grow, majority, n_leaves, predict, prune, recount
from ftree import criteria as of
from ftree.exchange import from_sklearn
from ftree.stop import pure
from ftree.testing import datasets, passes, trees
from ftree.tree import Multiway, preorder

TREES = trees(schema=SCHEMA)


def test_pessimistic_pruning_twice_may_be_more_than_once():
    sizes = {
        tuple(n_leaves(tree) for tree in (first, prune.pessimistic()(first)))
        for seed in range(40)
        for first in [prune.pessimistic()(grow(made(60, missing=False, weighted=False, seed=seed), CART))]
    }
    assert any(once > twice for once, twice in sizes)


@given(TREES, st.lists(passes(SCHEMA) | st.just(prune.reduced_error(WITH_GAPS, labels="backfit")), max_size=3))
def test_a_composition_is_one_pass_after_the_other_and_so_are_its_decisions(tree, several):
    composed, pruned, decisions = prune.compose(*several), tree, ()
    for pass_ in several:
        decisions += pass_.decisions(pruned)
        pruned = pass_(pruned)
    assert composed(tree) == pruned
    assert composed.decisions(tree) == decisions
    assert prune.replay(decisions, tree) == pruned


def test_compositions_flatten_and_read_as_written():
    one, two = prune.collapse(), prune.pessimistic()
    assert prune.compose(one, prune.compose(two, one)) == prune.compose(one, two, one)
    assert repr(prune.compose(prune.snip([()]), len)) == "compose(snip(((),)), len)"


def prunings(node):
    """All prunings of a node; the node itself is first among those without a cut at the root."""
    if isinstance(node, Branch):
        for children in product(*(list(prunings(child)) for child in node.children)):
            yield Branch(node.counts, node.split, children)
    yield Leaf(node.counts)


def wrong(node, mirror, seen=None):
    """Errors of a node on the cases counted in its mirror, by plain recursion."""
    seen = node if any(node.counts) or seen is None else seen
    if isinstance(node, Leaf):
        return sum(mirror.counts) - mirror.counts[majority(seen.counts)]
    return sum(wrong(child, other, seen) for child, other in zip(node.children, mirror.children, strict=True))


def size(node):
    return n_leaves(node), sum(1 for _ in preorder(node))


@given(TREES, datasets(schema=SCHEMA, min_rows=0, missing=True, weighted=True))
def test_bottom_up_reduced_error_is_the_smallest_of_the_most_accurate_prunings(tree, pruning_set):
    mirror = recount(tree, pruning_set).root
    best = min(prunings(tree.root), key=lambda node: (round(wrong(node, mirror), 9), *size(node)))
    assert prune.reduced_error(pruning_set)(tree).root == best


@given(TREES, datasets(schema=SCHEMA, min_rows=0))
def test_with_labels_of_the_pruning_set_it_is_that_of_the_recounted_tree(tree, pruning_set):
    mirror = recount(tree, pruning_set).root
    best = min(prunings(mirror), key=lambda node: (wrong(node, mirror), *size(node)))
    assert prune.reduced_error(pruning_set, labels="pruning")(tree).root == best


@given(TREES, datasets(schema=SCHEMA, min_rows=0))
def test_backfitting_adds_the_pruning_sets_counts(tree, pruning_set):
    both = prune.reduced_error(pruning_set, labels="backfit", ties="keep")(tree).root.counts
    assert both == tuple(a + b for a, b in zip(tree.root.counts, recount(tree, pruning_set).root.counts, strict=True))


@given(
    TREES, datasets(schema=SCHEMA, min_rows=0, missing=True, weighted=True), st.sampled_from(["growing", "pruning", "backfit"])
)
def test_reduced_error_never_raises_the_error_on_its_pruning_set(tree, pruning_set, labels):
    mirror = recount(tree, pruning_set).root
    for order in ("bottom_up", "best_first"):
        pass_ = prune.reduced_error(pruning_set, order=order, labels=labels)
        *_, last = path = list(pass_.path(tree))
        assert path[0] is tree
        assert last == pass_(tree)
        errors = [wrong(one.root, mirror) for one in (path if labels == "growing" else path[1:])]
        assert all(later <= before + 1e-9 for before, later in pairwise(errors))


def test_the_path_is_made_as_it_is_asked_for():
    steps = prune.cost_complexity_path(grow(COMPLETE, CART))
    assert next(steps).tree == prune.cost_complexity(0)(grow(COMPLETE, CART))
    assert next(steps).alpha > 0


def test_a_risk_that_is_not_concave_is_cut_where_splits_raise_it():
    tree = grow(COMPLETE, CART)
    (only,) = prune.cost_complexity_path(tree, risk=lambda counts: np.float64(counts.sum(axis=-1) < 14))
    assert (only.alpha, only.cp, only.leaves) == (0, 0, 1)


def test_an_only_child_is_cut():
    data = Dataset.from_rows([["a"], ["a"], ["a"]], list("PPQ"), features=["x"])
    tree = Tree(data.schema, Branch((2, 1), Multiway(0, (0,)), (Leaf((2, 1)),)))
    assert prune.error_based(raise_with=data)(tree).root == Leaf((2, 1))


def test_an_only_child_that_is_kept_is_raised():
    data = Dataset.from_rows(
        [["a", "c"], ["a", "c"], ["a", "c"], ["a", "d"], ["a", "d"], ["a", "d"]], list("PPPQQQ"), features=["x", "y"]
    )
    asks = Branch((3, 3), Multiway(1, (0, 1)), (Leaf((3, 0)), Leaf((0, 3))))
    tree = Tree(data.schema, Branch((3, 3), Multiway(0, (0,)), (asks,)))
    pass_ = prune.error_based(raise_with=data)
    assert pass_(tree).root is asks
    assert [made.done for made in pass_.decisions(tree)] == ["kept", "raised", "kept"]


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer"])
def test_the_path_is_that_of_scikit_learn(name, criterion):
    bundled = pytest.importorskip("sklearn.datasets", reason="needs scikit-learn, the peer to agree with")
    peer = pytest.importorskip("sklearn.tree", reason="needs scikit-learn, the peer to agree with")
    x, y = getattr(bundled, f"load_{name}")(return_X_y=True)
    learner = peer.DecisionTreeClassifier(criterion=criterion, random_state=0)
    theirs = learner.cost_complexity_pruning_path(x, y)
    tree = from_sklearn(learner.fit(x, y))
    ends = np.flatnonzero(np.diff(theirs.ccp_alphas, append=inf) > 1e-12)
    path = list(prune.cost_complexity_path(tree, risk=getattr(of, criterion)))
    assert [step.alpha for step in path] == pytest.approx(theirs.ccp_alphas[ends].tolist(), abs=1e-12)
    assert [step.risk for step in path] == pytest.approx(theirs.impurities[ends].tolist(), abs=1e-12)
    for step, alpha in zip(path[1:], theirs.ccp_alphas[ends][1:], strict=True):
        pruned = evolve_peer(learner, alpha * (1 + 1e-9)).fit(x, y)
        assert step.leaves == pruned.get_n_leaves()


def evolve_peer(learner, alpha):
    """The same learner of scikit-learn with another alpha."""
    return type(learner)(**learner.get_params() | {"ccp_alpha": alpha})


TREE = grow(COMPLETE, CART)
ELSEWHERE = Dataset.from_rows([[1.0]], ["no"], features=["elsewhere"])
STRANGER = evolve(COMPLETE, schema=evolve(SCHEMA, classes=("no", "perhaps", "yes")))


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: prune.cost_complexity(-0.1), ValueError, "alpha must be a number of at least 0, got -0.1"),
        (lambda: prune.cost_complexity(nan), ValueError, "at least 0"),
        (lambda: prune.cost_complexity_path(TREE, risk=None), TypeError, "misclassification or gini, got None"),
        (lambda: prune.error_based(confidence=0), ValueError, "above 0 and at most 0.5, got 0"),
        (lambda: prune.error_based(confidence=0.51), ValueError, "got 0.51"),
        (lambda: prune.minimum_error(m=-1), ValueError, "m must be a finite number of at least 0, got -1"),
        (lambda: prune.minimum_error(m=inf), ValueError, "got inf"),
        (
            lambda: prune.minimum_error(prior=(1,)),
            ValueError,
            "m must be the weight of the prior in cases, got None",
        ),
        (lambda: prune.minimum_error(m=1, prior=(0.5, 0.6)), ValueError, "sum to 1"),
        (lambda: prune.minimum_error(m=1, prior=(nan, 1)), ValueError, "numbers from 0 that sum to 1"),
        (
            lambda: prune.minimum_error(m=1, prior=(0.5, 0.5))(TREE),
            ValueError,
            "prior must be 3 shares, one for each class in the schema's order, got 2",
        ),
        (lambda: prune.critical_value(nan), ValueError, "c must be a number in the unit of the score, got nan"),
        (lambda: prune.chi_squared(1.5), ValueError, "between 0 and 1, got 1.5"),
        (lambda: prune.mdl(features=0), ValueError, "features must be a number of at least 1, got 0"),
        (lambda: prune.mdl(value_cost=-1), ValueError, "value_cost must be a number of at least 0, got -1"),
        (lambda: prune.purity(1.1), ValueError, "between 0 and 1, got 1.1"),
        (lambda: prune.cost_complexity(np.zeros(1000)), ValueError, r"got ndarray of shape \(1000,\)\.$"),
        (lambda: prune.trim(pure), TypeError, "rule must be a function, got the class pure"),
        (lambda: prune.snip([(0, 0, 0, 0, 0, 0, 0, 0, 9)])(TREE), IndexError, "must lead to a node of the tree"),
        (lambda: prune.compose(prune.collapse), TypeError, "with parentheses"),
        (lambda: prune.compose(n_leaves).decisions(TREE), TypeError, "n_leaves must return a Tree or a node .*, got an int"),
        (lambda: prune.collapse()(TREE.root), TypeError, "tree must be a Tree"),
        (lambda: prune.reduced_error(ELSEWHERE)(TREE), KeyError, "got 'n'"),
        (lambda: prune.error_based(raise_with=ELSEWHERE)(TREE), KeyError, "got 'n'"),
        (lambda: prune.reduced_error(STRANGER)(TREE), ValueError, "perhaps"),
        (
            lambda: prune.error_based(raise_with=COMPLETE.take(range(3)))(TREE),
            ValueError,
            "must be the training set",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_with_words(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_unseen_values_of_a_pruning_set_count_in_fractions():
    sky = Dataset.from_rows([["sun"], ["sun"], ["rain"]], ["play", "play", "stay"], features=["sky"])
    strange = Dataset.from_rows([["snow"]], ["stay"], features=["sky"])
    (one,) = prune.reduced_error(strange).decisions(grow(sky))
    assert (one.as_leaf, one.as_subtree) == (1, pytest.approx(2 / 3))
    assert predict(prune.reduced_error(strange)(grow(sky)), ["rain"]) == "stay"


def test_subtrees_are_judged_and_raised_children_first_and_left_to_right():
    data = made(60, missing=True, weighted=False, seed=1)
    decided = prune.error_based(raise_with=data).decisions(recount(grow(data, CART), data))
    assert {each.done for each in decided} == {"cut", "kept", "raised"}
    for before, after in pairwise(decided):
        below = after.path[: len(before.path)] == before.path
        assert before.done == "raised" if below else (*before.path, inf) < (*after.path, inf)
