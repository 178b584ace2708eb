"""Evaluation and comparison of learners: cross-validation, learning curves, comparisons with their tests, reports, forests.

    learners.py             anything that makes a classifier of a dataset, as a function: `learn`
      folds.py              dataset -> pairs of training and test rows, all drawn before training
      predictions.py        classifier, test rows -> Predictions: answers and probabilities, asked once; their `Need`s
      metrics.py            Predictions -> a number
    cross_validation.py     the four together -> Trial: the scores of each fold; `do_all` shares tasks between processes
      learning_curves.py    a Trial for each number of training rows; the features at the root
      comparison.py         a Trial for each learner and dataset; significance.py  tests of their differences
    confusion_matrix.py, report.py, rare_classes.py, permutation_importances.py, answer_checks.py
                            one classifier on test rows: errors by class, a page, thresholds, features, a pupil's tree
    forests.py              the rows and features that each tree grows from; forest_votes.py  the trees, and how they vote
      out_of_bag.py         votes by the trees that grew without a row
    pruning_paths.py        the table and the picture of a cost-complexity path
    plot_studies.py, boundaries.py
                            pictures of studies; of a classifier's answers in a plane
    score_summaries.py      means with standard errors, and how these print

Learners, folds and metrics of your own are functions; nothing is registered.

| to add | change | test in `tests/study` |
|---|---|---|
| a metric | `metrics.py`: a function with `needs`, and `loss` if lower is better; its name above `METRICS` | `test_metrics.py` |
| a metric to a report | a field of `Report` with its name in print | `test_report.py` |
| a metric of survival | the same | `tests/oracles/test_survival_trees.py` |
| a kind of folds | copy `holdout` in `folds.py`; `Dataset.part` says whether a fold has rows or cases | `test_folds.py` |
"""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.study import metrics as metrics
    from ftree.study.answer_checks import (
        AnswerCheck as AnswerCheck,
        LeafCheck as LeafCheck,
        SplitCheck as SplitCheck,
        check_answers as check_answers,
    )
    from ftree.study.boundaries import plot_boundary as plot_boundary
    from ftree.study.comparison import Comparison as Comparison, compare as compare
    from ftree.study.confusion_matrix import Confusion as Confusion, confusion as confusion
    from ftree.study.cross_validation import (
        FoldResult as FoldResult,
        Trial as Trial,
        cross_validate as cross_validate,
    )
    from ftree.study.folds import Folds as Folds, grouped as grouped, holdout as holdout, stratified as stratified
    from ftree.study.forest_votes import Forest as Forest, GrownTrees as GrownTrees
    from ftree.study.forests import bagging as bagging, extra_trees as extra_trees, random_forest as random_forest
    from ftree.study.learners import Estimator as Estimator, Learner as Learner, design_matrix as design_matrix, learn as learn
    from ftree.study.learning_curves import learning_curve as learning_curve, root_feature_counts as root_feature_counts
    from ftree.study.out_of_bag import Bags as Bags, OutOfBag as OutOfBag
    from ftree.study.permutation_importances import permutation_importances as permutation_importances
    from ftree.study.plot_studies import (
        band as band,
        plot_confusion as plot_confusion,
        plot_critical_difference as plot_critical_difference,
        plot_learning_curve as plot_learning_curve,
        plot_trade_off as plot_trade_off,
    )
    from ftree.study.predictions import Predictions as Predictions
    from ftree.study.pruning_paths import CpRow as CpRow, CpTable as CpTable, cp_table as cp_table, plot_path as plot_path
    from ftree.study.rare_classes import ThresholdRow as ThresholdRow, Thresholds as Thresholds, threshold as threshold
    from ftree.study.report import Report as Report, report as report
    from ftree.study.significance import (
        Friedman as Friedman,
        PostHoc as PostHoc,
        RankTest as RankTest,
        SignedRanks as SignedRanks,
        TTest as TTest,
        corrected_t_test as corrected_t_test,
        friedman as friedman,
        holm as holm,
        wilcoxon as wilcoxon,
    )
else:
    on_first_use(__name__)
