"""The stability of the root split: the features at the roots of trees grown from random subsets."""

from collections import Counter
from numbers import Integral

from ftree._lib.fields import require_whole_number
from ftree._lib.messages import short_repr
from ftree._lib.random_numbers import generator_of
from ftree.data.dataset import Dataset, require_dataset
from ftree.policy import ID3
from ftree.study.learners import Learner, learning_function
from ftree.tree.describe import tested_expression
from ftree.tree.nodes import Branch, Tree


def root_feature_counts(
    dataset: Dataset, learner: Learner = ID3, *, size: int, repeats: int = 100, seed: int = 0
) -> dict[str | None, int]:
    """How often each feature is at the root of trees grown from random subsets; None counts trees that are leaves.

    Raises a ValueError for a size that is not between 1 and the number of rows.

    >>> data = Dataset.from_rows([["a", "x"], ["b", "x"]] * 10, [0, 1] * 10, features=["good", "bad"])
    >>> root_feature_counts(data, size=15, repeats=20)
    {'good': 20}
    """
    require_dataset(dataset)
    learn = learning_function(learner)
    require_whole_number("repeats", repeats, 1)
    if not (isinstance(size, Integral) and 0 < size <= len(dataset)):
        message = f"size must be from 1 to {len(dataset)}, the number of rows, got {short_repr(size)}."
        raise ValueError(message)
    random = generator_of(seed)
    roots = Counter(_root_feature(learn(dataset.take(random.permutation(len(dataset))[:size]))) for _ in range(repeats))
    return dict(roots.most_common())


def _root_feature(tree: Tree) -> str | None:
    return tested_expression(tree.schema, tree.root.split) if isinstance(tree.root, Branch) else None
