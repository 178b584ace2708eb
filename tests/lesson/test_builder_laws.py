"""What the builder's page computes is what Python does: in Node.js, where it is there, and in Chromium."""

import json
from itertools import islice

import pytest
from attrs import evolve
from drawn_policies import GAPPY, RARE, RULES_OF_PREDICTION, mixed, pages
from hypothesis import example, given
from hypothesis import strategies as st
from javascript import Node, opening

import ftree as ft
from ftree import C45, CART, ID3, datasets, missing, prune
from ftree._lib.arrays import least_as_large
from ftree.explain.counted_levels import counted_levels
from ftree.lesson.builder_policies import PARTS, RESPONSES
from ftree.prune import decisions
from ftree.splitters import multiway, threshold
from ftree.tree.describe import condition
from ftree.tree.formats import TIME_KINDS, TimeNumber, format_exactly


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


# Python needs milliseconds for the scores of a node. A drawn tree has fewer nodes.
MOST_SCORED = 30
# What the page computes: what it shows of each feature at nodes of the tree that it grows; the tree, its figures and prunings.
COMPUTED = """
const tree = grown(leafOf(all));
const other = searched(all).features.findLast((each) => each.split);
const start = other ? branchOf(all, other.split) : leafOf(all);
const shown = ({ part }) => searched(part).features.map((each) => [words.features[each.feature], each.split && {
    score: each.score, gain: each.gain, gain_ratio: each.ratio, p_value: each.pValue,
    children: each.children.map((sums) => Array.from(sums)), centre: part.centre ?? null,
}]);
return {
    nodes: levelOrder(tree).filter(({ part }) => part.cases > 0).slice(0, MOST_SCORED).map(shown),
    tree: written(tree),
    cut: written(replaced(tree, PATH, leafOf(nodeAt(tree, PATH).part))),
    started: [written(start), written(grown(start))],
    conditions: levelOrder(tree).flatMap(({ split, children }) => children.map((_, child) => condition(split, child))),
    n_leaves: leavesOf(tree),
    figures: [train, test].map((table) => assessed(tree, table)),
    path: weakestLinks(tree).map(({ alpha, root }) => [alpha, written(root)]),
    tested: levelOrder(tree).map((node) => total(testCases(tree).get(node).weights)),
    reduced_error: written(reducedError(tree)),
};
"""


def close(one, other):
    assert one == pytest.approx(other, rel=1e-12, abs=1e-12)


@given(pages())
@example((*datasets.weather(numeric=True).split(0.5, seed=0), C45))
@example((*datasets.monks(1, part="train").split(0.5, seed=0), CART))
@example((*datasets.tic_tac_toe().split(0.5, seed=0), C45))
@example((*datasets.auto_mpg(numeric=True).split(0.7, seed=1), evolve(CART, missing=missing.ignore())))
def test_the_page_scores_grows_assesses_and_prunes_as_python_does(opened, parts):
    check_page(opened, *parts)


@pytest.mark.parametrize("rule", RARE)
def test_the_page_has_the_rules_that_are_rarely_asked(opened, rule):
    data, policy = RARE[rule]
    check_page(opened, data, mixed(data), policy)


@pytest.mark.parametrize(
    "divides", [*(missing.ignore(predict=rule) for rule in RULES_OF_PREDICTION), missing.heaviest()], ids=str
)
@pytest.mark.parametrize("table", GAPPY)
def test_the_page_answers_rows_without_values_by_each_rule(opened, table, divides):
    data, held_out = GAPPY[table]
    each_value = evolve(ID3, splits=(multiway(empty=True), threshold()))
    check_page(opened, data, held_out, evolve(each_value if data.schema.has_classes else CART, missing=divides))


def check_page(opened, data, held_out, policy):
    """What the page computes with a table and a policy is what Python does."""
    page, tree = opened(ft.builder(data, policy, test=held_out)), ft.grow(data, policy)
    last = max(path for path, node in ft.tree.walk(tree) if isinstance(node, ft.Branch) or not path)
    found = page.run(f"const [MOST_SCORED, PATH] = [{MOST_SCORED}, {list(last)}]; {COMPUTED}")
    assert ft.from_json(found["tree"]) == tree
    assert ft.from_json(found["cut"]) == ft.tree.collapse_at(tree, last)
    start, completed = map(ft.from_json, found["started"])
    assert ft.grow(data, policy, start=start) == completed
    for shown, scores in zip(found["nodes"], islice(scores_of_nodes(tree, data, policy), MOST_SCORED), strict=True):
        check_scores(shown, scores, tree.schema)
    branches = (node for _, node in sorted(ft.tree.walk(tree), key=lambda at: len(at[0])) if isinstance(node, ft.Branch))
    assert found["conditions"] == [
        condition(tree.schema, each.split, child) for each in branches for child in range(len(each.children))
    ]
    assert found["n_leaves"] == ft.n_leaves(tree)
    close(found["figures"], page.run("return given.others[0].slice(2)"))
    for (alpha, text), step in zip(found["path"], prune.cost_complexity_path(tree), strict=True):
        assert alpha == pytest.approx(step.alpha, rel=1e-9, abs=1e-12)  # links that are equal but for rounding are cut together
        assert ft.from_json(text).root == step.root
    tested = ft.recount(tree, held_out, missing="weighted")
    by_level = sorted(ft.tree.walk(tested), key=lambda at: len(at[0]))
    close(found["tested"], [float(tested.schema.response.weight(node.counts)) for _, node in by_level])
    assert ft.from_json(found["reduced_error"]) == prune.reduced_error(held_out)(tree)


def scores_of_nodes(tree, data, policy):
    """The scores at each node that has cases, level by level."""
    for level in counted_levels(tree, data, policy):
        yield from (level.scores(number) for number, (_, node) in enumerate(level.nodes) if any(node.counts))


def check_scores(shown, scores, schema):
    """What the page shows of each feature at a node is what Python scores, in the same order."""
    assert [name for name, _ in shown] == [row.feature for row in scores]
    for (_, figures), row in zip(shown, scores, strict=True):
        assert (figures is None) == (row.split is None)
        if figures is None:
            continue
        assert figures["gain"] >= 0
        names = ("score", "gain", "gain_ratio", "p_value") if schema.has_classes else ("score", "gain")
        close([figures[name] for name in names], [getattr(row, name) for name in names])
        children = [counts for _, counts in row.children]
        if schema.has_classes:
            assert [tuple(counts) for counts in figures["children"]] == children
        else:  # cases, and sums from a centre
            assert [cases for cases, _ in figures["children"]] == [counts[0] for counts in children]
            sums = [total + figures["centre"] * cases for cases, total in figures["children"]]
            close(sums, [schema.response.part * counts[1] for counts in children])


@given(
    st.sampled_from(TIME_KINDS), st.floats(-6e10, 2e11) | st.floats(-2, 2) | st.integers(-10, 10**6).map(lambda part: part / 8)
)
@example("datetime", 1577880000.15)
@example("time of day", 45000.0)
@example("datetime", 72057594038.875)  # more microseconds than floats count one by one
def test_times_are_those_of_python(opened, time, seconds):
    page = opened(ft.builder(datasets.weather()))
    shown = page.run(f"words.times[0] = {json.dumps(time)}; return valueText(0, {seconds!r})")
    assert shown == format_exactly(TimeNumber(seconds, time))


@given(st.floats(1e-9, 1e9) | st.just(0.0), st.sampled_from([-1, -1e-9, -1e-11, -1e-13, 0, 1e-13, 1e-11, 1e-9, 1]), st.booleans())
@example(one=1.0, apart=1e-9, of_share=True)
@example(one=0.0, apart=1e-11, of_share=False)
@example(one=1.0, apart=-1e-13, of_share=True)
def test_numbers_equal_but_for_rounding_are_those_of_python(opened, one, apart, of_share):
    other = one + apart * (one if of_share else 1)
    page = opened(ft.builder(datasets.weather()))
    assert page.run(f"return [isAtMost({one!r}, {other!r}), isAtMost({other!r}, {one!r})]") == [
        decisions.at_most(one, other),
        decisions.at_most(other, one),
    ]
    most = max(one, other)
    assert page.run(f"return response.answer([{other!r}, {most!r}])") == (0 if other >= least_as_large(most) else 1)
