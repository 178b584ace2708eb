"""What engines share: the rule for cases without an answer, numbers of finished nodes, limits of growth for pruning."""

import numpy as np
import pytest
from attrs import asdict, astuple

from ftree import ID3, Dataset, grow
from ftree.growth.engine_choice import criterion_of
from ftree.growth.engines import EngineSetup, parts_of, plain, plain_engine
from ftree.growth.engines.compiled_engine import compiled
from ftree.growth.engines.engine import Abilities, GrownSubtrees, SurrogateSearch, abilities_of, as_rule
from ftree.growth.growing import Grower
from ftree.growth.search import Terms
from ftree.growth.split_arrays import Cuts
from ftree.routing import heaviest, weighted
from ftree.stop import max_depth
from ftree.tree import Threshold


def test_a_rule_of_ones_own_divides_cases_as_it_says():
    def first_two(sizes):
        return np.where(np.arange(len(sizes)) < 2, 0.5, 0.0)

    assert as_rule(first_two) is first_two
    assert as_rule("heaviest") == heaviest()
    assert as_rule("ignore") == weighted()


def test_all_nodes_of_a_level_that_are_finished_keep_their_numbers():
    cuts = Cuts.of([Threshold(0, 0.5), None, None, None])
    found = GrownSubtrees(np.array([0, 1]), np.array([0, 1, 2, 3]), np.ones((4, 2)), cuts, np.array([2, 0, 0, 0]))
    among = found.among(np.array([True, True]))
    assert (among.node.tolist(), among.place.tolist(), among.first.tolist()) == ([0, 1], [0, 1, 2, 3], [2, 0, 0, 0])
    spread = found.among(np.array([False, True, False, True]))
    assert (spread.node.tolist(), spread.place.tolist(), spread.first.tolist()) == ([1, 3], [1, 3, 4, 5], [4, 2, 2, 2])


def test_a_node_with_exactly_the_least_errors_is_grown():
    labels = [1] * 7 + [0] * 93
    data = Dataset.from_columns({"x": labels, "class": labels}, target="class", kinds={"x": "nominal"})
    assert 0.07 * 100 > 7  # by a rounding error
    assert Grower(ID3, 0.07)(data) == grow(data)
    assert Grower(ID3, 0.08)(data) == grow(data, ID3.stopping(max_depth(0)))


def test_shares_of_a_rule_that_do_not_add_up_are_refused():
    with pytest.raises(ValueError, match="add up to 1"):
        parts_of(np.ones(1), np.ones(2), lambda sizes: np.ones(len(sizes)), 0.125)


@pytest.mark.parametrize(("n_cells", "copies"), [(0, 6), (1, 12), (8192, 12), (16384, 9), (8192 * 6, 7)])
def test_a_search_takes_six_times_its_counts_and_as_much_for_a_block_of_them(n_cells, copies):
    assert plain_engine._copies(n_cells) == copies


def test_memory_is_asked_for_what_the_search_makes_of_counts(monkeypatch):
    asked, whole = [], plain_engine.class_counts_of_cells
    monkeypatch.setattr(
        plain_engine,
        "class_counts_of_cells",
        lambda *given, **options: asked.append((given[3], options)) or whole(*given, **options),
    )
    table = Dataset.from_columns({"c": list("abc"), "many": [0.0, 1.0, 2.0], "y": [0, 1, 1]}, target="y")
    engine = plain(table, EngineSetup())
    engine.count()
    assert asked == [(8, {"copies": 12})], "three values and the missing one of each"
    monkeypatch.setattr(plain_engine, "_SMALL", -99)
    engine.count()
    assert asked[1:] == [(3, {"copies": 12})] * 2, "each feature has three values"


@pytest.mark.parametrize(
    ("start", "criterion", "search", "able"),
    [
        (plain, False, False, "sides"),
        (plain, True, True, "sides"),
        (compiled, False, False, "sides"),
        (compiled, False, True, "sides surrogates"),
        (compiled, True, False, "sides splits subtrees"),
        (compiled, True, True, "sides splits subtrees surrogates"),
    ],
)
def test_an_engine_finds_splits_by_a_criterion_and_surrogates_where_some_are_searched(start, criterion, search, able):
    table = Dataset.from_rows([["a"], ["b"]], [0, 1])
    criterion = criterion_of(table.schema.features, Terms(ID3.splits), 2) if criterion else None
    setup = EngineSetup(criterion=criterion, surrogates=SurrogateSearch(frozenset({0}), 1) if search else None)
    found = asdict(abilities_of(start(table, setup), setup))
    assert " ".join(name for name, has in found.items() if has) == able
    assert not any(asdict(Abilities()).values())


def test_an_engine_starts_without_a_criterion_threads_and_surrogates_and_divides_cases_unless_told_otherwise():
    assert astuple(EngineSetup()) == ("ignore", None, None, None)
