"""R's rpart grows these trees; the files in `facts` have its results."""

from collections import Counter
from itertools import pairwise
from operator import eq, ne

import numpy as np
import peers
import pytest

from ftree import Policy, entropy, gain, gini, grow, predict, prune, stop
from ftree.criteria import cost_risk, expected_costs
from ftree.criteria.costs import costs_for, factors
from ftree.missing import surrogates
from ftree.splitters import subset, threshold

pytestmark = pytest.mark.wide

IMPURITY = {"gini": gini, "information": entropy}
# minsplit, minbucket and cp.
CONTROL = {"full": (2, 1, 0), "default": (20, 7, 0.01)}


@pytest.fixture(scope="module", params=peers.tables("rpart"))
def rpart(request):
    return peers.facts("rpart", request.param)


@pytest.fixture(scope="module")
def table(shared, rpart):
    """The rows with a known class, since rpart omits the others."""
    data = peers.dataset(shared, rpart)
    known = [~np.isnan(column) if column.dtype.kind == "f" else column >= 0 for column in data.columns]
    return data.take(np.any(known, axis=0))


def policy_of(run):
    rows, cases, _ = CONTROL[run["control"]]
    return Policy(
        impurity=IMPURITY[run["impurity"]],
        splits=(subset(min_cases=cases), threshold(min_cases=cases)),
        stop=stop.pure() | stop.no_gain() | stop.min_rows(rows),
        missing=surrogates(everywhere=True),
        priors=run["prior"],
        costs=run["loss"],
    )


def risk_of(run, data):
    return cost_risk(data.class_counts(), priors=run["prior"], costs=run["loss"])


def pruned(run, data):
    # The plain engine, since its surrogates can be replaced by rpart's.
    grown = grow(data, policy_of(run), engine="plain")
    return prune.cost_complexity(CONTROL[run["control"]][2], scale="cp", risk=risk_of(run, data))(grown)


@pytest.fixture(scope="module")
def trees(rpart, table):
    """Each run with the library's tree."""
    with peers.surrogates_of_rpart():
        return [(run, pruned(run, table)) for run in rpart["runs"]]


# Where trees diverge, and why:
# - tie: two splits have the same gain except for rounding, which decides in rpart; the library takes the lowest feature;
# - left behind: if a split sends equally many cases each way, rpart leaves those without an answer at the branch;
# - otherwise: rpart cuts a surrogate between values of all cases, the library between values of those that the split knows;
# - kept: rpart's complexity of a branch ignores savings of descendants that are cut only after it, so it cuts too much.
PARTING = {
    "car": {"tie"},
    "iris_uci": {"tie"},
    "votes": {"left behind"},
    "breast_cancer": {"left behind"},
    "adult": {"tie", "otherwise", "kept"},
}


def cheapest(run, table, counts):
    """The classes of least expected cost, except for rounding."""
    weights, costs = factors(table.class_counts(), run["prior"], None), costs_for(run["loss"], len(counts))
    answers = expected_costs(counts if weights is None else counts * weights, costs)
    return [label for label, cost in zip(table.schema.classes, answers, strict=True) if cost <= min(answers) + 1e-9]


def compared_all(run, table, tree):
    return Counter(compared(run, table, peers.as_rpart(tree), peers.rpart(run["tree"])))


def compared(run, table, mine, theirs):
    """The outcome of each node, from the root down to where trees diverge."""
    assert mine[1] == theirs[1]
    assert theirs[0] in cheapest(run, table, mine[1])  # between equal ones, rounding decides in rpart
    if len(mine) != len(theirs):
        yield "kept"
        assert len(mine) > len(theirs)
        return
    if len(theirs) == 2:
        yield "same"
        return
    yield from compared_below(run, table, mine, theirs)


def compared_below(run, table, mine, theirs):
    _, counts, asks, stand_ins, *parts = theirs
    left = [child[1] for child in parts]
    if mine[2] != asks and not same_cut(mine[2], asks):
        weights = factors(table.class_counts(), run["prior"], run["loss"])
        ours = [np.array([child[1] for child in mine[4:]]), np.array(left)]
        gains = [gain(part if weights is None else part * weights, IMPURITY[run["impurity"]]) for part in ours]
        assert gains[0] == pytest.approx(gains[1], abs=1e-9)
        yield "tie"
        return
    if tuple(np.sum(left, axis=0)) != counts:
        yield "left behind"
        return
    same = same_stand_ins(mine[3], stand_ins, len(table.complete()) < len(table))
    if [child[1] for child in mine[4:]] != left:
        assert not same
        yield "otherwise"
        return
    yield "same"
    for one, other in zip(mine[4:], parts, strict=True):
        yield from compared(run, table, one, other)


def same_cut(one, other):
    return one[0] == other[0] and not isinstance(one[1], tuple) and one[1] == pytest.approx(other[1], rel=1e-12)


def same_stand_ins(mine, theirs, has_gaps):
    """Whether surrogates with equal agreement are also equal; they are, except for tied values and cuts among gaps."""
    same = [same_stand_in(*pair, has_gaps) for pair in zip(mine, theirs, strict=True)]
    return all(same)


def same_stand_in(one, other, has_gaps):
    (asks, turned, agree, adjusted), (_, _, their_agree, their_adjusted) = one, other
    assert (asks[0], agree) == (other[0][0], pytest.approx(their_agree, abs=1e-6))
    assert adjusted == pytest.approx(their_adjusted, abs=2e-6)
    if turned == other[1] and (asks == other[0] or same_cut(asks, other[0])):
        return True
    # Tied values go with the majority; if that is tied as well, they go right in rpart, to child 0 here.
    majority = (agree - adjusted) / (1 - adjusted) if adjusted < 1 else 1.0
    assert majority == pytest.approx(0.5) or (has_gaps and not isinstance(asks[1], tuple))
    return False


def test_CART_grows_and_prunes_rparts_trees(rpart, table, trees):
    for run, tree in trees:
        seen = compared_all(run, table, tree)
        assert set(seen) - {"same"} <= PARTING.get(rpart["data"], set())
        assert seen["same"] >= run["leaves"]


def test_as_many_rows_are_given_their_own_class_as_by_rpart(shared, rpart, table, trees):
    rows = peers.dataset(shared, rpart)
    for run, tree in trees:
        if set(compared_all(run, table, tree)) == {"same"}:
            given = predict(tree, rows, missing="stop", priors=run["prior"], costs=run["loss"])
            assert sum(map(eq, given, labels_of(rows))) == run["right"]


def test_rows_with_missing_values_are_given_rparts_classes(shared, rpart, table, trees):
    rows = peers.dataset(shared, rpart)
    for run, tree in trees:
        seen = compared_all(run, table, tree)
        if run["predicted"] and "kept" not in seen:
            given = predict(tree, rows, missing="stop", priors=run["prior"], costs=run["loss"])
            theirs = [table.schema.classes[int(digit)] for digit in run["predicted"]]
            assert sum(map(ne, given, theirs)) <= seen["left behind"]


def labels_of(rows):
    return rows.labels.tolist()


def is_of_weakest_links(cp):
    """Whether each tree of a complexity table is, as it must be, as good as the next smaller one at that row's CP."""
    return all(one[0] == pytest.approx((one[2] - next_[2]) / (next_[1] - one[1]), abs=2e-6) for one, next_ in pairwise(cp))


def test_the_path_of_weakest_links_is_rparts_where_rparts_is_one(table, trees):
    for run, tree in trees:
        if is_of_weakest_links(run["cp"]) and set(compared_all(run, table, tree)) <= {"same", "tie"}:
            steps = [*prune.cost_complexity_path(tree, risk=risk_of(run, table))][::-1]
            ours = [(step.leaves - 1, step.risk / steps[0].risk) for step in steps]
            assert ours == [(n, pytest.approx(error, abs=1e-6)) for _, n, error in run["cp"]]
            assert [step.cp for step in steps[:-1]] == pytest.approx([cp for cp, *_ in run["cp"][:-1]], abs=1e-6)
