"""The table of a cost-complexity path in the form of rpart's `printcp`, with the line of the one-standard-error rule."""

from collections.abc import Iterable
from typing import Any

from attrs import field, frozen

from ftree._lib.fields import as_tuple
from ftree._lib.messages import short_repr, type_of
from ftree._lib.text_table import aligned
from ftree.criteria.impurity import Impurity, misclassification
from ftree.prune.measures import Measured
from ftree.prune.select import lowest_error, one_standard_error
from ftree.prune.weakest_links import weighted_risks
from ftree.tree.fold import fold
from ftree.tree.nodes import Leaf, Tree, preorder


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


@frozen(repr=False)
class CpTable:
    """The rows of a path, the smallest tree first, and the row numbers that two rules choose; prints as a table.

    >>> from ftree import grow
    >>> from ftree.datasets import monks
    >>> from ftree.prune import cross_validated
    >>> from ftree.study import cp_table
    >>> found = cp_table(cross_validated(monks(1), grow, folds=3))
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

    def __repr__(self) -> str:
        """The table in the form of `printcp`; marks show the rows that the rules choose."""
        header = ("", "CP", "nsplit", "rel error", "xerror", "xstd", "")
        lines = [_cells(number, row, self._mark(number)) for number, row in enumerate(self.rows)]
        errors = f"{self.root_risk * self.cases:g}/{self.cases:g} = {self.root_risk:.5g}"
        return f"Root node error: {errors}\n\n{aligned([header, *lines], left=0)}\n\n1-SE line: xerror {self.limit:.5f}"

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
    root, *leaves = weighted_risks([tree.root, *(node for node in preorder(tree) if isinstance(node, Leaf))], risk)
    return root, sum(leaves)


def _row(step: Measured, left: float, root_risk: float) -> CpRow:
    n_splits = fold(step.tree, lambda _: 0, lambda _, below: 1 + sum(below))
    return CpRow(step.cp or 0.0, n_splits, left / root_risk, step.error / root_risk, step.standard_error / root_risk)


def _cells(number: int, row: CpRow, mark: str) -> tuple[str, ...]:
    errors = (f"{error:.5f}" for error in (row.rel_error, row.xerror, row.xstd))
    return str(number + 1), f"{row.cp:.5g}", str(row.n_splits), *errors, mark


def _checked(path: Any) -> list[Measured]:
    if not isinstance(path, Iterable):
        message = f"path must be a result of prune.cross_validated, got {type_of(path)}."
        raise TypeError(message)
    steps = list(path)
    if not all(isinstance(step, Measured) for step in steps):
        message = f"path must be a result of prune.cross_validated, got {short_repr(steps)}."
        raise TypeError(message)
    if not steps:
        message = "path must be at least one tree, got an empty path."
        raise ValueError(message)
    return steps
