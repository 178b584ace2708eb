"""Explaining a pass: the tree with the scores beside it, or a table of decisions."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from toolz import groupby

from ftree._lib.faces import Grid, Text
from ftree._lib.messages import short_repr
from ftree.prune.compositions import Pass, decisions_of
from ftree.prune.decisions import Decision
from ftree.show.indented_text import lines
from ftree.tree.fold import walk
from ftree.tree.formats import format_number
from ftree.tree.nodes import Path, Tree
from ftree.tree.response import Counts

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
    if not isinstance(form, str) or form not in ("text", "table"):
        raise ValueError(f"form must be 'text' or 'table', got {short_repr(form)}.")
    made = decisions_of(pass_, tree)
    table = _beside_the_text(made, tree) if form == "text" else _table(made, tree)
    return Text("\n".join([str(table), *_note(made)]))


def _counts(tree: Tree, counts: Counts) -> str:
    """Counts of classes; the cases and the answer of others, such as a mean."""
    response = tree.schema.response
    if tree.schema.has_classes:
        return " ".join(map(format_number, counts))
    return f"{format_number(counts[0])} {response.text(response.answer(counts))}"


def _note(decisions: Sequence[Decision]) -> Iterator[str]:
    """A line which says that scores are blank because a pass gives none; no line if all passes give scores."""
    blank = [made.as_leaf is None for made in decisions]
    if any(blank):
        yield f"{'The pass' if all(blank) else 'One of the passes'} gives no scores."


def _table(decisions: Sequence[Decision], tree: Tree) -> Grid:
    cells = [(str(made.path), _counts(tree, made.counts), *_cells(made)) for made in decisions]
    counts = "counts" if tree.schema.has_classes else "cases, answer"
    return Grid(("path", counts, *_SCORES), cells, left=2)


def _beside_the_text(decisions: Sequence[Decision], tree: Tree) -> Grid:
    at: dict[Path, list[tuple[Path, Decision]]] = groupby(0, _where_they_were(decisions))
    rows: list[tuple[str, ...]] = []
    for (path, _), line in zip(walk(tree), lines(tree, distributions=True), strict=True):
        judged = [_cells(made) for _, made in at.get(path, ())] or [("",) * len(_SCORES)]
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
