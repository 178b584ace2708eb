"""What a path of prunings costs, tree by tree: rpart's table of complexities, and the curve of errors."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from attrs import field, frozen

from ftree._lib.faces import Face, Grid
from ftree._lib.fields import as_tuple, is_iterable, require_one_of
from ftree._lib.messages import short_repr, type_of
from ftree.criteria.costs import cost_risk
from ftree.criteria.impurity import Impurity, misclassification
from ftree.prune.path_choice import Measured, lowest_error, one_standard_error
from ftree.prune.weakest_links import check_risk_is_function, risks_and_unit
from ftree.show.looks import colour
from ftree.show.plot_numbers import MARKERS, axes_or_new, plot_text
from ftree.tree.fold import fold, leaves
from ftree.tree.formats import format_number
from ftree.tree.nodes import Tree


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

    Risks are shares of the root's. Cross-validated errors are counted, unless the risk is a `cost_risk`, so they are shares of
    the root's errors.

    Raises a TypeError for anything else, and for a risk that is not a function; a ValueError for an empty path, and if the root's
    risk is 0.

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
    check_risk_is_function(risk)
    steps = _checked_path(path)
    roots = [_risks(step.tree, risk) for step in steps]
    root_risk = roots[-1][0]
    own = steps[-1].tree
    counts_errors = own.schema.has_classes and not isinstance(risk, cost_risk)
    root_error = _risks(own, misclassification)[0] if counts_errors else root_risk
    if not (root_risk and root_error):
        message = "path must be of a tree whose root has errors, got a root with risk 0, by which errors cannot be divided."
        raise ValueError(message)
    rows = [_row(step, left / root_risk, root_error) for step, (_, left) in zip(steps, roots, strict=True)][::-1]
    chosen = [len(rows) - 1 - steps.index(rule(steps)) for rule in (lowest_error, one_standard_error)]
    return CpTable(root_risk, steps[0].cases, tuple(rows), *chosen)


def _risks(tree: Tree, risk: Impurity) -> tuple[float, float]:
    """The risk of the root as a leaf, and that of the tree."""
    counts = [tree.root.counts, *(leaf.counts for leaf in leaves(tree))]
    (root, *below), unit = risks_and_unit(tree.schema, counts, risk)
    return root * unit, sum(below) * unit


def _row(step: Measured, rel_error: float, root_error: float) -> CpRow:
    n_splits = fold(step.tree, lambda _: 0, lambda _, below: 1 + sum(below))
    return CpRow(step.cp or 0.0, n_splits, rel_error, step.error / root_error, step.standard_error / root_error)


def _cells(number: int, row: CpRow, mark: str) -> tuple[str, ...]:
    errors = (f"{error:.5f}" for error in (row.rel_error, row.xerror, row.xstd))
    return str(number + 1), f"{row.cp:.5g}", str(row.n_splits), *errors, mark


def _checked_path(path: Any) -> list[Measured]:
    if not is_iterable(path):
        raise TypeError(f"path must be a result of prune.cross_validated, got {type_of(path)}.")
    steps = list(path)
    if not all(isinstance(step, Measured) for step in steps):
        raise TypeError(f"path must be a result of prune.cross_validated, got {short_repr(steps)}.")
    if not steps:
        raise ValueError("path must be at least one tree, got an empty path.")
    return steps


# The curve of errors along a path, as a plot.


def plot_path(
    curves: Mapping[str, Sequence[Measured]], *, against: Literal["alpha", "cp", "leaves"] = "leaves", ax: Any = None
) -> Any:
    """Draw a curve of error rates, mean costs or mean losses for each name, against alpha, cp or leaves; return the axes.

    A curve named "cross-validated" has bars of one standard error. Dotted lines show the limit of the
    one-standard-error rule and the tree that it chooses. All curves describe one path; its trees are drawn at equal distances,
    the largest first. `cp` is alpha as a share of the root's risk, as in `cp_table`.

    Raises an ImportError without matplotlib, a ValueError without curves, for curves of different paths, or for a path
    without alphas drawn against alpha.

    >>> from ftree import datasets, grow, prune
    >>> path = prune.measured(prune.cost_complexity_path(grow(datasets.monks(1))), datasets.monks(1))
    >>> ax = plot_path({"training": path})
    >>> ax.get_ylabel()
    'error rate'
    """
    longest = _checked_curves(curves, against)
    ax = axes_or_new(ax, name="plot_path", frame=False)
    for number, (name, rows) in enumerate(curves.items()):
        look = {"color": colour(number), "marker": MARKERS[number % len(MARKERS)], "markersize": 4, "label": plot_text(name)}
        errors = [row.error for row in rows]
        if name == "cross-validated":
            ax.errorbar(range(len(rows)), errors, [row.standard_error for row in rows], capsize=2, **look)
            _draw_choice(ax, rows, colour(number))
        else:
            ax.plot(range(len(rows)), errors, **look)
    every = max(len(longest) // 12, 1)
    labels = [_label(row, against) for row in longest]
    ax.set_xticks(list(range(len(longest)))[::every], labels[::every], rotation=0 if against == "leaves" else 45)
    kind = longest[0].tree.schema.response.kind
    ax.set(xlabel=against, ylabel="error rate" if longest[0].deviation is None else _MEANS.get(kind, "mean loss"))
    ax.legend()
    return ax


def _label(row: Measured, against: str) -> str:
    """What stands below a tree."""
    if against == "leaves":
        return str(row.leaves)
    return format_number(row.alpha or 0.0, decimals=4) if against == "alpha" else f"{row.cp or 0.0:.2g}"


# What errors are in a tree of each kind; of classes, where they have costs.
_MEANS = {"classes": "mean cost", "numbers": "mean squared error", "events": "mean deviance"}


def _draw_choice(ax: Any, rows: Sequence[Measured], shade: str) -> None:
    """Dotted lines for the limit of the one-standard-error rule, and for the tree that it chooses."""
    best = lowest_error(rows)
    ax.axhline(best.error + best.standard_error, linestyle=":", color=shade, label="lowest error + 1 standard error")
    ax.axvline(
        list(rows).index(one_standard_error(rows)), linestyle="--", color=shade, label="chosen by the one-standard-error rule"
    )


def _checked_curves(curves: Mapping[str, Sequence[Measured]], against: str) -> Sequence[Measured]:
    """The rows of the first curve."""
    require_one_of("against", against, ("alpha", "cp", "leaves"))
    if not isinstance(curves, Mapping):
        raise TypeError(f'curves must be a dict such as {{"training": measured(path, dataset)}}, got {short_repr(curves)}.')
    first = next(iter(curves.values()), ())
    if not first:
        message = f"curves must be at least one curve of at least one tree, got {[len(rows) for rows in curves.values()]} trees."
        raise ValueError(message)
    if any([row.leaves for row in rows] != [row.leaves for row in first] for rows in curves.values()):
        raise ValueError(
            f"curves must be of one path, got curves of {[len(rows) for rows in curves.values()]} trees with different leaves."
        )
    if against != "leaves" and any(row.alpha is None for row in first):
        raise ValueError(f"against must be 'leaves' for a path without alphas, got {short_repr(against)}.")
    return first
