"""Every example runs, draws the announced picture, and prints true statements."""

import ast
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from inspect import signature
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from ftree import (
    ID3,
    Branch,
    Dataset,
    accuracy,
    depth,
    dnf,
    entropy,
    gini,
    grow,
    holds,
    is_pruning_of,
    learning_curve,
    leaves,
    misclassification,
    n_leaves,
    n_nodes,
    path_of,
    plot_boundary,
    predict,
    prune,
    root_feature_counts,
    rules,
    stop,
    to_dict,
    walk,
)
from ftree.datasets import monks, noisy_labels, tic_tac_toe
from ftree.show.plot_layout import placed
from ftree.testing import check_rule, trees
from ftree.tree.nodes import preorder

pytestmark = pytest.mark.wide

EXAMPLES = Path(__file__).parents[2] / "examples"
SHARED_PARTS = {"__main__", "handwriting", "nearby", "pictures"}
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py") if path.stem not in SHARED_PARTS)
DRAWING = [
    "boundary",
    "clusters",
    "comparing",
    "digits",
    "kd_search",
    "drawn_tree",
    "entropy_curves",
    "learning_curve",
    "mileage",
    "oblique_borders",
    "perceptron",
    "pruning_choice",
    "pruning_noise",
    "pruning_study",
    "trees_and_neighbours",
]


@pytest.fixture(autouse=True)
def neighbours(monkeypatch, tmp_path):
    """Examples import one another as neighbours, and find no data beside the repository unless a test provides it."""
    monkeypatch.syspath_prepend(EXAMPLES)
    for name in ("votes", "mileage", "handwriting"):
        monkeypatch.setattr(import_module(name), "NEARBY", tmp_path / "absent.csv")
    monkeypatch.setattr(import_module("pruning_choice"), "VOTES", tmp_path / "absent.csv")
    monkeypatch.setattr(import_module("pruning_study"), "REPEATS", 2)
    for name in ("comparing", "pruning_choice"):
        monkeypatch.setattr(import_module(name), "FOLDS", 2)
    monkeypatch.setattr(import_module("learning_curve"), "REPEATS", 5)  # enough to run it; its statements are tested below


def rows_of(dataset, spelled=lambda value: value):
    """The rows with their labels, as a set of tuples of words."""
    schema = dataset.schema
    columns = [
        [feature.values[code] for code in column] for feature, column in zip(schema.features, dataset.columns, strict=True)
    ]
    columns.append([schema.classes[code] for code in dataset.labels])
    return sorted(tuple(spelled(value) for value in row) for row in zip(*columns, strict=True))


def run(name, folder):
    main = import_module(name).main
    main(folder) if "folder" in signature(main).parameters else main()


def check_picture(path):
    from matplotlib.image import imread  # noqa: PLC0415  # only pictures need it

    assert imread(path)[..., :3].std() > 0.01, "a picture of one colour shows nothing"


# All of them ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_an_example_is_under_60_lines_and_begins_with_a_title_and_what_one_learns(path):
    source = path.read_text(encoding="utf-8")
    assert len([line for line in source.splitlines() if not line or line.strip("=")]) < 60  # the title's underline aside
    told = ast.get_docstring(ast.parse(source))
    assert told
    if path.stem not in SHARED_PARTS:
        assert "One learns" in told or "One sees" in told
        title, underline, *_ = told.splitlines()
        assert underline == "=" * len(title)


# Methods of matplotlib's axes and figures that draw; titles, limits and legends are laid out.
OWN_DRAWING = re.compile(
    r"plot|scatter|barh?|hist|\w*show|\w*contourf?|\w*pcolor\w*|fill\w*|errorbar|text|annotate|ax[hv]?(line|span)|[hv]lines|"
    r"semilog[xy]|loglog|step|stem|stairs|boxplot|violinplot|pie|quiver|\w+plot|add_(patch|line|collection|artist)|colorbar"
)
SLOW = {"comparing", "learning_curve", "pruning_choice", "pruning_study", "trees_and_neighbours"}  # hundreds of trees


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in NAMES])
def test_an_example_runs_without_network_or_files_and_leaves_its_picture(name, tmp_path, capsys):
    run(name, tmp_path / "new" / "folder")
    assert capsys.readouterr().out.strip()
    drawn = [path.stem for path in tmp_path.rglob("*.png")]
    assert drawn == ([name] if name in DRAWING else [])
    for path in tmp_path.rglob("*.png"):
        check_picture(path)


@pytest.mark.parametrize("name", NAMES)
def test_pictures_of_examples_are_the_library_s_plots_and_nothing_of_their_own(name):
    tree = ast.parse((EXAMPLES / f"{name}.py").read_text(encoding="utf-8"))
    called = {node.func.attr for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)}
    assert not [name for name in called if OWN_DRAWING.fullmatch(name)]
    imported = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert not any("matplotlib" in ast.unparse(each) for each in imported)


@pytest.mark.parametrize(("name", "table"), [("learning_curve", "votes"), ("mileage", "auto_mpg")])
def test_an_example_draws_the_real_table_where_it_is_at_hand(name, table, tmp_path, shared, capsys):
    import_module(name).main(tmp_path, shared / "data" / f"{table}.csv")
    check_picture(tmp_path / f"{name}.png")
    assert {"votes": "physician-fee-freeze", "auto_mpg": "displacement"}[table] in capsys.readouterr().out


@pytest.mark.parametrize("name", ["boundary", "drawn_tree", "entropy_curves", "mileage", "pruning_noise"])
def test_without_a_folder_an_example_draws_nothing_and_says_how_to_get_the_picture(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run(name, None)
    assert f"python examples/{name}.py build/pictures" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


def test_without_matplotlib_a_picture_names_the_extra_that_brings_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(SystemExit, match=r"pip install 'ftrees\[plot\]'"):
        run("entropy_curves", tmp_path)


def test_an_example_runs_as_a_script_from_the_root_of_the_repository(tmp_path):
    command = [sys.executable, "examples/drawn_tree.py", str(tmp_path)]
    done = subprocess.run(command, cwd=EXAMPLES.parent, capture_output=True, text=True, check=True)  # noqa: S603  # our own script
    assert "outlook = overcast: yes (4.0)" in done.stdout
    check_picture(tmp_path / "drawn_tree.png")


def test_the_runner_knows_every_example_and_hands_the_folder_to_those_that_draw(tmp_path, monkeypatch, capsys):
    spec = spec_from_file_location("examples_runner", EXAMPLES / "__main__.py")
    runner = module_from_spec(spec)
    spec.loader.exec_module(runner)
    assert sorted(runner.NAMES) == NAMES
    monkeypatch.setattr(runner, "NAMES", ("xor", "drawn_tree"))
    runner.main(tmp_path)
    assert "examples/xor.py" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["drawn_tree.png"]


# What they print ----------------------------------------------------------------------------------------------------


def test_weather_has_the_textbook_entropy_and_gains_and_asks_the_largest_first():
    example = import_module("weather")
    days = example.weather()
    assert entropy(days.class_counts()) == pytest.approx(0.940286, abs=1e-6)
    gains = example.gains(days)
    wanted = {"outlook": 0.246750, "temperature": 0.029223, "humidity": 0.151836, "windy": 0.048127}
    assert gains == pytest.approx(wanted, abs=1e-6)
    assert next(iter(to_dict(grow(days)))) == max(gains, key=gains.get)
    assert accuracy(grow(days), days) == 1


def test_weather_tested_by_chi_squared_is_one_leaf():
    example = import_module("weather")
    assert [leaf.counts for leaf in leaves(example.cautious(example.weather()))] == [(5, 9)]


def test_weather_is_typed_as_in_the_file(shared):
    file = Dataset.read_csv(shared / "data" / "weather.csv")
    spelled = {"Weak": False, "Strong": True, "Rain": "rainy"}
    ours = import_module("weather").weather()
    assert rows_of(ours) == rows_of(file, lambda value: spelled.get(value, value.lower()))


def test_fish_have_the_gains_that_five_rows_give_and_the_dictionary_of_the_book():
    fish = import_module("fish").fish()
    assert entropy(fish.class_counts()) == pytest.approx(0.970951, abs=1e-6)
    gains = import_module("weather").gains(fish)
    assert gains == pytest.approx({"no surfacing": 0.419973, "flippers": 0.170951}, abs=1e-6)
    assert to_dict(grow(fish)) == {"no surfacing": {0: "no", 1: {"flippers": {0: "no", 1: "yes"}}}}


def test_lenses_are_enumerated_as_in_the_file_and_their_tree_makes_no_error(shared):
    lenses = import_module("fish").lenses()
    assert rows_of(lenses) == rows_of(Dataset.read_csv(shared / "data" / "lenses.csv"))
    assert accuracy(grow(lenses), lenses) == 1


def test_arya_splits_on_wind_then_temperature_and_never_rides_in_high_wind():
    example = import_module("rides")
    days = example.rides()
    answers = to_dict(grow(days))
    assert next(iter(answers)) == "Wind"
    assert next(iter(answers["Wind"]["Low"])) == "Temperature"
    assert answers["Wind"]["High"] == "no"
    assert "Hot" not in answers["Wind"]["Low"]["Temperature"]
    assert "Hot" in days.schema.features[1].values


def test_the_formula_of_arya_holds_on_her_riding_days_and_knows_nothing_of_a_hot_one_with_little_wind():
    example = import_module("rides")
    tree = grow(example.rides())
    days = example.rides()
    for day, code in zip(example.day_by_day(days), days.labels, strict=True):
        assert holds(dnf(tree, "yes"), day) == (days.schema.classes[code] == "yes")
    assert not any(holds(dnf(tree, label), example.UNSEEN) for label in ("no", "yes"))
    below = path_of(tree, example.UNSEEN, missing="stop").node
    assert tuple(example.votes(tree, example.UNSEEN).values()) == below.counts == (1, 2)
    assert predict(tree, example.UNSEEN) == "yes"


def test_there_are_958_endgames_of_which_x_wins_626():
    assert tic_tac_toe().class_counts() == (332, 626)


def test_the_enumerated_endgames_are_those_of_the_file(shared):
    file = Dataset.read_csv(shared / "data" / "tictactoe.csv")
    assert rows_of(tic_tac_toe()) == rows_of(file)


def test_votes_grown_on_complete_records_are_all_right_and_195_of_203_incomplete_ones(shared, monkeypatch, capsys):
    example = import_module("votes")
    monkeypatch.setattr(example, "NEARBY", shared / "data" / "votes.csv")
    known, others = example.known_and_others(example.votes_or_endgames())
    assert (len(known), len(others)) == (232, 203)
    tree = grow(known, example.BINARY)
    assert n_nodes(tree) == 31
    assert [(rule.conditions, rule.label) for rule in rules(tree)] == [
        (rule.conditions, rule.label) for rule in rules(grow(known))
    ]
    assert example.right(tree, known) == "232 of 232 right (100.0%)"
    assert example.right(tree, others).startswith("195 of 203 right")
    example.main()
    told = capsys.readouterr().out
    assert "232 of 232 right" in told
    assert "195 of 203 right" in told
    assert "if physician-fee-freeze = y and synfuels-corporation-cutback = n then republican  (90 of 90)" in told


def test_votes_fall_back_on_random_halves_of_the_endgames_and_pruning_costs_nothing_on_its_set():
    example = import_module("votes")
    known, others = example.known_and_others(example.votes_or_endgames())
    assert len(known) == len(others) == 479
    tree = grow(known, example.BINARY)
    pruning_set, _ = others.split(0.5, seed=0)
    pruned = prune.reduced_error(pruning_set)(tree)
    assert is_pruning_of(pruned, tree)
    assert n_leaves(pruned) < n_leaves(tree)
    assert accuracy(pruned, pruning_set) >= accuracy(tree, pruning_set)
    told = example.rules_of_rarest(pruned)
    assert len(told) == len(dnf(pruned, "negative").terms)


def test_binary_splits_learn_the_endgames_better_than_those_of_id3():
    boards, binary = tic_tac_toe(), import_module("votes").BINARY
    with_two, with_all = (learning_curve(boards, policy, sizes=[479], repeats=8)[0] for policy in (binary, ID3))
    assert min(with_two.accuracies) > max(with_all.accuracies)


def test_votes_asked_for_at_a_path_that_is_not_there_are_not_replaced_by_something_else(tmp_path):
    with pytest.raises(FileNotFoundError):
        import_module("votes").main(tmp_path / "nowhere.csv")


def test_the_learning_curve_of_the_endgames_rises_and_the_middle_square_is_asked_first():
    example = import_module("learning_curve")
    boards = tic_tac_toe()
    means = [trial.mean for trial in example.curve(boards, repeats=8)]
    assert means[:4] == sorted(means[:4])
    assert min(means[4:]) > means[2]
    assert next(iter(example.roots(boards, repeats=40))) == "middle-middle-square"


def test_trees_of_votes_are_stable_over_training_sizes_and_ask_the_fee_freeze_first(shared):
    example = import_module("learning_curve")
    votes = Dataset.read_csv(shared / "data" / "votes.csv").complete()
    means = [trial.mean for trial in example.curve(votes, repeats=10)]
    assert min(means) > 0.9
    assert next(iter(example.roots(votes, repeats=40))) == "physician-fee-freeze"
    assert root_feature_counts(votes, size=len(votes) // 2, repeats=40) == {"physician-fee-freeze": 40}


def test_xor_is_one_leaf_to_the_greedy_and_solved_by_the_patient():
    example = import_module("xor")
    xor = example.parity(2)
    greedy, gains = example.grown(xor, example.GREEDY)
    assert (n_leaves(greedy), accuracy(greedy, xor), gains) == (1, 0.5, [0])
    patient, gains = example.grown(xor, example.PATIENT)
    assert (n_nodes(patient), accuracy(patient, xor), gains) == (7, 1, [0, 1, 0])


@pytest.mark.parametrize("bits", [1, 3, 5])
def test_of_a_parity_only_the_last_question_gains_anything(bits):
    example = import_module("xor")
    tree, gains = example.grown(example.parity(bits), example.PATIENT)
    assert (n_leaves(tree), depth(tree)) == (2**bits, bits)
    assert gains == [0] * (bits - 1) + [1, 0]


def test_a_rule_of_ones_own_keeps_the_laws_and_grows_a_pruning_of_the_tree_without_it():
    example = import_module("own_rule")
    check_rule(example.nearly_pure)
    boards = tic_tac_toe()
    short, full = grow(boards, ID3.stopping(example.nearly_pure)), grow(boards)
    assert is_pruning_of(short, full)
    assert n_leaves(short) < n_leaves(full)


def test_the_battery_passes_a_concave_criterion_and_names_the_law_that_another_breaks():
    example = import_module("own_rule")
    assert example.complaint(example.root_gini) == ""
    complaint = example.complaint(example.squared_error_rate)
    assert "gain is never negative" in complaint
    assert "nodes=" in complaint


def test_one_label_in_five_is_flipped():
    example = import_module("pruning_noise")
    clean = example.truth(4000, seed=0)
    assert np.mean(clean.labels != noisy_labels(clean, 0.2, seed=1).labels) == pytest.approx(0.2, abs=0.02)


def test_pruning_against_a_noisy_set_finds_the_truth_that_the_grown_tree_missed():
    example = import_module("pruning_noise")
    tables, path = example.experiment()
    assert all(is_pruning_of(small, big) for big, small in pairwise(path))
    right = {name: [accuracy(tree, rows) for tree in path] for name, rows in tables.items()}
    assert right["growing rows"] == sorted(right["growing rows"], reverse=True)
    assert right["pruning rows"] == sorted(right["pruning rows"])
    assert (right["truth"][0] < 0.9, right["truth"][-1]) == (True, 1)
    assert n_leaves(path[-1]) < n_leaves(path[0]) / 10


@pytest.mark.parametrize(("mixes", "bits"), [("binary", 1), ("ternary", np.log2(3))])
def test_entropy_is_highest_where_all_classes_are_equally_frequent(mixes, bits):
    rows = getattr(import_module("entropy_curves"), mixes)()
    assert entropy(rows).max() == pytest.approx(bits)
    assert len(set(rows[entropy(rows).argmax()].tolist())) == 1


@pytest.mark.parametrize("impurity", [entropy, gini, misclassification])
def test_a_mix_of_one_class_has_no_impurity(impurity):
    rows = import_module("entropy_curves").binary()
    assert impurity(rows)[[0, -1]].tolist() == [0, 0]


def test_few_cuts_of_the_plane_are_too_coarse_and_many_follow_single_points():
    example = import_module("boundary")
    points, new = example.disc(300, seed=0), example.disc(3000, seed=1, slips=0)
    grown = [grow(points, ID3.stopping(stop.max_depth(depth))) for depth in example.DEPTHS]
    here, elsewhere = ([accuracy(tree, rows) for tree in grown] for rows in (points, new))
    assert here[0] < here[1] < here[2] == 1
    assert elsewhere[1] > max(elsewhere[0], elsewhere[2])


def test_the_regions_are_the_answers_of_the_tree_row_by_row_from_below():
    from matplotlib.figure import Figure  # noqa: PLC0415  # only pictures need it

    points = Dataset.from_rows([[0.1, 0.2], [0.9, 0.2], [0.1, 0.9]], [False, True, False], features=["x", "y"])
    regions = plot_boundary(grow(points), points, cells=2, ax=Figure().subplots()).collections[0].get_array()
    assert regions.reshape(2, 2).tolist() == [[False, True], [False, True]]


@given(trees())
def test_a_drawing_has_its_leaves_one_apart_and_each_branch_above_the_middle_of_its_children(tree):
    nodes = placed(tree.root)
    paths = [()]
    for each in nodes[1:]:
        paths.append((*paths[each.parent], each.child))
    at = dict(zip(paths, nodes, strict=True))
    assert {path: each.node for path, each in at.items()} == dict(walk(tree))
    ends = [at[path].x for path, node in walk(tree) if not isinstance(node, Branch)]
    assert ends == list(range(n_leaves(tree)))
    for path, node in walk(tree):
        if isinstance(node, Branch):
            last = len(node.children) - 1
            assert at[path].x == (at[(*path, 0)].x + at[(*path, last)].x) / 2


def test_a_drawing_says_what_is_asked_what_is_answered_and_how_many_cases_there_are():
    from matplotlib.figure import Figure  # noqa: PLC0415  # only pictures need it

    figure = Figure(figsize=(8, 5))
    import_module("drawn_tree").draw(figure, grow(import_module("weather").weather()))
    (axes,) = figure.axes
    words = [text.get_text() for text in axes.texts]
    for wanted in ("outlook", "humidity", "sunny", "overcast", "yes", "5 | 9", "0 | 4"):
        assert wanted in words
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["no", "yes"]


def check_mileage(cars):
    assert cars.schema.classes == ("bad", "OK", "good")
    known, others = cars.split(0.7, seed=0)
    tree = grow(known, ID3.stopping(stop.max_depth(3)))
    assert depth(tree) == 3
    assert accuracy(tree, others) > 0.8
    assert any(min(leaf.counts) == 0 < sum(leaf.counts) - max(leaf.counts) for leaf in leaves(tree)), "some leaves stay mixed"


def test_generated_cars_are_told_apart_by_three_questions_and_some_leaves_stay_mixed():
    example = import_module("mileage")
    check_mileage(example.economy(example.generated()))


def test_real_cars_are_told_apart_by_three_questions_and_some_leaves_stay_mixed(shared):
    example = import_module("mileage")
    columns = example.read(shared / "data" / "auto_mpg.csv")
    cars = example.economy(columns)
    assert len(cars) == 392
    below, above = (columns["mpg"] < 19).sum(), (columns["mpg"] >= 27).sum()
    assert cars.class_counts() == (below, 392 - below - above, above)
    check_mileage(cars)


def test_a_robot_in_a_red_jacket_is_a_friend_and_the_mixture_splits_in_two():
    example = import_module("algorithms")
    robots = monks(1)
    assert (len(robots), robots.class_counts()) == (432, (216, 216))
    train, _ = robots.split(1 / 3, seed=1)
    tree = example.mixture(train)
    assert {len(node.children) for node in preorder(tree) if isinstance(node, Branch)} == {2}
    jacket = robots.schema.features[4].values
    red = [row for row, code in enumerate(robots.columns[4]) if jacket[code] == "red"]
    assert set(predict(tree, robots.take(red))) == {"yes"}


def test_pruning_makes_trees_of_the_votes_small_and_as_accurate_and_scikit_learns_are_in_the_same_table(shared):
    example = import_module("comparing")
    comparison = example.compared(Dataset.read_csv(shared / "data" / "votes.csv"))
    accuracies, leaves = comparison.means("accuracy"), comparison.means("leaves")
    for pruned in ("C4.5 pruned", "CART pruned", "scikit-learn, ccp 0.01"):
        assert leaves[pruned] < (8,) < leaves["ID3"]
        assert accuracies[pruned][0] > accuracies["ID3"][0] - 0.01
    assert "scikit-learn, ccp 0 " in repr(comparison)


def test_half_of_the_leaves_of_the_pruning_page_do_better_than_all(tmp_path):
    example = import_module("pruning_page")
    tree, path = example.path_of_trees()
    best = prune.select(path, by=prune.lowest_error)
    assert n_leaves(best) < n_leaves(tree) / 2
    assert path[0].error - min(step.error for step in path) > 0.03
    example.main(tmp_path)
    assert sorted(file.suffix for file in tmp_path.iterdir()) == [".html", ".svg"]
