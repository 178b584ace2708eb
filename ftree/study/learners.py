"""Learners: anything that makes a classifier from a dataset, and how it is called."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from attrs import frozen

from ftree._lib.messages import short_repr
from ftree.data.dataset import Dataset
from ftree.growth.grow import grow
from ftree.policy import ID3, Policy
from ftree.prune.compose import Pass, PassWithDecisions
from ftree.study.estimators import Estimator, fitted

# A function from a dataset to a tree, or to another classifier: a function of a dataset that returns a label for each row.
LearningFunction: TypeAlias = Callable[[Dataset], Any]
# Anything that makes a classifier from a dataset: a policy, a function, a pass, an estimator, or a tuple of a learner and passes.
Learner: TypeAlias = Policy | LearningFunction | PassWithDecisions | Estimator | tuple[Any, ...]


def learn(learner: Learner, dataset: Dataset) -> Any:
    """The tree, or other classifier, that a learner makes from a dataset.

    A learner is one of
    - a policy, by which a tree is grown,
    - a function from a dataset to a tree or to another classifier,
    - a pass of `ftree.prune`, which prunes ID3's tree,
    - a tuple of a learner and the passes that prune its tree, such as `(CART, prune.pessimistic())`,
    - an object with `fit` and `predict`, such as an estimator of scikit-learn; it is fitted to `design_matrix(dataset)`.

    Raises a TypeError for anything else.

    >>> from ftree import prune
    >>> data = Dataset.from_rows([["a"], ["b"]], [0, 1])
    >>> learn(ID3, data) == learn(grow, data) == learn((ID3, prune.collapse()), data)
    True
    """
    return learning_function(learner)(dataset)


def learning_function(learner: Any) -> LearningFunction:
    """A learner as a function of a dataset.

    Raises a TypeError for anything that is not a learner, and for a learner's class, whose parentheses were forgotten.

    >>> learning_function("ID3")
    Traceback (most recent call last):
    TypeError: learner must be a Policy such as ID3, a function from a dataset to a tree, or an estimator, got 'ID3'.
    """
    wanted = "learner must be a Policy such as ID3, a function from a dataset to a tree, or an estimator"
    if isinstance(learner, type) and (learner is Policy or isinstance(learner, (PassWithDecisions, Estimator))):
        message = f"{wanted}, got the class {learner.__name__}. Write {learner.__name__}(...), with parentheses."
        raise TypeError(message)
    if isinstance(learner, Policy):
        return partial(grow, policy=learner)
    if isinstance(learner, tuple) and learner and all(map(callable, learner[1:])):
        return pruned(learning_function(learner[0]), learner[1:])
    if isinstance(learner, PassWithDecisions):
        return pruned(partial(grow, policy=ID3), (learner,))
    if isinstance(learner, Estimator):
        return fitted(learner)
    if not callable(learner):
        message = f"{wanted}, got {short_repr(learner)}."
        raise TypeError(message)
    function: LearningFunction = learner
    return function


@frozen
class pruned:
    """The learner that prunes the tree of another learner by passes, one after another."""

    learner: LearningFunction
    passes: tuple[Pass, ...]

    def __call__(self, dataset: Dataset) -> Any:
        """Train, then prune."""
        tree = self.learner(dataset)
        for prune in self.passes:
            tree = prune(tree)
        return tree
