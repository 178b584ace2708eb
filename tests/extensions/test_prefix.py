"""A user's splitter of words by their beginning, with a child for unseen ones. Source: the tries of Fredkin 1960."""

import numpy as np
import pytest
from attrs import evolve, frozen

import ftree as ft
from ftree import ID3, Dataset, Leaf, apply, explain_row, grow, path_of, predict, prune
from ftree.exchange import to_sql
from ftree.missing import stop_here
from ftree.saving import from_json, to_json
from ftree.show import NoneOf, OneOf, Worded, covers, rules
from ftree.splitters import UNORDERED, BestSplits, threshold
from ftree.study import Forest, check_answers, confusion
from ftree.testing import check_policy, check_splitter, export_rows
from ftree.tree import Multiway, replace_at


@frozen
class Begins:
    feature: int
    prefix: str
    members: tuple[int, ...]  # the codes of the words that begin so
    n_children = 2

    @property
    def features(self):
        return (self.feature,)

    @property
    def conditions(self):
        begins, others = OneOf(self.feature, self.members), NoneOf(self.feature, self.members)
        return Worded(begins, f"{{0}} = {self.prefix}*"), Worded(others, f"{{0}} != {self.prefix}*")

    def child(self, column):
        return np.where(np.isnan(column) | (column < 0), -1, ~np.isin(column, self.members))

    def child_of_unseen(self, words):
        return [not word.startswith(self.prefix) for word in words]


@frozen
class prefixes:
    kinds = UNORDERED

    def __call__(self, runs, measure):
        found = [self.of(runs.only(np.array([run])), measure) for run in range(len(runs.start))]
        return BestSplits(np.array([score for score, *_ in found]), lambda run: found[run][1:])

    def of(self, run, measure):
        feature, best = run.feature[0], (-np.inf,)
        words = [run.features[feature].values[int(code)] for code in run.value]
        for prefix in sorted({word[:end] for word in words for end in range(1, len(word) + 1)}):
            inside = np.array([word.startswith(prefix) for word in words])
            sides = np.array([run.counts[side].sum(axis=0) for side in (inside, ~inside)])
            if not inside.all() and (score := float(measure(sides))) > best[0] + 1e-9:
                members = [code for code, word in enumerate(run.features[feature].values) if word.startswith(prefix)]
                best = score, Begins(int(feature), prefix, tuple(members)), sides
        return best


WORDS = ["abbey", "able", "about", "acid", "actor", "bad", "beech"]
DATA = Dataset.from_columns({"word": WORDS, "class": list("yyynnnn")})
TREE = grow(DATA, evolve(ID3, splits=(prefixes(),)))


def test_it_and_policies_with_it_keep_the_laws():
    check_splitter(prefixes())
    check_policy(evolve(ID3, splits=(prefixes(), threshold())), exempt={"names"})


def test_a_prefix_prints_as_one_and_keeps_its_exports():
    assert str(TREE) == "word = ab*: y (3.0)\nword != ab*: n (4.0)"
    assert [str(rule) for rule in rules(TREE)] == ["if word = ab* then y", "if word != ab* then n"]
    assert "'abbey', 'able', 'about'" in to_sql(TREE, missing="heaviest")
    assert [int(covers(rule, DATA).sum()) for rule in rules(TREE)] == [3, 4]
    assert {None, "abbey"} <= {cell for (cell,) in export_rows(TREE, 100)}
    assert from_json(to_json(TREE), splits=(Begins,)) == TREE


@pytest.mark.filterwarnings("error")
def test_unseen_words_go_where_their_letters_lead():
    words = [["abroad"], ["zoo"], ["acid"], [None]]
    assert predict(TREE, words) == Forest([TREE, TREE])(words) == ["y", "n", "n", "n"]
    assert apply(TREE, {"word": np.array(["zoo", "abroad"])}).tolist() == [1, 0]
    assert str(path_of(TREE, ["abroad"])) == "word = ab* -> y"
    assert "(now abroad)" in str(explain_row(TREE, ["abroad"]))
    below = ft.Branch((0, 3), Multiway(0, (0, 1)), [Leaf((0, 2)), Leaf((0, 1))])  # which knows no other words
    assert apply(replace_at(TREE, (0,), below), [["abroad"], ["able"], ["zoo"]], missing=stop_here()) == [-1, 1, 2]


@pytest.mark.filterwarnings("error")
def test_rows_read_apart_are_counted_pruned_and_judged_by_their_letters():
    told = {"word": ["abroad", "zoo", "acid", None], "class": list("ynny")}
    for other in (told, Dataset.from_columns(told)):
        assert [leaf.counts for leaf in ft.leaves(ft.recount(TREE, other, missing="heaviest"))] == [(0, 1), (2, 1)]
        assert prune.reduced_error(other)(TREE) is TREE
        assert ft.accuracy(TREE, other) == 0.75
        assert ft.mean_cost(TREE, other, costs=[[0, 1], [2, 0]], decide=False) == 0.5
        assert confusion(TREE, other).accuracy == 0.75
    assert "n (2.6/0.6)" in str(check_answers(TREE, Dataset.from_columns(told)))
    swapped = {"word": ["abroad", "zoo"], "class": ["n", "y"]}
    assert isinstance(prune.reduced_error(swapped)(TREE).root, Leaf)
