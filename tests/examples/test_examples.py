"""Every example runs alone, draws a picture, and prints true statements."""

import ast
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from runpy import run_path

import pytest

import ftree as ft

pytestmark = pytest.mark.wide

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py") if path.stem != "__main__")
OPTIONAL = {"sklearn", "pandas", "hypothesis", "pyarrow", "polars", "duckdb", "joblib", "pooch", "onnx"}
# What an extra of the first line, or a package that is named in it, brings.
BRINGS = {"sklearn": {"sklearn", "joblib"}, "testing": {"hypothesis"}, "pandas": {"pandas"}}
SHORTER = {"FOLDS = 10": "FOLDS = 2", "REPEATS = 30": "REPEATS = 3", "repeats=10": "repeats=2"}


def source(name):
    return (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")


def installed(name):
    """The optional modules that the docstring's commands install."""
    commands = " ".join(re.findall(r"``pip install ([^`]*)``", ast.get_docstring(ast.parse(source(name)))))
    return set().union(*(BRINGS.get(word, set()) for word in re.findall(r"\w+", commands)))


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run an example in this process, in an empty folder; its names with their values."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["example"])
    monkeypatch.setattr(pyplot, "show", lambda: None)
    return lambda name: run_path(str(EXAMPLES / f"{name}.py"))


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_short_and_begins_with_a_title_and_what_it_needs(name):
    assert len(source(name).splitlines()) < 60
    title, underline, _, first, *_ = ast.get_docstring(ast.parse(source(name))).splitlines()
    assert underline == "=" * len(title)
    assert first.startswith("Needs ``pip install ")


SLOW = {"comparing", "learning_curve", "own_rule", "pruning_choice", "pruning_study"}  # hundreds of trees


@pytest.mark.parametrize("names", [sorted(set(NAMES) - SLOW), pytest.param(sorted(SLOW), marks=pytest.mark.slow)], ids=len)
def test_each_example_runs_alone_in_an_empty_folder_with_only_what_it_names_and_draws(names, tmp_path):
    scripts = {name: written(name, tmp_path / name) for name in names}
    asked = [",".join([str(scripts[name]), *(OPTIONAL - installed(name))]) for name in names]
    command = [sys.executable, "-P", str(Path(__file__).with_name("alone.py")), *asked]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)  # noqa: S603  # our own script
    assert done.returncode == 0, done.stderr[-1000:]
    from matplotlib.image import imread  # noqa: PLC0415  # only pictures need it

    for name, script in scripts.items():
        assert script.with_suffix(".out").read_text(encoding="utf-8").strip(), name
        pictures = list(script.parent.glob("*.png"))
        assert pictures, name
        assert all(imread(path)[..., :3].std() > 0.01 for path in pictures), f"{name}: a picture of one colour shows nothing"


def written(name, folder):
    """The example with fewer repeats, in a folder of its own."""
    folder.mkdir()
    text = source(name)
    for whole, part in SHORTER.items():
        text = text.replace(whole, part)
    script = folder / f"{name}.py"
    script.write_text(text, encoding="utf-8")
    return script


# Methods of matplotlib's axes and figures that draw; titles, limits and legends are laid out.
OWN_DRAWING = re.compile(
    r"plot|scatter|barh?|hist|\w*contourf?|\w*pcolor\w*|fill\w*|errorbar|text|annotate|ax[hv]?(line|span)|[hv]lines|"
    r"semilog[xy]|loglog|step|stem|stairs|boxplot|violinplot|pie|quiver|add_(patch|line|collection|artist)|colorbar"
)


@pytest.mark.parametrize("name", NAMES)
def test_pictures_of_examples_are_the_library_s_plots_and_nothing_of_their_own(name):
    calls = [node.func for node in ast.walk(ast.parse(source(name))) if isinstance(node, ast.Call)]
    own = [each for each in calls if isinstance(each, ast.Attribute) and not ast.unparse(each).startswith("ft.")]
    assert [each.attr for each in own if OWN_DRAWING.fullmatch(each.attr)] == []


def test_the_runner_knows_every_example():
    assert sorted(run_path(str(EXAMPLES / "__main__.py"))["NAMES"]) == NAMES


def test_the_votes_example_takes_a_table_of_the_reader(tmp_path, monkeypatch, capsys, run):
    (tmp_path / "rides.csv").write_text("sky,ride\n" + "blue,yes\ngrey,no\n" * 20, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["votes.py", "rides.csv"])
    assert ft.n_leaves(run("votes")["pruned"]) == 2
    assert "if sky = blue then yes" in capsys.readouterr().out


def test_weather_tested_by_chi_squared_is_one_leaf(run):
    assert [leaf.counts for leaf in ft.leaves(run("weather")["cautious"])] == [(5, 9)]


def test_pruning_against_a_noisy_set_finds_the_truth_that_the_grown_tree_missed(run):
    names = run("pruning_noise")
    path = names["path"]
    assert all(ft.is_pruning_of(small, big) for big, small in pairwise(path))
    right = {name: [ft.accuracy(tree, rows) for tree in path] for name, rows in names["tables"].items()}
    assert right["growing rows"] == sorted(right["growing rows"], reverse=True)
    assert right["pruning rows"] == sorted(right["pruning rows"])
    assert (right["truth"][0] < 0.9, right["truth"][-1]) == (True, 1)
    assert ft.n_leaves(path[-1]) < ft.n_leaves(path[0]) / 10


def test_one_neighbour_reads_nine_of_ten_handwritten_digits_and_fifty_read_fewer(run):
    pytest.importorskip("sklearn")
    curve = run("digits")["curve"]
    assert curve[1] > 90
    assert curve[50] < curve[1]


def test_many_neighbours_and_edited_ones_are_better_than_one_where_clouds_overlap(run):
    names = run("clusters")
    one, many, edited = (ft.accuracy(classify, names["new"]) for classify in names["ways"].values())
    assert many > one
    assert edited > one


def test_the_line_over_25_points_comes_to_rest_and_is_right_on_nine_of_ten(run):
    names = run("perceptron")
    lines = names["lines"]
    last = lambda points: names["answers"](lines[-1], points)  # noqa: E731  # a classifier
    assert all(one != other for one, other in pairwise(lines))
    assert ft.accuracy(last, names["points"]) == 1
    assert ft.accuracy(last, names["new"]) == ft.accuracy(names["perceptron"](names["points"]), names["new"]) > 0.9


def test_useless_features_mislead_neighbours_and_not_trees(run):
    curves = run("trees_and_neighbours")["curves"]
    assert curves["5 neighbours"]["0"] > curves["tree"]["0"]
    assert curves["5 neighbours"]["16"] < curves["tree"]["16"]
    assert curves["tree"]["0"] - curves["tree"]["16"] < 5 < curves["5 neighbours"]["0"] - curves["5 neighbours"]["16"]


def test_sums_say_slanting_borders_in_fewer_leaves(run):
    names = run("oblique_borders")
    stairs, slanting = (ft.grow(names["points"], policy) for policy in names["policies"].values())
    assert 3 * ft.n_leaves(slanting) < 2 * ft.n_leaves(stairs)
    assert ft.accuracy(slanting, names["new"]) > ft.accuracy(stairs, names["new"])


def test_the_optimal_regression_tree_is_proved_and_errs_less_than_the_greedy_one_on_new_rows(run):
    names = run("optimal_numbers")
    assert names["best"].proved
    assert 2 * names["best"].cost < ft.exact.tree_cost(names["greedy"])
    assert ft.accuracy(names["best"].tree, names["new"]) > ft.accuracy(names["greedy"], names["new"]) + 0.1
