"""Why a tree answers as it does: importances, SHAP values, and what would change the answer for a row.

    explain_row   explain_row.py      a row's path (routing/paths.py), and the nearest other answer in words
    nearest_other nearest_leaf.py     the search for it: each Visit limits features to a Region
    shap_values   shap.py             of rows that `routing.reach` sends down: a Game between features, by a Quadrature
    scores        feature_scores.py   each feature's best split of a table, as growth counts it
    summary       node_summaries.py   the same at each node, as rpart prints them; counted_levels.py counts these

| to add | change | test in `tests/explain` |
|---|---|---|
| a column of `scores` | a field of `FeatureScore`, set in `_score`; its column in `Scores._parts` | `test_feature_scores.py` |
| a kind of condition by which a row may change | `regions_of`, or a generator beside `_by_sum` | `test_explain_row.py` |
| another cost of changes | `_scales`, `_cost`; `explain_row` and `docs/understanding.md` tell of it | `test_explain_row.py` |
| SHAP values by background rows | the mean of a game for each, whose `share` are that row's parts | `test_shap.py`, by subsets |

| after a change of | run |
|---|---|
| explain_row.py, nearest_leaf.py | `tests/explain/test_explain_row.py` |
| shap.py | `tests/explain/test_shap.py` |
| feature_scores.py | `tests/explain/test_feature_scores.py`, `tests/explain/test_node_summaries.py` |
| node_summaries.py | `tests/explain/test_node_summaries.py` |
| counted_levels.py | `tests/explain/test_node_summaries.py`, `tests/lesson/test_growth_film.py` |
"""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.explain.explain_row import (
        Change as Change,
        ExplainedNode as ExplainedNode,
        Explanation as Explanation,
        OtherAnswer as OtherAnswer,
        explain_row as explain_row,
    )
    from ftree.explain.feature_scores import FeatureScore as FeatureScore, Scores as Scores, scores as scores
    from ftree.criteria.importances import importances as importances
    from ftree.explain.node_summaries import (
        NodeSummary as NodeSummary,
        SplitSummary as SplitSummary,
        SurrogateSummary as SurrogateSummary,
        TreeSummary as TreeSummary,
        summary as summary,
    )
    from ftree.explain.shap import ShapValues as ShapValues, shap_values as shap_values
else:
    on_first_use(__name__)
