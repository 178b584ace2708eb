"""Chromium opens the output: the page works by mouse and keys, SVG is drawn, and Mermaid's own code reads its language."""

from pathlib import Path

import numpy as np
import pytest
from browser import needed_file
from hostile_labels import LABELS, a_leaf_for_each

import ftree as ft
from ftree import datasets, prune, stop
from ftree.show import to_mermaid
from ftree.show.pictures import shortened
from ftree.splitters import oblique, threshold
from ftree.tree import Multiway
from ftree.tree.formats import printable

pytestmark = pytest.mark.consumer

MERMAID = Path(__file__).parents[2] / "build" / "npm" / "package" / "dist" / "mermaid.min.js"
VISIBLE = "return [...document.querySelectorAll('[role=treeitem]')].filter(row => row.offsetHeight > 0).map(row => row.id)"
WEATHER = ft.grow(datasets.weather())


@pytest.fixture
def weather(browser, tmp_path):
    """The weather page, opened: rows n0 to n7, with stages of five, four and one leaf."""
    path = prune.measured(prune.cost_complexity_path(WEATHER), datasets.weather())
    ft.page(WEATHER, path=path).save(tmp_path / "tree.html")
    browser.log()
    browser.open(tmp_path / "tree.html")
    yield browser
    assert browser.log() == []


HOSTILE = a_leaf_for_each(LABELS, target="</title>")


SET = """
const form = document.getElementById("row");
for (const field of form.elements) field.value = arguments[0][field.name] ?? "";
form.dispatchEvent(new Event("input"));
const lit = [...document.querySelectorAll(arguments[1])].map((each) => Number(each.dataset.node ?? each.id.slice(1)));
return [document.getElementById("answer").textContent, [...new Set(lit)].sort((a, b) => a - b)];
"""


@pytest.mark.parametrize("numbers", [False, True])
def test_the_form_answers_as_predict_does_and_the_path_lights_up(numbers, browser, tmp_path):
    generator = np.random.default_rng(3)
    if numbers:
        points = generator.integers(0, 9, (60, 2)) / 8
        data = ft.Dataset.from_rows(points.tolist(), (points.sum(axis=1) + points[:, 0] * points[:, 1] > 1).tolist())
        tree = ft.grow(data, ft.evolve(ft.CART, splits=(oblique(), threshold())))
    else:
        data, tree = datasets.weather(), WEATHER
    ft.page(tree).save(tmp_path / "tree.html")
    browser.open(tmp_path / "tree.html")
    for row in range(0, len(data), len(data) // 12):
        values = {f"f{number}": float(column[row]) for number, column in enumerate(data.columns)}
        values = {name: value if numbers else int(value) for name, value in values.items()}
        answer, outlined = browser.run(SET, values, "[role=treeitem].on")
        _, drawn = browser.run(SET, values, "#diagram g.on")
        way = ft.path_of(tree, list(data.rows()[row].values())[:-1])
        assert answer == str(way.label)
        assert outlined == drawn
        assert len(drawn) == len(way.path) + 1
    assert browser.run(SET, {}, "none")[0].endswith("?")
    assert browser.log() == []


def test_a_tree_grows_with_the_slider(browser, tmp_path):
    trees = [prune.trim(lambda frontier, depth=depth: frontier.depth >= depth)(WEATHER) for depth in range(3)]
    ft.page(WEATHER, path=trees).save(tmp_path / "tree.html")
    browser.open(tmp_path / "tree.html")
    drawn = """return [...document.querySelectorAll("#diagram [data-node] text")].filter(
        (text) => getComputedStyle(text).visibility === "visible").map((text) => text.textContent)"""
    seen = []
    for _ in range(3):
        seen.append((len(browser.run(VISIBLE)), [text for text in browser.run(drawn) if text.endswith("?")]))
        browser.type("#alpha", "Right")
    assert seen == [(1, []), (4, ["outlook?"]), (8, ["outlook?", "windy?", "humidity?"])]


def test_the_slider_prunes_the_tree_and_back(weather):
    assert weather.run(VISIBLE) == ["n0", "n1", "n2", "n4", "n5", "n3", "n6", "n7"]
    weather.type("#alpha", "End")
    assert weather.run(VISIBLE) == ["n0"]
    assert (
        weather.run("return document.querySelector('#stage').textContent") == "alpha 0.0893, 1 leaf, accuracy 64.3 % (14 cases)"
    )
    assert "5 errors in 14 cases as a leaf" in weather.run("return document.querySelector('#n0').innerText")
    weather.type("#alpha", "Home")
    assert len(weather.run(VISIBLE)) == ft.n_nodes(WEATHER)
    assert "errors" not in weather.run("return document.querySelector('#n0').innerText")


def test_what_was_cut_opens_in_grey(weather):
    weather.type("#alpha", "End")
    weather.click("#n0 .twisty")
    assert weather.run(VISIBLE)[:2] == ["n0", "n1"]
    assert weather.run("return [...document.querySelectorAll('[role=treeitem].gone')].length") == 7
    assert weather.run("return document.querySelector('#n0').classList.contains('gone')") is False


def test_a_branch_closes_and_opens_by_mouse(weather):
    weather.click("#n2 .twisty")
    assert weather.run(VISIBLE) == ["n0", "n1", "n2", "n3", "n6", "n7"]
    weather.click("#close")
    assert weather.run(VISIBLE) == ["n0", "n1", "n2", "n3"]
    weather.click("#open")
    assert len(weather.run(VISIBLE)) == 8


def test_keys_move_and_open_as_in_the_pattern_of_trees(weather):
    def focus():
        return weather.run("return document.activeElement.id")

    weather.click("#n0 .condition")
    seen = []
    for key in ("Down", "Down", "Right", "Left", "Left", "Left", "End", "Home", "*", "h", "Enter", " "):
        weather.press(key)
        seen.append(focus())
    assert seen == ["n1", "n2", "n4", "n2", "n2", "n0", "n7", "n0", "n0", "n6", "n6", "n6"]
    assert weather.run(VISIBLE) == ["n0", "n1", "n2", "n3", "n6", "n7"]
    assert weather.run("return document.querySelectorAll('[role=treeitem][tabindex=\"0\"]').length") == 1


def test_a_screen_reader_is_told_roles_names_and_places(weather):
    assert [weather.role("#tree"), weather.role("#n2"), weather.role("#alpha")] == ["tree", "treeitem", "slider"]
    assert weather.label("#n2").startswith("outlook = rainy")
    assert weather.label("#search") == "Search conditions and labels"
    assert weather.run("return document.querySelector('#alpha').getAttribute('aria-valuetext')").startswith("alpha 0, 5 leaves")


def test_search_shows_hits_with_the_way_to_them(weather):
    weather.click("#close")
    weather.type("#search", "HIGH")
    assert weather.run(VISIBLE) == ["n0", "n3", "n6"]
    assert weather.run("return document.querySelector('#found').textContent") == "1 found"
    weather.type("#search", "Enter")
    assert weather.run("return document.activeElement.id") == "n6"
    assert "humidity = high" in weather.run("return document.querySelector('#details').textContent")
    weather.type("#search", "Escape")
    assert weather.run(VISIBLE) == ["n0", "n1", "n2", "n3"]


def test_500_leaves_stay_usable_also_on_a_phone(browser, tmp_path):
    rng = np.random.default_rng(0)
    table = ft.Dataset.from_columns(
        {"x": rng.normal(size=2000), "y": rng.normal(size=2000), "class": rng.choice(list("abc"), 2000)}
    )
    tree = prune.trim(stop.max_leaves(500))(ft.grow(table))
    ft.page(tree, path=prune.cost_complexity_path(tree)).save(tmp_path / "large.html")
    browser.open(tmp_path / "large.html")
    assert len(browser.run(VISIBLE)) < 200
    took = browser.run("const start = performance.now(); slider.value = 5; showStage(); return performance.now() - start")
    assert took < 1000  # still usable; a tenth of this time is usual
    browser.resize(390, 800)
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    browser.resize(1100, 800)


def test_on_a_phone_a_long_name_leaves_room_for_what_is_said_of_it(browser, tmp_path):
    values = ["no", "yes", "w" * 300]
    named = ft.Schema(
        [ft.Feature("a name that is far longer than a phone is wide " * 3, "nominal", values)], "class", ("a", "b", "c")
    )
    leaves = [ft.Leaf((1, 0, 0)), ft.Leaf((0, 1, 0)), ft.Leaf((0, 0, 1))]
    ft.page(ft.Tree(named, ft.Branch((1, 1, 1), Multiway(0, (0, 1, 2)), leaves))).save(tmp_path / "long.html")
    browser.resize(390, 800)
    browser.open(tmp_path / "long.html")
    widths = """return [...document.querySelectorAll('.condition > span + span')].map(each => [
        each.previousElementSibling.clientWidth > 60,
        each.getBoundingClientRect().right < innerWidth,
        each.scrollWidth <= each.clientWidth])"""
    assert browser.run(widths) == [[True, True, True], [True, True, True], [True, True, False]]
    browser.resize(1100, 800)


def test_no_label_of_a_user_runs_or_breaks_the_page(browser, tmp_path):
    ft.page(HOSTILE).save(tmp_path / "hostile.html")
    browser.log()
    browser.open(tmp_path / "hostile.html")
    browser.click("#n1 .condition")
    assert browser.log() == []
    assert browser.run("return document.title") == "</title>"
    shown = browser.run("return [...document.querySelectorAll('.label')].map(each => each.textContent)")
    assert sorted(shown) == sorted(map(printable, LABELS))


def test_a_drawing_is_drawn_with_any_labels(browser, tmp_path):
    ft.draw(HOSTILE).save(tmp_path / "tree.svg")
    browser.log()
    browser.open(tmp_path / "tree.svg")
    assert browser.run("return document.documentElement.tagName") == "svg"
    boxes = browser.run("return [...document.querySelectorAll('.leaf text')].map(text => text.getBBox().width)")
    assert max(boxes) < 180
    assert browser.log() == []


def test_pages_and_drawings_are_dark_where_the_screen_is(browser, tmp_path):
    ft.page(WEATHER).save(tmp_path / "tree.html")
    ft.draw(WEATHER, theme="auto").save(tmp_path / "tree.svg")
    ask = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
    shown = {}
    for scheme in ("dark", "light"):
        browser.prefer(scheme)
        browser.open(tmp_path / "tree.html")
        shown[scheme] = [browser.run(ask, "html", "backgroundColor"), browser.run(ask, "html", "color")]
        browser.open(tmp_path / "tree.svg")
        shown[scheme] += [browser.run(ask, "svg > rect", "fill"), browser.run(ask, "svg", "fill")]
    dark, light = ["rgb(21, 25, 30)", "rgb(230, 237, 243)"], ["rgb(255, 255, 255)", "rgb(31, 35, 40)"]
    assert shown == {"dark": dark * 2, "light": light * 2}


def test_mermaid_draws_every_node_and_shows_labels_as_they_are(browser, tmp_path):
    code = needed_file(MERMAID, "npm pack mermaid@11, unpacked in build/npm")
    (tmp_path / "mermaid.html").write_text(f'<meta charset="utf-8"><body><script src="{code.as_uri()}"></script></body>')
    browser.open(tmp_path / "mermaid.html")
    nodes = """
        mermaid.initialize({startOnLoad: false, maxTextSize: 1e6});
        return mermaid.render("drawn", arguments[0]).then(({svg}) => {
            document.body.insertAdjacentHTML("beforeend", svg);
            return [...document.querySelectorAll("#drawn .nodeLabel")].map(each => each.innerText);
        })
    """
    assert browser.run(nodes, to_mermaid(WEATHER))[:2] == ["outlook?\n14 cases", "yes\n4 cases"]
    browser.open(tmp_path / "mermaid.html")
    shown = browser.run(nodes, to_mermaid(HOSTILE))
    first_lines = [" ".join(text.split("\n")[0].split()) for text in shown]
    assert first_lines[1:-1] == [" ".join(shortened(printable(label), 260).split()) for label in LABELS[:-1]]
