"""The checks of splitters and of choices between features detect those that break a law."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen

from ftree._lib.arrays import midpoint
from ftree.splitters import BestSplits, by_score, multiway, oblique, one_value, subset, threshold
from ftree.testing import check_choice, check_joint_splitter, check_splitter
from ftree.tree import Oblique, Subset, Threshold

pytestmark = pytest.mark.usefixtures("unshrunk")
usual = pytest.mark.parametrize("unshrunk", [1], indirect=True)


@frozen
class Altered:
    """A splitter that alters the result of another one: scores, splits and their counts."""

    splitter: Any
    score: Any = lambda score, _: score
    split: Any = lambda split, *_: split
    counts: Any = lambda counts: counts

    @property
    def kinds(self):
        return self.splitter.kinds

    def __call__(self, runs, measure):
        found = self.splitter(runs, measure)

        def build(run):
            split, counts = found.build(run)
            return self.split(split, runs, run), self.counts(counts)

        return BestSplits(self.score(found.score, runs), build)


CUTS = partial(Altered, threshold())


def at_the_value(split, runs, _):
    return evolve(split, at=max(runs.value[runs.value < split.at]))


def other_in_a_second_node(split, runs, run):
    """The threshold plus the number of earlier nodes that have the feature."""
    return evolve(split, at=split.at + sum(runs.feature[:run] == runs.feature[run]))


@frozen
class FirstCut:
    """The lowest cut of each run, whatever its score; or the best of the first few, compared exactly."""

    kinds = ("numeric",)
    few: int = 0

    def __call__(self, runs, measure):
        scores, cuts = np.full(len(runs.start), -np.inf), {}
        for run in np.flatnonzero(runs.size > 1):
            rows = slice(runs.start[run], runs.end[run])
            value, counts = runs.value[rows], runs.counts[rows]
            sides = [np.stack([counts[:at].sum(axis=0), counts[at:].sum(axis=0)]) for at in range(1, len(value))]
            reached = [float(measure(each)) for each in sides]
            at = int(np.argmax(reached[: self.few])) if self.few else 0
            middle = float(midpoint(value[at], value[at + 1]))
            scores[run], cuts[run] = reached[at], (Threshold(int(runs.feature[run]), middle), sides[at])
        return BestSplits(scores, cuts.get)


def in_long_tables(alter):
    """An alteration of the splits of a level of a thousand rows."""
    return lambda split, runs, run: alter(split, runs, run) if len(runs.value) > 999 else split


def to_the_first(counts):
    return np.stack([counts.sum(axis=0), 0 * counts[0]])


LONE = Altered(subset(), split=lambda split, *_: Subset(split.feature, range(7)), counts=to_the_first)


@pytest.mark.parametrize(
    ("wrong", "law"),
    [
        (CUTS(score=lambda score, _: score[:-1]), "one score for each run"),
        (CUTS(score=lambda score, _: score * np.nan), "a score is finite, or -inf"),
        (
            CUTS(score=lambda score, _: score / 2),
            r"a score is the measure of the children: (.|\n)* split = Threshold",
        ),
        (
            CUTS(score=lambda score, runs: score + len(runs.start)),
            "a level's scores are its tables'|is the measure",
        ),
        (CUTS(split=other_in_a_second_node), "level's splits are its tables'"),
        (
            CUTS(split=lambda split, *_: evolve(split, feature=split.feature + 1)),
            "a split is of its run's feature",
        ),
        (CUTS(counts=lambda counts: counts[::-1] + 1), "a splitter's counts are those of its children"),
        (CUTS(split=at_the_value), "splits are its tables'|cuts are midway|counts are"),
        (CUTS(split=lambda split, *_: evolve(split, at=round(split.at, 2))), "midway|counts are those"),
        (LONE, "two children have cases"),
        (CUTS(score=lambda score, _: np.where(score > 0.2, score, -np.inf)), "a table of two values has a split"),
        (FirstCut(), "no other candidate scores higher"),
        (FirstCut(few=99), "of equal cuts the lowest is best"),
        (one_value(), "no other candidate scores higher"),
        (CUTS(score=lambda score, runs: score - 0.1 * (runs.size > 25)), "of 300 values, no other cut"),
        (
            CUTS(score=lambda score, runs: score + 0.5 * (len(runs.value) >= 1000)),
            "a large level's scores are its",
        ),
        (CUTS(split=in_long_tables(at_the_value)), "a large level's splits are its tables' splits"),
    ],
)
def test_a_splitter_that_breaks_a_law_is_caught(wrong, law):
    with pytest.raises(AssertionError, match=law):
        check_splitter(wrong)


def other_split(table, measure):
    return (float(measure(table.counts)), Threshold(0, 0.5)) if len(table.values) > 1 else None


@pytest.mark.parametrize(
    ("oracle", "law"), [(lambda *_: None, "a score is that of the oracle"), (other_split, "a split is that of the oracle")]
)
def test_a_splitter_that_is_not_what_the_oracle_says_is_caught(oracle, law):
    with pytest.raises(AssertionError, match=law):
        check_splitter(multiway(), oracle=oracle)


def test_what_is_no_splitter_is_refused():
    with pytest.raises(TypeError, match=r"such as threshold\(\), got oblique"):
        check_splitter(oblique())


@frozen
class AlteredSum:
    """A splitter of several features that alters the result of `oblique`."""

    change: Any
    kinds = ("numeric",)

    def best(self, vectors, measure):
        found = oblique().best(vectors, measure)
        return found and self.change(vectors.vector, *found)


def with_both(vector, score, split, counts):
    """A sum in place of a cut of one feature."""
    weights = [float(feature == split.features[0]) or 1e-9 for feature in range(vector.shape[1])]
    return score, split if isinstance(split, Oblique) or len(weights) < 2 else Oblique(weights, split.at), counts


def of_small_units(vector, score, split, counts):
    """Sums that divide the classes score nothing in large units."""
    return score * (isinstance(split, Threshold) or counts.min() > 0 or np.nanmax(vector) < 9), split, counts


def without_share(vector, score, *rest):
    """The score of the rows without gaps, as if they were all."""
    return score * (1 + np.isnan(vector).any()), *rest


@pytest.mark.parametrize(
    ("change", "law"),
    [
        (lambda *_: None, "a split is found if points differ"),
        (lambda _, score, split, counts: (score / 2, split, counts), "a score is the measure of the children"),
        (lambda _, score, split, counts: (score, split, counts[::-1] + 1), "a splitter's counts are those of its children"),
        (of_small_units, "the units of features do not matter"),
        (without_share, "a score is the measure of the children, times the share of known cases"),
        (with_both, "a sum scores more than any cut of one feature|a score is|a splitter's counts"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_splitter_of_several_features_that_breaks_a_law_is_caught(change, law):
    with pytest.raises(AssertionError, match=law):
        check_joint_splitter(AlteredSum(change))


@usual
def test_laws_of_splitters_of_several_features_that_are_exempt_are_not_asked_for():
    check_joint_splitter(AlteredSum(without_share), exempt={"score", "best", "found", "units"})


def falling(candidates):
    """A choice that changes the scores that it gets."""
    candidates.score[:] = -1
    return candidates.score


@pytest.mark.parametrize(
    ("wrong", "law"),
    [
        (lambda candidates: candidates.score[:1].sum(), "one figure for each candidate"),
        (falling, "does not change the scores"),
        (lambda candidates: candidates.score * np.nan, "a figure is finite, or -inf"),
        (lambda some: some.score + some.node[0], "a level's figures are its nodes' figures"),  # all nodes have candidates
    ],
)
def test_a_choice_that_breaks_a_law_is_caught(wrong, law):
    with pytest.raises(AssertionError, match=law):
        check_choice(wrong)


def test_a_choice_that_is_not_what_the_oracle_says_is_caught():
    with pytest.raises(AssertionError, match="figures are those of the oracle"):
        check_choice(by_score(), oracle=lambda candidates: [2 * score + 1 for _, score, *_ in candidates])
