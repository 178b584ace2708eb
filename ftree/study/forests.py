"""Growing forests: bagging, random forests and extremely randomised trees.

The trees of a forest differ in their bag, the rows that were drawn for each, and in the seed by which its nodes draw. Where
the native library grows them, all share one table, threads grow several at once, and a tree becomes nodes when it is asked for.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import isqrt
from threading import Lock
from typing import Any

import numpy as np
from attrs import evolve

from ftree._lib.arrays import Array
from ftree._lib.fields import as_plain, require_count, require_n_jobs
from ftree._lib.machine import ThreadPool, thread_pool
from ftree._lib.messages import short_repr, type_of
from ftree._lib.random_numbers import generator_of
from ftree._lib.waiting import progress_of_wait
from ftree.data.dataset import Dataset, require_dataset
from ftree.growth.depth_first.drawn_trees import DrawnGrowth, ThresholdNodes, drawn_growth
from ftree.growth.given_table import is_native, prepared_table
from ftree.growth.growing import grow, is_complete
from ftree.growth.settings import search_settings
from ftree.policy import CART, Policy
from ftree.splitters import UNORDERED, only, random_features, random_threshold
from ftree.splitters.missing_policies import prediction_rule
from ftree.study.forest_votes import Forest, GrownTrees
from ftree.study.learners import Learner, learn
from ftree.study.out_of_bag import Bags
from ftree.tree.nodes import Tree


def bagging(dataset: Dataset, learner: Learner = CART, *, n_trees: int = 100, seed: int = 0, n_jobs: int | None = None) -> Forest:
    """A forest of trees, each trained on a sample of the dataset's size, drawn at random with replacement.

    Weights that are counts are drawn case by case, as copies of the rows would be.

    The forest is the same for any number of threads `n_jobs`, by default one for each processor. Threads grow the trees of a
    policy; any other learner makes one tree after another.

    Raises a ValueError for a number of trees below 1, a TypeError for an invalid learner.

    Source: Breiman 1996.

    >>> data = Dataset.from_rows([["a"], ["b"]] * 10, ["no", "yes"] * 10)
    >>> forest = bagging(data, n_trees=5)
    >>> forest, forest([["a"], ["b"]])
    (<Forest for 'class': 5 trees, 10 leaves>, ['no', 'yes'])
    """
    _check(dataset, n_trees, n_jobs)
    bags = Bags(len(dataset.cases()), n_trees, seed=seed, seeds=False)
    if isinstance(learner, Policy):
        splits = learner.splits
        return Forest(_grown(dataset, learner, lambda _: splits, _rows(dataset, bags), n_trees, n_jobs), bags=bags)
    return Forest([learn(learner, dataset.take(dataset.part(rows))) for rows, _ in _rows(dataset, bags)], bags=bags)


def random_forest(
    dataset: Dataset,
    policy: Policy = CART,
    *,
    n_trees: int = 100,
    n_features: int | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Forest:
    """Bagging in which each node is split by one of `n_features` random features, by default the square root of their number.

    For a target of numbers, it is by default a third of them. The forest is the same for any number of threads `n_jobs`, by
    default one for each processor.

    Raises a ValueError for a number of trees or of features below 1, a TypeError for anything that is not a policy.

    Source: Breiman 2001.

    >>> data = Dataset.from_rows([["a", 1], ["b", 2]] * 10, ["no", "yes"] * 10)
    >>> random_forest(data, n_trees=3)
    <Forest for 'class': 3 trees, 6 leaves>
    """
    _check(dataset, n_trees, n_jobs)
    n, bags = _n_features(dataset, policy, n_features), Bags(len(dataset.cases()), n_trees, seed=seed, seeds=True)

    def splits(seed: int) -> tuple[Any, ...]:
        return (random_features(n, policy.splits, seed=seed),)  # other features in each tree

    return Forest(_grown(dataset, policy, splits, _rows(dataset, bags), n_trees, n_jobs), bags=bags)


def extra_trees(
    dataset: Dataset,
    policy: Policy = CART,
    *,
    n_trees: int = 100,
    n_features: int | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
) -> Forest:
    """A forest of all rows in which each node looks at `n_features` random features, each number cut at random.

    Nominal features are split as the policy does. Limits on how it splits numbers, such as `min_cases`, have no effect. The
    number of features is by default the square root of all, for a target of numbers a third. The forest is the same for any
    number of threads `n_jobs`, by default one for each processor.

    Raises a ValueError for a number of trees or of features below 1, and for a policy that splits none of the features; a
    TypeError for anything that is not a policy.

    Source: Geurts, Ernst & Wehenkel 2006.

    >>> from ftree import datasets
    >>> extra_trees(datasets.gaussian_clusters(100, seed=0), n_trees=3)
    <Forest for 'cluster': 3 trees, 72 leaves>
    """
    _check(dataset, n_trees, n_jobs)
    n, random = _n_features(dataset, policy, n_features), generator_of(seed)
    nominal = _splitters_of_nominal(dataset, policy)
    draws = ((None, int(random.integers(2**63))) for _ in range(n_trees))

    def splits(seed: int) -> tuple[Any, ...]:
        return (random_features(n, (*nominal, random_threshold(seed=seed)), seed=seed),)

    return Forest(_grown(dataset, policy, splits, draws, n_trees, n_jobs))


def _rows(dataset: Dataset, bags: Bags) -> Iterator[tuple[Array, int]]:
    """The row of each case that is drawn for a tree, and the tree's seed."""
    cases = dataset.cases()
    return ((cases[drawn], seed) for drawn, seed in bags.draw())


def _splitters_of_nominal(dataset: Dataset, policy: Policy) -> list[Any]:
    """The policy's splitters for nominal features; one that takes others too is restricted to the nominal features."""
    features = dataset.schema.features
    names = [feature.name for feature in features if feature.kind in UNORDERED]
    unordered = set(UNORDERED)
    splitters = [splitter for splitter in policy.splits if not unordered.isdisjoint(splitter.kinds)]
    if names and len(names) == len(features) and not splitters:
        wanted = "a splitter of nominal features, as the dataset has no others"
        raise ValueError(f"policy must have {wanted}, got splits {short_repr(policy.splits)}. Add multiway() or subset().")
    own = [splitter for splitter in splitters if names or unordered.issuperset(splitter.kinds)]
    return [splitter if unordered.issuperset(splitter.kinds) else only(names, (splitter,)) for splitter in own]


def _check(dataset: Any, n_trees: Any, n_jobs: Any) -> None:
    require_dataset(dataset)
    require_count("n_trees", n_trees, 1)
    require_n_jobs(n_jobs)


def _n_features(dataset: Dataset, policy: Any, n: int | None) -> int:
    """The number of features at which a node looks."""
    if not isinstance(policy, Policy):
        raise TypeError(f"policy must be a Policy such as CART, got {type_of(policy)}.")
    d = len(dataset.schema.features)
    return n if n is not None else max(isqrt(d) if dataset.schema.has_classes else d // 3, 1)


def _grown(
    dataset: Dataset,
    policy: Policy,
    splits: Callable[[int], tuple[Any, ...]],
    draws: Iterable[tuple[Array | None, int]],
    n_trees: int,
    n_jobs: int | None,
) -> Sequence[Tree]:
    """The trees of a policy with the splitters of each tree's seed, from the rows that are drawn for it, None for all rows."""

    def alone(rows: Array | None, seed: int, n_jobs: int | None) -> Tree:
        sample = dataset if rows is None else dataset.take(dataset.part(rows))
        return grow(sample, evolve(policy, splits=splits(seed)), n_jobs=n_jobs)

    n_trees = as_plain(n_trees)
    with thread_pool(n_jobs) as threads, progress_of_wait(shown=None) as line:
        growth = _growth(dataset, evolve(policy, splits=splits(0)), threads)
        if growth is None:
            return [alone(rows, seed, n_jobs) for rows, seed in draws]
        trees, listed, lock = dict[int, ThresholdNodes | Tree](), enumerate(draws), Lock()

        def work(first: int, last: int, _: int) -> None:
            for _ in range(first, last):
                with lock:  # draws are made one after another, whichever thread needs them
                    number, (rows, seed) = next(listed)
                bag = None if rows is None else np.bincount(rows, minlength=len(dataset))
                trees[number] = growth.tree(splits(seed), bag) or alone(rows, seed, 1)
                line.bar(len(trees), n_trees)

        threads.share(work, n_trees, n_trees * len(dataset) * len(dataset.columns))
    return GrownTrees(dataset.schema, prediction_rule(policy.missing), [trees[number] for number in range(n_trees)])


def _growth(dataset: Dataset, policy: Policy, threads: ThreadPool) -> DrawnGrowth | None:
    """The growth of all trees from one table by the native library; None where it cannot be."""
    given = prepared_table(dataset, policy)
    if given.table is not dataset or not is_complete(policy, given) or not is_native("auto"):
        return None
    return drawn_growth(dataset, policy, search_settings(policy, dataset), threads)
