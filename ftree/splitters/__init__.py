"""Splitters: the ways in which a feature can divide the cases of a node.

A splitter finds splits: `threshold()` finds a `Threshold`, `subset()` a `Subset`, and so on.

    Runs          runs.py: the counts of a level, a run of values for each node and feature
      |           thresholds.py, nominal.py, chaid.py, by cuts.py; combine.py: of several splitters; sums.py: of several features
    BestSplits    runs.py: each run's score, and how to make its split
      |           what is above a node limits it: constraints.py; missing values: missing_policies.py, which names the
                  hooks, missing_as_branch.py, surrogates.py
    a choice      feature_choice.py, instability_tests.py, permutation_tests.py

`min_cases` is about the children of candidate splits (scikit-learn's `min_samples_leaf`, rpart's minbucket); the stopping rules
`stop.min_rows` and `stop.min_best_child` close nodes instead.

To add a splitter, copy `threshold`; `ListsCandidates` of runs.py is what `exact.optimal` asks. To add an option, try it in
`FOUND` of `tests/testing/test_our_splitters.py`, with a loop that finds the same; let `candidates` list by it or refuse it
(`without_limits`); sources and C do not follow it until `_OPTIONS` of scan/counting_engine.py and `OPTIONS` of
growth/depth_first/what_c_knows.py name it.

| after a change of | run first |
|---|---|
| runs.py, combine.py | `tests/splitters/test_splitters.py`, `tests/testing/test_our_splitters.py` |
| cuts.py, thresholds.py, nominal.py | the same; C and scans do alike: `tests/growth/test_table_growth.py`, `tests/scan` |
| surrogates.py | `test_surrogates.py`, `tests/growth/test_table_growth.py` |
| feature_choice.py | the same; `test_feature_costs.py`; `tests/testing/test_our_policies.py` |
| sums.py | `test_oblique.py`, `test_weight_finders.py` |
| missing_policies.py | `tests/testing/test_our_missing.py`, `tests/routing/test_missing_rules.py` |
| missing_as_branch.py | `test_as_branch.py` |
| `candidates` of any splitter | `test_candidate_limits.py`, `tests/exact/test_candidates.py` |
| another file | the test of its name |
"""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.splitters.missing_as_branch import Translate as Translate, as_branch as as_branch
    from ftree.splitters.chaid import merging as merging, n_mergings as n_mergings
    from ftree.splitters.combine import (
        all_parts as all_parts,
        best_of as best_of,
        only as only,
        per_feature as per_feature,
        random_features as random_features,
    )
    from ftree.splitters.constraints import interactions as interactions, monotonic as monotonic
    from ftree.splitters.cuts import (
        best_cuts as best_cuts,
        c45_min_branch as c45_min_branch,
        every_cut as every_cut,
        two_sides as two_sides,
    )
    from ftree.splitters.feature_choice import (
        Candidates as Candidates,
        FeatureChoice as FeatureChoice,
        by_cost as by_cost,
        by_gain_ratio as by_gain_ratio,
        by_score as by_score,
        many_valued as many_valued,
    )
    from ftree.splitters.instability_tests import by_instability_test as by_instability_test
    from ftree.splitters.missing_policies import as_value as as_value, ignore as ignore
    from ftree.splitters.nominal import multiway as multiway, one_value as one_value, subset as subset
    from ftree.splitters.permutation_tests import by_permutation_test as by_permutation_test
    from ftree.splitters.runs import (
        ORDERED as ORDERED,
        UNORDERED as UNORDERED,
        BestSplits as BestSplits,
        Build as Build,
        DistinctValues as DistinctValues,
        JointSplitter as JointSplitter,
        ListsCandidates as ListsCandidates,
        Measure as Measure,
        NodeVectors as NodeVectors,
        Runs as Runs,
        Splitter as Splitter,
        is_splitter as is_splitter,
    )
    from ftree.splitters.sums import (
        NodePoints as NodePoints,
        WeightFinder as WeightFinder,
        coordinates as coordinates,
        logistic as logistic,
        oblique as oblique,
    )
    from ftree.splitters.surrogates import (
        CountsSides as CountsSides,
        binary_splits_of as binary_splits_of,
        surrogates as surrogates,
    )
    from ftree.splitters.thresholds import (
        cut_after as cut_after,
        intervals as intervals,
        random_threshold as random_threshold,
        threshold as threshold,
        worth_its_description as worth_its_description,
    )
else:
    on_first_use(__name__)
