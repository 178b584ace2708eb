"""Chromium opens the builder: a person builds by mouse and keys, and the buttons do as Python does."""

import random

import numpy as np
import pytest
from attrs import evolve
from drawn_policies import OF_CLASSES, split_tables
from hostile_labels import LABELS
from hypothesis import example, given
from hypothesis import strategies as st
from javascript import opening

import ftree as ft
from ftree import C45, CART, ID3, datasets, prune, stop
from ftree.lesson import challenge

pytestmark = pytest.mark.consumer

WEATHER = datasets.weather()
CARS = datasets.auto_mpg(numeric=True).split(0.7, seed=1)
OF_NUMBERS = evolve(CART, missing=ft.missing.ignore())
JSON = "document.querySelector('#copy').click(); return document.querySelector('#json').value"
DELETE = "\ue017"
FIGURES = "return shown().figures"


@pytest.fixture(scope="module")
def opened(browser, tmp_path_factory):
    """A function that opens a builder in the window."""
    yield from opening(browser, tmp_path_factory.mktemp("builder"))


def copied(browser):
    return ft.from_json(browser.run(JSON))


def close(one, other):
    assert one == pytest.approx(other, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("pair", "policy"), [(datasets.tic_tac_toe().split(0.5, seed=0), C45), (CARS, OF_NUMBERS)])
def test_buttons_grow_assess_and_prune(opened, pair, policy):
    data, held_out = pair
    browser, tree = opened(ft.builder(data, policy, test=held_out)), ft.grow(data, policy)
    browser.run("document.querySelector('#finish-all').click()")
    assert copied(browser) == tree
    leaves, *figures = browser.run(FIGURES)
    assert leaves == ft.n_leaves(tree)
    close(figures, browser.run("return given.others[0].slice(2)"))
    browser.run("document.querySelector('#pruning').open = true; drawPath()")
    assert browser.run("return shown().path.length") == len(list(prune.cost_complexity_path(tree)))
    browser.run("document.querySelector('#reduced-error').click()")
    assert copied(browser) == prune.reduced_error(held_out)(tree)


ROBOT = """
const draw = (list) => list[Math.floor(arguments[0].pop() * list.length)];
const kinds = ["take", "take", "take", "take", "cut", "undo", "redo", "cuts", "finish"];
while (arguments[0].length > 4) {
  draw([...document.querySelectorAll("[role=treeitem] .condition")]).click();
  const kind = draw(kinds);
  if (kind === "take") draw([...document.querySelectorAll(".take"), document.querySelector("#copy")]).click();
  else if (kind === "cuts") {
    const curves = [...document.querySelectorAll(".curves[aria-expanded=false]")];
    if (!curves.length) continue;
    draw(curves).click();
    const slider = document.querySelector("#features input");
    slider.value = Math.floor(arguments[0].pop() * (Number(slider.max) + 1));
    slider.dispatchEvent(new Event("input"));
    document.querySelector(".cuts > button").click();
  } else document.getElementById(kind).click();
}
"""


@given(split_tables(), st.sampled_from(OF_CLASSES), st.integers(0, 2**20))
@example(datasets.weather(numeric=True).split(0.8, seed=0), C45, 3)
def test_growth_along_the_splits_that_a_robot_clicks_gives_its_tree(opened, pair, policy, seed):
    check_robot(opened, *pair, policy, seed)


@given(split_tables(response="numbers"), st.integers(0, 2**20))
@example(datasets.auto_mpg(numeric=True).split(0.5, seed=0), 1)
def test_growth_along_the_splits_of_a_robot_gives_its_tree_of_numbers(opened, pair, seed):
    check_robot(opened, *pair, evolve(CART, missing=ft.missing.heaviest()), seed)


def check_robot(opened, data, held_out, policy, seed):
    browser, generator = opened(ft.builder(data, policy, test=held_out)), random.Random(seed)  # noqa: S311  # no secret
    browser.run(ROBOT, [generator.random() for _ in range(60)])
    tree = copied(browser)
    assert ft.grow(data, evolve(policy, stop=stop.always), start=tree) == tree
    leaves, *figures = browser.run(FIGURES)
    assert leaves == ft.n_leaves(tree)
    if tree.schema.has_classes:
        close(figures, [ft.accuracy(tree, data), ft.accuracy(tree, held_out)])
    else:
        errors = [(table, (ft.predict(tree, table) - table.target_column) ** 2) for table in (data, held_out)]
        close(figures, [float(np.sqrt(np.average(error, weights=table.weights))) for table, error in errors])


NODES = "return state.rows.map(({ text }) => text)"


@pytest.fixture
def weather(opened):
    """The builder of the weather table, with an optimal tree to compare with."""
    optimal = ft.optimal(WEATHER, max_depth=2).tree
    return opened(ft.builder(WEATHER, test=WEATHER, against={"optimal": optimal}))


def test_a_person_builds_by_keys_alone(weather):
    weather.press(*["\ue004"] * 5)  # Tab: to "Finish the tree", "Copy", the tree, "Finish this branch", the first feature
    assert weather.run("return document.activeElement.textContent") == "outlook"
    weather.press("Enter", "Enter", "Enter")
    assert copied(weather) == ft.grow(WEATHER)
    weather.run("document.querySelector('#tree [tabindex=\"0\"]').focus()")
    weather.press("Home", "Down", "Down")
    assert weather.run("return document.activeElement.querySelector('.condition').textContent") == "outlook = rainy"
    weather.press("Left")
    assert len(weather.run(NODES)) == 6
    weather.press("Right", "Right", DELETE, "Left")  # opens, goes down, where Delete cuts nothing, and back
    assert len(weather.run(NODES)) == 8
    weather.press(DELETE)
    assert ft.n_leaves(copied(weather)) == 4
    weather.run("document.querySelector('#undo').click()")
    assert copied(weather) == ft.grow(WEATHER)


def test_a_screen_reader_is_told_roles_names_and_what_has_happened(weather):
    assert [weather.role(each) for each in ("#tree", "#n", ".take", "#said")] == ["tree", "treeitem", "button", "status"]
    assert weather.label("#node") == "All rows"
    weather.click(".take")
    assert weather.run("return document.querySelector('#said').textContent") == (
        "Split by outlook. 3 leaves, 71.4 % in training, 71.4 % in test"
    )
    assert weather.label("#node") == "outlook = rainy"
    told = weather.run("return document.querySelector('.unseen').textContent").split("\n")
    assert told == ["windy = False: 0 no, 3 yes", "windy = True: 2 no, 0 yes"]


def test_trees_to_compare_with_stand_below_ones_own(weather):
    lines = weather.run("return [...document.querySelectorAll('#score tr')].map((row) => row.innerText.split(/\\s*\\t\\s*/))")
    assert lines == [
        ["this tree", "1", "64.3 %", "64.3 %"],
        ["the machine", "5", "100.0 %", "100.0 %"],
        ["optimal", "3", "85.7 %", "85.7 %"],
    ]


def test_a_cut_is_chosen_by_a_slider_or_on_the_curve(opened):
    data = datasets.weather(numeric=True)
    browser = opened(ft.builder(data))
    browser.click("[aria-label='Cuts of temperature']")
    browser.press("Home")
    first = browser.run("return document.querySelector('#features input').getAttribute('aria-valuetext')")
    assert first == "temperature <= 64.5, score 0.0477"
    browser.click("#features .curve")
    middle = browser.run("return document.querySelector('#features output').textContent")
    assert middle.startswith("temperature <= 7")
    browser.click(".cuts > button")
    split = copied(browser).root.split
    assert middle.startswith(f"temperature <= {split.at:g},")


def test_the_slider_prunes_and_one_step_back_restores_the_tree(weather):
    weather.click("#finish-all")
    weather.click("#pruning summary")
    weather.type("#alpha", "Right", "Right")
    assert ft.n_leaves(copied(weather)) == 1
    assert weather.run("return document.querySelector('#alpha').getAttribute('aria-valuetext')") == "alpha 0.0893, 1 leaf"
    weather.click("#undo")
    assert copied(weather) == ft.grow(WEATHER)


def test_all_steps_of_the_slider_are_undone_at_once(opened):
    data = datasets.lenses()
    browser = opened(ft.builder(data))
    browser.click("#finish-all")
    browser.click("#pruning summary")
    browser.type("#alpha", "Right", "Right")
    path = [step.root for step in prune.cost_complexity_path(ft.grow(data))]
    assert copied(browser).root == path[2]
    browser.click("#undo")
    assert copied(browser) == ft.grow(data)


def test_a_branch_that_closes_is_selected_in_place_of_a_node_below_it_only(weather):
    selected = "return document.querySelector('[aria-selected=true]').id"
    weather.click("#finish-all")
    weather.click("#n-1-0")
    weather.click("#n-2 .twisty")
    assert weather.run(selected) == "n-1-0"
    weather.click("#n-1 .twisty")
    assert weather.run(selected) == "n-1"
    assert weather.run("return document.querySelector('.take[aria-pressed=true]').textContent") == "windy"


def test_a_contest_hides_the_test_rows_until_the_tree_is_handed_in(opened):
    training, held_out = datasets.tic_tac_toe().split(0.6, seed=0)
    browser = opened(challenge(training, leaves=3, test=held_out))
    assert "hidden" in browser.run("return document.querySelector('#score').innerText")
    assert browser.run("return [...document.querySelectorAll('.free')].every((each) => each.offsetHeight === 0)")
    browser.click(".take")
    machine = ft.grow(training, ID3.stopping(stop.max_leaves(3)))
    assert copied(browser) == machine
    browser.click(".take")
    assert browser.run("return document.querySelector('#hand-in').disabled")
    browser.click("#undo")
    browser.click("#hand-in")
    accuracy = f"{100 * ft.accuracy(machine, held_out):.1f} %"
    assert browser.run("return document.querySelector('#said').textContent") == (
        f"A tie: {accuracy} on the hidden rows, the machine {accuracy}."
    )
    assert accuracy in browser.run("return document.querySelector('#score').innerText")


def test_a_person_who_sees_that_two_shapes_are_equal_beats_the_machine(opened):
    browser = opened(challenge(datasets.monks(1, part="train"), CART, leaves=7, test=datasets.monks(1, part="test")))
    for feature in ("jacket_color", "head_shape", "head_shape", "body_shape", "body_shape", "body_shape"):
        browser.run("[...document.querySelectorAll('.take')].find((each) => each.textContent === arguments[0]).click()", feature)
    browser.click("#hand-in")
    assert browser.run("return document.querySelector('#said').textContent") == (
        "You win: 100.0 % on the hidden rows, the machine 83.3 %."
    )


def test_hostile_names_are_text_and_nothing_more(opened):
    texts = [text for text in LABELS if "\ud800" not in text]
    rows = [[text, number] for number, text in enumerate(texts)]
    names = ['<img src=x onerror="alert(1)">', "</script><b>"]
    data = ft.Dataset.from_rows(rows * 2, texts * 2, features=names, target="<script>alert(1)</script>", missing=())
    browser = opened(ft.builder(data, CART.stopping(stop.max_depth(3)), test=data))
    browser.run("document.querySelector('#finish-all').click(); document.querySelector('.curves')?.click()")
    assert copied(browser) == ft.grow(data, CART.stopping(stop.max_depth(3)))
    assert browser.run("return document.querySelectorAll('main img, main b, main script').length") == 0
    assert names[1] in browser.run("return document.body.innerText")
    browser.resize(375, 800)
    assert browser.run("return document.documentElement.scrollWidth") == 375
    browser.resize(1200, 800)


def test_a_sample_of_a_long_table_says_so(opened):
    numbers = np.arange(30_000.0)
    data = ft.Dataset.from_columns({"x": numbers, "y": (numbers % 7 > 3).astype(int)}, target="y", kinds={"x": "numeric"})
    browser = opened(ft.builder(data))
    assert "A sample of 20,000 of the 30,000 training rows" in browser.run("return document.body.innerText")
    tree = copied(browser)
    assert tree.root.counts == data.shuffle(seed=0).head(20_000).class_counts()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_have_enough_contrast(scheme, weather):
    weather.prefer(scheme)
    weather.click(".take")
    colours = """const luminance = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map((each) => each / 255)
        .map((each) => (each <= 0.03928 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
        .reduce((sum, each, place) => sum + each * [0.2126, 0.7152, 0.0722][place], 0);
    const paper = luminance(getComputedStyle(document.documentElement).backgroundColor);
    return [...document.querySelectorAll(".condition, .take, #counts, th, td, #said, #advice, .cases, .asks")].map((each) => {
      const ink = luminance(getComputedStyle(each).color);
      return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    })"""
    assert min(weather.run(colours)) >= 4.5
    weather.prefer("light")
