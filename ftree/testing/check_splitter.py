"""The battery for splitters of single features."""

from collections.abc import Callable, Collection
from functools import partial
from itertools import pairwise
from math import ceil
from typing import Any, Literal, TypeAlias

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ftree._lib.arrays import Array
from ftree._lib.messages import short_repr
from ftree._lib.ties import TIE
from ftree.criteria.impurity import entropy, gini
from ftree.criteria.scores import gain
from ftree.splitters import BestSplits, Measure, Splitter, is_splitter
from ftree.testing.laws import equal, law, near, trying
from ftree.testing.tables import Table, as_runs, tables
from ftree.tree.splits import Intervals, Subset, Threshold
from ftree.tree.splits.protocol import Split

# Rows for which splitters use compiled code, where it is at hand.
_MANY_ROWS = 1000
_Law: TypeAlias = Literal["best", "midway", "score"]
# From a table and the measure of children's counts (V, K) to the best score and its split; None if there is no split.
_Best: TypeAlias = Callable[[Table, Measure], "tuple[float, Split] | None"]


def check_splitter(splitter: Splitter, *, oracle: _Best | None = None, exempt: Collection[_Law] = ()) -> None:
    """Check a splitter: on small tables, its splits are those of the feature, and its counts those of the children.

    A level's results are its tables' results. These laws can be `exempt`. "score": the score is the measure of the children's
    counts. "best": a table of two values has a split, and no other cut or division in two scores higher; of equal cuts it is
    the lowest. "midway": cuts are midway between adjacent values.

    `oracle` gives the right result: from a `Table` and the measure to the score and the split, or None if there is no split.

    >>> from ftree.splitters import threshold
    >>> check_splitter(threshold())
    """
    if not is_splitter(splitter):
        message = f"splitter must be a splitter of single features, such as threshold(), got {short_repr(splitter)}."
        raise TypeError(message)

    @trying()
    @given(tables(splitter.kinds), st.sampled_from([entropy, gini]))
    def laws(level: list[Table], impurity: Any) -> None:
        measure = partial(gain, impurity=impurity)
        found = splitter(as_runs(level), measure)
        law("a splitter has one score for each run", np.shape(found.score) == (len(level),), got=np.shape(found.score))
        for number, table in enumerate(level):
            score, built = _answer(found, number)
            _check_alone(splitter, table, measure, score, built)
            if built is not None:
                _check_split(table, *built, exempt)
                if "score" not in exempt:
                    equal("a score is the measure of the children", score, measure(built[1]), table=table, split=built[0])
            if "best" not in exempt:
                _check_best(table, score, built and built[0], measure)
            if oracle is not None:
                _check_oracle(table, score, built and built[0], oracle(table, measure))

    @trying(fewer=10)
    @given(tables(splitter.kinds))
    def laws_of_many_rows(level: list[Table]) -> None:
        times = ceil(_MANY_ROWS / sum(len(table.values) for table in level))
        few, many = (splitter(as_runs(tables), partial(gain, impurity=entropy)) for tables in (level, level * times))
        equal("a large level's scores are its tables' scores", many.score, np.tile(few.score, times), tables=level)
        for number, table in enumerate(level):
            (_, own), (_, last) = _answer(few, number), _answer(many, number - len(level))
            law("a large level's splits are its tables' splits", (own and own[0]) == (last and last[0]), got=last, table=table)

    laws()
    laws_of_many_rows()


def _answer(found: BestSplits, number: int) -> tuple[float, tuple[Split, Array] | None]:
    """The score of a run, and its split with the children's counts; None if there is none."""
    score = float(found.score[number])
    law("a score is finite, or -inf if there is no split", np.isfinite(score) or score == -np.inf, got=score)
    return score, None if score == -np.inf else found.build(number)


def _check_alone(splitter: Splitter, table: Table, measure: Measure, score: float, built: tuple[Split, Array] | None) -> None:
    own, alone = _answer(splitter(as_runs([table]), measure), 0)
    equal("a level's scores are its tables' scores", score, own, table=table)
    mine, its = built and built[0], alone and alone[0]
    law("a level's splits are its tables' splits", mine == its, got=mine, wanted=its, table=table)


def _check_split(table: Table, split: Split, counts: Array, exempt: Collection[_Law]) -> None:
    """The split is of the table's feature, its counts are those of its children, and its cuts are midway between values."""
    law("a split is of its run's feature", tuple(split.features) == (table.number,), got=split, table=table)
    children = table.children(split)
    equal("a splitter's counts are those of its children", counts, children, table=table, split=split)
    law("two children have cases", (children.sum(axis=1) > 0).sum() > 1, got=children, table=table, split=split)
    cuts = (split.at,) if isinstance(split, Threshold) else split.cuts if isinstance(split, Intervals) else ()
    if "midway" not in exempt:
        middles = [(low + high) / 2 for low, high in pairwise(table.values)]
        law("cuts are midway between adjacent values", set(cuts) <= set(middles), got=cuts, wanted=middles, table=table)


def _check_best(table: Table, score: float, split: Split | None, measure: Measure) -> None:
    """No other cut or division in two of the same kind scores higher; of equal cuts it is the lowest."""
    law("a table of two values has a split", split is not None or len(table.values) < 2, table=table)  # noqa: PLR2004  # as it says
    candidates = table.cuts() if isinstance(split, Threshold) else table.divisions() if isinstance(split, Subset) else ()
    for other in candidates:
        reached = float(measure(table.children(other)))
        law(
            f"no other candidate scores higher, as {other!r} does", reached <= score + TIE, got=score, wanted=reached, table=table
        )
        if isinstance(split, Threshold) and isinstance(other, Threshold) and other.at < split.at:
            law("of equal cuts the lowest is best", reached < score - TIE / 2, got=split, wanted=other, table=table)


def _check_oracle(table: Table, score: float, split: Split | None, wanted: tuple[float, Split] | None) -> None:
    best, other = (-np.inf, None) if wanted is None else wanted
    law("a score is that of the oracle", near(score, best), got=score, wanted=best, table=table)
    law("a split is that of the oracle", split == other, got=split, wanted=other, table=table)
