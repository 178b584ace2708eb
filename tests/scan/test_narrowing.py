"""A level keeps the best cut of each feature that may win, however few cells it has and however they are chunked."""

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from ftree import ID3, entropy, gini, misclassification
from ftree.growth import EngineSetup, plain, search_settings
from ftree.scan import ranges, source_of
from ftree.scan.level import counted_level
from ftree.splitters import best_of, by_gain_ratio, multiway, threshold
from ftree.splitters.runs import runs_of
from ftree.testing import datasets


def best_splits(avc, dataset, searched):
    """The best split of each feature with one, and its score."""
    runs = runs_of(avc, dataset.schema.features)
    found = best_of(runs, searched.splitters, searched.measure)
    named = zip(runs.feature.tolist(), found.score.tolist(), range(len(runs.feature)), strict=True)
    return {feature: (score, found.build(run)[0]) for feature, score, run in named if score > -np.inf}


# By the gain ratio, each feature needs its own best cut.
policies = st.builds(
    lambda impurity, min_cases: evolve(
        ID3, impurity=impurity, choose=by_gain_ratio(), splits=(multiway(), threshold(min_cases=min_cases))
    ),
    st.sampled_from([entropy, gini, misclassification]),
    st.sampled_from([1, 4, 12]),
)


@settings(max_examples=5 * settings.default.max_examples)  # few draws have a best cut that `min_cases` refuses
@given(
    datasets(max_rows=40, missing=True, weighted=True),
    policies,
    st.integers(2, 9),
    st.integers(1, 4),
    st.integers(1, 9),
    st.sampled_from([1, 150_000]),
)
def test_the_best_cut_of_each_feature_is_kept(dataset, policy, bins, cells, rows, chunk):
    source = evolve(source_of(dataset, bins=bins, rows_per_part=rows), most_cells=cells)
    searched = search_settings(policy, dataset)
    level = source.start_engine(policy, searched).level()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranges, "_ROWS", chunk)
        found = counted_level(level)
    wanted = plain(dataset, EngineSetup()).count()
    assert found.counts.sum(axis=0).tolist() == wanted.counts.sum(axis=0).tolist()
    assert best_splits(found, dataset, searched) == best_splits(wanted, dataset, searched)
