"""Levels of growth, one by one: what the search sees, what is reported, and what is saved."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from attrs import evolve

from ftree import C45, CART, ID3, Branch, Dataset, Leaf, Tree, entropy, gain, grow
from ftree._lib.arrays import offsets
from ftree._lib.random_numbers import child_keys
from ftree.criteria import Avc, Frontier
from ftree.growth import EngineSetup, Growth, plain, step, terms_of
from ftree.growth import levels as levels_module
from ftree.growth.assemble import root_of
from ftree.growth.engines.engine import Abilities, StopLimits, abilities_of
from ftree.growth.levels import StartNodes, numbers_of_children
from ftree.growth.search import Terms, _information, best_variant, known_share_of, search
from ftree.growth.split_arrays import Cuts
from ftree.splitters import BestSplits, as_branch, by_score, multiway, surrogates, threshold
from ftree.splitters.missing_policies import known_share
from ftree.splitters.runs import missing_counts, runs_of
from ftree.stop import pure
from ftree.tree import Multiway, Threshold

ROWS = [["a", 1], ["a", 2], ["b", 1], ["b", 2], ["c", 1], ["c", 1]]
TABLE = Dataset.from_rows(ROWS, [0, 1, 1, 0, 1, 1], kinds={"x1": "numeric"})
GAPS = Dataset.from_rows([["a", 1], ["b", 2], [None, 2], ["b", 3]], [0, 1, 1, 0], kinds={"x1": "numeric"})


def growth_of(table, policy, **options):
    return Growth(table.schema.features, policy, terms_of(policy, table), **options)


def at_root(table):
    return plain(table, EngineSetup())


def test_a_level_has_its_splits_gains_and_keys():
    growth = growth_of(TABLE, evolve(ID3, stop=pure()))
    root, engine = step(growth, at_root(TABLE))
    assert (root.depth, root.counts.tolist(), root.splits) == (0, [[2, 4]], (Multiway(0, (0, 1, 2)),))
    assert root.gain == pytest.approx([0.918296 - 4 / 6], abs=1e-6)
    assert root.keys.tolist() == [0]
    below, engine = step(growth, engine, root)
    assert (below.depth, below.counts.tolist()) == (1, [[1, 1], [1, 1], [0, 2]])
    assert below.splits == (Threshold(1, 1.5), Threshold(1, 1.5), None)
    assert np.array_equal(below.gain, [1, 1, np.nan], equal_nan=True), "a pure node is not searched"
    zero = np.zeros(3, np.uint64)
    assert below.keys.tolist() == child_keys(zero, np.arange(3)).tolist()
    last, after = step(growth, engine, below)
    assert last.keys.tolist() == child_keys(np.repeat(below.keys[:2], 2), np.array([0, 1, 0, 1])).tolist()
    assert (last.counts.tolist(), last.splits) == ([[1, 0], [0, 1], [0, 1], [1, 0]], (None,) * 4)
    assert after.totals().tolist() == last.counts.tolist(), "without a split the engine stays"


def test_a_node_closed_after_the_search_has_a_gain_and_no_split():
    growth = growth_of(TABLE, evolve(ID3, stop=lambda frontier: frontier.gain < 0.5))
    level, _ = step(growth, at_root(TABLE))
    assert level.splits == (None,)
    assert level.gain == pytest.approx([0.918296 - 4 / 6], abs=1e-6)


def test_some_nodes_of_a_level_keep_their_keys():
    growth = growth_of(TABLE, evolve(ID3, stop=pure()))
    root, engine = step(growth, at_root(TABLE))
    whole, _ = step(growth, engine, root)
    others = np.array([False, True, True])
    part, _ = step(growth, engine.keep(others), root, remaining=others)
    assert part.keys.tolist() == whole.keys[1:].tolist()
    assert part.splits == whole.splits[1:]


def test_a_start_gives_its_splits_and_counts_are_asked_of_the_engine():
    leaf = Leaf((1, 1))
    start = StartNodes((Branch((2, 4), Multiway(0, (0, 1, 2)), [leaf] * 3),))
    level, engine = step(growth_of(TABLE, ID3), at_root(TABLE), start=start)
    assert (list(level.splits), np.isnan(level.gain).tolist()) == ([Multiway(0, (0, 1, 2))], [True])
    assert engine.totals().tolist() == [[1, 1], [1, 1], [0, 2]]
    counted = evolve(start, counted=True)
    assert counted.child_counts().tolist() == [[1, 1]] * 3
    assert start.child_counts() is None
    assert evolve(counted, nodes=(None, *counted.nodes)).child_counts() is None


def test_memory_is_asked_before_a_level_is_searched(monkeypatch):
    asked = []
    monkeypatch.setattr(levels_module, "check_room", lambda *sizes, copies: asked.append((*sizes, copies)))
    growth = growth_of(TABLE, evolve(ID3, stop=pure()))
    step(growth, step(growth, at_root(TABLE))[1], step(growth, at_root(TABLE))[0])
    assert asked == [(1, 2, 6), (1, 2, 6), (3, 2, 6)]


def test_an_engine_that_counts_no_sides_grows_no_surrogates():
    growth = growth_of(GAPS, CART, able=Abilities())
    with pytest.raises(TypeError, match=r"^engine must count sides for surrogates, as the plain engine does, got Plain\.$"):
        step(growth, at_root(GAPS))
    able = abilities_of(at_root(GAPS), EngineSetup())
    assert able == Abilities(sides=True)


def test_the_terms_of_a_search_are_those_of_the_policy_and_the_table():
    terms = terms_of(C45, GAPS)
    assert (terms.splitters, terms.impurity, terms.score, terms.choose) == (C45.splits, C45.impurity, C45.score, C45.choose)
    assert (terms.factors, terms.gaps, terms.many, terms.discount, terms.variants) == (None, frozenset(), {0}, known_share, None)
    assert terms_of(CART, GAPS).gaps == {0}
    assert terms_of(CART, TABLE).gaps == frozenset()
    assert terms_of(evolve(CART, missing=surrogates(everywhere=True)), TABLE).gaps == {0, 1}
    assert terms_of(evolve(CART, missing=as_branch()), GAPS).variants is not None
    assert terms_of(evolve(CART, missing=as_branch()), TABLE).variants is None
    for by in ({"priors": (0.5, 0.5)}, {"costs": ((0, 2), (1, 0))}):
        assert terms_of(evolve(CART, **by), TABLE).factors is not None
    plainest = Terms((threshold(),))
    assert (plainest.impurity, plainest.score, plainest.choose) == (entropy, gain, by_score())
    assert (plainest.factors, plainest.gaps, plainest.many) == (None, frozenset(), frozenset())
    assert (plainest.discount, plainest.variants) == (known_share, None)


def test_children_are_counted_as_objects_and_as_arrays():
    splits = [Threshold(0, 1.0), None, Multiway(0, (0, 1, 2))]
    assert numbers_of_children(splits).tolist() == numbers_of_children(Cuts.of(splits)).tolist() == [2, 0, 3]
    assert numbers_of_children([]).dtype == np.int64


# Search -----------------------------------------------------------------------------------------------------------------


def test_runs_leave_missing_values_out_and_have_the_keys_of_their_nodes():
    avc = at_root(GAPS).count()
    runs = runs_of(avc, GAPS.schema.features, Frontier(0, np.array([[2, 2]]), keys=np.array([7], np.uint64)))
    assert (runs.value.tolist(), runs.counts.tolist()) == ([0, 1, 1, 2, 3], [[1, 0], [1, 1], [1, 0], [0, 2], [1, 0]])
    assert (runs.start.tolist(), runs.end.tolist(), runs.node.tolist(), runs.feature.tolist()) == ([0, 2], [2, 5], [0, 0], [0, 1])
    assert runs.key.tolist() == [7, 7]
    assert (runs_of(avc, GAPS.schema.features).key.tolist(), runs.key.dtype) == ([0, 0], np.uint64)
    assert missing_counts(avc).tolist() == [[0, 1], [0, 0]]
    nothing = np.zeros(0, int)
    none = runs_of(Avc(nothing, nothing, np.zeros(0), np.zeros((0, 2))), GAPS.schema.features)
    assert (len(none.start), len(none.end)) == (0, 0)
    assert known_share_of(none, np.array([[2, 2]]), Terms((threshold(),))).tolist() == []


def test_the_share_of_known_cases_counts_classes_by_their_factors():
    runs = runs_of(at_root(GAPS).count(), GAPS.schema.features)
    totals = np.array([[2, 2]])
    assert known_share_of(runs, totals, Terms((threshold(),))).tolist() == [0.75, 1.0]
    assert known_share_of(runs, totals, Terms((threshold(),), factors=np.array([1.0, 3.0]))).tolist() == [5 / 8, 1.0]
    assert known_share_of(runs, totals, Terms((threshold(),), factors=np.array([0.0, 0.0]))).tolist() == [0.0, 0.0]


def test_missing_cases_are_counted_for_the_run_of_their_node_and_feature():
    """Two nodes and two features; nothing is known of the second feature in the first node."""
    nan = np.nan
    value = np.array([1.0, nan, nan, 1.0, 2.0, 3.0, nan])
    counts = np.array([[1, 0], [0, 1], [1, 1], [2, 0], [0, 2], [2, 1], [1, 0]])
    avc = Avc(np.array([0, 0, 0, 1, 1, 1, 1]), np.array([0, 0, 1, 0, 0, 1, 1]), value, counts)
    runs = runs_of(avc, TABLE.schema.features)
    assert (runs.node.tolist(), runs.feature.tolist()) == ([0, 1, 1], [0, 0, 1])
    found = missing_counts(avc)
    assert (found.tolist(), found.dtype) == ([[0, 1], [0, 0], [1, 0]], counts.dtype)


def test_the_first_of_the_best_variants_is_built_and_translated():
    runs = runs_of(at_root(GAPS).count(), GAPS.schema.features)
    marks = iter([[1.0, 2.0], [1.0, 3.0], [0.5, 3.0]])

    class Marked:
        kinds = ("nominal", "numeric", "ordinal")

        def __call__(self, *_):
            score = np.array(next(marks))
            return BestSplits(score, lambda run: (Threshold(run, float(score[run])), np.zeros((2, 2))))

    variants = [(runs, lambda run, split, counts, name=name: (name, run, split, counts.shape)) for name in "abc"]
    own, best = best_variant(variants, (Marked(),), gain)
    assert own is runs
    assert best.score.tolist() == [1.0, 3.0]
    assert best.build(0) == ("a", 0, Threshold(0, 1.0), (2, 2))
    assert best.build(1) == ("b", 1, Threshold(1, 3.0), (2, 2))


def test_split_information_counts_missing_cases_as_one_more_child():
    """Three quarters of the cases are known, and half of these go each way: H(3/4, 1/4) + 3/4 of one bit."""
    table = Dataset.from_rows([[1], [1], [1], [2], [2], [2], [None], [None]], [0, 0, 0, 1, 1, 1, 0, 1])
    seen = []

    def choose(candidates):
        seen.append((candidates.information(np.array([0])), candidates.many.tolist(), candidates.score.tolist()))
        return candidates.score

    growth = growth_of(table, evolve(ID3, choose=choose, stop=pure()))
    level, _ = step(growth, at_root(table))
    ((information, many, score),) = seen
    assert information == pytest.approx([0.811278 + 0.75], abs=1e-6)
    assert (many, score, level.splits) == ([False], [0.75], (Threshold(0, 1.5),))


def test_a_share_of_known_cases_above_1_by_rounding_counts_as_1():
    children = np.array([[3.0, 0.0], [0.0, 3.0]])
    best = BestSplits(np.array([1.0]), lambda _: (Threshold(0, 1.5), children))
    assert _information(best, np.array([0]), np.array([np.nextafter(1, 2)])) == pytest.approx([1.0])


def test_a_choice_that_excludes_all_leaves_a_leaf_and_one_of_another_shape_is_refused():
    def nothing(candidates):
        return np.full(len(candidates.score), -np.inf)

    assert grow(TABLE, evolve(ID3, choose=nothing)).root == Leaf((2, 4))
    with pytest.raises(ValueError, match="must return"):
        grow(TABLE, evolve(ID3, choose=lambda candidates: candidates.score[:1]))


def test_a_search_gives_each_node_its_best_split_and_others_themselves():
    avc = at_root(TABLE).count()
    frontier = Frontier(0, np.array([[2, 4]]), entropy(np.array([[2, 4]])))
    found = search(frontier, avc, TABLE.schema.features, Terms((threshold(),)), joint=None)
    assert (found.splits, found.child_counts.tolist(), found.n_children.tolist()) == ((Threshold(1, 1.5),), [[1, 3], [1, 1]], [2])
    one = Dataset.from_rows([["a"], ["a"]], [0, 1])
    leaf = search(
        Frontier(0, np.array([[1, 1]]), np.ones(1)), at_root(one).count(), one.schema.features, Terms((multiway(),)), joint=None
    )
    assert (leaf.splits, leaf.child_counts.tolist(), leaf.n_children.tolist()) == ((None,), [[1, 1]], [1])


# Reports ----------------------------------------------------------------------------------------------------------------


def test_a_trace_gets_read_only_arrays_and_splits_as_objects():
    seen = []
    grow(TABLE, evolve(ID3, stop=pure()), trace=seen.append)
    assert [type(level.splits) for level in seen] == [tuple] * 3
    for level in seen:
        for name in ("counts", "gain", "keys"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(level, name)[...] = 0


def test_a_line_tells_open_nodes_and_the_share_of_cases_in_leaves(capsys):
    grow(TABLE, ID3, progress=True)
    lines = [line.strip() for line in capsys.readouterr().err.split("\r")]
    assert lines == [
        "",
        "level 0: 1 open nodes, 0% of the cases done",
        "level 1: 2 open nodes, 33% of the cases done",
        "level 2: 0 open nodes, 100% of the cases done",
    ]


def test_levels_by_hand_make_the_tree_and_their_counts_add_up():
    growth = growth_of(TABLE, evolve(ID3, stop=pure()))
    engine, found = at_root(TABLE), [None]
    while found[-1] is None or found[-1].open.any():
        level, engine = step(growth, engine, found[-1])
        found.append(level)
    assert Tree(TABLE.schema, root_of(found[1:])) == grow(TABLE, growth.policy)
    traced = []
    grow(TABLE, growth.policy, trace=traced.append)
    for above, below in pairwise(traced):
        assert np.array_equal(above.child_counts, below.counts)
        assert np.array_equal(np.add.reduceat(below.counts, offsets(above.n_children[above.open])[:-1]), above.counts[above.open])


def test_children_of_closed_nodes_are_not_counted_for_the_next_level():
    """The first node closes after the search, the last before it; the engine gets the counts of the second one's children."""

    def rule(frontier):
        return frontier.counts[:, 0] * 2 > frontier.weight

    table = Dataset.from_rows(
        [["a", 1], ["a", 2], ["a", 2], ["b", 1], ["b", 2], ["b", 2], ["c", 1]], [1, 0, 0, 0, 1, 1, 1], kinds={"x1": "numeric"}
    )
    growth = growth_of(table, evolve(ID3, stop=pure() | (lambda frontier: rule(frontier) & (frontier.depth > 0))))
    root, engine = step(growth, at_root(table))
    level, below = step(growth, engine, root)
    assert list(level.splits) == [None, Threshold(1, 1.5), None]
    assert np.isnan(level.gain).tolist() == [False, False, True]
    assert below.totals().tolist() == [[1, 0], [0, 2]]


@pytest.mark.parametrize(
    ("limits", "able", "gaps", "asked"),
    [
        (StopLimits(), Abilities(subtrees=True), (), True),
        (None, Abilities(subtrees=True), (), False),
        (StopLimits(), Abilities(), (), False),
        (StopLimits(), Abilities(subtrees=True), (0,), False),
        (StopLimits(), Abilities(subtrees=True, surrogates=True), (0,), True),
    ],
    ids=["able", "rule without numbers", "unable", "surrogates of others", "own surrogates"],
)
def test_an_engine_grows_subtrees_by_rules_in_numbers_and_with_surrogates_only_if_it_finds_them(limits, able, gaps, asked):
    calls = []
    engine = SimpleNamespace(finish=lambda *given: calls.append(given))
    terms = Terms(ID3.splits, gaps=frozenset(gaps))
    assert levels_module._grown_to_the_end(Growth((), ID3, terms, able, limits), engine, 7, None) is None
    assert calls == ([(7, limits)] if asked else [])
