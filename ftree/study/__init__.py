"""Evaluation and comparison of learners: confusion matrices, cross-validation, learning curves."""

from ftree.study.evaluate import Confusion, Learner, Trial, confusion, cross_validate, learn, learning_curve, root_feature_counts

__all__ = ["Confusion", "Learner", "Trial", "confusion", "cross_validate", "learn", "learning_curve", "root_feature_counts"]
__dir__ = __all__.copy  # dir() shows public names only
