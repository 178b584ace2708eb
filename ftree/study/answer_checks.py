"""Trees made by hand, held against the rows of a dataset: what each leaf claims, and what a policy would test at each branch."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import TIE
from ftree._lib.faces import LINE, Face, Grid
from ftree._lib.fields import as_tuple
from ftree.data.dataset import Dataset, require_dataset
from ftree.data.matching import matching
from ftree.explain.feature_scores import FeatureScore, scores
from ftree.policy import Policy
from ftree.routing.counting import recount
from ftree.tree.conditions import ROOM, cut_to, end_of
from ftree.tree.describe import named, tested_expression
from ftree.tree.edit import conditions_along
from ftree.tree.fold import leaves, walk
from ftree.tree.nodes import Branch, Leaf, Path, Tree, check_tree
from ftree.tree.response import majority


@frozen
class LeafCheck:
    """What a leaf claims, label, cases and errors, beside what the rows say; `problem` is empty if they agree.

    A leaf that no row reaches has the label None.

    >>> LeafCheck("windy = True", ("no", 6.0, 2.0), ("no", 6.0, 3.0)).problem
    'errors'
    """

    leaf: str
    claimed: tuple[Any, float, float] = field(converter=as_tuple)
    found: tuple[Any, float, float] = field(converter=as_tuple)

    @property
    def problem(self) -> str:
        """The first of "no rows", "label", "cases" and "errors" that differs."""
        if self.found[0] is None:
            return "no rows"
        pairs = zip(("label", "cases", "errors"), self.claimed, self.found, strict=True)
        return next((name for name, one, other in pairs if one != other), "")


@frozen
class SplitCheck:
    """What a branch tests, beside what a policy tests there; `problem` is empty if no split scores higher.

    >>> SplitCheck("windy = True", "humidity", "outlook", "split").problem
    'split'
    """

    branch: str
    claimed: str
    best: str
    problem: str


# The characters of a printed path; the columns beside it take as many.
_PATH = LINE // 2


@frozen
class AnswerCheck(Face):
    """Each leaf of a tree beside the rows of a dataset, and branches that have a problem or were judged; prints as tables.

    >>> AnswerCheck([LeafCheck("windy = True", ("no", 6.0, 2.0), ("no", 6.0, 3.0))]).is_right
    False
    """

    leaves: tuple[LeafCheck, ...] = field(converter=as_tuple)
    splits: tuple[SplitCheck, ...] = field(default=(), converter=as_tuple)

    @property
    def is_right(self) -> bool:
        """Whether every leaf agrees with the rows, and every split with the policy."""
        return not (any(leaf.problem for leaf in self.leaves) or any(split.problem for split in self.splits))

    def _parts(self) -> Iterator[Grid]:
        """A line for each leaf, and one for each branch."""
        rows = [(end_of(each.leaf, _PATH), _answer(*each.claimed), _answer(*each.found), each.problem) for each in self.leaves]
        yield Grid(("leaf", "claimed", "in the rows", "problem"), rows)
        if self.splits:
            lines = [(end_of(each.branch, _PATH), each.claimed, each.best, cut_to(each.problem, ROOM)) for each in self.splits]
            yield Grid(("branch", "tests", "by the policy", "problem"), lines)


def check_answers(tree: Tree, dataset: Dataset, policy: Policy | None = None) -> AnswerCheck:
    r"""What the leaves of a tree made by hand claim, beside what the rows of a dataset say, leaf by leaf.

    Read a printed tree with the schema of the rows, `from_weka_text(text, dataset.schema)`; with `dataset=`, their counts and
    labels would take the place of those that it claims. Values that rows have and a branch forgets are named. With a `policy`,
    such as ID3, each split must be one of those with the highest score for the rows of its node; rows that miss a value on the
    way are left out.

    Raises a TypeError for anything but a tree and a dataset, and the errors of `recount`.

    >>> from ftree import datasets
    >>> from ftree.exchange import from_weka_text
    >>> days = datasets.weather()
    >>> check_answers(from_weka_text("windy = True: no (6.0/2.0)\nwindy = False: yes (8.0/2.0)", days.schema), days)
    leaf           claimed          in the rows      problem
    windy = True   no (6.0/2.0)     no (6.0/3.0)     errors
    windy = False  yes (8.0/2.0)    yes (8.0/2.0)
    """
    check_tree(tree, of_classes="check_answers")
    require_dataset(dataset)
    counted = recount(tree, dataset)
    pairs = zip(leaves(tree), leaves(counted), strict=True)
    above = conditions_along(tree, [path for path, node in walk(tree) if isinstance(node, Leaf)])
    claims = ([_claim(each.counts, tree) for each in pair] for pair in pairs)
    checked = [LeafCheck(" and ".join(words) or "(every row)", *both) for words, both in zip(above, claims, strict=True)]
    return AnswerCheck(checked, _checked_splits(counted, dataset, policy))


def _checked_splits(tree: Tree, dataset: Dataset, policy: Policy | None) -> Iterator[SplitCheck]:
    """The branches that forget a value, or, with a policy, all that rows reach."""
    reached: dict[Path, Any] = {(): np.ones(len(dataset), dtype=bool)}
    branches = [(path, node) for path, node in walk(tree) if isinstance(node, Branch)]
    for (path, node), words in zip(branches, conditions_along(tree, [path for path, _ in branches]), strict=True):
        sides = [reached[path] & matching(named(tree.schema, stated), dataset) for stated in node.split.conditions]
        reached |= {(*path, child): side for child, side in enumerate(sides)}
        here, problem, best = dataset.take(np.flatnonzero(reached[path])), "", ""
        forgotten = dataset.take(np.flatnonzero(reached[path] & ~np.any(sides, axis=0)))
        tested = tested_expression(tree.schema, node.split)
        values = {row[tested] for row in forgotten.rows() if tested in row} - {None}
        if values:
            problem = f"no branch for {', '.join(sorted(map(str, values)))}"
        if policy is not None and len(here):
            rows = scores(here, policy).rows
            best = rows[0].feature if rows[0].split else "no split"
            problem = problem or ("" if _is_best(node, tested, rows, policy) else "split")
        if problem or best:
            yield SplitCheck(" and ".join(words) or "(every row)", tested, best, problem)


def _is_best(node: Branch, tested: str, rows: Sequence[FeatureScore], policy: Policy) -> bool:
    """Whether a split is of a feature that ties with the best one, and scores as much."""
    ties = {row.feature for row in rows if max(rows[0].score - row.score, rows[0].gain_ratio - row.gain_ratio) <= TIE}
    own = float(policy.score(np.array([child.counts for child in node.children]), policy.impurity))
    return rows[0].split is not None and tested in ties and own >= rows[0].score - TIE


def _claim(counts: Sequence[float], tree: Tree) -> tuple[Any, float, float]:
    """The label, the cases and the errors of class counts."""
    cases, number = sum(counts), majority(counts)
    return tree.schema.classes[number] if cases else None, cases, cases - counts[number]


def _answer(label: Any, cases: float, errors: float) -> str:
    return f"{label} ({cases:.1f}/{errors:.1f})" if errors else f"{label} ({cases:.1f})"
