"""Parts of splitters by worked examples: drawn numbers, least weights, pools, groups, choices and cuts of sums."""

from zlib import crc32

import numpy as np
import pytest
from attrs import evolve

from ftree import Feature, entropy, gain
from ftree._lib.arrays import TIE
from ftree._lib.random_numbers import child_keys, hashed, uniform_draws
from ftree.splitters import (
    Candidates,
    Runs,
    by_cost,
    by_gain_ratio,
    c45_min_branch,
    coordinates,
    intervals,
    many_valued,
    merging,
    multiway,
    one_value,
    random_features,
    random_threshold,
    subset,
    threshold,
)
from ftree.splitters.chaid import groups_as_runs, pooled, value_groups, with_merged
from ftree.splitters.cuts import division_from, merged_rows, nested_division, splits_into
from ftree.splitters.runs import first_best, least_of_each, least_weight, reach_weight
from ftree.splitters.sums import _best_weight, best_cut_of_sums
from ftree.tree import Groups, Intervals, Multiway, Threshold

WORDS, NUMBERS = Feature("w", "nominal", tuple("abcdef")), Feature("x", "numeric")


def runs_of(*of_run, features=(WORDS, NUMBERS)):
    """Runs of (feature, values, counts), a node each."""
    sizes = [len(values) for _, values, _ in of_run]
    value = np.concatenate([np.array(values, float) for _, values, _ in of_run])
    counts = np.concatenate([np.array(counts) for _, _, counts in of_run])
    end, number = np.cumsum(sizes), np.arange(len(of_run))
    feature = np.array([feature for feature, _, _ in of_run])
    return Runs(value, counts, end - sizes, end, number, feature, features, number.astype(np.uint64) + np.uint64(7))


TWO_RUNS = runs_of(
    (0, [0, 1, 3, 4, 5], [[1, 0], [4, 0], [0, 2], [2, 2], [0, 1]]),
    (1, [0.5, 1.5, 2.5, 8.5], [[3, 0], [0, 1], [1, 0], [0, 3]]),
)


# Numbers drawn ----------------------------------------------------------------------------------------------------------


def split_mix(number):
    """SplitMix64 in Python's whole numbers."""
    z = (number + 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


def test_numbers_are_mixed_as_splitmix64_does():
    some = [0, 1, 2, 2**63, 2**64 - 1, 0x123456789ABCDEF]
    assert hashed(np.array(some, np.uint64)).tolist() == list(map(split_mix, some))
    keys = child_keys(np.array([5, 5], np.uint64), np.array([0, 3]))
    assert keys.tolist() == [split_mix(5 ^ split_mix(0)), split_mix(5 ^ split_mix(3))]


@pytest.mark.parametrize("seed", [0, 1, 2**64, 2**64 + 1, 2**70 - 1])
def test_draws_have_53_bits_from_seed_node_and_feature(seed):
    part = random_threshold(seed=seed)
    found = uniform_draws(part, seed, np.array([9, 9], np.uint64), np.array([0, 4]))
    start = split_mix(split_mix(seed % 2**64) ^ crc32(b"random_threshold"))
    expected = [(split_mix(split_mix(start ^ 9) ^ split_mix(feature)) >> 11) / 2**53 for feature in (0, 4)]
    assert found.tolist() == expected


def test_a_random_cut_is_between_the_ends_in_proportion_to_the_draw():
    some = TWO_RUNS.only(np.array([1]))
    best = random_threshold(seed=3)(some, lambda children: gain(children, entropy))
    share = uniform_draws(random_threshold(seed=3), 3, some.key, some.feature)[0]
    split, children = best.build(0)
    assert split == Threshold(1, 0.5 * (1 - share) + 8.5 * share)
    below = some.value <= split.at
    assert children.tolist() == [some.counts[below].sum(axis=0).tolist(), some.counts[~below].sum(axis=0).tolist()]
    assert best.score.tolist() == [gain(children, entropy)]
    assert random_threshold(seed=3)(runs_of((1, [2.0], [[1, 1]])), gain).score.tolist() == [-np.inf]


# Least weights ----------------------------------------------------------------------------------------------------------


def test_a_weight_may_fall_short_by_rounding_only():
    assert reach_weight(np.array([2 - 9e-7, 2.0, 2 - 1.1e-6, 3.0]), np.full(4, 2.0)).tolist() == [True, True, False, True]
    assert least_weight(TWO_RUNS, 3).tolist() == [3, 3]
    assert least_weight(TWO_RUNS, lambda weight, n_classes: weight * n_classes).tolist() == [24, 16]
    assert least_weight(TWO_RUNS, lambda *_: 5).tolist() == [5, 5]


def test_c45_takes_a_tenth_of_the_mean_class_between_2_and_25():
    weights = np.array([1.0, 60.0, 100.0, 750.0, 800.0])
    assert c45_min_branch()(weights, 3).tolist() == c45_min_branch(2, most=25)(weights, 3).tolist() == [2, 2, 10 / 3, 25, 25]
    assert c45_min_branch(30)(weights, 3).tolist() == [30] * 5, "the least wins"


def test_a_split_into_all_values_needs_two_children_of_the_least_weight():
    scores = {}
    for least in (0, 2, 4, 5):
        found = multiway(min_cases=least)(TWO_RUNS.only(np.array([0])), lambda children: gain(children, entropy))
        scores[least] = found.score[0]
    assert scores[0] == scores[2] == scores[4] == gain(TWO_RUNS.counts[:5], entropy)
    assert scores[5] == -np.inf
    every = multiway(empty=True)(TWO_RUNS.only(np.array([0])), lambda children: gain(children, entropy)).build(0)
    assert every[0] == Multiway(0, (0, 1, 2, 3, 4, 5))
    assert every[1].tolist() == [[1, 0], [4, 0], [0, 0], [0, 2], [2, 2], [0, 1]]
    present = multiway()(TWO_RUNS.only(np.array([0])), lambda children: gain(children, entropy)).build(0)
    assert (present[0], present[1].tolist()) == (Multiway(0, (0, 1, 3, 4, 5)), TWO_RUNS.counts[:5].tolist())


# Groups of values -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("splitter", [multiway(min_cases=3), one_value(min_cases=3), subset(min_cases=3), merging(min_cases=3)])
def test_a_run_has_no_split_where_its_last_values_have_too_few_cases(splitter):
    enough, few = [[5, 0], [0, 5]], [[1, 0], [0, 1]]
    for cases in ([enough, few], [few, enough], [few, few], [enough, few, few]):
        scores = splitter(runs_of(*((0, [0, 1], counts) for counts in cases)), gain).score
        assert (scores > -np.inf).tolist() == [counts is enough for counts in cases]


@pytest.mark.parametrize(
    "splitter", [threshold(), threshold(min_cases=3), threshold(mdl=True), random_threshold(seed=0), intervals()]
)
def test_a_run_has_no_cut_where_it_has_a_single_value(splitter):
    two, one = (1, [0, 1], [[50, 0], [0, 50]]), (1, [4], [[50, 50]])
    for given in ([two, one], [one, two], [one, one], [two, one, one]):
        assert (splitter(runs_of(*given), gain).score > 0).tolist() == [each is two for each in given]


@pytest.mark.parametrize(
    ("most", "expected"),
    [
        (5, [0, 1, 2, 3, 4, 5, 6, 7, 8]),
        (4, [0, 1, 2, 3, 0, 5, 6, 7, 8]),
        (3, [0, 1, 0, 3, 0, 5, 6, 6, 8]),
        (2, [0, 1, 0, 0, 0, 5, 5, 7, 7]),
        (1, [0, 0, 0, 0, 0, 5, 5, 5, 5]),
    ],
)
def test_many_values_are_pooled_the_rarest_or_neighbours_of_equal_weight(most, expected):
    """Weights 1, 4, 2, 4, 1 of words: the rarest share a part. Weights 3, 1, 1, 3 of numbers: the parts are of equal weight."""
    assert pooled(TWO_RUNS, np.array([most, most])).tolist() == expected


def test_values_as_many_as_there_may_be_stay_as_they_are_however_heavy():
    uneven = runs_of((1, [1, 2, 3], [[90, 0], [0, 1], [1, 0]]))
    assert pooled(uneven, np.array([3])).tolist() == [0, 1, 2]
    assert pooled(uneven, np.array([2])).tolist() == [0, 1, 1]


def test_divisions_become_groups_and_intervals():
    first = np.array([0, 1, 0, 3, 1, 5, 5, 7, 7])
    parts = merged_rows(TWO_RUNS, first)
    assert (parts.start.tolist(), parts.end.tolist(), parts.value.tolist()) == ([0, 3], [3, 5], [0, 1, 4, 0.5, 2.5])
    assert parts.counts.tolist() == [[1, 2], [4, 1], [2, 2], [3, 1], [1, 3]]
    best = splits_into(TWO_RUNS, first, np.array([1.0, 2.0]))
    assert best.score.tolist() == [1, 2]
    split, counts = best.build(0)
    assert (split, counts.tolist()) == (Groups(0, ((0, 3), (1, 5), (4,))), [[1, 2], [4, 1], [2, 2]])
    split, counts = best.build(1)
    assert (split, counts.tolist()) == (Intervals(1, (2.0,)), [[3, 1], [1, 3]])
    assert division_from(np.array([True, False, False, True, True])).tolist() == [0, 0, 0, 3, 4]
    assert nested_division(np.array([0, 1, 0, 3, 4]), np.array([0, 1, 1, 0])).tolist() == [0, 1, 0, 1, 0]


def apart(counts):
    """A test whose figure is the difference of the first class's counts."""
    return np.abs(counts[..., 0, 0] - counts[..., 1, 0]) * 1.0


def test_pairs_are_all_of_words_and_neighbours_of_numbers_and_stay_so_when_groups_merge():
    found = value_groups(TWO_RUNS, np.array([0, 1, 0, 3, 1, 5, 6, 7, 8]), apart)
    assert list(zip(found.left.tolist(), found.right.tolist(), strict=True)) == [(0, 1), (0, 3), (1, 3), (5, 6), (6, 7), (7, 8)]
    assert found.figure.tolist() == [3, 1, 2, 3, 1, 1]
    assert found.counts[[0, 1, 3, 5, 6, 7, 8]].tolist() == [[1, 2], [4, 1], [2, 2], [3, 0], [0, 1], [1, 0], [0, 3]]
    after = with_merged(TWO_RUNS, found, np.array([1, 4]), apart)
    assert after.first.tolist() == [0, 1, 0, 0, 1, 5, 6, 6, 8]
    assert list(zip(after.left.tolist(), after.right.tolist(), strict=True)) == [(0, 1), (5, 6), (6, 8)]
    assert after.figure.tolist() == [1, 2, 1]
    assert after.counts[[0, 6]].tolist() == [[3, 4], [1, 1]]
    assert found.counts[0].tolist() == [1, 2], "the groups before stay as they were"


def test_groups_become_runs_of_their_values():
    first = np.array([0, 1, 0, 3, 1, 5, 6, 7, 8])
    some, rows = groups_as_runs(TWO_RUNS, first, np.array([0, 1, 7]))
    assert rows.tolist() == [0, 2, 1, 4, 7]
    assert (some.start.tolist(), some.end.tolist(), some.node.tolist()) == ([0, 2, 4], [2, 4, 5], [0, 0, 1])
    assert (some.feature.tolist(), some.key.tolist(), some.value.tolist()) == ([0, 0, 1], [7, 7, 8], [0, 3, 1, 5, 2.5])
    assert some.counts.tolist() == TWO_RUNS.counts[rows].tolist()


# Choices ----------------------------------------------------------------------------------------------------------------


def candidates(score, *, node=None, information=None, many=()):
    n = len(score)
    of = np.ones(n) if information is None else np.array(information)
    numbers = np.arange(n)
    nodes = np.zeros(n, int) if node is None else np.array(node)
    return Candidates(nodes, numbers, np.array(score), lambda some: of[some], np.isin(numbers, list(many)))


def test_gain_ratios_count_from_just_below_the_mean():
    inf = np.inf
    assert by_gain_ratio()(candidates([0.4, 0.2, 0.3])).tolist() == [0.4, -inf, 0.3]
    assert by_gain_ratio(slack=0.2)(candidates([0.4, 0.2, 0.3])).tolist() == [0.4, 0.2, 0.3]
    assert by_gain_ratio()(candidates([0.5, 0.4981, 0.3], many=[2])).tolist() == [0.5, 0.4981, -inf], "a thousandth below"
    assert by_gain_ratio()(candidates([0.5, 0.4979], many=[])).tolist() == [0.5, -inf]
    assert by_gain_ratio(slack=0)(candidates([0.5, 0.5], information=[2.0, 0.0])).tolist() == [0.25, -inf]
    assert by_gain_ratio()(candidates([0.5, 0.4], many=[0, 1])).tolist() == [-inf, -inf]
    assert by_gain_ratio()(candidates([0.5, 0.1, 0.2], node=[0, 1, 1])).tolist() == [0.5, -inf, 0.2]
    assert by_gain_ratio()(candidates([1e-9, 1e-10])).tolist() == [-inf, -inf], "within a tie of no gain"
    assert by_gain_ratio()(candidates([TIE, 1.1 * TIE])).tolist() == [-inf, 1.1 * TIE]


@pytest.mark.parametrize(("score", "splits"), [(TIE, False), (1.1 * TIE, True)])
def test_a_cut_gains_more_than_a_tie_after_the_bits_that_tell_it(score, splits):
    two_rows = runs_of((1, [1, 2], [[1, 0], [0, 1]]))
    found = threshold(mdl=True)(two_rows, lambda children: np.full(len(children), score))
    assert found.score.tolist() == [score if splits else -np.inf], "the only cut costs no bit"


def test_names_have_at_least_3_values_for_10_cases():
    words = [Feature("w", "nominal", range(n)) for n in (2, 3, 4)]
    assert many_valued(words, 10) == {1, 2}
    assert many_valued(words, 11) == {2}
    assert many_valued(words[1:], 10) == frozenset()
    assert many_valued([Feature("o", "ordinal", range(9)), *words], 10) == {2, 3}


def test_costs_divide_gains_as_the_formulas_say():
    found = candidates([0.5, -0.5])
    assert by_cost((3, 1))(found).tolist() == [(2**0.5 - 1) / 4, (2**-0.5 - 1) / 2]
    assert by_cost((3, 1), weight=2)(found).tolist() == [(2**0.5 - 1) / 16, (2**-0.5 - 1) / 4]
    assert by_cost((3, 1), formula="eg2", weight=0)(found).tolist() == [2**0.5 - 1, 2**-0.5 - 1]
    assert by_cost((4, 2), formula="cs_id3")(found).tolist() == [0.0625, -0.125]
    assert by_cost((4, 2), formula="idx")(found).tolist() == [0.125, -0.25]
    none = candidates([])
    assert by_cost(())(evolve(none, feature=np.zeros(0, int))).tolist() == []
    for formula in ("cs_id3", "idx"):
        with pytest.raises(ValueError, match=r"^costs must be finite numbers above 0, one for each feature, got 0\.$"):
            by_cost((1, 0), formula=formula)


def test_the_first_of_the_best_within_a_tie_and_the_least_of_each_group():
    scores = np.array([[1.0, 5.0, 5 - 5e-10, 0.0], [1 + 2e-9, 5.0, 5.0, -np.inf]])
    assert first_best(scores).tolist() == [1, 0, 0, 0]
    assert first_best(scores, axis=1).tolist() == [1, 1]
    assert first_best(np.array([0.0, TIE])) == 0, "a difference of a tie is a tie"
    assert first_best(np.array([0.0, 1.1 * TIE])) == 1
    group, figure = np.array([1, 0, 0, 1, 0, 1]), np.array([3, 2, 1, 3, 2, 0])
    assert least_of_each(group, figure, 1).tolist() == [2, 5]
    assert least_of_each(group, figure, 2).tolist() == [2, 1, 5, 0], "the first of equal ones"


# Sums -------------------------------------------------------------------------------------------------------------------


def by_gain(children):
    return gain(children, entropy)


def test_the_best_cut_of_sums_is_between_two_different_sums():
    sums = np.array([4.0, 1.0, 2.0, 1.0, 7.0])
    counts = np.array([[0, 1], [1, 0], [1, 0], [1, 0], [0, 1]])
    score, at = best_cut_of_sums(sums, counts, by_gain)
    assert (score, at) == (pytest.approx(entropy(np.array([3, 2]))), 3.0)
    assert best_cut_of_sums(np.ones(5), counts, by_gain) == (-np.inf, 0.0)
    assert best_cut_of_sums(np.append(sums[:4], np.inf), counts, by_gain) == (-np.inf, 0.0)
    tied = best_cut_of_sums(np.array([1.0, 2.0, 3.0]), np.array([[1, 0], [0, 1], [1, 0]]), by_gain)
    assert tied[1] == 1.5, "the first of equal cuts"


def test_one_weight_is_moved_to_where_the_points_divide_best():
    """The sum is w x - 1, so the points turn at w = 1 / x: at 1, 1 / 2 and -1; the fourth point lies at 0 and never turns."""
    points = np.array([[1.0, 1.0], [2.0, 1.0], [-1.0, 1.0], [1e-10, 1.0]])
    counts = np.array([[2, 0], [0, 3], [2, 0], [1, 0]])
    score, weight = _best_weight(points, np.array([5.0, -1.0]), 0, counts, by_gain)
    assert weight == 0.75
    assert score == pytest.approx(entropy(np.array([5, 3])))
    assert _best_weight(points[[0, 0]], np.array([5.0, -1.0]), 0, counts[:2], by_gain) == (-np.inf, 0.0)
    assert _best_weight(points[3:], np.array([5.0, -1.0]), 0, counts[3:], by_gain) == (-np.inf, 0.0)


def test_coordinate_search_is_from_three_features_in_ten_passes():
    assert coordinates() == coordinates(starts=3, passes=10)
    for options in ({"starts": 0}, {"passes": 0}):
        (name,) = options
        with pytest.raises(ValueError, match=f"^{name} must be a whole number of {name} from 1, got 0"):
            coordinates(**options)
        assert coordinates(**{name: 1}) == coordinates(**{"starts": 3, "passes": 10, name: 1})


@pytest.mark.parametrize("seed", [-1, 1.5, True, None])
def test_a_seed_is_a_whole_number_from_0(seed):
    for make in (random_threshold, lambda seed: random_features(1, [multiway()], seed=seed)):
        with pytest.raises(ValueError, match=r"^seed must be a whole number from 0, got "):
            make(seed=seed)
