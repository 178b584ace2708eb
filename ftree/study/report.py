"""A report of a classifier on a dataset, as Weka prints it after J48, and rpart's table of complexities."""

from collections.abc import Iterable, Iterator, Sequence
from math import isnan, nan
from typing import Any

import numpy as np
from attrs import field, frozen

from ftree._lib.arrays import TIE
from ftree._lib.faces import LINE, Face, Grid
from ftree._lib.fields import as_tuple, is_iterable
from ftree._lib.messages import short_repr, type_of
from ftree.criteria.impurity import Impurity, misclassification
from ftree.data.dataset import Dataset
from ftree.data.labelled import Unseen
from ftree.data.matching import matching
from ftree.explain.feature_scores import FeatureScore, scores
from ftree.policy import Policy
from ftree.prune.path_choice import Measured, lowest_error, one_standard_error
from ftree.prune.weakest_links import risks_and_unit
from ftree.routing.counting import recount
from ftree.routing.missing_rules import MissingRule
from ftree.routing.scoring import Classifier
from ftree.study import metrics
from ftree.study.confusion_matrix import Confusion, confusion_of
from ftree.study.cross_validation import short_number
from ftree.study.predictions import Predictions, predictions_for
from ftree.tree.conditions import ROOM, cut_to, end_of
from ftree.tree.describe import named, tested_expression
from ftree.tree.edit import conditions_along
from ftree.tree.fold import fold, leaves, walk
from ftree.tree.nodes import Branch, Leaf, Path, Tree, check_tree, preorder
from ftree.tree.response import majority


@frozen
class Report(Face):
    """How well a classifier predicts a dataset: the confusion matrix and the measures computed from it; prints as a table.

    `brier`, `log_loss` and `auc` are NaN if the classifier gives no probabilities, `leaves` and `depth` if it is not a tree. For
    a target without classes, `r_squared` and `deviance` are known in their place, of numbers and events also `rmse` and `mae`, of
    survival times `concordance` and `integrated_brier`; the confusion then has no classes.

    >>> from ftree import datasets, grow
    >>> found = report(grow(datasets.weather()), datasets.weather())
    >>> found.leaves, found.confusion.accuracy
    (5.0, 1.0)
    """

    confusion: Confusion
    leaves: float = field(kw_only=True)
    depth: float = field(kw_only=True)
    # NaN equals NaN.
    brier: float = field(default=nan, kw_only=True, eq=repr)
    log_loss: float = field(default=nan, kw_only=True, eq=repr)
    auc: float = field(default=nan, kw_only=True, eq=repr)
    r_squared: float = field(default=nan, kw_only=True, eq=repr)
    deviance: float = field(default=nan, kw_only=True, eq=repr)
    rmse: float = field(default=nan, kw_only=True, eq=repr)
    mae: float = field(default=nan, kw_only=True, eq=repr)
    concordance: float = field(default=nan, kw_only=True, eq=repr)
    integrated_brier: float = field(default=nan, kw_only=True, eq=repr)

    @property
    def accuracy(self) -> float:
        """The share of the rows that are labelled correctly."""
        return self.confusion.accuracy

    @property
    def kappa(self) -> float:
        """The share of the possible agreement beyond chance that is reached (Cohen 1960)."""
        return self.confusion.kappa

    def _parts(self) -> Iterator[str | Grid]:
        """Three tables: overall, by class, the confusion matrix; the first only for a target of numbers."""
        overall = _overall(self)
        by_class = [_by_class(self.confusion, number) for number in range(len(self.confusion.classes))]
        yield Grid(overall[0], overall[1:], left=1)
        if not by_class:
            return
        yield ""
        yield Grid(("class", "precision", "recall", "F", "rows"), [*by_class, _average(self.confusion)], left=1)
        yield ""
        yield from self.confusion._parts()  # noqa: SLF001  # the same room


def report(tree: Tree | Classifier, dataset: Dataset, *, missing: MissingRule | None = None, unseen: Unseen = "rule") -> Report:
    r"""A report of a tree, or of any other classifier, on a dataset: accuracy, kappa, precision and recall by class, confusion.

    Rows are weighted. The means in the last line of classes are weighted by the classes' rows, as Weka's are.

    Raises a TypeError for anything but a classifier and a dataset, a ValueError for a dataset without a row of positive weight.

    >>> from ftree import grow
    >>> data = Dataset.from_rows([["a"], ["a"], ["a"], ["b"]], ["no", "no", "yes", "yes"])
    >>> report(grow(data), data)
    correct   3 of 4  75.0%
    kappa      0.500
    Brier      0.333
    log loss   0.477
    AUC        0.750
    leaves         2
    depth          1
    <BLANKLINE>
    class  precision  recall      F  rows
    no         0.667   1.000  0.800     2
    yes        1.000   0.500  0.667     2
    mean       0.833   0.750  0.733     4
    <BLANKLINE>
    true \ predicted
         no  yes
     no   2    0
    yes   1    1
    """
    answers = predictions_for(tree, dataset, missing, unseen)
    of_classes = answers.test.schema.has_classes
    estimates = ("brier", "log_loss", "auc") if of_classes else ("r_squared", "deviance", *_errors(answers))
    known = not of_classes or isinstance(tree, Tree) or getattr(tree, "predict_proba", None) is not None
    values: dict[str, Any] = {name: metrics.METRICS[name](answers) if known else float("nan") for name in estimates}
    found = confusion_of(answers) if of_classes else Confusion((), ())
    return Report(found, leaves=metrics.leaves(answers), depth=metrics.depth(answers), **values)


def _errors(answers: Predictions) -> tuple[str, ...]:
    """The names of the metrics, beside those of losses, that fit the answers of a target without classes."""
    if answers.test.schema.response.kind == "survival times":
        return "concordance", "integrated_brier"
    return ("rmse", "mae") if metrics.are_numbers(answers) else ()


def _overall(found: Report) -> list[tuple[str, str, str]]:
    """Names, numbers and the share of correct rows; lines without a known number are omitted."""
    counts = found.confusion.counts
    numbers = {"kappa": found.kappa if counts else nan, "Brier": found.brier, "log loss": found.log_loss, "AUC": found.auc}
    numbers |= {"R squared": found.r_squared, "deviance": found.deviance, "RMSE": found.rmse, "MAE": found.mae}
    numbers |= {"concordance": found.concordance, "integrated Brier": found.integrated_brier}
    sizes = {"leaves": found.leaves, "depth": found.depth}
    lines = [(name, short_number(value), "") for name, value in numbers.items() if not isnan(value)]
    lines += [(name, f"{value:g}", "") for name, value in sizes.items() if not isnan(value)]
    if not counts:
        return lines
    right, rows = sum(row[number] for number, row in enumerate(counts)), sum(map(sum, counts))
    return [("correct", f"{right:g} of {rows:g}", f"{found.accuracy:.1%}"), *lines]


def _by_class(table: Confusion, number: int) -> tuple[str, ...]:
    shares = [short_number(values[number]) for values in (table.precision, table.recall, table.f)]
    return str(table.classes[number]), *shares, f"{sum(table.counts[number]):g}"


def _average(table: Confusion) -> tuple[str, ...]:
    """The means over classes, weighted by their rows; a share of no rows counts as 0."""
    rows = [sum(row) for row in table.counts]
    means = (np.average(np.nan_to_num(values), weights=rows) for values in (table.precision, table.recall, table.f))
    return "mean", *map(short_number, map(float, means)), f"{sum(rows):g}"


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


@frozen
class CpRow:
    """A tree of a path: cp, splits, and, relative to the root's risk, the training error, cross-validated error, its deviation.

    >>> CpRow(0.05, 2, 0.4, 0.5, 0.1).xerror
    0.5
    """

    cp: float
    n_splits: int
    rel_error: float
    xerror: float
    xstd: float


@frozen
class CpTable(Face):
    """The rows of a path, the smallest tree first, and the row numbers that two rules choose; prints as a table.

    >>> from ftree import datasets, grow, prune, study
    >>> found = study.cp_table(prune.cross_validated(datasets.monks(1), grow, folds=3))
    >>> found.cases, found.rows[0].n_splits
    (432.0, 0)
    """

    root_risk: float
    cases: float
    rows: tuple[CpRow, ...] = field(converter=as_tuple)
    lowest: int
    one_standard_error: int

    @property
    def limit(self) -> float:
        """The 1-SE line: the lowest cross-validated error plus its standard error."""
        return self.rows[self.lowest].xerror + self.rows[self.lowest].xstd

    def _parts(self) -> Iterator[str | Grid]:
        """The table in the form of `printcp`; marks show the rows that the rules choose."""
        lines = [_cells(number, row, self._mark(number)) for number, row in enumerate(self.rows)]
        yield f"Root node error: {self.root_risk * self.cases:g}/{self.cases:g} = {self.root_risk:.5g}\n"
        yield Grid(("", "CP", "nsplit", "rel error", "xerror", "xstd", ""), lines, left=0)
        yield f"\n1-SE line: xerror {self.limit:.5f}"

    def _mark(self, number: int) -> str:
        chosen = {"lowest": self.lowest, "1-SE": self.one_standard_error}
        return ", ".join(name for name, row in chosen.items() if row == number)


def cp_table(path: Iterable[Measured], *, risk: Impurity = misclassification) -> CpTable:
    """The table of a path that `prune.cross_validated` has measured, by the same `risk`.

    Raises a TypeError for anything else, a ValueError for an empty path, and if the root's risk is 0.

    Source: Therneau & Atkinson's rpart.

    >>> from ftree import Dataset, grow, prune
    >>> data = Dataset.from_rows([["a"], ["b"]] * 10, [0, 1] * 10)
    >>> cp_table(prune.cross_validated(data, grow, folds=5))
    Root node error: 10/20 = 0.5
    <BLANKLINE>
           CP  nsplit  rel error   xerror     xstd
    1       1       0    1.00000  1.00000  0.22361
    2       0       1    0.00000  0.00000  0.00000  lowest, 1-SE
    <BLANKLINE>
    1-SE line: xerror 0.00000
    """
    steps = _checked(path)
    roots = [_risks(step.tree, risk) for step in steps]
    root_risk = roots[-1][0]
    if not root_risk:
        message = "path must be of a tree whose root has errors, got a root with risk 0, by which errors cannot be divided."
        raise ValueError(message)
    rows = [_row(step, left, root_risk) for step, (_, left) in zip(steps, roots, strict=True)][::-1]
    chosen = [len(rows) - 1 - steps.index(rule(steps)) for rule in (lowest_error, one_standard_error)]
    return CpTable(root_risk, steps[0].cases, tuple(rows), *chosen)


def _risks(tree: Tree, risk: Impurity) -> tuple[float, float]:
    """The risk of the root as a leaf, and that of the tree."""
    counts = [tree.root.counts, *(node.counts for node in preorder(tree) if isinstance(node, Leaf))]
    (root, *leaves), unit = risks_and_unit(tree.schema, counts, risk)
    return root * unit, sum(leaves) * unit


def _row(step: Measured, left: float, root_risk: float) -> CpRow:
    n_splits = fold(step.tree, lambda _: 0, lambda _, below: 1 + sum(below))
    return CpRow(step.cp or 0.0, n_splits, left / root_risk, step.error / root_risk, step.standard_error / root_risk)


def _cells(number: int, row: CpRow, mark: str) -> tuple[str, ...]:
    errors = (f"{error:.5f}" for error in (row.rel_error, row.xerror, row.xstd))
    return str(number + 1), f"{row.cp:.5g}", str(row.n_splits), *errors, mark


def _checked(path: Any) -> list[Measured]:
    if not is_iterable(path):
        raise TypeError(f"path must be a result of prune.cross_validated, got {type_of(path)}.")
    steps = list(path)
    if not all(isinstance(step, Measured) for step in steps):
        raise TypeError(f"path must be a result of prune.cross_validated, got {short_repr(steps)}.")
    if not steps:
        raise ValueError("path must be at least one tree, got an empty path.")
    return steps
