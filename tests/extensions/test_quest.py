"""A user's unbiased trees: the feature by tests, then a cut between the means of classes. Source: Loh & Shih 1997 (QUEST)."""

import numpy as np
from attrs import evolve, frozen
from scipy.stats import f as f_distribution

from ftree import CART, Dataset, grow
from ftree.criteria import significance
from ftree.splitters import BestSplits, cut_after, multiway, two_sides
from ftree.stop import max_depth
from ftree.testing import check_choice, check_splitter
from ftree.tree import Branch


@frozen
class by_anova:
    """-log10 of each feature's p-value, if significant after Bonferroni: F for numbers, chi-squared for categories."""

    alpha: float

    def __call__(self, candidates):
        known = candidates.known
        digits = np.array([digits_of(known.only(np.array([run]))) for run in range(len(known.start))])
        return np.where(digits >= np.log10(np.bincount(candidates.node)[candidates.node] / self.alpha), digits, -np.inf)


def digits_of(run):
    if run.kind[0] == "nominal":
        return float(significance(run.counts))
    means, cases = class_means(run)
    n, k, value = cases.sum(), len(cases), run.value - cases @ means / cases.sum()
    between, total = cases @ (means - cases @ means / n) ** 2, run.counts.sum(axis=1) @ value**2
    if k in (1, n):
        return 0.0
    with np.errstate(divide="ignore"):
        return -np.log10(f_distribution.sf(between / (k - 1) / max((total - between) / (n - k), 1e-12 * total), k - 1, n - k))


def class_means(run):
    counts = run.counts[:, run.counts.sum(axis=0) > 0]
    return run.value @ counts / counts.sum(axis=0), counts.sum(axis=0)


@frozen
class between_means:
    """Cut a number midway between the least and the greatest mean of a class."""

    kinds = ("numeric", "ordinal")

    def __call__(self, runs, measure):
        scores, below = np.full(len(runs.start), -np.inf), runs.start.copy()
        for number in np.flatnonzero(runs.size > 1):
            run = runs.only(np.array([number]))
            means, _ = class_means(run)
            below[number] += np.searchsorted(run.value[1:-1], (means.min() + means.max()) / 2, side="right")
            scores[number] = measure(two_sides(runs, number, below[number])[None])[0]
        return BestSplits(scores, lambda number: cut_after(runs, number, below[number]))


QUEST = evolve(CART, splits=(multiway(), between_means()), choose=by_anova(0.5))


def test_its_parts_keep_the_laws():
    check_choice(by_anova(0.5))
    check_splitter(between_means(), exempt={"best"})


def test_without_signal_few_roots_split_and_values_do_not_attract():
    draw, roots = np.random.default_rng(0), {QUEST: [], CART: []}
    for _ in range(200):
        columns = {"two": draw.integers(0, 2, 100), "eight": draw.integers(0, 8, 100).astype(str), "many": draw.uniform(size=100)}
        data = Dataset.from_columns(columns | {"class": draw.integers(0, 2, 100)}, kinds={"two": "numeric"})
        for policy in roots:
            root = grow(data, policy.stopping(max_depth(1))).root
            roots[policy] += [root.split.feature] if isinstance(root, Branch) else []
    shares = [np.bincount(chosen, minlength=3) / len(chosen) for chosen in roots.values()]
    assert 60 <= len(roots[QUEST]) <= 105  # about 1 - (1 - 0.5 / 3) ** 3 of the tables
    assert (abs(shares[0] - 1 / 3) < 0.15).all()
    assert shares[1][0] < 0.1
