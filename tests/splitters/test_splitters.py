"""Splitters: the splits that each finds, alone and combined, compared with loops over all splits."""

from math import inf, sqrt

import numpy as np
import pytest
from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

from ftree import CART, ID3, Dataset, Feature, grow, splitters
from ftree._lib.random_numbers import child_keys, uniform_draws
from ftree.criteria import Avc, entropy, gain
from ftree.exact import quantile_cuts
from ftree.splitters.combine import best_found
from ftree.splitters.runs import Runs, runs_of
from ftree.stop import max_depth, never
from ftree.testing import datasets, schemas
from ftree.tree import Branch, preorder
from ftree.tree.splits import Multiway, Subset, Threshold

STUMP = evolve(ID3, stop=max_depth(1))


def root_split(dataset, *several, **changes):
    return getattr(grow(dataset, evolve(STUMP, splits=several, **changes)).root, "split", None)


def column(values, labels, **options):
    return Dataset.from_rows([[value] for value in values], labels, **options)


# Minimum sizes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "splitter",
    [splitters.threshold, splitters.multiway, splitters.subset, splitters.one_value, splitters.intervals, splitters.merging],
)
@pytest.mark.parametrize("least", [-1, float("nan"), float("inf"), "two", None])
def test_a_minimum_is_a_number_of_cases(splitter, least):
    with pytest.raises(ValueError, match="min_cases must be a finite number of cases from 0"):
        splitter(min_cases=least)


# Numeric cuts of C4.5 -------------------------------------------------------------------------------------------


@given(schemas(kinds=("numeric", "nominal")).flatmap(lambda schema: datasets(schema=schema, missing=True)))
def test_observed_thresholds_send_all_cases_the_same_way(dataset):
    middle = grow(dataset, evolve(ID3, stop=never))
    observed = grow(dataset, evolve(ID3, stop=never, splits=(splitters.multiway(), splitters.threshold(at="observed"))))
    assert [node.counts for node in preorder(middle)] == [node.counts for node in preorder(observed)]
    for node in preorder(observed):
        if isinstance(node, Branch) and isinstance(node.split, Threshold):
            assert node.split.at in dataset.columns[node.split.feature]


def test_names_do_not_raise_the_mean_gain():
    """Otherwise only the names could be chosen."""
    rows = [[f"name {row}", "a" if row < 4 else "b"] for row in range(10)]
    data = Dataset.from_rows(rows, ["no"] * 5 + ["yes"] * 5, kinds={"x0": "nominal"})
    assert root_split(data, splitters.multiway(), choose=splitters.by_gain_ratio()) == Multiway(1, (0, 1))
    assert root_split(data.take([*range(10)] * 4), splitters.multiway(), choose=splitters.by_gain_ratio()) == Multiway(
        0, tuple(range(10))
    )


def test_a_node_that_can_be_split_by_names_only_is_a_leaf():
    rows = [[f"name {row}", 1] for row in range(10)]
    data = Dataset.from_rows(rows, ["no"] * 5 + ["yes"] * 5, kinds={"x0": "nominal"})
    assert root_split(data, splitters.multiway(), splitters.threshold(), choose=splitters.by_gain_ratio()) is None
    assert root_split(data, splitters.multiway(), splitters.threshold()) == Multiway(0, tuple(range(10)))


def test_unknown_values_count_as_a_branch_in_the_split_information():
    rows = [["a", "u"], ["a", "u"], ["b", "v"], ["b", "v"], [None, "u"], [None, "v"]]
    seen = []

    def looking(candidates):
        seen.append((candidates.score.tolist(), candidates.information(np.arange(len(candidates.score))).tolist()))
        return candidates.score

    grow(Dataset.from_rows(rows, [0, 0, 1, 1, 0, 1]), evolve(STUMP, choose=looking))
    (gains, information), *_ = seen
    assert gains == pytest.approx([4 / 6, 1.0])
    assert information == pytest.approx([float(entropy([2, 2, 2])), 1.0])


# Together -------------------------------------------------------------------------------------------------------


def test_features_can_have_splitters_of_their_own():
    data = Dataset.from_rows([["a", "x"], ["b", "y"], ["c", "z"]] * 3, [0, 1, 2] * 3, features=["left", "right"])
    own = splitters.per_feature({"right": splitters.subset()}, otherwise=(splitters.multiway(),))
    assert root_split(data, own) == Multiway(0, (0, 1, 2))
    assert root_split(data.take(np.arange(9) % 3 < 2), splitters.per_feature({"right": splitters.subset()})) == Subset(1, (0,))
    assert own.kinds == ("nominal",)


def test_a_splitter_for_a_feature_that_is_not_there_or_of_another_kind_is_refused():
    data = Dataset.from_rows([["a", 1.0], ["b", 2.0]], [0, 1], features=["sky", "wind"])
    with pytest.raises(KeyError, match="skies"):
        grow(data, evolve(ID3, splits=(splitters.per_feature({"skies": splitters.multiway()}),)))
    with pytest.raises(ValueError, match=r"'sky' must be numeric or ordinal for threshold\(\), got a nominal feature"):
        grow(data, evolve(ID3, splits=(splitters.per_feature({"sky": splitters.threshold()}),)))


@pytest.mark.parametrize(
    "together",
    [
        lambda splitter: splitters.per_feature({"x0": splitter}),
        lambda splitter: splitters.per_feature({}, otherwise=(splitter,)),
        lambda splitter: splitters.random_features(1, (splitters.per_feature({"x0": splitter}),), seed=1),
    ],
)
def test_cuts_at_observed_values_may_be_asked_for_within_other_splitters(together):
    data = Dataset.from_rows([[1.0], [2.0]], [0, 1])
    assert grow(data, evolve(ID3, splits=(together(splitters.threshold(at="observed")),))).root.split == Threshold(0, 1.0)
    assert grow(data, evolve(ID3, splits=(together(splitters.threshold()),))).root.split == Threshold(0, 1.5)


@pytest.mark.parametrize("wrong", ["age", None, splitters.threshold(), [("age",)], [3]])
def test_splitters_for_features_are_named(wrong):
    with pytest.raises(TypeError, match="splitters must be a dict such as"):
        splitters.per_feature(wrong)


@pytest.mark.parametrize(
    ("answer", "got"),
    [
        (splitters.BestSplits(np.zeros(1), None), r"scores of shape \(1,\)"),
        (splitters.BestSplits(0.5, None), r"scores of shape \(\)"),
        (0.5, "a float"),
        (None, "a NoneType"),
    ],
)
def test_a_splitter_of_ones_own_answers_a_score_for_each_run(answer, got):
    def splitter(_runs, _measure):
        return answer

    splitter.kinds = ("numeric",)
    with pytest.raises(TypeError, match=f"with 2 scores, one for each run, got {got}"):
        grow(Dataset.from_rows([[1.0, 2.0], [2.0, 1.0]], [0, 1]), evolve(ID3, splits=(splitter,)))


def test_a_feature_has_one_splitter():
    with pytest.raises(ValueError, match="must be for distinct features, got 'age', 'age'"):
        splitters.per_feature([("age", splitters.threshold()), ("age", splitters.random_threshold(seed=1))])


def test_names_that_are_numbers_are_those_of_the_data():
    data = Dataset.from_columns({0: ["a", "b"], "play": ["no", "yes"]}, target="play")
    assert grow(data, evolve(ID3, splits=(splitters.per_feature({0: splitters.one_value()}),))).root.split == Subset(0, (0,))


def test_the_least_weight_may_be_one_number_for_all_nodes():
    data = numbers(60, 3)
    for splitter in (splitters.threshold, lambda **least: splitters.intervals(at_most=1, **least)):
        by_function = evolve(ID3, splits=(splitter(min_cases=lambda _weight, _n_classes: 5),))
        assert grow(data, by_function) == grow(data, evolve(ID3, splits=(splitter(min_cases=5),)))


def test_a_least_weight_that_was_not_made_is_refused():
    with pytest.raises(TypeError, match=r"Write c45_min_branch\(\.\.\.\), with parentheses"):
        splitters.threshold(min_cases=splitters.c45_min_branch)
    with pytest.raises(ValueError, match="least must be a finite number of at least 0"):
        splitters.c45_min_branch(splitters.c45_min_branch())


@pytest.mark.parametrize("wrong", [splitters.multiway, "multiway", splitters.oblique()])
def test_splitters_together_are_of_single_features(wrong):
    with pytest.raises(TypeError, match="splitters of single features"):
        splitters.per_feature({"sky": wrong})
    with pytest.raises(TypeError, match="splitters of single features"):
        splitters.random_features(2, (wrong,), seed=0)


# Random splitters ------------------------------------------------------------------------------------------------


def numbers(n_rows, n_features, seed=0):
    table = np.random.default_rng(seed).random((n_rows, n_features))
    return Dataset.from_columns({f"x{i}": table[:, i] for i in range(n_features)} | {"class": np.arange(n_rows) % 2})


def test_every_feature_is_drawn_sometimes_and_never_more_than_so_many():
    asked = set()

    class Watched:
        kinds = ("numeric", "ordinal")

        def __call__(self, runs, measure):
            for node in np.unique(runs.node):
                assert (runs.node == node).sum() == 2
            asked.update(runs.feature.tolist())
            return splitters.threshold()(runs, measure)

    grow(numbers(300, 6), evolve(CART, splits=(splitters.random_features(2, (Watched(),), seed=1),)))
    assert asked == set(range(6))


def test_seeds_grow_different_trees_and_the_same_seed_the_same():
    data = numbers(200, 5)
    for splitter in (
        lambda seed: splitters.random_features(2, (splitters.threshold(),), seed=seed),
        lambda seed: splitters.random_threshold(seed=seed),
    ):
        one, again, other = (grow(data, evolve(CART, splits=(splitter(seed),))) for seed in (1, 1, 2))
        assert one == again
        assert one != other


def test_cuts_are_drawn_evenly_however_far_apart_the_ends_are():
    largest = np.finfo(float).max
    data = Dataset.from_rows([[-largest], [0.0], [largest]], [0, 1, 0], weights=[9, 1, 9])
    cuts = [
        grow(data, evolve(CART, splits=(splitters.random_threshold(seed=seed),))).root.split.at / largest for seed in range(50)
    ]
    assert len(set(cuts)) == len(cuts)
    assert abs(np.mean(cuts)) < 4 * (2 / sqrt(12)) / sqrt(len(cuts)), "within four standard errors of the middle"


def test_constant_features_are_not_drawn():
    data = numbers(50, 1)
    wide = Dataset.from_columns(
        {f"c{i}": np.zeros(50) for i in range(9)} | {"x": data.columns[0], "class": np.arange(50) % 2},
    )
    assert root_split(wide, splitters.random_features(1, (splitters.threshold(),), seed=0)).feature == 9


def test_draws_are_spread_evenly_and_children_have_keys_of_their_own():
    keys = child_keys(np.zeros(20_000, dtype=np.uint64), np.arange(20_000))
    assert len(set(keys.tolist())) == len(keys)
    drawn = uniform_draws("a part", 7, keys, np.zeros(len(keys), dtype=int))
    assert np.histogram(drawn, 10, (0, 1))[0] == pytest.approx(np.full(10, 2000), rel=0.1)


@frozen(eq=False)
class Noted:
    """A splitter that notes what it draws, alone or joint, and finds nothing."""

    kinds = ("numeric",)
    seed: int
    notes: dict

    def __call__(self, runs, _):
        self.notes.setdefault(self, []).extend(runs.draws(self, self.seed))
        return splitters.BestSplits(np.full(len(runs.start), -np.inf), None)


@frozen(eq=False)
class NotedJointly(Noted):
    def best(self, vectors, _):
        self.notes[self] = vectors.generator(self, self.seed).uniform(size=300).tolist()


NotedJointly.__name__ = "Noted"
# Ways in which a policy is made of parts that draw, side by side and in each other.
nested = st.recursive(
    st.sampled_from([Noted, lambda seed, _: splitters.random_threshold(seed=seed)]),
    lambda inner: st.builds(
        lambda wrap, parts: lambda seed, notes: wrap(seed, [part(seed, notes) for part in parts]),
        st.sampled_from(
            [
                lambda seed, parts: splitters.random_features(1, parts, seed=seed),
                lambda _, parts: splitters.per_feature({"x": parts[0]}, otherwise=parts[1:]),
                lambda _, parts: splitters.per_feature({"y": parts[0]}, otherwise=parts[1:]),
                lambda _, parts: splitters.monotonic({"x": 1}, parts),
                lambda _, parts: splitters.interactions([["x"]], parts),
            ]
        ),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=6,
)


@given(st.lists(nested, min_size=1, max_size=3), st.integers(0, 2**64))
def test_all_parts_of_a_policy_draw_independently_by_one_seed(makers, seed):
    n, notes = 300, {}
    each, features = np.arange(n), (Feature("x", "numeric"), Feature("y", "numeric"))
    key = child_keys(np.zeros(n, np.uint64), each)
    rows = {"value": np.tile([1.0, 2.0], n), "counts": np.tile([[1, 0], [0, 1]], (n, 1)), "size": np.full(n, 2)}
    runs = Runs(**rows, node=each, feature=np.zeros(n, int), features=features, key=key)
    splitters.best_of(runs, [make(seed, notes) for make in makers], gain)
    drawn = [each % 7, each % 5, *filter(None, notes.values())]
    assert np.abs(np.corrcoef(drawn) - np.eye(len(drawn))).max() < 0.4


def test_splitters_of_several_features_draw_beside_each_other_and_beside_those_of_one():
    data, notes = Dataset.from_columns({"a": [1.0, 2.0], "b": [1.0, 2.0], "class": ["no", "yes"]}), {}
    grow(data, evolve(ID3, splits=(Noted(5, notes), NotedJointly(5, notes), Noted(5, notes), NotedJointly(5, notes))))
    single, joint = list(notes.values())[:2], list(notes.values())[2:]
    assert len({*np.concatenate(single).tolist(), *(each[0] for each in joint)}) == 6
    assert abs(np.corrcoef(joint)[0, 1]) < 0.2


def test_features_drawn_among_drawn_ones_are_others_than_the_first_of_these():
    """Of three features each has a third, whichever was the first among the three."""
    columns = {f"x{number}": [1.0, 2.0] for number in range(9)}
    data = Dataset.from_columns({**columns, "class": ["no", "yes"]})
    cut = (splitters.threshold(),)
    one, two = (
        np.array([root_split(data, make(seed)).feature for seed in range(600)])
        for make in (
            lambda seed: splitters.random_features(1, cut, seed=seed),
            lambda seed: splitters.random_features(3, (splitters.random_features(1, cut, seed=seed),), seed=seed),
        )
    )
    assert np.mean(one == two) == pytest.approx(1 / 3, abs=0.08)


def test_cuts_of_features_that_one_seed_draws_are_spread_evenly():
    """A feature was drawn for its small number, and by this number it was cut."""
    data = Dataset.from_columns({**dict.fromkeys("abcde", np.arange(101.0)), "class": np.arange(101) > 50}, kinds="numeric")
    both = [splitters.random_features(1, (splitters.random_threshold(seed=seed),), seed=seed) for seed in range(300)]
    assert np.mean([root_split(data, each).at for each in both]) == pytest.approx(50, abs=6)


# Ties, seeds and weights that gain nothing -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "more", "winner"), [(1.0, 0.0, 0), (1.0, 5e-10, 0), (1.0, -5e-10, 0), (1.0, 1e-6, 1), (0.0, 1e-9, 0)]
)
def test_the_first_of_several_splitters_wins_but_by_rounding(first, more, winner):
    def always(number, score):
        def finder(runs, _):
            split = Threshold(0, number)
            return splitters.BestSplits(np.full(len(runs.start), score), lambda _: (split, np.ones((2, 1))))

        return finder, np.array([0])

    runs = runs_of(Avc(*map(np.array, ([0, 0], [0, 0], [0.0, 1.0], [[1], [1]]))), (Feature("x", "numeric"),))
    found = best_found(runs, [always(0, first), always(1, first + more)], None)
    assert found.build(0)[0].at == winner
    assert found.score.tolist() == [first + more * winner]


def test_a_cut_drawn_at_the_lowest_value_leaves_it_on_the_left(monkeypatch):
    data, policy = column([1.0, 2.0, 4.0], [0, 1, 1]), evolve(STUMP, splits=(splitters.random_threshold(seed=0),))
    for share, at in ((0.0, 1.0), (1 / 3, 2.0)):
        monkeypatch.setattr(Runs, "draws", lambda runs, *_, share=share: np.full(len(runs.key), share))
        assert grow(data, policy, engine="plain").root.split == Threshold(0, at)


def test_a_splitter_is_a_function_with_kinds_and_no_class():
    assert splitters.is_splitter(splitters.threshold())
    assert splitters.is_splitter(splitters.subset())
    for wrong in (splitters.threshold, splitters.oblique(), type("HasKinds", (), {"kinds": ()})(), len):
        assert not splitters.is_splitter(wrong)


def first_weights(points, counts, **options):
    """The weights that coordinate search finds first."""
    given_points = splitters.NodePoints(np.array(points, dtype=float), np.array(counts, dtype=float))
    return next(splitters.coordinates(**options)(given_points, lambda children: gain(children, entropy))).tolist()


def test_a_weight_that_gains_nothing_stays_as_it_is():
    assert first_weights([[-1, -1], [-1, 1], [1, -1], [1, 1]], [[1, 0], [1, 0], [0, 1], [0, 1]]) == [1, 0]
    assert first_weights([[-1, 0], [1, 0]], [[1, 0], [0, 1]]) == [1, 0], "no point moves with a coordinate of 0"


@pytest.mark.parametrize("proposed", [[0.0, 0.0], [inf, 1.0], [-inf, inf]])
def test_weights_that_are_no_direction_are_left_out(proposed):
    points = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    found = splitters.oblique(by=lambda *_: [np.array(proposed)]).best(
        splitters.NodeVectors(points, np.eye(3), ()), lambda children: gain(children, entropy)
    )
    assert found[1] == Threshold(0, 0.5)


def test_of_no_run_there_is_nothing():
    none = np.zeros(0, dtype=np.intp)
    runs = runs_of(Avc(none, none, np.zeros(0), np.zeros((0, 3))), (Feature("x", "numeric"),))
    for listed in (runs.weight, runs.size, runs.kind, runs.run_of_row(), runs.only(none).value):
        assert listed.tolist() == []
    assert evolve(runs, features=()).kind.dtype.kind == runs.kind.dtype.kind == "U", "a text"
    for splitter in (splitters.threshold(), splitters.random_threshold(seed=0)):
        assert splitter(runs, gain).score.tolist() == []


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (lambda it: splitters.intervals(at_most=it), "at_most must be a whole number of cuts from 1"),
        (lambda it: splitters.threshold(bins=it), "bins must be a whole number of bins from 2 to 60000"),
        (
            lambda it: splitters.random_features(it, (splitters.threshold(),), seed=0),
            "n must be a whole number of features from 1",
        ),
        (lambda it: splitters.subset(exact=it), "exact must be a whole number of values from 0 to 20"),
        (lambda it: splitters.surrogates(at_most=it), "at_most must be a whole number of surrogates from 0"),
        (quantile_cuts, "n must be a whole number of thresholds from 1"),
    ],
)
def test_numbers_of_things_are_named_with_the_least_of_them(make, wanted):
    least, _, most = wanted.partition(" from ")[2].partition(" to ")
    assert make(int(least)) == make(int(least))
    for wrong in (int(least) - 1, 2.5, True, *([int(most) + 1] if most else [])):
        with pytest.raises(ValueError, match=f"^{wanted}, got {wrong}[.]"):
            make(wrong)


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (lambda: splitters.threshold(at="value"), "at must be one of 'midpoint', 'observed', got 'value'"),
        (lambda: splitters.by_cost((1,), formula="gain"), "formula must be one of 'eg2', 'cs_id3', 'idx', got 'gain'"),
        (lambda: splitters.c45_min_branch(inf), "least must be a finite number of at least 0, got inf"),
        (lambda: splitters.c45_min_branch(most=-1), "most must be a finite number of at least 0, got -1"),
        *(
            (lambda it=it: splitters.by_gain_ratio(slack=it), f"slack must be a finite number of at least 0, got {it!r}")
            for it in ("x", -1, float("nan"))
        ),
        (lambda: splitters.logistic(ridge=0), "ridge must be a finite number above 0, got 0"),
        (lambda: splitters.ignore(predict=3), "missing must be a prediction rule such as weighted"),
        (lambda: splitters.as_branch(predict="mean"), "missing must be a prediction rule such as weighted"),
    ],
)
def test_options_out_of_range_are_refused_by_name(make, wanted):
    with pytest.raises(ValueError, match=wanted):
        make()


def test_weights_are_sought_for_features_that_vary_among_complete_rows_only():
    seen = []

    def recorded(points_of_node, _):
        seen.append((points_of_node.points.tolist(), points_of_node.counts.tolist()))
        return [np.array([1.0, 0.5])]

    points = np.array([[0, 7, 10], [4, 7, 30], [2, 7, 50], [9, 8, np.nan]], dtype=float)
    _, split, _ = splitters.oblique(by=recorded).best(splitters.NodeVectors(points, np.eye(4), ()), gain)
    assert seen == [([[-1, -1], [1, 0], [0, 1]], np.eye(4)[:3].tolist())]
    assert split.features == (0, 2) or isinstance(split, Threshold)
    assert splitters.oblique(by=recorded).best(splitters.NodeVectors(points[:, 1:2], np.eye(4), ()), gain)[1] == Threshold(0, 7.5)
    assert len(seen) == 1, "one feature has no sum"


@pytest.mark.parametrize(
    "splitter",
    [splitters.threshold(), splitters.multiway(), splitters.subset(), splitters.intervals(), splitters.random_threshold(seed=0)],
)
def test_a_run_without_a_split_builds_none(splitter):
    feature = Feature("x", splitter.kinds[0], () if splitter.kinds[0] == "numeric" else ("a", "b"))
    zero = np.zeros(1, np.intp)
    found = splitter(runs_of(Avc(zero, zero, np.array([1.0]), np.array([[2, 0]])), (feature,)), gain)
    with pytest.raises(ValueError, match="run must be one with a split, got 0, whose score is -inf"):
        found.build(0)


def test_subsets_of_many_values_without_a_meaning_are_preferred_more_often_than_single_values():
    """Of sixty rows, one column of two values is right in two thirds; another has thirty values drawn at random."""
    roots = {splitters.subset(): 0, splitters.one_value(): 0}
    for seed in range(20):
        rng = np.random.default_rng(seed)
        labels, noise = rng.integers(0, 2, 60), rng.integers(0, 30, 60)
        signs = labels ^ (rng.random(60) < 1 / 3)
        data = Dataset.from_columns({"sign": signs, "noise": noise, "class": labels}, kinds="nominal")
        for splitter in roots:
            roots[splitter] += grow(data, evolve(CART, splits=(splitter,))).root.split.features == (1,)
    assert roots[splitters.one_value()] <= 5
    assert roots[splitters.subset()] >= 15
