"""Evaluation and comparison of learners: cross-validation, learning curves, comparisons with their tests, reports, forests."""

from ftree.study import metrics
from ftree.study.comparison import Comparison, compare
from ftree.study.cross_validation import FoldResult, Trial, cross_validate
from ftree.study.folds import Folds, grouped, holdout, stratified
from ftree.study.learners import Estimator, Forest, Learner, bagging, design_matrix, learn, random_forest
from ftree.study.learning_curve import learning_curve, permutation_importances, root_feature_counts
from ftree.study.plot_studies import (
    band,
    plot_boundary,
    plot_confusion,
    plot_critical_difference,
    plot_learning_curve,
    plot_trade_off,
)
from ftree.study.predictions import Confusion, Predictions, confusion
from ftree.study.report import AnswerCheck, CpRow, CpTable, LeafCheck, Report, check_answers, cp_table, report
from ftree.study.significance import (
    Friedman,
    PostHoc,
    RankTest,
    SignedRanks,
    TTest,
    corrected_t_test,
    friedman,
    holm,
    wilcoxon,
)

__all__ = [
    "AnswerCheck",
    "Comparison",
    "Confusion",
    "CpRow",
    "CpTable",
    "Estimator",
    "FoldResult",
    "Folds",
    "Forest",
    "Friedman",
    "LeafCheck",
    "Learner",
    "PostHoc",
    "Predictions",
    "RankTest",
    "Report",
    "SignedRanks",
    "TTest",
    "Trial",
    "bagging",
    "band",
    "check_answers",
    "compare",
    "confusion",
    "corrected_t_test",
    "cp_table",
    "cross_validate",
    "design_matrix",
    "friedman",
    "grouped",
    "holdout",
    "holm",
    "learn",
    "learning_curve",
    "metrics",
    "permutation_importances",
    "plot_boundary",
    "plot_confusion",
    "plot_critical_difference",
    "plot_learning_curve",
    "plot_trade_off",
    "random_forest",
    "report",
    "root_feature_counts",
    "stratified",
    "wilcoxon",
]
__dir__ = __all__.copy  # dir() shows public names only
