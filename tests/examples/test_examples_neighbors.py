"""The statements that the examples of neighbours and the perceptron print are true."""

import sys
from functools import partial
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from ftree import accuracy, grow, n_leaves
from ftree.linear import perceptron
from ftree.neighbors import hamming, knn

pytestmark = pytest.mark.wide

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(autouse=True)
def neighbours(monkeypatch):
    """Examples import one another as neighbours."""
    monkeypatch.syspath_prepend(EXAMPLES)


def test_one_neighbour_reads_nine_of_ten_handwritten_digits_and_each_mistake_is_shown(shared, tmp_path, capsys):
    file = shared / "uci" / "semeion.data"
    learned, asked = import_module("handwriting").digits(file)
    assert (len(learned), len(asked)) == (800, 793)
    read = import_module("digits").answers(knn(learned), asked)
    wrong = [each for each in read if each[1] != each[2]]
    assert 1 - len(wrong) / len(read) == accuracy(knn(learned), asked) == pytest.approx(0.89, abs=0.005)
    assert all(learned.schema.classes[learned.labels[near]] == answer for _, _, answer, near in read)
    import_module("digits").main(tmp_path, file)
    assert (tmp_path / "digits.png").exists()
    assert "k =  1: accuracy 88.9%" in capsys.readouterr().out


def test_digits_that_are_drawn_here_serve_where_there_are_no_others(monkeypatch):
    handwriting = import_module("handwriting")
    monkeypatch.setattr(handwriting, "NEARBY", Path("nowhere"))
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    learned, asked = handwriting.digits()
    assert len(learned) == len(asked) == handwriting.HALF
    assert 0.5 < accuracy(knn(learned, k=5, metric=hamming), asked) < 1
    assert handwriting.side(learned) == 8
    clean, labels = handwriting.drawn(500, np.random.default_rng(0), flips=0)
    assert sorted(set(labels.tolist())) == list(range(10))
    assert len({tuple(picture[picture.any(axis=1)][:, picture.any(axis=0)].ravel()) for picture in clean}) == 10


def test_many_neighbours_and_edited_ones_are_better_than_one_where_clouds_overlap():
    clusters = import_module("clusters")
    new = clusters.table(clusters.clouds, 2000, seed=99)
    right = {way: [] for way in clusters.WAYS}
    for seed in range(5):
        learned = clusters.table(clusters.clouds, 50, seed=seed)
        for way, make in clusters.WAYS.items():
            right[way].append(accuracy(make(learned), new))
    one, many, edited = (np.mean(shares) for shares in right.values())
    assert many > one
    assert edited > one


def test_no_straight_line_tells_a_disc_from_its_ring_as_neighbours_do():
    clusters = import_module("clusters")
    learned, new = (clusters.table(clusters.circles, n, seed=seed) for n, seed in [(50, 1), (1000, 2)])
    assert accuracy(knn(learned), new) > 0.85
    assert accuracy(perceptron(learned, epochs=100), new) < 0.7


def test_the_line_over_25_points_comes_to_rest_and_is_right_on_nine_of_ten():
    example = import_module("perceptron")
    learned, new = example.square(25, seed=11), example.square(1000, seed=100)
    lines = list(example.hyperplanes(learned, positive="above"))
    right = [accuracy(partial(example.answers, lines[-1]), rows) for rows in (learned, new)]
    assert right[0] == 1
    assert all(one != other for one, other in pairwise(lines))
    assert right[1] == accuracy(perceptron(learned), new) > 0.9


def test_useless_features_mislead_neighbours_and_not_trees():
    example = import_module("trees_and_neighbours")
    shares = {}
    for useless in (0, 16):
        learned, new = (example.table(rows, useless, seed=seed) for rows, seed in [(300, 0), (1000, 1)])
        shares[useless] = [accuracy(learn(learned), new) for learn in example.LEARNERS.values()]
    (tree, near), (tree_misled, near_misled) = shares.values()
    assert near > tree
    assert near_misled < tree_misled
    assert tree - tree_misled < 0.05 < near - near_misled


def test_accuracy_judges_any_function_from_rows_to_labels():
    table = import_module("trees_and_neighbours").table(50, 0, seed=0)
    assert accuracy(lambda rows: [False] * len(rows), table) == np.mean(table.labels == 0)
    assert accuracy(grow(table), table) == 1 == accuracy(knn(table), table)


def test_a_search_among_more_points_looks_into_hardly_more_cells():
    example = import_module("kd_search")
    few, many = example.visits(1_000), example.visits(30_000)
    assert 1 <= few <= many < few + 2


def test_sums_say_slanting_borders_in_fewer_leaves_and_turned_xor_in_four():
    example = import_module("oblique_borders")
    for name in example.SHAPES:
        known, new = (example.table(name, rows, seed=seed) for rows, seed in [(500, 0), (5000, 1)])
        stairs, slanting = (grow(known, policy) for policy in example.POLICIES.values())
        assert 3 * n_leaves(slanting) < 2 * n_leaves(stairs)
        assert accuracy(slanting, new) > accuracy(stairs, new)
    drawn = example.by_hand(known)
    assert (n_leaves(drawn), accuracy(drawn, known), accuracy(drawn, new)) == (4, 1, 1)
