"""Explaining a pass: the tree with the scores beside it, a table of decisions, or a picture of a path."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from ftree._lib.faces import Grid, Text
from ftree._lib.messages import short_repr
from ftree.prune.compositions import Pass, decisions_of
from ftree.prune.decisions import Decision
from ftree.prune.path_errors import Measured
from ftree.prune.select import one_standard_error
from ftree.show.indented_text import lines
from ftree.show.pictures import MARKERS, axes_or_new, colour, plot_text
from ftree.tree.fold import walk
from ftree.tree.formats import format_number
from ftree.tree.nodes import Counts, Path, Tree

_SCORES = ("as leaf", "as subtree", "threshold", "tie", "done")


def explain(pass_: Pass, tree: Tree, *, form: Literal["text", "table"] = "text") -> Text:
    """Show what a pass decides about a tree: scores as a leaf and as a subtree, the threshold, and what was done.

    `form="text"` prints scores beside the lines of the tree that the pass gets; a node judged twice has two lines.
    `form="table"` lists decisions in the order in which they were made, each with the branch's path at that time.
    For a plain function from tree to tree, decisions are those of `from_function`; the last line then says that it
    gives no scores.

    Raises a TypeError for anything that is not a pass, a ValueError for another form, or for a plain function that does more
    than prune.

    >>> from ftree import Dataset, grow, prune
    >>> tree = grow(Dataset.from_rows([["a"], ["a"], ["b"], ["b"]], [0, 1, 0, 0], features=["x"]))
    >>> explain(prune.pessimistic(), tree)
                           as leaf  as subtree  threshold  tie  done
    [3 1]                      1.5           2          3        cut
    x = a: 0 (2.0/1.0) [1 1]
    x = b: 0 (2.0) [2 0]
    """
    if form not in ("text", "table"):
        raise ValueError(f"form must be 'text' or 'table', got {short_repr(form)}.")
    made = decisions_of(pass_, tree)
    table = _beside_the_text(made, tree) if form == "text" else _table(made, tree)
    return Text("\n".join([str(table), *_note(made)]))


def _counts(tree: Tree, counts: Counts) -> str:
    """Counts of classes; the cases and the mean of numbers."""
    response = tree.schema.response
    shown = counts if tree.schema.has_classes else (counts[0], response.answer(counts))
    return " ".join(map(format_number, shown))


def _note(decisions: Sequence[Decision]) -> Iterator[str]:
    """A line which says that scores are blank because a pass gives none; no line if all passes give scores."""
    blank = [made.as_leaf is None for made in decisions]
    if any(blank):
        yield f"{'The pass' if all(blank) else 'One of the passes'} gives no scores."


def _table(decisions: Sequence[Decision], tree: Tree) -> Grid:
    cells = [(str(made.path), _counts(tree, made.counts), *_cells(made)) for made in decisions]
    counts = "counts" if tree.schema.has_classes else "cases, mean"
    return Grid(("path", counts, *_SCORES), cells, left=2)


def _beside_the_text(decisions: Sequence[Decision], tree: Tree) -> Grid:
    at: defaultdict[Path, list[Decision]] = defaultdict(list)
    for path, made in _where_they_were(decisions):
        at[path].append(made)
    rows: list[tuple[str, ...]] = []
    for (path, _), line in zip(walk(tree), lines(tree, distributions=True), strict=True):
        judged = [_cells(made) for made in at[path]] or [("",) * len(_SCORES)]
        rows += [(line if again == 0 else "", *cells) for again, cells in enumerate(judged)]
    return Grid(("", *_SCORES), rows, left=1)


def _where_they_were(decisions: Iterable[Decision]) -> Iterator[tuple[Path, Decision]]:
    """Each decision with its path in the tree that the pass got: a raised subtree was one level lower there."""
    raised: list[tuple[Path, int]] = []
    for made in decisions:
        path = made.path
        for above, child in reversed(raised):
            if path[: len(above)] == above:
                path = (*above, child, *path[len(above) :])
        yield path, made
        if made.child is not None:
            raised.append((made.path, made.child))


def _cells(made: Decision) -> tuple[str, ...]:
    figures = (made.as_leaf, made.as_subtree, made.threshold)
    cells = ("" if figure is None else format_number(figure, decimals=4) for figure in figures)
    return *cells, "tie" if made.tie else "", made.done


def plot_path(curves: Mapping[str, Sequence[Measured]], *, against: Literal["alpha", "leaves"] = "leaves", ax: Any = None) -> Any:
    """Draw a curve of error rates, mean costs, or mean losses for each name, against alpha or leaves; return matplotlib's axes.

    A curve named "cross-validated" has bars of one standard error. Dotted lines show the limit of the
    one-standard-error rule and the tree that it chooses. All curves describe one path; its trees are drawn at equal distances,
    the largest first.

    Raises an ImportError without matplotlib, a ValueError without curves, for curves of different paths, or for a path
    without alphas drawn against alpha.

    >>> from ftree import datasets, grow, prune
    >>> path = prune.measured(prune.cost_complexity_path(grow(datasets.monks(1))), datasets.monks(1))
    >>> ax = plot_path({"training": path})
    >>> ax.get_ylabel()
    'error rate'
    """
    longest = _checked(curves, against)
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
    labels = [str(row.leaves) if against == "leaves" else format_number(row.alpha or 0.0, decimals=4) for row in longest]
    ax.set_xticks(list(range(len(longest)))[::every], labels[::every], rotation=0 if against == "leaves" else 45)
    kind = longest[0].tree.schema.response.kind
    ax.set(xlabel=against, ylabel="error rate" if longest[0].deviation is None else _MEANS.get(kind, "mean loss"))
    ax.legend()
    return ax


# What errors are in a tree of each kind; of classes, where they have costs.
_MEANS = {"classes": "mean cost", "numbers": "mean squared error", "events": "mean deviance"}


def _draw_choice(ax: Any, rows: Sequence[Measured], shade: str) -> None:
    """Dotted lines for the limit of the one-standard-error rule, and for the tree that it chooses."""
    best = min(rows, key=lambda row: row.error)
    ax.axhline(best.error + best.standard_error, linestyle=":", color=shade, label="lowest error + 1 standard error")
    ax.axvline(
        list(rows).index(one_standard_error(rows)), linestyle="--", color=shade, label="chosen by the one-standard-error rule"
    )


def _checked(curves: Mapping[str, Sequence[Measured]], against: str) -> Sequence[Measured]:
    """The rows of the first curve."""
    if against not in ("alpha", "leaves"):
        raise ValueError(f"against must be 'alpha' or 'leaves', got {short_repr(against)}.")
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
    if against == "alpha" and any(row.alpha is None for row in first):
        raise ValueError(f"against must be 'leaves' for a path without alphas, got {short_repr(against)}.")
    return first
