"""What a learner makes of random training rows: its scores by their number, and how often each feature is at the root."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ftree._lib.fields import is_iterable, is_whole_number, require_count
from ftree._lib.messages import short_repr
from ftree._lib.random_numbers import generator_of
from ftree.data.dataset import Dataset, require_dataset
from ftree.policy import ID3
from ftree.routing.missing_rules import MissingRule
from ftree.study.cross_validation import Metrics, Trial, do_all, run_fold
from ftree.study.learners import Learner, learning_function
from ftree.study.metrics import named_metrics
from ftree.tree.describe import tested_expression
from ftree.tree.nodes import Branch, checked_tree


def learning_curve(
    dataset: Dataset,
    learner: Learner = ID3,
    *,
    sizes: Sequence[int],
    repeats: int = 10,
    seed: int = 0,
    metrics: Metrics | None = None,
    missing: MissingRule | None = None,
    n_jobs: int | None = 1,
    progress: bool | None = None,
) -> tuple[Trial, ...]:
    """A trial for each training size: scores on the other rows after training on random rows.

    For each size, `repeats` training sets are drawn uniformly without replacement. A size is a number of cases if weights are
    counts. Other arguments are those of `cross_validate`; `plot_learning_curve` draws the result with bands.

    Raises a ValueError for a size that leaves no row for training or for testing, and the errors of `cross_validate`.

    >>> data = Dataset.from_rows([["a"], ["b"]] * 10, [0, 1] * 10)
    >>> [trial.size for trial in learning_curve(data, sizes=[4, 8], repeats=3)]
    [4, 8]
    """
    require_dataset(dataset)
    learn, named = learning_function(learner), named_metrics(metrics, dataset.schema)
    require_count("repeats", repeats, 1)
    cases, random = dataset.cases(), generator_of(seed)
    drawn = ((size, cases[random.permutation(len(cases))]) for size in _checked_sizes(sizes, len(cases)) for _ in range(repeats))
    pairs = [(dataset.part(rows[:size]), dataset.part(rows[size:])) for size, rows in drawn]
    tasks = [(learn, dataset, pair, named, missing) for pair in pairs]
    results = do_all(run_fold, tasks, n_jobs=n_jobs, progress=progress)
    return tuple(Trial.of(named, results[at : at + repeats]) for at in range(0, len(results), repeats))


def _checked_sizes(sizes: Any, n: int) -> list[int]:
    if not is_iterable(sizes):
        raise TypeError(f"sizes must be a sequence of training sizes, such as [50, 100], got {short_repr(sizes)}.")
    listed = list(sizes)
    if not listed:
        raise ValueError(f"sizes must be at least one training size, got {short_repr(sizes)}.")
    for size in listed:
        _require_size("sizes", size, n - 1, "rows remain for testing")
    return listed


def _require_size(name: str, size: Any, most: int, purpose: str) -> None:
    if not is_whole_number(size, 1, most):
        raise ValueError(f"{name} must be from 1 to {most}, so that {purpose}, got {short_repr(size)}.")


def root_feature_counts(
    dataset: Dataset, learner: Learner = ID3, *, size: int, repeats: int = 100, seed: int = 0
) -> dict[str | None, int]:
    """How often each feature is at the root of trees grown from random subsets; None counts trees that are leaves.

    Raises a ValueError for a size that is not between 1 and the number of rows, or of cases if weights are counts; a TypeError
    for a learner that returns no tree.

    >>> data = Dataset.from_rows([["a", "x"], ["b", "x"]] * 10, [0, 1] * 10, features=["good", "bad"])
    >>> root_feature_counts(data, size=15, repeats=20)
    {'good': 20}
    """
    require_dataset(dataset)
    learn = learning_function(learner)
    require_count("repeats", repeats, 1)
    cases, random = dataset.cases(), generator_of(seed)
    _require_size("size", size, len(cases), "there are as many rows")
    drawn = (cases[random.permutation(len(cases))[:size]] for _ in range(repeats))
    trees = (checked_tree(learn(dataset.take(dataset.part(rows))), learner) for rows in drawn)
    roots = (tested_expression(tree.schema, tree.root.split) if isinstance(tree.root, Branch) else None for tree in trees)
    return dict(Counter(roots).most_common())
