"""The criterion that the compiled engine gets: policies with kernels, in numbers, and those that NumPy grows."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import ID3, Dataset, Feature, gini
from ftree.criteria import compiled_impurity, dkm, gain_ratio, misclassification, normalised_gain, pearson
from ftree.growth.engine_choice import criterion_of
from ftree.growth.engines import EngineSetup, compiled_state, compiled_subtrees
from ftree.growth.engines.compiled_engine import Compiled, compiled
from ftree.growth.engines.compiled_state import _measure, _tables_for
from ftree.growth.engines.compiled_subtrees import dealt
from ftree.growth.engines.engine import StopLimits
from ftree.growth.engines.plain_engine import Plain
from ftree.growth.kernels.records import (
    EMPTY,
    ENTROPY,
    EXACT,
    GAIN,
    GAIN_RATIO,
    GINI,
    LEAST,
    MANY,
    MDL,
    MISCLASSIFICATION,
    MOST,
    MULTIWAY,
    NONE,
    OWN,
    SHARE,
    SUBSET,
    THRESHOLD,
)
from ftree.growth.search import Terms
from ftree.splitters import by_gain_ratio, by_score, c45_min_branch, intervals, merging, multiway, oblique, subset, threshold

FEATURES = [Feature("c", "nominal", "abc"), Feature("x", "numeric"), Feature("o", "ordinal", "SML")]
TERMS = Terms((multiway(), threshold()))


@compiled_impurity
def own(counts):
    return counts.min() / max(counts.sum(), 1.0)


def criterion(terms, features=FEATURES):
    return criterion_of(features, terms, 2)


@pytest.mark.parametrize(
    ("terms", "impurity", "score"),
    [
        (TERMS, ENTROPY, GAIN),
        (evolve(TERMS, impurity=gini, score=gain_ratio), GINI, GAIN_RATIO),
        (evolve(TERMS, impurity=misclassification, choose=by_gain_ratio()), MISCLASSIFICATION, GAIN),
        (evolve(TERMS, factors=np.array([0.0, 1e49])), ENTROPY, GAIN),
        (evolve(TERMS, splitters=(multiway(min_cases=c45_min_branch(2)), threshold(min_cases=3, mdl=True))), ENTROPY, GAIN),
    ],
    ids=["ID3", "gini by ratio", "errors", "factors", "least sizes"],
)
def test_what_has_kernels_is_said_in_numbers(terms, impurity, score):
    found = criterion(terms)
    assert (found.impurity, found.score, found.code) == (impurity, score, None)
    assert found.ways.tolist() == [MULTIWAY, THRESHOLD, THRESHOLD]
    assert found.factors is terms.factors
    assert found.slack == (None if isinstance(terms.choose, by_score) else by_gain_ratio().slack)


def test_a_compiled_impurity_is_its_machine_code_and_priors_need_one_of_the_librarys():
    found = criterion(evolve(TERMS, impurity=own))
    assert (found.impurity, found.code) == (OWN, own.native)
    assert criterion(evolve(TERMS, impurity=own, factors=np.ones(2))) is None


@pytest.mark.parametrize(
    "terms",
    [
        evolve(TERMS, impurity=dkm),
        evolve(TERMS, score=normalised_gain),
        evolve(TERMS, score=pearson),
        evolve(TERMS, splitters=(multiway(), intervals())),
        evolve(TERMS, splitters=(merging(),)),
        evolve(TERMS, splitters=(multiway(), threshold(), threshold(mdl=True))),
        evolve(TERMS, splitters=(multiway(), threshold(), oblique())),
        evolve(TERMS, splitters=(multiway(), threshold(min_cases=np.divide))),
        evolve(TERMS, choose=lambda candidates: candidates.score),
        evolve(TERMS, discount=np.sqrt),
        evolve(TERMS, variants=lambda runs, counts: [(runs, counts)]),
        evolve(TERMS, factors=np.array([1.0, 1e50])),
        evolve(TERMS, factors=np.array([1.0, 1e-50])),
    ],
)
def test_what_has_no_kernel_is_grown_by_numpy(terms):
    assert criterion(terms) is None


def test_a_kind_of_feature_without_a_splitter_is_not_split_and_one_that_is_absent_needs_none():
    only = evolve(TERMS, splitters=(subset(),))
    assert criterion(only).ways.tolist() == [SUBSET, NONE, NONE]
    assert criterion(evolve(TERMS, splitters=(subset(), intervals())), FEATURES[:1]).ways.tolist() == [SUBSET]


def test_splits_that_list_absent_values_need_codes_in_bytes():
    listed = evolve(TERMS, splitters=(multiway(empty=True), threshold()))
    for n, fits in ((254, True), (255, False)):
        many = [Feature("c", "nominal", range(n))]
        assert (criterion(listed, many) is not None) == fits
        assert criterion(TERMS, many) is not None


def test_options_are_those_of_each_features_splitter():
    assert criterion(TERMS).options is None
    splitters = multiway(empty=True, min_cases=c45_min_branch(3)), threshold(min_cases=2, mdl=True)
    nominal, numeric, ordinal = criterion(evolve(TERMS, splitters=splitters, many=frozenset({1}))).options.tolist()
    assert [nominal[each] for each in (LEAST, SHARE, MOST, MDL, EMPTY, EXACT, MANY)] == [3, 0.1, 25, 0, 3, 0, 0]
    assert [numeric[each] for each in (LEAST, SHARE, MOST, MDL, EMPTY, EXACT, MANY)] == [2, 0, 0, 1, 0, 0, 1]
    assert ordinal == [*numeric[:MANY], 0.0, *numeric[MANY + 1 :]]
    assert criterion(evolve(TERMS, splitters=(subset(exact=7),))).options[:, EXACT].tolist() == [7, 0, 0]
    assert criterion(evolve(TERMS, choose=by_gain_ratio())).options.tolist() == [[0] * 7] * 3


@pytest.mark.parametrize(
    ("terms", "fast", "plain"),
    [
        (TERMS, True, True),
        (evolve(TERMS, impurity=gini), True, True),
        (evolve(TERMS, impurity=own), True, True),
        (evolve(TERMS, impurity=misclassification), False, True),
        (evolve(TERMS, score=gain_ratio), False, True),
        (evolve(TERMS, choose=by_gain_ratio()), False, False),
        (evolve(TERMS, factors=np.array([1.0, 2.0])), False, False),
        (evolve(TERMS, splitters=(multiway(), threshold(min_cases=2))), False, False),
        (evolve(TERMS, splitters=(subset(exact=7), threshold())), True, True),
    ],
)
def test_thresholds_are_found_in_one_pass_by_gain_where_nothing_is_altered(terms, fast, plain):
    measure = _measure(criterion(terms), 10)
    assert (measure.fast, measure.plain) == (fast, plain)
    assert len(measure.table) == (0 if terms.factors is not None else 17)


def test_tables_of_n_log_n_are_shared_by_growths_of_about_as_many_rows(monkeypatch):
    assert _tables_for(9) is _tables_for(15)
    whole, steps, unit, floats = _tables_for(9)
    assert floats == pytest.approx([n * np.log2(max(n, 1)) for n in range(17)])
    assert whole[:17] / unit == pytest.approx(floats)
    assert (steps == np.diff(whole)).all()
    monkeypatch.setattr(compiled_state, "_SHARED", 8)
    assert len(_tables_for(9)[3]) == 10, "a large table is as long as it must be, and not kept"
    assert len(_measure(criterion(TERMS), None).table) == 0


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.integers(1, 12))
def test_nodes_are_dealt_in_order_to_groups_of_about_as_many_cells(sizes, each):
    groups = [group.tolist() for group in dealt(np.arange(len(sizes)), np.array(sizes), each)]
    assert [node for group in groups for node in group] == list(range(len(sizes)))
    middles = [sum(sizes[:node]) + sizes[node] / 2 for node in range(len(sizes))]
    for group in groups:
        assert len({middles[node] // each for node in group}) == 1
    assert len(groups) == len({middle // each for middle in middles})


def test_subtrees_ask_for_the_memory_of_two_nodes_per_entry_in_copies(monkeypatch):
    """Three copies of whole numbers of 8 bytes, for each class of 2 nodes for an entry."""
    asked = []
    monkeypatch.setattr(compiled_subtrees, "has_room", asked.append)
    table = Dataset.from_columns({"c": list("abc") * 5, "y": [0, 1, 2] * 5}, target="y")
    engine = compiled(table, EngineSetup("ignore", criterion_of(table.schema.features, Terms(ID3.splits), 3)))
    assert engine.finish(0, StopLimits()) is None
    assert asked == [3 * 8 * 2 * 15 * 3]


def test_advancing_consumes_the_compiled_engine_only():
    assert Compiled.single_use is True
    assert Plain.single_use is False
