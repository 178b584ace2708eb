"""Why a tree answers as it does: importances, SHAP values, and what would change the answer for a row."""

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
