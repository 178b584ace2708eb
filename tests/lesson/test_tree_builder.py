"""The builder refuses by name what its page cannot compute, and its page carries all that it needs."""

import json
import pkgutil
import re
from base64 import b64decode
from importlib.resources import files

import numpy as np
import pytest
from attrs import evolve, fields
from drawn_policies import IMPURITIES, PARTS, SCORES, policies
from hypothesis import given
from javascript import text_of_data
from page_scripts import CHAPTERS, code_of, needs

import ftree as ft
import ftree.lesson
from ftree import C45, CART, CHAID, ID3, Dataset, datasets, stop
from ftree._lib.fields import name_of
from ftree.lesson import builder, challenge
from ftree.lesson.tree_builder import COMPUTES, DRAWS, joined_scripts
from ftree.saving.json_parts import part_of_plain
from ftree.splitters import multiway, oblique, subset, threshold

DAYS = datasets.weather()
GAPS = Dataset.from_columns({"x": [1.0, None, 3.0], "z": [None, None, 2.5], "y": ["a", "b", "a"]}, target="y")


def data_of(page):
    return json.loads(text_of_data(page.text))


def own_impurity(counts):
    return counts.min(axis=-1)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (CHAID, "policy must be made of entropy, gini, .*, got significance."),
        (evolve(ID3, splits=(oblique(),)), "got oblique."),
        (evolve(ID3, impurity=own_impurity), "got own_impurity."),
        (evolve(ID3, impurity=lambda counts: counts.min(axis=-1)), "got <lambda>."),
        (ID3.stopping(stop.max_leaves(3)), "got max_leaves."),
        (evolve(ID3, splits=(threshold(bins=8), multiway())), "bins of threshold must be None, .* got 8."),
        (evolve(ID3, splits=(subset(), multiway())), "splits of the policy must be one splitter for each kind of features"),
        (evolve(ID3, priors=(0.5, 0.5)), "priors of the policy must be None"),
        (evolve(ID3, costs=((0, 1), (2, 0))), "costs of the policy must be None"),
    ],
)
def test_a_part_that_the_page_cannot_compute_is_refused_by_name(policy, message):
    with pytest.raises(ValueError, match=message):
        builder(DAYS, policy)


def test_each_option_of_each_part_of_a_page_is_drawn_or_must_have_its_default():
    for part, options in PARTS.items():
        assert {each.name for each in fields(part) if each.init} == options.keys()
    with pytest.raises(ValueError, match="must be made of") as refused:
        builder(DAYS, CHAID)
    listed = re.search("made of (.*), got", str(refused.value))[1].split(", ")
    others = [*(name_of(part) for part in (*IMPURITIES, *SCORES)), "any_of", "all_of", "not_"]
    assert sorted(listed) == sorted([*(part.__name__ for part in PARTS), *others])


SCRIPTS = joined_scripts(*COMPUTES, *DRAWS)


def test_each_script_says_what_it_needs_of_others():
    for at, (chapter, wanted) in enumerate(needs().items()):
        comment = re.match(r'(?:"use strict";\n)?((?://.*\n)+)', joined_scripts(chapter))[1]
        told = re.sub(r"\n?// ", " ", comment).partition(" Needs ")[2]
        loaded, _, later = told.partition("; in functions ")
        parts = {part: re.findall(r"(\w+) \((.*?)\)", part) for part in (loaded, later)}
        assert {other: set(names.split(", ")) for part in parts.values() for other, names in part} == wanted, chapter
        assert all(CHAPTERS.index(other) < at for other, _ in parts[loaded])
        assert all(CHAPTERS.index(other) > at for other, _ in parts[later])


def test_each_function_of_the_scripts_that_compute_has_its_twin_in_the_map():
    found = re.findall(r"^\| *(\w+\.js)? \| ([\w, ]+) \| ([\w., ]+) \|$", ftree.lesson.__doc__, re.MULTILINE)
    scripts, names, twins = zip(*found, strict=True)
    assert [script for script in scripts if script] == [f"{chapter}.js" for chapter in COMPUTES]
    made = re.findall(r"^function (\w+)|^const (\w+) = {$", joined_scripts(*COMPUTES), re.MULTILINE)
    assert {*", ".join(names).split(", ")} >= {one or other for one, other in made} - {"total"}
    for twin in ", ".join(twins).split(", "):
        pkgutil.resolve_name(f"ftree.{twin}")  # raises an error if it is not there


@pytest.mark.parametrize("options", [{"dataset": DAYS}, {"dataset": DAYS, "test": DAYS}], ids=["alone", "tested"])
def test_the_page_has_the_data_that_its_scripts_read_and_no_other(options):
    found, code = data_of(builder(**options)), code_of(SCRIPTS)[0]
    for name, own in {"given": found, "words": found["words"], "limits": found["limits"]}.items():
        taken = ", ".join(re.findall(rf"const {{(.*)}} = {name};", code))
        assert {*re.findall(rf"\b{name}\.(\w+)", code), *re.findall(r"\w+", taken)} == own.keys()


def test_the_page_has_the_chapters_that_are_there_each_once():
    there = [each.name for each in files("ftree.lesson").joinpath("builder_page").iterdir() if each.name.endswith(".js")]
    assert sorted(there) == sorted(f"{chapter}.js" for chapter in (*COMPUTES, *DRAWS))


@given(policies())
def test_a_page_has_every_option_that_is_drawn(policy):
    assert part_of_plain(data_of(builder(DAYS, policy))["policy"]) == policy


def test_missing_values_need_a_policy_that_divides_them():
    with pytest.raises(ValueError, match="got surrogates with missing values"):
        builder(GAPS, CART)
    assert data_of(builder(GAPS))["divide"] == "weighted"
    assert data_of(builder(GAPS, evolve(ID3, missing="heaviest")))["rule"] == "heaviest"
    assert data_of(builder(GAPS.complete(), CART))["rule"] == "all_routes"


def test_other_targets_and_arguments_are_refused():
    calls = Dataset.from_columns({"x": [1.0, 2.0], "n": [4, 5]}, target="n", response="events")
    numbers = Dataset.from_columns({"x": [1.0, 2.0], "y": [0.5, 1.5]}, target="y")
    many = Dataset.from_rows([[f"v{number}"] for number in range(32_768)], np.arange(32_768) % 2, kinds="nominal")
    for call, error, message in [
        (lambda: builder(calls, CART), ValueError, "target of classes or numbers, got one of events"),
        (lambda: builder(many), ValueError, "fewer than 32,768 values"),
        (lambda: builder("days.csv"), TypeError, "dataset must be a Dataset"),
        (lambda: builder(DAYS, "ID3"), TypeError, "policy must be a Policy"),
        (lambda: builder(DAYS, test="rows"), TypeError, "test must be a Dataset"),
        (lambda: builder(numbers, CART, test=numbers.with_weights([0, 0])), ValueError, "must have a row with a weight above 0"),
        (lambda: builder(DAYS, against=ft.grow(DAYS)), TypeError, "against must be trees by their names"),
        (lambda: builder(DAYS, against={"mine": 3}), TypeError, "must be a Tree"),
        (lambda: challenge(DAYS, leaves=1, test=DAYS), ValueError, "leaves must be a whole number from 2"),
        (lambda: challenge(DAYS, leaves=3, test=None), TypeError, "test must be a Dataset"),
    ]:
        with pytest.raises(error, match=message):
            call()


def test_the_page_needs_no_network_and_compares_with_the_trees_given():
    numbers = datasets.weather(numeric=True)
    held_out = numbers.take([0, 3, 5]).with_weights([1, 2, 1])
    page = builder(numbers, C45, test=held_out, against={"<mine>": ft.grow(numbers, ID3)})
    assert "default-src 'none'" in page.text
    assert not re.search(r"https?://(?!www\.w3\.org/)", page.text)
    given = data_of(page)
    assert [line[:2] for line in given["others"]] == [["the machine", 5], ["<mine>", ft.n_leaves(ft.grow(numbers, ID3))]]
    assert given["others"][0][3] == ft.accuracy(ft.grow(numbers, C45), held_out)
    assert given["test"]["counts"]
    assert "<mine>" not in page.text


def test_numbers_are_compared_by_the_root_of_the_mean_squared_error():
    cars = datasets.auto_mpg(numeric=True)
    given = data_of(builder(cars, evolve(CART.stopping(stop.max_depth(0)), impurity=ft.criteria.variance)))
    assert given["others"] == [["the machine", 1, pytest.approx(cars.target_column.std()), None]]


def test_a_contest_has_the_machine_grow_to_as_many_leaves():
    given = data_of(challenge(DAYS, leaves=3, test=DAYS))
    assert (given["budget"], given["others"][0][1]) == (3, ft.n_leaves(ft.grow(DAYS, ID3.stopping(stop.max_leaves(3)))))


def test_a_place_of_a_row_and_a_code_have_the_bits_of_a_key():
    page = builder(DAYS.take(np.arange(21_000) % 14))
    assert data_of(page)["train"]["n"] <= 2 ** data_of(page)["keyBits"]
    assert data_of(page)["keyBits"] <= 16, "two halves make a number of 32 bits"


def test_a_page_has_all_rows_of_the_longest_table_that_fits():
    longest = DAYS.take(np.arange(20_000) % 14)
    page = builder(longest)
    assert "A sample of" not in page.text
    assert np.frombuffer(b64decode(data_of(page)["train"]["target"])).tolist() == longest.target_column.tolist()


def test_a_page_has_a_sample_of_a_long_table_and_says_so():
    long = DAYS.take(np.arange(21_000) % 14)
    page = builder(long, test=long)
    assert data_of(page)["train"]["n"] == 20_000
    assert "20,000 of the 21,000 test rows: shuffle(seed=0).head(20_000)." in page.text
