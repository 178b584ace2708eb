"""Evaluation and comparison of learners: cross-validation, learning curves, comparisons with their tests, reports, forests."""

from ftree.study import metrics
from ftree.study.compare import compare
from ftree.study.comparison import Comparison
from ftree.study.confusion_matrix import Confusion, confusion
from ftree.study.cp_table import CpRow, CpTable, cp_table
from ftree.study.cross_validation import cross_validate
from ftree.study.estimators import Estimator, design_matrix
from ftree.study.fold_pairs import Folds
from ftree.study.folds import grouped, holdout, stratified
from ftree.study.forests import Forest, bagging, random_forest
from ftree.study.friedman import Friedman, friedman
from ftree.study.learners import Learner, learn
from ftree.study.learning_curve import learning_curve
from ftree.study.permutation_importances import permutation_importances
from ftree.study.plot_boundary import plot_boundary
from ftree.study.plot_confusion import plot_confusion
from ftree.study.plot_critical_difference import plot_critical_difference
from ftree.study.plot_learning_curve import band, plot_learning_curve
from ftree.study.plot_trade_off import plot_trade_off
from ftree.study.predictions import Predictions
from ftree.study.report import Report, report
from ftree.study.root_features import root_feature_counts
from ftree.study.significance import SignedRanks, TTest, corrected_t_test, wilcoxon
from ftree.study.trial import FoldResult, Trial

__all__ = [
    "Comparison",
    "Confusion",
    "CpRow",
    "CpTable",
    "Estimator",
    "FoldResult",
    "Folds",
    "Forest",
    "Friedman",
    "Learner",
    "Predictions",
    "Report",
    "SignedRanks",
    "TTest",
    "Trial",
    "bagging",
    "band",
    "compare",
    "confusion",
    "corrected_t_test",
    "cp_table",
    "cross_validate",
    "design_matrix",
    "friedman",
    "grouped",
    "holdout",
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
