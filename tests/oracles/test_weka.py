"""Weka's Id3 and J48 grow and prune these trees; the files in `facts` have their results."""

from itertools import pairwise

import peers
import pytest

from ftree import ID3, accuracy, c45, c45_policy, gain, grow, n_leaves, n_nodes, predict, predict_proba, prune, recount
from ftree.tree.schema import position

pytestmark = pytest.mark.wide


@pytest.mark.parametrize("name", peers.tables("id3"))
def test_ID3_grows_the_tree_of_Wekas_Id3(shared, name):
    fact = peers.facts("id3", name)
    data, theirs = peers.dataset(shared, fact), peers.weka(fact["tree"])
    n_ties = assert_same_but_for_ties(peers.as_weka(grow(data, ID3)), theirs, data)
    assert (n_ties > 0) == (name == "digits")


def assert_same_but_for_ties(mine, theirs, data):
    """If features differ, their gains are equal except for rounding, which decides in Id3; its parts are then grown again."""
    feature, below = theirs
    if not isinstance(below, dict):
        peers.assert_same(mine, theirs)
        return 0
    tied = mine[0] != feature
    if tied:
        gains = [float(gain(list(data.counts_by(name).values()))) for name in (mine[0], feature)]
        assert gains[0] == pytest.approx(gains[1], abs=1e-12)
    parts = {value: part_with(data, feature, value) for value in below}
    nodes = {value: peers.as_weka(grow(part, ID3)) for value, part in parts.items()} if tied else mine[1]
    assert list(nodes) == list(below)
    return tied + sum(assert_same_but_for_ties(nodes[value], below[value], parts[value]) for value in below)


def part_with(data, feature, value):
    number = position(data.schema, feature)
    return data.take(data.columns[number] == data.schema.features[number].values.index(value))


@pytest.fixture(scope="module", params=peers.tables("j48"))
def j48(request):
    return peers.facts("j48", request.param)


@pytest.fixture(scope="module")
def table(shared, j48):
    return peers.dataset(shared, j48)


@pytest.fixture(scope="module")
def trees(j48, table):
    """J48's trees as the library's, with the library's counts."""
    return [recount(peers.from_weka(peers.weka(tree), table.schema), table) for tree in j48["trees"]]


def options(run):
    """-M, -C (0 where nothing is pruned), whether subtrees are raised."""
    words = run["options"].split()
    named = dict(pairwise(words))
    return int(named["-M"]), float(named.get("-C", 0)), "-S" not in words


def test_C45_grows_and_prunes_J48s_trees(j48, table):
    grown = {least: grow(table, c45_policy(least)) for least in (1, 2)}
    for run in j48["runs"]:
        least, confidence, raising = options(run)
        pass_ = prune.collapse(by="errors")  # J48 does so even if pruning is switched off
        if confidence:
            pass_ = prune.error_based(confidence=confidence, raise_with=table if raising else None, collapse=True)
        peers.assert_same(peers.as_weka(pass_(grown[least])), peers.weka(j48["trees"][run["tree"]]))


def test_cases_with_missing_values_are_counted_in_J48s_fractions(j48, trees):
    for tree, written in zip(trees, j48["trees"], strict=True):
        peers.assert_same(peers.as_weka(tree), peers.weka(written))


def test_sizes_and_right_answers_are_J48s(j48, table, trees):
    for run in j48["runs"]:
        tree = trees[run["tree"]]
        assert (n_leaves(tree), n_nodes(tree)) == (run["leaves"], run["nodes"])
        assert accuracy(tree, table, missing="weighted") * len(table) == pytest.approx(run["right"])


def test_rows_with_missing_values_are_given_J48s_classes(j48, table, trees):
    for tree, digits in zip(trees, j48.get("predicted", ()), strict=False):
        assert list(predict(tree, table, missing="weighted")) == [table.schema.classes[int(digit)] for digit in digits]


def test_new_rows_with_missing_values_have_J48s_shares(shared):
    j48 = peers.facts("j48", "votes_complete")
    data, new = peers.dataset(shared, j48), peers.dataset(shared, j48, name=j48["test"])
    for tree, shares in zip(j48["trees"], j48["test_shares"], strict=True):
        ours = predict_proba(peers.from_weka(peers.weka(tree), data.schema), new, missing="weighted")
        assert ours[:, 0] == pytest.approx(shares, abs=1e-5)


@pytest.mark.parametrize(("least", "pruned", "right"), [(2, True, (225, 191)), (2, False, (228, 195)), (1, False, (232, 194))])
def test_votes_are_told_as_is_told_of_J48(shared, least, pruned, right):
    fact = peers.facts("j48", "votes_complete")
    data, new = peers.dataset(shared, fact), peers.dataset(shared, fact, name=fact["test"])
    tree = c45(data, min_cases=least) if pruned else prune.collapse(by="errors")(grow(data, c45_policy(least)))
    assert tuple(round(accuracy(tree, rows, missing="weighted") * len(rows)) for rows in (data, new)) == right
