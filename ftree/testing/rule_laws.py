"""Checks for stopping rules."""

from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import evolve
from hypothesis import strategies as st

from ftree._lib.fields import require_function
from ftree.criteria.frontier import Frontier
from ftree.criteria.inherited_state import parts_with_state, state_of_root
from ftree.criteria.predicate import StoppingRule, ask
from ftree.splitters import all_parts
from ftree.testing.laws import COPIES, check_stateless, equal, law
from ftree.testing.part_strategies import frontiers

_Figure: TypeAlias = Literal["depth", "weight", "gain"]
# The figures that are tried in order.
_SWEEPS: dict[_Figure, list[float]] = {
    "depth": [*range(10), 20, 99],
    "weight": np.geomspace(0.25, 32, 12).tolist(),
    "gain": np.linspace(0, 2, 12).tolist(),
}
# Gains that differ by less than the first are equal, and those that differ by more than the second are not.
_ROUNDING, _MORE = 1e-12, 1e-6


def check_rule(
    rule: StoppingRule,
    *,
    oracle: Callable[[Frontier], Any] | None = None,
    at: Collection[float] = (),
    rising: Collection[_Figure] = (),
    falling: Collection[_Figure] = (),
) -> None:
    """Check a rule: it returns one boolean for each node, alike for a level and for single nodes.

    `oracle` is the rule for one node: from the frontier of a single node, with plain numbers, to a boolean.
    `at` are numbers at which the rule changes its result: depths, weights and gains equal or adjacent to them
    are tried as well, and those equal or adjacent to 0. A rule must treat gains as equal that differ only by rounding.

    For a figure in `rising`, a rule that closes a node must close it for every higher figure too, as `max_depth` does for
    "depth"; for a figure in `falling`, for every lower one, as `min_rows` does for "weight".

    >>> from ftree.stop import not_significant, max_depth
    >>> check_rule(max_depth(3) | not_significant(0.05))
    >>> check_rule(max_depth(3), oracle=lambda node: node.depth >= 3, at=[3], rising={"depth"})
    """
    require_function("rule", rule)

    def laws(frontier: Frontier, number: float | None, figure: _Figure | None) -> None:
        alone = _check_answers(rule, frontier, oracle)
        many = ask(rule, _with_state(rule, _repeated(frontier)))
        equal("a large level's results are its nodes' results", many, alone * COPIES, frontier=frontier)
        if number is not None:
            for near in _placed(frontier, number):
                _check_answers(rule, near, oracle)
            for gain in (number, number / frontier.weight):  # of a case, of all cases
                _check_rounding(rule, frontier, gain)
        if vars(type(rule)).get("looks_at") == "node":
            other = evolve(frontier, gain=frontier.gain + 1, child_counts=frontier.child_counts[::-1])
            equal('a rule that looks_at = "node" reads no split', ask(rule, other), alone, frontier=frontier)
        if figure is not None:
            _check_order(rule, frontier, figure, rises=figure in rising)

    drawn: dict[str, Any] = {"number": st.sampled_from([None, 0, *at]), "figure": st.sampled_from([*rising, *falling, None])}
    answer = lambda own, frontier, **_: ask(own, _with_state(own, frontier)).tolist()  # noqa: E731  # short
    check_stateless(rule, laws, answer, frontier=frontiers().map(partial(_with_state, rule)), **drawn)


def _check_answers(rule: StoppingRule, frontier: Frontier, oracle: Callable[[Frontier], Any] | None) -> list[bool]:
    """The results for a level are those for its nodes, and those of the oracle."""
    alone = [bool(ask(rule, node)) for node in frontier.nodes()]
    equal("a level's results are its nodes' results", ask(rule, frontier), alone, frontier=frontier)
    for node, own in zip(frontier.nodes(), alone, strict=True):
        if oracle is not None:
            equal("a rule closes what the oracle closes", own, bool(oracle(node)), node=node)
    return alone


def _with_state(rule: StoppingRule, frontier: Frontier) -> Frontier:
    """The frontier with the inherited state of a rule at the root in each node."""
    root = state_of_root(parts_with_state(all_parts([rule])), ())
    return evolve(frontier, inherited_state=root and root[np.zeros(len(frontier.counts), int)])


def _repeated(frontier: Frontier) -> Frontier:
    """A level with copies of each node."""
    figures = ("impurity", 1), ("gain", 1), ("n_children", 1), ("scores", 1), ("counts", 2), ("child_counts", 2)
    repeated: Any = {name: np.tile(getattr(frontier, name), (COPIES, 1)[:axes]) for name, axes in figures}
    return evolve(frontier, splits=frontier.splits * COPIES, **repeated)


def _placed(frontier: Frontier, number: float) -> Iterator[Frontier]:
    """The frontier with a depth, gains and weights equal or adjacent to a number."""
    for depth in {int(number) - 1, int(number), int(number) + 1} - {-1}:
        yield evolve(frontier, depth=depth)
    for gain in (number - _MORE, number, number + _MORE):
        yield _with("gain", frontier, gain)
    if number > 0:
        yield from (_with("weight", frontier, weight) for weight in (number / 2, number, number + 0.5))


def _with(figure: _Figure, frontier: Frontier, value: Any) -> Frontier:
    """The frontier whose nodes all have this figure.

    Depth and gain are fields. Weight is the sum of counts, so the counts of nodes and children are scaled: shares, impurity and
    gain stay, while what is computed from counts, such as sizes of children and p-values, follows.
    """
    if figure == "depth":
        return evolve(frontier, depth=int(value))
    if figure == "gain":
        return evolve(frontier, gain=np.full(frontier.shape, value))
    times = value / frontier.weight[:, None]
    of_children = np.repeat(times, frontier.n_children, axis=0)
    return evolve(frontier, counts=frontier.counts * times, child_counts=frontier.child_counts * of_children)


def _check_rounding(rule: StoppingRule, frontier: Frontier, gain: Any) -> None:
    exact = ask(rule, _with("gain", frontier, gain)).tolist()
    for other in (gain - _ROUNDING, gain + _ROUNDING):
        rounded = ask(rule, _with("gain", frontier, other)).tolist()
        equal("a rule treats gains as equal that differ only by rounding", rounded, exact, gain=other, like=gain)


def _check_order(rule: StoppingRule, frontier: Frontier, figure: _Figure, *, rises: bool) -> None:
    values: Any = _SWEEPS[figure]
    answers = [ask(rule, _with(figure, frontier, value)).tolist() for value in values]
    for node, closed in enumerate(zip(*answers, strict=True)):
        way = "rises" if rises else "falls"
        ordered = list(closed) == sorted(closed, reverse=not rises)
        law(f"the rule {way} with {figure}", ordered, got=list(closed), **{str(figure): values}, node=frontier[node])
