"""Growth as a film: its tables are those by which growth chooses, at each node, whatever is missing."""

import pytest
from attrs import evolve
from drawn_policies import SEEN_LATE
from hypothesis import example, given
from hypothesis import strategies as st

from ftree import C45, CART, CHAID, ID3, Branch, Dataset, Leaf, datasets, grow, page, scores
from ftree.lesson import growth_steps
from ftree.splitters import multiway
from ftree.stop import max_leaves
from ftree.testing import datasets as tables
from ftree.testing import policies
from ftree.tree import subtree_at, walk

DAYS = datasets.weather()
# Among four leaves of ID3, the first child of the root is one that would have children.
CUT = Dataset.from_rows(map(list, ["apr", "aqr"] * 3 + ["bpr"] * 2 + ["bqr", "bqs"]), list("eeeeefccdg"))


OF_CLASSES = st.tuples(tables(missing=True, weighted=True), st.sampled_from([ID3, C45, CART, CHAID, ID3.stopping(max_leaves(3))]))
OTHERS = st.sampled_from(["numbers", "events"]).flatmap(lambda kind: tables(response=kind, missing=True, weighted=True))


@example((CUT, ID3.stopping(max_leaves(4))))
@example((SEEN_LATE.head(7), evolve(ID3, splits=(multiway(empty=True),))))
@given(OF_CLASSES | st.tuples(OTHERS, st.just(CART)))
def test_each_node_has_the_scores_by_which_growth_chose(drawn):
    data, policy = drawn
    tree, steps = grow(data, policy), growth_steps(data, policy)
    looked_at = {node.path: node for each in steps for node in each.nodes}
    assert list(looked_at) == [path for path, node in sorted(walk(tree), key=lambda at: (len(at[0]), at[0])) if any(node.counts)]
    for path, found in looked_at.items():
        node = subtree_at(tree, path).root
        assert found.is_leaf == isinstance(node, Leaf)
        if isinstance(node, Branch):
            assert found.becomes == found.scores.rows[0].feature
            split_by = next(row for row in found.scores if row.feature == found.becomes)
            counts = [list(child.counts) for child in node.children]
            if not data.gaps():
                assert [list(of) for _, of in split_by.children] == counts
    assert (steps[0].tree.root, steps[-1].tree) == (Leaf(tree.root.counts), tree)
    if data.schema.has_classes:  # others have no p-value, and NaN differs from itself
        assert steps[0].nodes[0].scores == scores(data, policy)


@given(tables(), policies())
def test_any_policy_has_steps_and_single_splits_grow_the_tree(data, policy):
    steps = growth_steps(data, policy, by="split")
    assert steps[-1].tree == growth_steps(data, policy)[-1].tree == grow(data, policy)
    sizes = [sum(isinstance(node, Branch) for _, node in walk(step.tree)) for step in steps]
    assert sizes == list(range(len(steps))), "each step makes one split"


def test_chaid_that_grows_one_leaf_shows_the_p_values_that_it_refuses():
    (step,) = growth_steps(DAYS, CHAID)
    (node,) = step.nodes
    assert node.is_leaf
    assert {row.feature: round(row.p_value, 3) for row in node.scores} == {
        row.feature: round(row.p_value, 3) for row in scores(DAYS, ID3)
    }
    assert [row.feature for row in node.scores] == ["humidity", "outlook", "windy", "temperature"]
    assert "p-value" in str(step)


def test_a_film_is_a_page_with_a_slider_whose_tables_stand_below_it():
    steps = growth_steps(DAYS)
    shown = page(steps[-1].tree, path=steps).text
    assert shown.count('<div class="note"') == 3
    assert "data-grows" in shown
    assert '<td style="text-align:left">0.247</td>' in shown


def test_another_order_is_refused():
    with pytest.raises(ValueError, match="by must be one of 'level', 'split', got 'row'"):
        growth_steps(DAYS, by="row")
