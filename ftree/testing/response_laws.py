"""Checks for additive responses."""

from collections.abc import Callable, Collection, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ftree._lib.arrays import Array
from ftree.data.channels import rows_as_sums
from ftree.data.dataset import Dataset
from ftree.growth.growing import grow
from ftree.policy import CART
from ftree.routing.counting import recount
from ftree.routing.leaves_of_rows import apply
from ftree.routing.predict import predict
from ftree.stop import max_depth
from ftree.testing.laws import check_laws, equal, law, require_exempt
from ftree.tree.additive import exact_sums
from ftree.tree.fold import leaves
from ftree.tree.schema import response_of_sums

_Law: TypeAlias = Literal["least"]
_ROUNDING = 1e-6


def check_response(
    response: Any,
    *,
    values: SearchStrategy[float] | None = None,
    further: Sequence[SearchStrategy[float]] = (),
    oracle: Callable[..., float] | None = None,
    exempt: Collection[_Law] = (),
) -> None:
    """Check an additive response: what cases lose adds up, no answer loses less than their own, and trees of it grow and prune.

    Rows have numbers drawn from `values`, by default whole ones from 0 to 9, and numbers of each further target of the response,
    drawn from `further`, one strategy each, by default 0.5, 1 and 3. `oracle` is a plain function from lists of these numbers to
    the answer of the rows. A response that does not answer with what loses least is `exempt` from "least", such as one that
    shrinks; a response whose splits have a `score` of their own gets no score from a split that parts nothing.

    >>> from ftree.responses import events
    >>> check_response(events("years", shrink=0), oracle=lambda happened, years: sum(happened) / sum(years))
    """
    exact_sums(response)  # raises
    require_exempt(exempt, _Law)

    def laws(table: Dataset, random: Any) -> None:
        columns = (table.target_column, *table.further_targets)
        own: Any = response_of_sums(table.schema).at_root(None, *columns)
        rows = rows_as_sums(table, own)
        _check_answers(own, table, rows)
        _check_losses(own, rows, exempt)
        if oracle is not None:
            wanted = oracle(*(column.tolist() for column in columns))
            equal("a node answers as the oracle", own.answer(tuple(rows.sum(axis=0))), wanted, numbers=table.target_column)
        _check_tree(table, random)

    check_laws(laws, fewer=2, table=_tables(response, values, further), random=st.randoms(use_true_random=False))


def _check_answers(own: Any, table: Dataset, rows: Array) -> None:
    """What a row adds depends on it alone; the answers of a level are those of its nodes."""
    alone = np.concatenate([rows_as_sums(table.take(np.array([row])), own) for row in range(len(table))])
    equal("what a row adds depends on it alone", own.answers(alone), own.answers(rows), numbers=table.target_column)
    nodes = _halves(rows)
    answers = own.answers(nodes)
    law("an answer has double precision", answers.dtype != np.float32, numbers=table.target_column)
    equal("the answers of a level are those of its nodes", answers, [own.answers(tuple(node)) for node in nodes], sums=nodes)


def _check_losses(own: Any, rows: Array, exempt: Collection[str]) -> None:
    """Losses of nodes are numbers from 0 that add up, and least for a node's own answer."""
    nodes = _halves(rows)
    least = np.array([own.risk(tuple(node)) for node in nodes])
    for answer in [*own.answers(nodes), *own.answers(9 * rows)]:  # those of many equal rows differ most
        losses = np.array([own.loss(answer, tuple(node)) for node in nodes])
        raw, rounding = own.own.loss(answer, *own.in_units(nodes)), _ROUNDING * (1 + np.abs(own.in_units(nodes)).max())
        law("a loss is a number from 0", np.all(raw >= -rounding), got=raw, answer=answer, sums=nodes)
        of_none = own.own.loss(answer, *own.in_units(0 * nodes))
        equal("a node without cases loses nothing", of_none, np.zeros(len(nodes)), answer=answer)
        equal("losses add up", own.loss(answer, tuple(nodes.sum(axis=0))), losses.sum(), answer=answer, sums=nodes)
        told = "least" in exempt or (least <= losses + _ROUNDING).all()
        law("no answer loses less than a node's own", told, got=losses, wanted=least, sums=nodes, exempt="least")


def _halves(rows: Array) -> Array:
    """The sums of two nodes, which have the first and the last rows; or of one, for one row."""
    return np.add.reduceat(rows, [0, len(rows) // 2], axis=0) if len(rows) > 1 else rows


def _check_tree(table: Dataset, random: Any) -> None:
    """A tree of the rows is the same in any order, and predicts what its leaves answer."""
    shuffled = table.take(random.sample(range(len(table)), len(table)))
    tree, other = (grow(rows, CART.stopping(max_depth(3))) for rows in (table, shuffled))
    law("rows in another order grow the same tree", other == tree, got=other, wanted=tree)
    law("the rows that a tree grew from give it back", recount(tree, table) == tree, wanted=tree)
    own: Any = response_of_sums(tree.schema)
    answers = [own.answer(leaf.counts) for leaf in leaves(tree)]
    of_rows = np.array([answers[number] for number in apply(tree, table).tolist()])
    cells = [table.further_targets[own.further_targets.index(name)] for name in own.row_features]
    wanted = own.row(of_rows, cells)
    equal("a row gets the answer of a leaf", np.asarray(predict(tree, table)), wanted)
    if cells and own.options.row_sum:
        sums = of_rows[:, 0] + (of_rows[:, 1:-1] * np.column_stack(cells)).sum(axis=1)
        equal("a row gets the constant plus its weighted cells", wanted, np.where(np.isnan(sums), of_rows[:, -1], sums))


@st.composite
def _tables(draw: Any, response: Any, values: SearchStrategy[float] | None, further: Sequence[SearchStrategy[float]]) -> Dataset:
    drawn = draw(st.lists(st.integers(0, 9) if values is None else values, min_size=1, max_size=12))

    def cells(few: SearchStrategy[Any]) -> Any:
        return draw(st.lists(few, min_size=len(drawn), max_size=len(drawn)))

    names = exact_sums(response).further_targets
    strategies = further or [st.sampled_from([0.5, 1.0, 3.0])] * len(names)
    target = exact_sums(response).options.target or "answer"
    columns = {"x": cells(st.integers(0, 4)), "c": cells(st.sampled_from("abcd")), target: drawn}
    columns |= {name: cells(each) for name, each in zip(names, strategies, strict=True)}
    return Dataset.from_columns(columns, target=target, kinds={"x": "numeric"}, response=response)
