"""CHAID: merging compared with a loop over all pairs with SciPy's test of contingency tables, and its limits."""

import sqlite3
from contextlib import closing
from math import comb, log10

import numpy as np
import pytest
from attrs import evolve
from hypothesis import assume, given
from hypothesis import strategies as st
from merging_by_loops import digits, merged, sums
from scipy.stats import chi2_contingency

from ftree import Dataset, Feature, Leaf, Schema, accuracy, grow, predict, predict_counts, scores
from ftree._lib.random_numbers import hashed
from ftree.criteria import g_significance, gini
from ftree.exchange import to_python, to_sql
from ftree.missing import as_branch
from ftree.policy import CHAID
from ftree.splitters import Runs, c45_min_branch, intervals, merging, n_mergings, threshold
from ftree.stop import max_depth
from ftree.tree import Groups, Intervals, IsMissing, Threshold, WithDefault
from ftree.tree.splits import child_of

KINDS = ("nominal", "ordinal", "numeric")
# Counts of up to six values by two or three classes, every value with a case.
tables = st.integers(2, 3).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 12), min_size=k, max_size=k).filter(any), min_size=1, max_size=6)
)


def divisions(values):
    """Every division of values into groups."""
    if not values:
        yield []
        return
    first, *others = values
    for rest in divisions(others):
        yield [[first], *rest]
        yield from ([*rest[:place], [first, *rest[place]], *rest[place + 1 :]] for place in range(len(rest)))


def runs_of(several, kind):
    """One run for each table of counts, whose values are 0, 1, 2 and so on."""
    sizes, number = [len(table) for table in several], np.arange(len(several))
    return Runs(
        value=np.concatenate([np.arange(size, dtype=float) for size in sizes]),
        counts=np.concatenate([np.array(table) for table in several]),
        size=np.array(sizes),
        node=number,
        feature=number,
        features=tuple(Feature(f"f{place}", kind, () if kind == "numeric" else range(size)) for place, size in enumerate(sizes)),
        key=hashed(number.astype(np.uint64)),
    )


def found(table, kind="nominal", **options):
    """Score, groups of values and children's counts of the only run."""
    runs = runs_of([table], kind)
    best = merging(**options)(runs, None)
    split, counts = best.build(0)
    assert isinstance(split, Groups if kind == "nominal" else Intervals)
    child = child_of(split, runs.value)
    return best.score[0], [np.flatnonzero(child == number).tolist() for number in range(split.n_children)], counts.tolist()


def dataset_of(table, kind="nominal"):
    """A table of one feature with these counts as weights."""
    n_values, n_classes = np.shape(table)
    feature = Feature("x", kind, () if kind == "numeric" else range(n_values))
    column, labels = np.divmod(np.arange(n_values * n_classes), n_classes)
    column = column.astype(float) if kind == "numeric" else column
    return Dataset(Schema([feature], "y", range(n_classes)), [column], labels, np.ravel(table))


def with_a_gap(table, kind):
    """The same of an ordered feature whose last value is missing."""
    *known, gap = table
    dataset = dataset_of([*known, gap], kind)
    (column,) = dataset.columns
    missing = column == len(known)
    return evolve(dataset, columns=[np.where(missing, np.nan if kind == "numeric" else -1, column)])


def test_without_a_level_above_which_to_merge_all_values_are_one_group():
    runs = runs_of([[[9, 0], [0, 9], [5, 5]]], "nominal")
    assert merging(alpha_merge=0, alpha_split=1)(runs, None).score[0] == -np.inf


def test_the_titanic_s_third_class_and_crew_merge():
    """Counts of the published table (Dawson 1995): saved and lost, by class of passage."""
    passage = {"first": [122, 203], "second": [167, 118], "third": [528, 178], "crew": [673, 212]}
    table = list(passage.values())
    score, groups, counts = found(table)
    assert groups == [[0], [1], [2, 3]]
    assert counts == [[122, 203], [167, 118], [1201, 390]]
    statistic = chi2_contingency(counts, correction=False)
    # Four values make three groups in six ways.
    assert score == pytest.approx(-log10(6 * statistic.pvalue))
    assert found(table, test=g_significance)[1] == groups


def test_another_test_answers_with_other_p_values():
    table = [[30, 10], [20, 20], [12, 30]]
    assert found(table, test=g_significance, alpha_merge=1)[0] == g_significance(table)


@pytest.mark.parametrize(("figure", "groups"), [(0.999, 1), (1.0, 2), (1.001, 2)])
def test_values_merge_while_the_p_value_is_above_the_level(figure, groups):
    """The test always finds a p-value of 10 ** -figure; at a tenth, that is the level."""
    runs = runs_of([[[9, 1], [1, 9]]], "nominal")
    options = {"alpha_merge": 0.1, "alpha_split": 1, "bonferroni": False}
    best = merging(**options, test=lambda counts: np.full(counts.shape[:-2], figure))(runs, None)
    assert (len(best.build(0)[1]) if best.score[0] > -np.inf else 1) == groups
    again = merging(**options | {"alpha_merge": 1, "alpha_split": 0.1}, test=lambda counts: np.full(counts.shape[:-2], figure))
    assert again(runs, None).score.tolist() == [figure if figure > 1 else -np.inf], "below the level, not at it"


@pytest.mark.parametrize("values", range(1, 8))
def test_the_multiplier_counts_every_division_into_so_many_groups(values):
    each = list(divisions(list(range(values))))
    neighbours = [groups for groups in each if all(max(group) - min(group) < len(group) for group in groups)]
    for groups in range(1, values + 1):
        assert n_mergings(values, groups, ordered=False) == sum(len(one) == groups for one in each)
        assert n_mergings(values, groups, ordered=True) == sum(len(one) == groups for one in neighbours)


@pytest.mark.parametrize("values", range(2, 8))
def test_a_floating_value_merges_with_any_group_of_the_others(values):
    each = [[[value for value in group if value] for group in groups] for groups in divisions(list(range(values)))]
    neighbours = [groups for groups in each if all(max(group) - min(group) < len(group) for group in groups if group)]
    for groups in range(1, values + 1):
        assert n_mergings(values, groups, ordered=True, floating=True) == sum(len(one) == groups for one in neighbours)
        assert n_mergings(values, groups, ordered=False, floating=True) == n_mergings(values, groups, ordered=False)


def test_multipliers_beyond_the_floats_are_whole_numbers_still():
    """S(n, k) = k S(n - 1, k) + S(n - 1, k - 1)."""
    below = n_mergings(1499, 700, ordered=False), n_mergings(1499, 699, ordered=False)
    assert n_mergings(1500, 700, ordered=False) == 700 * below[0] + below[1]
    assert log10(n_mergings(1500, 700, ordered=False)) > 308


def test_a_merged_group_is_divided_again_where_that_is_significant():
    """The two in the middle merge first, then with the last; but the last two then differ from the one before."""
    table = [[20, 5], [15, 10], [15, 20], [5, 15]]
    assert found(table, "ordinal")[1] == [[0], [1, 2, 3]]
    assert found(table, "ordinal", alpha_resplit=0.049)[1] == [[0, 1], [2, 3]]


@given(tables, st.sampled_from(KINDS), st.integers(1, 20))
def test_no_group_has_fewer_cases_than_the_least(table, kind, least):
    runs = runs_of([table], kind)
    best = merging(min_cases=least, alpha_merge=0.5, alpha_split=1, bonferroni=False, alpha_resplit=0.4)(runs, None)
    if best.score[0] > -np.inf:
        assert best.build(0)[1].sum(axis=1).min() >= least


def test_a_small_group_merges_with_what_it_differs_from_least():
    table = [[40, 0], [0, 40], [1, 3]]
    assert found(table, alpha_merge=0.2)[1] == [[0], [1], [2]]
    assert found(table, alpha_merge=0.2, min_cases=5)[1] == [[0], [1, 2]]
    assert found(table, alpha_merge=0.2, min_cases=c45_min_branch(5))[1] == [[0], [1, 2]]


@given(st.lists(st.integers(1, 9), min_size=11, max_size=60), st.integers(2, 10))
def test_numbers_share_intervals_of_about_equal_weight(weights, bins):
    """Without a pair to merge, the groups are the bins: none has more than its share plus half of two values."""
    table = [[weight, 0] if place % 2 else [0, weight] for place, weight in enumerate(weights)]
    runs = runs_of([table], "numeric")
    best = merging(alpha_merge=1, alpha_split=1, bonferroni=False, bins=bins)(runs, None)
    assume(best.score[0] > -np.inf)  # all bins may be one
    split, counts = best.build(0)
    assert len(split.cuts) < bins
    assert counts.sum(axis=1).max() <= sum(weights) / bins + max(weights)


def test_numbers_with_few_values_or_none_to_share_stay_as_they_are():
    table = [[20, 1], [1, 20]] * 6
    assert len(found(table, "numeric", alpha_split=1, bonferroni=False)[1]) <= 10
    assert len(found(table, "numeric", bins=None, bonferroni=False)[1]) == 12
    assert len(found(table, "ordinal", bonferroni=False)[1]) == 12
    assert len(found(table[:10], "numeric", bonferroni=False)[1]) == 10


def test_of_too_many_values_the_rarest_are_one_group():
    table = [[30, 0], [3, 1], [0, 30], [1, 3], [15, 15]]
    assert found(table, most=3, alpha_merge=1)[1] == [[0], [1, 3, 4], [2]]
    assert found(table, most=3)[1] == [[0], [1, 3, 4], [2]], "three values make three groups in one way"
    assert found(table, "ordinal", most=3, alpha_merge=1)[1] == [[0, 1], [2], [3, 4]]


def test_a_hundred_thousand_values_are_answered_in_no_time():
    n = 100_000
    labels = np.arange(n) % 2
    own = [Feature("code", "nominal", range(n)), Feature("rank", "ordinal", range(n)), Feature("size", "numeric")]
    columns = [np.arange(n), np.arange(n), labels * 0.5 + np.arange(n) / n]
    data = Dataset(Schema(own, "y", (0, 1)), columns, labels)
    tree = grow(data, evolve(CHAID, stop=max_depth(1)))
    assert tree.root.split.feature == 2, "codes and ranks of a case each say nothing"
    assert len(tree.root.children) <= 10
    assert sum(map(sum, (child.counts for child in tree.root.children))) == n


def test_growth_stops_where_nothing_is_significant():
    assert grow(dataset_of([[6, 5], [5, 6]]), CHAID).root == Leaf((11, 11))
    assert grow(Dataset.from_rows([[], []], [0, 1]), CHAID).root == Leaf((1, 1))
    assert grow(Dataset.from_rows([[None], [None]], [0, 1], kinds="numeric"), CHAID).root == Leaf((1, 1))


def test_missing_is_a_value_that_merges_as_any_other():
    """The floating category of CHAID."""
    rows = [["a"]] * 20 + [["b"]] * 20 + [[None]] * 20
    data = Dataset.from_rows(rows, [0] * 20 + [1] * 20 + [1] * 19 + [0], kinds="nominal")
    tree = grow(data, CHAID)
    assert tree.root.split == Groups(0, ((0,), (1, 2)))
    assert accuracy(tree, data.missing_as_value()) == 59 / 60


FLOATING = evolve(CHAID, missing=as_branch(floating=True), stop=max_depth(1))
LIKE_THE_THIRD = [[30, 5], [28, 6], [5, 30], [30, 4], [5, 25]]
UNLIKE_ANY = [[30, 5], [28, 6], [5, 30], [30, 4], [16, 16]]


def test_missing_values_of_an_ordered_feature_join_the_group_that_they_are_like():
    """The first two values merge. Of five values with the floating one, C(3, 1) + 3 C(3, 2) = 12 ways make three groups."""
    dataset = with_a_gap(LIKE_THE_THIRD, "numeric")
    root = grow(dataset, FLOATING).root
    assert root.split == WithDefault(Intervals(0, (1.5, 2.5)), default_child=1)
    assert [child.counts for child in root.children] == [(58, 11), (10, 55), (30, 4)]
    (found,) = scores(dataset, FLOATING)
    assert found.score == pytest.approx(-log10(12 * chi2_contingency([[58, 11], [10, 55], [30, 4]]).pvalue))


def test_missing_values_that_are_like_no_group_are_one_more():
    """C(3, 2) + 4 C(3, 3) = 7 ways make four groups."""
    dataset = with_a_gap(UNLIKE_ANY, "ordinal")
    assert grow(dataset, FLOATING).root.split == WithDefault(Intervals(0, (1.5, 2.5)), default_child=3)
    (found,) = scores(dataset, FLOATING)
    assert found.score == pytest.approx(-log10(7 * chi2_contingency([[58, 11], [5, 30], [30, 4], [16, 16]]).pvalue))


def test_known_values_that_are_all_alike_are_one_group_beside_the_missing_ones():
    tree = grow(with_a_gap([[30, 25], [28, 26], [6, 26]], "numeric"), FLOATING)
    assert (tree.root.split, [child.counts for child in tree.root.children]) == (IsMissing(0), [(58, 51), (6, 26)])


@pytest.mark.parametrize("table", [LIKE_THE_THIRD, UNLIKE_ANY, [[30, 25], [28, 26], [6, 26]]])
def test_programs_and_predictions_send_missing_values_to_their_child(table):
    tree, written = grow(with_a_gap(table, "numeric"), FLOATING), {}
    exec(to_python(tree), written)  # noqa: S102  # the library's own source
    rows = [[None], *([float(value)] for value in range(len(table) - 1))]
    children = [tree.root.children[child].counts for child in child_of(tree.root.split, np.array(rows, dtype=float).ravel())]
    assert (
        predict_counts(tree, rows).tolist() == [written["predict"](row, counts=True) for row in rows] == list(map(list, children))
    )
    asked = " UNION ALL ".join(f"SELECT {'NULL' if value is None else value} AS x" for (value,) in rows)
    with closing(sqlite3.connect(":memory:")) as database:
        answers = database.execute(f"SELECT {to_sql(tree)} FROM ({asked})").fetchall()  # noqa: S608
    assert [int(answer) for (answer,) in answers] == predict(tree, rows)


def test_few_missing_values_are_no_group_of_their_own():
    apart, joined = (
        grow(with_a_gap([[40, 0], [0, 40], [3, 3]], "ordinal"), policy).root.split
        for policy in (evolve(FLOATING, splits=(merging(min_cases=least),)) for least in (6, 7))
    )
    assert (apart.default_child, joined.default_child) == (2, 0)


def test_other_splitters_send_missing_values_to_the_lowest_child():
    tree = grow(with_a_gap([[9, 0], [0, 9], [1, 5]], "numeric"), evolve(FLOATING, splits=(threshold(),)))
    assert tree.root.split == WithDefault(Threshold(0, 0.5), default_child=0)


@given(tables.filter(lambda table: len(table) > 1), st.sampled_from(["ordinal", "numeric"]), st.booleans(), st.integers(0, 9))
def test_a_floating_category_is_placed_as_by_loops(table, kind, bonferroni, least):
    *known, gap = table
    assume(not least or min(map(sum, known)) >= least)  # else small groups merge, which the loops do not
    tried = sorted(placed_by_loops(known, gap, bonferroni=bonferroni, least=least), reverse=True)
    score, child, counts = tried[0] if tried else (0, None, None)
    assume(abs(score + log10(0.9)) > 1e-9 and not (len(tried) == 2 and score - tried[1][0] < 1e-9))
    splitter = merging(alpha_merge=0.3, alpha_split=0.9, bonferroni=bonferroni, min_cases=least)
    root = grow(with_a_gap(table, kind), evolve(FLOATING, splits=(splitter,))).root
    if score < -log10(0.9):
        assert isinstance(root, Leaf)
    else:
        assert [list(each.counts) for each in root.children] == counts
        assert child_of(root.split, np.array([np.nan])).tolist() == [child]


def placed_by_loops(known, gap, *, bonferroni, least):
    """Score, child of the gap and children's counts, of the gap in the group that it is most like and of the gap apart."""
    groups = sums(known, merged(known, ordered=True, alpha=0.3))
    figures = [digits([group, gap]) for group in groups]
    near = next(place for place, figure in enumerate(figures) if figure <= min(figures) + 1e-9)
    joined = [[n + m for n, m in zip(group, gap, strict=True)] if place == near else group for place, group in enumerate(groups)]
    for child, counts in ((near, joined), (len(groups), [*groups, gap])):
        n, r = len(known) + 1, len(counts)
        if r > 1 and min(map(sum, counts)) >= least:
            yield digits(counts) - (log10(comb(n - 2, r - 2) + r * comb(n - 2, r - 1)) if bonferroni else 0), child, counts


def test_priors_do_not_change_what_is_significant():
    data = dataset_of([[30, 10], [20, 20], [12, 30]])
    assert grow(data, evolve(CHAID, priors=(0.9, 0.1))) == grow(data, CHAID)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha_merge": 1.5}, "alpha_merge must be a probability"),
        ({"alpha_split": -1}, "alpha_split must be a probability"),
        ({"alpha_resplit": 0.1}, "at most alpha_merge, 0.05"),
        ({"alpha_resplit": "often"}, "alpha_resplit must be a probability"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        merging(**options)


@pytest.mark.parametrize("test", [gini, lambda pairs: pairs.sum(), lambda pairs: pairs.sum(axis=(-2, -1)) * np.nan])
def test_a_test_that_does_not_answer_one_number_for_each_table_is_refused(test):
    data = Dataset.from_rows([["a"], ["b"], ["c"]] * 5, [0, 1, 2] * 5)
    with pytest.raises(ValueError, match=r"must return numbers"):
        grow(data, evolve(CHAID, splits=(merging(test=test),)))


def test_a_test_that_was_not_made_is_refused():
    with pytest.raises(TypeError, match="test must be a function"):
        merging(test=intervals)
    with pytest.raises(TypeError, match="test must be a function"):
        merging(test=0.05)
