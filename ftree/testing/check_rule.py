"""The battery for stopping rules."""

from collections.abc import Callable, Collection, Iterator
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree._lib.fields import require_function
from ftree.criteria.frontier import Frontier
from ftree.criteria.predicate import StoppingRule, as_rule, ask
from ftree.testing.laws import equal, law, trying
from ftree.testing.strategies import frontiers, rules

_Figure: TypeAlias = Literal["depth", "weight", "gain"]
# The figures that are tried in order.
_SWEEPS: dict[_Figure, list[float]] = {
    "depth": list(range(10)),
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
    """Check a rule: it returns one boolean for each node, alike for a level and for single nodes, and composes.

    `oracle` is the rule for one node: from the frontier of a single node, with plain numbers, to a boolean.
    `at` are numbers at which the rule changes its result: depths, weights and gains equal or adjacent to them
    are tried as well. A rule must treat gains as equal that differ only by rounding.

    For a figure in `rising`, a rule that closes a node must close it for every higher figure too, as `max_depth` does for
    "depth"; for a figure in `falling`, for every lower one, as `min_rows` does for "weight".

    >>> from ftree.stop import chi_squared, max_depth
    >>> check_rule(max_depth(3) | chi_squared(0.05))
    >>> check_rule(max_depth(3), oracle=lambda node: node.depth >= 3, at=[3], rising={"depth"})
    """
    require_function("rule", rule)

    @trying()
    @given(frontiers(), rules(), st.sampled_from([None, *at]), st.sampled_from([*rising, *falling, None]))
    def laws(frontier: Frontier, other: StoppingRule, number: float | None, figure: _Figure | None) -> None:
        answers = _answers(rule, frontier, oracle)
        _check_composed(rule, other, frontier, answers)
        if number is not None:
            for near in _placed(frontier, number):
                _answers(rule, near, oracle)
            _check_rounding(rule, frontier, number)
        if figure is not None:
            _check_order(rule, frontier, figure, rises=figure in rising)

    laws()


def _answers(rule: StoppingRule, frontier: Frontier, oracle: Callable[[Frontier], Any] | None) -> list[bool]:
    """The rule's results for a level, which equal those for its nodes and those of the oracle."""
    answers: list[bool] = ask(rule, frontier).tolist()
    for node, own in zip(frontier.nodes(), answers, strict=True):
        equal("a level's results are its nodes' results", own, bool(ask(rule, node)), node=node, frontier=frontier)
        if oracle is not None:
            equal("a rule closes what the oracle closes", own, bool(oracle(node)), node=node)
    return answers


def _check_composed(rule: StoppingRule, other: StoppingRule, frontier: Frontier, own: list[bool]) -> None:
    """The operators give what Python's `not`, `or` and `and` of the results give."""
    theirs, one = ask(other, frontier).tolist(), as_rule(rule)
    pairs = list(zip(own, theirs, strict=True))
    for text, composed, wanted in (
        ("not a rule closes the other nodes", ~one, [not mine for mine in own]),
        ("rules joined by | close what either closes", one | other, [mine or its for mine, its in pairs]),
        ("rules joined by & close what both close", one & other, [mine and its for mine, its in pairs]),
    ):
        equal(text, ask(composed, frontier).tolist(), wanted, rule=composed, frontier=frontier)


def _placed(frontier: Frontier, number: float) -> Iterator[Frontier]:
    """The frontier with a depth, gains and weights equal or adjacent to a number."""
    for depth in {int(number) - 1, int(number), int(number) + 1} - {-1}:
        yield evolve(frontier, depth=depth)
    for gain in (number - _MORE, number, number + _MORE):
        yield _with("gain", frontier, gain)
    if number > 0:
        yield from (_with("weight", frontier, weight) for weight in (number / 2, number, number + 0.5))


def _with(figure: _Figure, frontier: Frontier, value: float) -> Frontier:
    """The frontier whose nodes all have this figure."""
    if figure == "depth":
        return evolve(frontier, depth=int(value))
    if figure == "gain":
        return evolve(frontier, gain=np.full(frontier.shape, value))
    times = value / frontier.weight[:, None]
    of_children = np.repeat(times, frontier.n_children, axis=0)
    return evolve(frontier, counts=frontier.counts * times, child_counts=frontier.child_counts * of_children)


def _check_rounding(rule: StoppingRule, frontier: Frontier, gain: float) -> None:
    exact = ask(rule, _with("gain", frontier, gain)).tolist()
    for other in (gain - _ROUNDING, gain + _ROUNDING):
        rounded = ask(rule, _with("gain", frontier, other)).tolist()
        equal("a rule treats gains as equal that differ only by rounding", rounded, exact, gain=other, like=gain)


def _check_order(rule: StoppingRule, frontier: Frontier, figure: _Figure, *, rises: bool) -> None:
    values = _SWEEPS[figure]
    answers = [ask(rule, _with(figure, frontier, value)).tolist() for value in values]
    for node, closed in enumerate(zip(*answers, strict=True)):
        way = "rises" if rises else "falls"
        ordered = list(closed) == sorted(closed, reverse=not rises)
        law(f"the rule {way} with {figure}", ordered, got=list(closed), **{figure: values}, node=frontier[node])
