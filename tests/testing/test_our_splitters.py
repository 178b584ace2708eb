"""The library's splitters keep the laws of splitters, and find the same as loops over every cut, division or merging."""

from functools import partial
from math import comb, inf, log2, log10
from pathlib import Path

import numpy as np
import pytest
from attrs import fields
from merging_by_loops import digits, merged, sums

from ftree import linear, splitters
from ftree._lib.random_numbers import uniform_draws
from ftree.testing import check_choice, check_joint_splitter, check_splitter
from ftree.tree import Groups, Intervals, Multiway, Subset, Threshold

pytestmark = pytest.mark.usefixtures("fewer")


def first_best(scored):
    """The first of the (score, split) pairs that are best except for rounding."""
    pairs = list(scored)
    best = max((score for score, _ in pairs), default=-inf)
    return next((pair for pair in pairs if pair[0] >= best - 1e-9 and best > -inf), None)


def sizes(table, split):
    return table.children(split).sum(axis=1)


def best_cut(table, measure, *, least=0.0):
    """The lowest of the best cuts that leave enough cases on both sides."""
    enough = [cut for cut in table.cuts() if min(sizes(table, cut)) >= least - 1e-6]
    return first_best((float(measure(table.children(cut))), cut) for cut in enough)


def least_of_c45(table):
    return max(min(0.1 * table.counts.sum() / table.counts.shape[1], 25), 1)


def best_cut_less_its_name(table, measure, *, least=0.0):
    """Each cut costs the bits that encode it among those with enough cases."""
    found, n = best_cut(table, measure, least=least), table.counts.sum()
    n_cuts = sum(min(sizes(table, cut)) >= least - 1e-6 for cut in table.cuts())
    score = found[0] - log2(n_cuts) / n if found else -inf
    return (score, found[1]) if score > 1e-9 else None


def random_cut(table, measure):
    low, high = table.values[0], table.values[-1]
    share = uniform_draws(
        splitters.random_threshold(seed=1), 1, np.array([table.number], dtype=np.uint64), np.array([table.number])
    )[0]
    at = min(low * (1 - share) + high * share, float(np.nextafter(high, low)))  # of neighbours, a mean may round up
    found = Threshold(table.number, at)
    return (float(measure(table.children(found))), found) if low < high else None


def all_values(table, measure, *, least=0.0):
    found = Multiway(table.number, map(int, table.values))
    enough = (table.counts.sum(axis=1) >= least - 1e-6).sum() >= 2
    return (float(measure(table.counts)), found) if enough else None


def declared_values(table, measure):
    found = Multiway(table.number, range(len(table.feature.values)))
    return (float(measure(table.children(found))), found) if len(table.values) > 1 else None


def with_the_first(table, members):
    """The division that has these values on one side; child 0 has the first value."""
    codes = set(map(int, table.values))
    return Subset(table.number, sorted(members if int(table.values[0]) in members else codes - members))


def one_and_the_rest(table, measure, *, least=0.0):
    ways = [with_the_first(table, {int(value)}) for value in table.values if len(table.values) > 1]
    return first_best((float(measure(table.children(way))), way) for way in ways if min(sizes(table, way)) >= least - 1e-6)


def every_division(table, measure, *, least=0.0):
    """For two classes, the cuts of values in the order of the first one's share; for more, every division."""
    ways = list(table.divisions()) if table.counts.shape[1] > 2 else cuts_by_share(table, 0)
    return first_best((float(measure(table.children(way))), way) for way in ways if min(sizes(table, way)) >= least - 1e-6)


def cuts_by_share(table, label):
    shares = [counts[label] / counts.sum() for counts in table.counts]
    order = [int(table.values[place]) for place in sorted(range(len(shares)), key=lambda place: shares[place])]
    return [with_the_first(table, set(order[:end])) for end in range(1, len(order))]


def by_share_of_each_class(table, measure):
    """The best of the cuts in the order of each class's share, the first class's of equal ones."""
    labels = range(1 if table.counts.shape[1] <= 2 else table.counts.shape[1])
    found = [first_best((float(measure(table.children(way))), way) for way in cuts_by_share(table, label)) for label in labels]
    return first_best(pair for pair in found if pair)


def bits(counts):
    return sum(-n / sum(counts) * log2(n / sum(counts)) for n in counts if n)


def gained_by(left, right):
    whole = left + right
    return bits(whole) - (left.sum() * bits(left) + right.sum() * bits(right)) / whole.sum()


def worth_it(left, right):
    """The criterion in Fayyad and Irani's form."""
    whole = left + right
    k, k1, k2 = (np.count_nonzero(counts) for counts in (whole, left, right))
    delta = log2(3**k - 2) - (k * bits(whole) - k1 * bits(left) - k2 * bits(right))
    return gained_by(left, right) * whole.sum() > log2(max(whole.sum() - 1, 1)) + delta


def cuts_of(counts, start=0, most=inf, least=0):
    """Every position to cut the rows, with the bits that it saves for all cases, by plain recursion."""
    tried = []
    for place in range(1, len(counts)):
        left, right = counts[:place].sum(axis=0), counts[place:].sum(axis=0)
        if min(left.sum(), right.sum()) >= least:
            tried.append((gained_by(left, right), place, left, right))
    best = max((gained for gained, *_ in tried), default=0)
    for gained, place, left, right in tried:
        if gained >= best - 1e-9:
            if not worth_it(left, right):
                return []
            most = min(most, gained * counts.sum())
            below = cuts_of(counts[:place], start, most, least), cuts_of(counts[place:], start + place, most, least)
            return [*below[0], (most, start + place), *below[1]]
    return []


def cut_apart(table, measure, *, at_most=None, least=0):
    found = cuts_of(table.counts, least=least)
    places = sorted(place for _, place in sorted(found, key=lambda cut: (-round(cut[0], 9), cut[1]))[:at_most])
    split = Intervals(table.number, [[*table.cuts()][at - 1].at for at in places]) if places else None
    return (float(measure(table.children(split))), split) if split else None


def ways_to_merge(values, groups, *, ordered):
    if ordered:
        return comb(values - 1, groups - 1)
    return sum((-1) ** i * comb(groups, i) * (groups - i) ** values for i in range(groups)) // np.prod(
        range(1, groups + 1), dtype=int
    )


def groups_of_values(table, _, *, alpha, alpha_split, bonferroni, again=None):
    ordered = table.feature.kind != "nominal"
    groups = merged(table.counts, ordered=ordered, alpha=alpha, again=again)
    ways = ways_to_merge(len(table.values), len(groups), ordered=ordered) if bonferroni else 1
    score = digits(sums(table.counts, groups)) - log10(ways) if len(groups) > 1 else 0.0
    if len(groups) < 2 or score <= (-log10(alpha_split) if alpha_split else inf):
        return None
    if ordered:
        return score, Intervals(table.number, [[*table.cuts()][group[0] - 1].at for group in groups[1:]])
    return score, Groups(table.number, [[int(table.values[row]) for row in group] for group in groups])


def by_kind(of_nominal, table, measure):
    return (of_nominal if table.feature.kind == "nominal" else best_cut)(table, measure)


FOUND = [
    (splitters.threshold(), best_cut, ()),
    (splitters.threshold(min_cases=2), partial(best_cut, least=2), {"best"}),
    (splitters.threshold(min_cases=splitters.c45_min_branch(1)), lambda t, m: best_cut(t, m, least=least_of_c45(t)), {"best"}),
    (splitters.threshold(mdl=True), best_cut_less_its_name, {"best", "score"}),
    (splitters.threshold(mdl=True, min_cases=2), partial(best_cut_less_its_name, least=2), {"best", "score"}),
    (splitters.random_threshold(seed=1), random_cut, {"best", "midway"}),
    (splitters.multiway(), all_values, ()),
    (splitters.multiway(min_cases=2), partial(all_values, least=2), {"best"}),
    (splitters.multiway(empty=True), declared_values, ()),
    (splitters.one_value(), one_and_the_rest, {"best"}),
    (splitters.one_value(min_cases=2), partial(one_and_the_rest, least=2), {"best"}),
    (splitters.subset(), every_division, ()),
    (splitters.subset(min_cases=2), partial(every_division, least=2), {"best"}),
    (splitters.subset(exact=0), by_share_of_each_class, {"best"}),
    (splitters.intervals(), cut_apart, {"best"}),
    (splitters.intervals(min_cases=2), partial(cut_apart, least=2), {"best"}),
    (splitters.intervals(at_most=1), partial(cut_apart, at_most=1), {"best"}),
    (
        splitters.merging(alpha_merge=0.3, alpha_split=0.9, bins=None),
        partial(groups_of_values, alpha=0.3, alpha_split=0.9, bonferroni=True),
        {"best", "score"},
    ),
    (
        splitters.merging(alpha_merge=0.6, alpha_split=1.0, bonferroni=False, alpha_resplit=0.5, bins=None),
        partial(groups_of_values, alpha=0.6, alpha_split=1.0, bonferroni=False, again=0.5),
        {"best", "score"},
    ),
    (splitters.per_feature({}, otherwise=(splitters.multiway(), splitters.threshold())), partial(by_kind, all_values), ()),
    (splitters.random_features(1, (splitters.subset(), splitters.threshold()), seed=1), partial(by_kind, every_division), ()),
]


@pytest.mark.parametrize(
    ("splitter", "oracle", "exempt"), FOUND, ids=lambda value: repr(value) if hasattr(value, "kinds") else ""
)
def test_a_splitter_of_ours_keeps_the_laws_and_finds_what_loops_find(splitter, oracle, exempt):
    check_splitter(splitter, oracle=oracle, exempt=exempt)


LAWFUL = [splitters.merging(min_cases=2, alpha_split=1)]


@pytest.mark.parametrize("splitter", LAWFUL, ids=repr)
def test_a_splitter_of_ours_keeps_the_laws(splitter):
    check_splitter(splitter, exempt={"best", "score"})


JOINT = [splitters.oblique(by=by) for by in (splitters.coordinates(), linear.perceptrons(), splitters.logistic())]


@pytest.mark.parametrize("splitter", JOINT, ids=repr)
def test_a_splitter_of_several_features_keeps_the_laws(splitter):
    check_joint_splitter(splitter)


# Options that are not tried here, and the file of tests that does.
ELSEWHERE = {
    ("interactions", "groups"): "splitters/test_constraints.py",
    ("interactions", "splitters"): "splitters/test_constraints.py",
    ("merging", "most"): "splitters/test_chaid.py",
    ("merging", "test"): "splitters/test_chaid.py",
    ("monotonic", "directions"): "splitters/test_constraints.py",
    ("monotonic", "splitters"): "splitters/test_constraints.py",
    ("only", "names"): "splitters/test_instability_tests.py",
    ("only", "splitters"): "splitters/test_instability_tests.py",
    ("threshold", "at"): "splitters/test_splitters.py",
    ("threshold", "bins"): "growth/test_number_bins.py",
}


def test_every_option_of_every_splitter_is_tried():
    tried = [splitter for splitter, *_ in FOUND] + LAWFUL + JOINT
    public = [getattr(splitters, name) for name in splitters.__all__]
    types = [each for each in public if hasattr(each, "kinds") and not getattr(each, "_is_protocol", False)]
    missing = {
        (each.__name__, option.name)
        for each in types
        for option in fields(each)
        if all(getattr(one, option.name) == option.default for one in tried if type(one) is each)
    }
    assert missing == set(ELSEWHERE)
    for (name, _), file in ELSEWHERE.items():
        assert f"{name}(" in (Path(__file__).parents[1] / file).read_text(encoding="utf-8")


def ratio_above_the_mean(candidates):
    """Gain ratios of candidates whose gain is at least the mean, with a tolerance of a thousandth of a bit."""
    counted = [gained for _, gained, _, many in candidates if not many]
    mean = sum(counted) / len(counted) if counted else inf

    def figure(gained, information):
        ratio = gained / information if information else 0.0
        return ratio if gained >= mean - 1e-3 and ratio > 1e-9 else -inf

    return [figure(gained, information) for _, gained, information, _ in candidates]


def test_choices_of_ours_keep_the_laws_of_choices():
    check_choice(splitters.by_score(), oracle=lambda candidates: [score for _, score, *_ in candidates])
    check_choice(splitters.by_gain_ratio(), oracle=ratio_above_the_mean)
