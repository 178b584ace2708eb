"""Weka's Id3 and J48 grow and prune these trees; the files in `facts` have what they said."""

from itertools import pairwise

import peers
import pytest

from ftree import ID3, accuracy, gain, grow, n_leaves, n_nodes, predict, predict_proba, prune, recount
from ftree.schema import position


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
    """-M, whether pruned, -C, whether subtrees are raised."""
    words = run["options"].split()
    named = dict(pairwise(words))
    return int(named["-M"]), float(named.get("-C", 0)), "-S" not in words


# Id3 ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", peers.tables("id3"))
def test_ID3_grows_the_tree_of_Wekas_Id3(shared, name):
    fact = peers.facts("id3", name)
    data, theirs = peers.dataset(shared, fact), peers.weka(fact["tree"])
    n_ties = assert_same_but_for_ties(peers.as_weka(grow(data, ID3)), theirs, data)
    assert (n_ties > 0) == (name == "digits")


def assert_same_but_for_ties(mine, theirs, data):
    """Where the features differ their gains do not, but for rounding, which Id3 goes by; its parts are then grown anew."""
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


# What follows from J48's trees --------------------------------------------------------------------------------


def test_counts_in_fractions_are_those_of_J48(j48, trees):
    for tree, written in zip(trees, j48["trees"], strict=True):
        peers.assert_same(peers.present(peers.as_weka(tree)), peers.present(peers.weka(written)))


def test_pruning_J48s_unpruned_tree_gives_its_pruned_trees(j48, table, trees):
    unpruned = {options(run)[0]: trees[run["tree"]] for run in j48["runs"] if "-U" in run["options"]}
    for run in j48["runs"]:
        least, confidence, raising = options(run)
        if confidence:
            pruned = prune.error_based(confidence=confidence, raising=table if raising else None)(unpruned[least])
            peers.assert_same(peers.present(peers.as_weka(pruned)), peers.present(peers.weka(j48["trees"][run["tree"]])))


def test_sizes_and_right_answers_are_those_of_J48(j48, table, trees):
    for run in j48["runs"]:
        tree = trees[run["tree"]]
        assert (n_leaves(tree), n_nodes(tree)) == (run["leaves"], run["nodes"])
        assert accuracy(tree, table, missing="weighted") * len(table) == pytest.approx(run["right"])


def test_rows_with_missing_values_are_given_J48s_classes(j48, table, trees):
    for tree, digits in zip(trees, j48.get("predicted", ()), strict=False):
        classes = [table.schema.classes[int(digit)] for digit in digits]
        assert predict(tree, table, missing="weighted") == classes


def test_new_rows_with_missing_values_have_J48s_shares(shared):
    j48 = peers.facts("j48", "votes_complete")
    data, new = peers.dataset(shared, j48), peers.dataset(shared, j48, name=j48["test"])
    for tree, shares in zip(j48["trees"], j48["test_shares"], strict=True):
        ours = predict_proba(peers.from_weka(peers.weka(tree), data.schema), new, missing="weighted")
        assert ours[:, 0] == pytest.approx(shares, abs=1e-5)
