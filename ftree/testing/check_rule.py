"""The battery for stopping rules."""

from hypothesis import given

from ftree._lib.fields import require_function
from ftree.criteria.frontier import Frontier
from ftree.criteria.predicate import StoppingRule, all_of, any_of, ask, not_
from ftree.testing.strategies import ONE, frontiers, rules


def check_rule(rule: StoppingRule) -> None:
    """Check a rule: it returns one boolean for each node, alike for a level and for single nodes, and obeys De Morgan.

    >>> from ftree.stop import chi_squared, max_depth
    >>> check_rule(max_depth(3) | chi_squared(0.05))
    """
    require_function("rule", rule)

    @ONE
    @given(frontiers(), rules())
    def laws(frontier: Frontier, other: StoppingRule) -> None:
        answers = ask(rule, frontier)
        assert answers.tolist() == [bool(ask(rule, node)) for node in frontier.nodes()], "a level's answer is its nodes' answers"
        assert ask(not_(not_(rule)), frontier).tolist() == answers.tolist(), "not not is nothing"
        neither = ask(all_of(not_(rule), not_(other)), frontier)
        assert ask(not_(any_of(rule, other)), frontier).tolist() == neither.tolist(), "not any_of is all_of not"

    laws()
