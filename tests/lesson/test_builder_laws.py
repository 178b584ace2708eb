"""What the builder's page computes is what Python does: in Node.js, where it is there, and in Chromium."""

import numpy as np
import pytest
from attrs import evolve
from drawn_policies import OF_CLASSES, policies, split_tables
from hypothesis import example, given
from hypothesis import strategies as st
from javascript import Node, opening

import ftree as ft
from ftree import C45, CART, datasets, prune
from ftree._lib.arrays import least_as_large
from ftree.lesson.builder_policies import PARTS, RESPONSES
from ftree.prune import decisions
from ftree.testing import datasets as tables


@pytest.fixture(scope="module")
def node():
    """Node.js, if a test asks for it."""
    process = Node()
    yield process
    process.close()


@pytest.fixture(scope="module", params=["node", pytest.param("browser", marks=pytest.mark.consumer)])
def opened(request, tmp_path_factory):
    """A function that opens a builder in Node.js or in Chromium, and returns what runs scripts there."""
    yield from opening(request.getfixturevalue(request.param), tmp_path_factory.mktemp("builder"))


# By package, the tables of the page that have a function for each part of that package.
TABLES = """return {
    responses: Object.keys(responses),
    names: Object.values(responses).map((each) => Object.keys(each).sort().join()),
    criteria: [...Object.keys(impurities), ...Object.keys(scores)],
    splitters: [...Object.keys(splitters), ...Object.keys(choices)],
    stop: Object.keys(rules),
    missing: Object.keys(shares).map((name) => `missing.${name}`),
    types: Object.keys(splitTypes),
}"""


def test_the_page_has_the_parts_that_python_lists(opened):
    found = opened(ft.builder(datasets.weather())).run(TABLES)
    assert sorted(found.pop("responses")) == sorted(RESPONSES)
    assert len(set(found.pop("names"))) == 1, "all responses have the same names"
    assert {each.__name__ for each in (ft.tree.Threshold, ft.tree.Multiway, ft.tree.Subset)} == set(found.pop("types"))
    # The least cases of a child, and growth with missing values, are not tables but data of the page.
    assert sorted(name for names in found.values() for name in names) == sorted(
        PARTS.keys() - {"splitters.c45_min_branch", "missing.ignore"}
    )


# The best cut of its numbers has 4 cases on one side: a tenth of the mean class is 3.
SIXTY = ft.Dataset.from_columns({"x": np.arange(60.0), "y": [*"aaaa", *"ba" * 28]}, target="y")
FOUND = """return searched(all).features.map((each) => [each.feature, each.split && each.score, each.gain, each.ratio,
    each.pValue, each.children.map((sums) => Array.from(sums)), all.centre])"""


def close(one, other):
    assert one == pytest.approx(other, rel=1e-12, abs=1e-12)


@given(tables(missing=True, weighted=True), st.sampled_from(OF_CLASSES) | policies())
@example(datasets.weather(numeric=True), C45)
@example(SIXTY, C45)
@example(datasets.monks(1, part="train"), CART)
@example(datasets.tic_tac_toe(), CART)
def test_the_scores_and_counts_of_the_page_are_those_of_python(opened, data, policy):
    found = opened(ft.builder(data, policy)).run(FOUND)
    wanted = ft.scores(data, policy)
    assert [data.schema.features[each[0]].name for each in found] == [each.feature for each in wanted]
    for (_, score, gain, ratio, p_value, children, _), each in zip(found, wanted, strict=True):
        if each.split is None:
            assert score is None
            continue
        close([score, gain, ratio, p_value], [each.score, each.gain, each.gain_ratio, each.p_value])
        assert [tuple(counts) for counts in children] == [counts for _, counts in each.children]


@given(tables(response="numbers", missing=True, weighted=True), policies(numbers=True))
@example(datasets.auto_mpg(numeric=True).complete(), CART)
def test_the_scores_of_numbers_are_those_of_python(opened, data, policy):
    found = opened(ft.builder(data, policy)).run(FOUND)
    wanted = ft.scores(data, policy)
    assert [data.schema.features[each[0]].name for each in found] == [each.feature for each in wanted]
    for (_, score, gain, _, _, children, centre), each in zip(found, wanted, strict=True):
        if each.split is None:
            assert score is None
            continue
        close(score, each.score)
        close(gain, each.gain)
        assert [counts[0] for counts in children] == [counts[0] for _, counts in each.children]
        part = ft.grow(data, policy).schema.response.part
        close([counts[1] + centre * counts[0] for counts in children], [part * counts[1] for _, counts in each.children])


GROWN = """
const tree = grown(leafOf(all));
const steps = weakestLinks(tree).map(({ alpha, root }) => [alpha, written(root)]);
return [written(tree), leavesOf(tree), [train, test].map((table) => assessed(tree, table)), steps, written(reducedError(tree))];
"""


@given(split_tables(missing=True, weighted=True), st.sampled_from(OF_CLASSES) | policies())
@example(datasets.tic_tac_toe().split(0.5, seed=0), CART)
@example(datasets.tic_tac_toe().split(0.5, seed=0), C45)
def test_the_page_grows_assesses_and_prunes_as_python_does(opened, pair, policy):
    check_growth(opened, *pair, policy)


@given(split_tables(response="numbers", missing=True, weighted=True), policies(numbers=True))
@example(datasets.auto_mpg(numeric=True).split(0.7, seed=1), evolve(CART, missing=ft.missing.ignore()))
def test_the_page_grows_assesses_and_prunes_trees_of_numbers(opened, pair, policy):
    check_growth(opened, *pair, policy)


def check_growth(opened, data, held_out, policy):
    page, tree = opened(ft.builder(data, policy, test=held_out)), ft.grow(data, policy)
    written, leaves, found, steps, pruned = page.run(GROWN)
    assert ft.from_json(written) == tree
    assert leaves == ft.n_leaves(tree)
    close(found, page.run("return given.others[0].slice(2)"))
    for (alpha, text), step in zip(steps, prune.cost_complexity_path(tree), strict=True):
        assert alpha == pytest.approx(step.alpha, rel=1e-9, abs=1e-12)  # links that are equal but for rounding are cut together
        assert ft.from_json(text).root == step.root
    assert ft.from_json(pruned) == prune.reduced_error(held_out)(tree)


@given(st.floats(1e-9, 1e9) | st.just(0.0), st.sampled_from([-1, -1e-9, -1e-11, -1e-13, 0, 1e-13, 1e-11, 1e-9, 1]), st.booleans())
@example(one=1.0, apart=1e-9, of_share=True)
@example(one=0.0, apart=1e-11, of_share=False)
def test_numbers_equal_but_for_rounding_are_those_of_python(opened, one, apart, of_share):
    other = one + apart * (one if of_share else 1)
    page = opened(ft.builder(datasets.weather()))
    assert page.run(f"return [isAtMost({one!r}, {other!r}), isAtMost({other!r}, {one!r})]") == [
        decisions.at_most(one, other),
        decisions.at_most(other, one),
    ]
    most = max(one, other)
    assert page.run(f"return response.answer([{other!r}, {most!r}])") == (0 if other >= least_as_large(most) else 1)
