"""Cost-complexity pruning and the path of weakest links: laws, brute force, scikit-learn, and tree A by hand."""

from functools import partial
from math import inf, nan

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from plain_passes import (
    COMPLETE,
    REGRESSION,
    TREES,
    WITHOUT_T2,
    WITHOUT_T5,
    A,
    cuts,
    prunings,
    twig,
    up,
)

from ftree import (
    CART,
    Branch,
    Dataset,
    Feature,
    Leaf,
    Schema,
    Tree,
    cart,
    entropy,
    gini,
    grow,
    leaves,
    misclassification,
    n_leaves,
    predict,
    prune,
    stop,
)
from ftree.exchange import from_sklearn
from ftree.prune import cost_complexity, cost_complexity_path
from ftree.splitters import threshold
from ftree.testing import check_pass, check_path, trees
from ftree.tree import Multiway, numbers


def cost(tree, alpha, risk=misclassification, scale="alpha"):
    """R + alpha of a leaf, as a share of all cases."""
    whole, n = float(risk(tree.root.counts)), sum(tree.root.counts) or 1
    price = alpha * whole if scale == "cp" and whole else alpha
    return lambda node, *_: float(risk(node.counts)) * sum(node.counts) / n + price


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize(
    ("alpha", "risk", "scale"),
    [(0, misclassification, "alpha"), (inf, misclassification, "alpha"), (0.02, gini, "alpha"), (0.2, entropy, "cp")],
)
def test_a_branch_is_cut_if_a_leaf_costs_no_more(alpha, risk, scale):
    pass_ = cost_complexity(alpha, risk=risk, scale=scale)
    check_pass(pass_, given_trees=TREES, oracle=lambda tree: up(tree, leaf=cost(tree, alpha, risk, scale)))


@pytest.mark.usefixtures("fewer")
def test_it_costs_what_its_leaves_cost():
    check_pass(cost_complexity(0.02), given_trees=TREES, estimate=lambda counts, tree: cost(tree, 0.02)(Leaf(counts)))


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("pass_", [cost_complexity(0.05, scale="cp"), cost_complexity(0.5)], ids=["cp", "alpha"])
def test_it_keeps_the_laws_for_regression_trees(pass_):
    check_pass(pass_, given_trees=REGRESSION)


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("risk", [misclassification, gini, entropy])
def test_the_path_keeps_the_laws_of_paths(risk):
    check_path(partial(cost_complexity_path, risk=risk), risk=risk)


def test_the_path_of_regression_trees_keeps_them():
    check_path(cost_complexity_path, given_trees=REGRESSION)


@given(REGRESSION | trees(response="events", max_leaves=4), st.sampled_from([0.0, 0.01, 0.1, 0.5]))
def test_it_is_the_smallest_pruning_of_least_cost(tree, cp):
    risk = tree.schema.response.risk
    whole = risk(tree.root.counts) or 1.0
    costs = [
        (sum(risk(leaf.counts) for leaf in leaves(node)) / whole + cp * n_leaves(node), node) for node in prunings(tree.root)
    ]
    best = [node for each, node in costs if each <= min(each for each, _ in costs) + 1e-9]
    assert n_leaves(cost_complexity(cp, scale="cp")(tree)) == min(map(n_leaves, best))


@given(REGRESSION, st.sampled_from([2.0**-60, 0.5, 2.0**40]), st.integers(-8, 8))
def test_another_unit_of_numbers_prunes_the_same_branches(tree, factor, moved):
    response = tree.schema.response
    other = numbers((response.centre + moved) * factor, response.unit * factor)
    pass_ = cost_complexity(0.1, scale="cp")
    assert pass_(Tree(evolve(tree.schema, response=other), tree.root)).root == pass_(tree).root


def test_the_path_is_made_as_it_is_asked_for():
    steps = cost_complexity_path(grow(COMPLETE, CART))
    assert next(steps).tree == cost_complexity(0)(grow(COMPLETE, CART))
    assert next(steps).alpha > 0


def test_a_risk_that_is_not_concave_is_cut_where_splits_raise_it():
    (only,) = cost_complexity_path(grow(COMPLETE, CART), risk=lambda counts: np.float64(counts.sum(axis=-1) < 14))
    assert (only.alpha, only.cp, only.leaves) == (0, 0, 1)


def test_a_risk_of_ones_own_gets_floats_that_it_cannot_change():
    seen = []

    def risk(counts):
        seen.append((counts.dtype, counts.flags.writeable))
        return misclassification(counts)

    assert cost_complexity(0.0375, risk=risk)(A) == cost_complexity(0.0375)(A)
    assert len(list(cost_complexity_path(A, risk=risk))) == 3
    assert seen == [(float, False)] * 2


# scikit-learn ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer"])
def test_the_path_is_that_of_scikit_learn(name, criterion):
    bundled = pytest.importorskip("sklearn.datasets", reason="needs scikit-learn, the peer to agree with")
    peer = pytest.importorskip("sklearn.tree", reason="needs scikit-learn, the peer to agree with")
    x, y = getattr(bundled, f"load_{name}")(return_X_y=True)
    learner = peer.DecisionTreeClassifier(criterion=criterion, random_state=0)
    theirs = learner.cost_complexity_pruning_path(x, y)
    ends = np.flatnonzero(np.diff(theirs.ccp_alphas, append=inf) > 1e-12)
    path = list(cost_complexity_path(from_sklearn(learner.fit(x, y)), risk={"gini": gini, "entropy": entropy}[criterion]))
    assert [step.alpha for step in path] == pytest.approx(theirs.ccp_alphas[ends].tolist(), abs=1e-12)
    assert [step.risk for step in path] == pytest.approx(theirs.impurities[ends].tolist(), abs=1e-12)
    for step, alpha in zip(path[1:], theirs.ccp_alphas[ends][1:], strict=True):
        assert step.leaves == learner.set_params(ccp_alpha=alpha * (1 + 1e-9)).fit(x, y).get_n_leaves()


def noisy(rows=300):
    random = np.random.default_rng(0)
    points = random.normal(size=(rows, 3))
    return Dataset.from_rows(points, points[:, 0] * 2 + (points[:, 1] > 0) * 3 + random.normal(size=rows))


def test_the_path_of_a_regression_tree_is_that_of_scikit_learn():
    regressor = pytest.importorskip("sklearn.tree").DecisionTreeRegressor
    table = noisy()
    path = list(cost_complexity_path(grow(table, evolve(CART, splits=(threshold(),)))))
    theirs = regressor(random_state=0).cost_complexity_pruning_path(np.column_stack(table.columns), table.target_column)
    assert [step.alpha for step in path] == pytest.approx(theirs.ccp_alphas, rel=1e-6, abs=1e-12)
    assert [step.risk for step in path] == pytest.approx(theirs.impurities, rel=1e-6, abs=1e-12)


def test_errors_of_a_path_are_those_of_its_trees_predictions():
    table = noisy()
    path = [*cost_complexity_path(grow(table, CART))][-9:]
    for row, step in zip(prune.measured(path, table), path, strict=True):
        squared = (predict(step.tree, table) - table.target_column) ** 2
        assert (row.error, row.deviation) == pytest.approx((squared.mean(), squared.std()))


def test_cart_chooses_the_same_regression_tree_in_a_tiny_unit():
    table = noisy()
    assert 2 <= n_leaves(cart(table)) < 30
    tiny = table.with_labels(table.target_column * 2.0**-40)
    assert [leaf.counts for leaf in leaves(cart(tiny))] == [leaf.counts for leaf in leaves(cart(table))]


def test_risks_of_numbers_are_shares_of_that_of_the_root():
    tree = prune.trim(stop.max_depth(1))(grow(noisy(), CART))
    assert prune.snip([()]).decisions(tree)[0].as_leaf == 1
    assert prune.explain(cost_complexity(0.5), tree).splitlines()[1].startswith("[300 ")
    assert prune.explain(cost_complexity(0.5), tree, form="table").splitlines()[-1].startswith("()    300 ")


# Tree A by hand --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("risk", "wanted"),
    [
        (misclassification, [(0, 4, 0.175), (0.0375, 2, 0.25), (0.15, 1, 0.4)]),
        (gini, [(0, 4, 0.269732), (0.045, 3, 0.314732), (0.058894, 2, 0.373626), (0.106374, 1, 0.48)]),
    ],
)
def test_the_path_of_tree_A(risk, wanted):
    path = [(step.alpha, step.leaves, step.risk) for step in cost_complexity_path(A, risk=risk)]
    assert path == [pytest.approx(step, abs=5e-7) for step in wanted]
    assert cuts(cost_complexity(0.0375)) == WITHOUT_T2
    assert cuts(cost_complexity(0.045, risk=gini)) == WITHOUT_T5


def test_cp_is_alpha_in_units_of_the_roots_risk():
    assert [step.cp for step in cost_complexity_path(A)] == pytest.approx([0, 0.0375 / 0.4, 0.375])
    assert cost_complexity(0.0375 / 0.4, scale="cp")(A) == cost_complexity(0.0375)(A)
    with_pure_child = twig((4, 0), (1, 3))  # the cut costs 1/4, which is 2/3 of the root's 3/8
    assert [cost_complexity(cp, scale="cp")(with_pure_child) is with_pure_child for cp in (0.66, 0.67)] == [True, False]
    alone = evolve(A, root=Leaf((3, 1)))
    assert cost_complexity(0.5, scale="cp")(alone) is alone


def test_a_split_that_saves_nothing_but_rounding_costs_no_alpha():
    children = Leaf((0.1, 1.0)), Leaf((0.2, 1.0)), Leaf((0.3, 1.0))
    schema = Schema([Feature("sky", "nominal", "abc")], "y", "pq")
    split = Branch((0.1 + 0.2 + 0.3, 3.0), Multiway(0, (0, 1, 2)), children)  # their errors, added the other way round, are less
    assert [step.alpha for step in cost_complexity_path(Tree(schema, split))] == [0.0]


def test_a_step_of_a_path_prints_its_figures_and_no_tree():
    tree = Tree(Schema((), "class", ("no", "yes")), Leaf((3, 1)))
    (step,) = cost_complexity_path(tree)
    assert repr(step) == "PathStep(alpha=0.0, cp=0.0, leaves=1, risk=0.25)"
    assert step == evolve(step, grown=Tree(Schema((), "class", ("a", "b")), Leaf((3, 1))))


@pytest.mark.parametrize("alpha", [-0.1, nan, np.zeros(1000)], ids=["-0.1", "nan", "array"])
def test_what_is_no_alpha_is_refused(alpha):
    with pytest.raises(ValueError, match=r"^alpha must be a number of at least 0, got (-0\.1|nan|ndarray of shape \(1000,\))\.$"):
        cost_complexity(alpha)
