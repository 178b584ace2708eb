"""Pages: rows that follow ARIA's tree pattern, a slider along a pruning path, and escaped labels."""

import re
from base64 import b64encode
from datetime import date
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hostile_labels import renamed, trees_of_any
from hypothesis import given
from hypothesis import strategies as st

from ftree import CART, Dataset, datasets, grow, n_nodes, page, prune, stop
from ftree.criteria import cost_risk
from ftree.testing import chain, trees
from ftree.testing import datasets as tables
from ftree.tree.formats import printable

VOID = {"meta", "input"}


class Elements(HTMLParser):
    """All elements of a page, as dicts of attributes with `tag`, `text`, and `within`, the open elements around."""

    def __init__(self, page):
        super().__init__()
        self.found, self.open = [], []
        self.feed(page.text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        element = dict(attributes) | {"tag": tag, "text": "", "within": list(self.open)}
        self.found.append(element)
        if tag not in VOID and not self.get_starttag_text().endswith("/>"):
            self.open.append(element)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag):
        assert self.open.pop()["tag"] == tag

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def all(self, **attributes):
        return [each for each in self.found if all(each.get(name) == value for name, value in attributes.items())]


def items(page):
    return Elements(page).all(role="treeitem")


WEATHER = grow(datasets.weather())


@given(trees_of_any())
def test_every_node_has_a_row_that_says_its_place(tree):
    rows = items(page(tree))
    assert len(rows) == n_nodes(tree)
    by_id = {row["id"]: row for row in rows}
    for row in rows:
        siblings = [other for other in rows if other.get("data-parent") == row.get("data-parent")]
        assert int(row["aria-setsize"]) == len(siblings)
        assert int(row["aria-posinset"]) == siblings.index(row) + 1
        if "data-parent" in row:
            parent = by_id[row["data-parent"]]
            assert rows.index(parent) < rows.index(row)
            assert int(row["aria-level"]) == int(parent["aria-level"]) + 1
            assert "aria-expanded" in parent
    assert [row["tabindex"] for row in rows] == ["0", *["-1"] * (len(rows) - 1)]


def test_leaves_that_are_not_shown_are_said():
    rows = items(page(WEATHER, max_depth=1))
    assert [row["text"] for row in rows][2] == "outlook = rainyyes2 : 3… 2 more leaves"


def test_a_large_tree_opens_with_few_rows():
    rows = items(page(chain(200)))
    closed = next(number for number, row in enumerate(rows) if row.get("aria-expanded") == "false")
    assert 20 < closed < 120
    assert items(page(chain(200)))[0]["aria-expanded"] == "true"


@given(trees(max_leaves=6).flatmap(renamed))
def test_any_name_leaves_the_page_as_it_is_built(tree):
    elements = Elements(page(tree, path=prune.cost_complexity_path(tree)))
    assert [each["tag"] for each in elements.found].count("script") == 1
    assert len(elements.all(role="treeitem")) == n_nodes(tree)
    keys = [each for each in elements.found if each["tag"] == "li"]
    assert [key["title"] for key in keys] == list(map(printable, tree.schema.classes))
    assert not any(name.startswith("on") for each in elements.found for name in each)


def test_the_policy_lets_only_the_pages_own_script_run_and_loads_nothing():
    html = page(WEATHER).text
    script = re.search(r"<script>(.*)</script>", html, re.DOTALL)[1]
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in html
    assert not re.search(r"https?://(?!www\.w3\.org)", html)


def stages(html_page):
    return [each for each in Elements(html_page).found if "data-says" in each]


@given(st.sampled_from(["classes", "numbers", "events"]).flatmap(lambda response: tables(response=response)))
def test_at_each_stage_the_rows_above_the_cuts_are_those_of_its_tree(table):
    tree = grow(table, CART)
    path = [step.tree for step in prune.cost_complexity_path(tree)]
    rows = {row["id"]: row for row in items(page(tree, path=path))}
    for stage, pruned in enumerate(path, path[0] != tree):
        live = [row for row in rows.values() if not any(is_cut(above, stage) for above in ups(rows, row))]
        assert len(live) == n_nodes(pruned)


def ups(rows, row):
    while "data-parent" in row:
        row = rows[row["data-parent"]]
        yield row


def is_cut(row, stage):
    return "data-cut" in row and int(row["data-cut"]) <= stage


@given(tables(), st.sampled_from([prune.pessimistic(), prune.critical_value(0.5), prune.trim(stop.max_depth(1))]))
def test_the_decisions_of_a_pass_are_a_path_that_ends_at_its_tree(table, pass_):
    tree = grow(table)
    made = page(tree, path=pass_.decisions(tree))
    rows = {row["id"]: row for row in items(made)}
    last = len(stages(made)) - 1
    assert sum(not any(is_cut(above, last) for above in ups(rows, row)) for row in rows.values()) == n_nodes(pass_(tree))


def test_a_path_that_grows_is_the_pruning_path_backwards():
    trees = [prune.trim(lambda frontier, depth=depth: frontier.depth >= depth)(WEATHER) for depth in range(3)]
    grown, pruned = page(WEATHER, path=trees), page(WEATHER, path=trees[::-1])
    assert [each["data-says"] for each in stages(grown)] == [each["data-says"] for each in stages(pruned)]
    assert {row["id"]: row.get("data-cut") for row in items(grown)} == {row["id"]: row.get("data-cut") for row in items(pruned)}
    (slider,) = Elements(grown).all(type="range")
    assert "data-grows" in slider
    assert "<th>alpha" not in grown.text + pruned.text
    assert "<th>measured" not in grown.text + pruned.text


def test_the_title_is_the_target_and_a_diagram_has_the_numbers_of_the_outline():
    found = Elements(page(WEATHER)).found
    assert [each["text"] for each in found if each["tag"] in {"title", "h1"}][:1] == ["play"]
    drawn = {int(each["data-node"]) for each in found if each["tag"] == "g" and "data-node" in each}
    assert drawn == set(range(n_nodes(WEATHER)))
    assert 'id="diagram"' not in page(chain(70)).text


def test_only_trees_whose_tests_a_page_can_evaluate_have_a_form():
    dated = grow(Dataset.from_columns({"day": [date(2020, 1, 1), date(2021, 1, 1)], "class": ["a", "b"]}))
    assert ['<form id="row">' in page(tree).text for tree in (WEATHER, dated)] == [True, False]


def test_a_path_is_of_prunings_of_the_tree():
    leaf = prune.trim(lambda frontier: frontier.depth >= 0)(WEATHER)
    with pytest.raises(ValueError, match="path must be trees each of which is a pruning of the one before"):
        page(WEATHER, path=[WEATHER, leaf, WEATHER])
    with pytest.raises(ValueError, match="path must be trees each of which is a pruning of the one before"):
        page(WEATHER, path=[grow(datasets.lenses())])
    no_steps = r"path must be trees, or steps such as those of prune\.cost_complexity_path, got "
    for path in (3, [3]):
        with pytest.raises(TypeError, match=rf"{no_steps}an int\.$"):
            page(WEATHER, path=path)
    for file in ("tree.html", Path("tree.html")):
        with pytest.raises(TypeError, match=rf"{no_steps}.*\. Save the page by page\(tree\)\.save\(file\)\.$"):
            page(WEATHER, path=file)


def test_mean_costs_are_said_as_costs():
    data = datasets.weather()
    risk = cost_risk((5, 9), costs=[[0, 5], [1, 0]])
    made = page(WEATHER, path=prune.measured(prune.cost_complexity_path(WEATHER), data, risk=risk))
    assert stages(made)[-1]["data-says"] == "alpha 0.0893, 1 leaf, mean cost 0.643 (14 cases)"


def test_squared_errors_of_numbers_are_said_as_such():
    data = Dataset.from_rows([[1], [2]], [0.5, 2.5], features=["x"])
    tree = grow(data, CART)
    made = page(tree, path=prune.measured(prune.cost_complexity_path(tree), data))
    assert stages(made)[-1]["data-says"] == "alpha 1, 1 leaf, mean squared error 1 (2 cases)"
    assert "Cut at alpha 1: 2 squared error in 2 cases as a leaf, 0 with 2 leaves." in made.text
    assert "Predict a row" in made.text
