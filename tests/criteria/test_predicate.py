"""Rules as values: how they compose, print and compare, and their messages when they are misused."""

import pickle

import numpy as np
import pytest
from hypothesis import given

from ftree import stop
from ftree.criteria import all_of, any_of, ask, not_
from ftree.criteria.predicate import as_rule
from ftree.stop import max_depth, min_rows, no_gain, per_node, pure
from ftree.testing import frontiers, stopping_rules


def half(frontier):
    return frontier.gain > 0.5


def unsure(frontier):
    if frontier.weight > 5:
        return True
    return frontier.depth > 2 and frontier.gain < 0.1


def test_a_function_becomes_a_rule_and_everything_else_stays_as_it_is():
    assert as_rule(half) == any_of(half)
    for value in (max_depth(3), pure() & min_rows(4), ~pure(), 3, max_depth):
        assert as_rule(value) is value


@pytest.mark.parametrize(
    "written",
    [
        "max_depth(6) | not_significant(0.05)",
        "pure() | no_gain() | max_leaves(8)",
        "~(pure() | min_rows(5))",
        "(pure() | min_rows(5)) & ~max_depth(2)",
        "~(pure() & min_best_child(2)) | min_gain(0.01)",
        "per_node(max_depth(2))",
        "any_of(pure())",
        "all_of(pure())",
        "never",
        "~never",
    ],
)
def test_a_composed_rule_prints_as_written(written):
    rule, again = (eval(written, vars(stop) | {"half": half}) for _ in "12")  # noqa: S307  # a repr is Python, which is the claim
    assert repr(rule) == written
    assert rule == again
    assert hash(rule) == hash(again)


def test_a_function_prints_as_its_name():
    assert repr(half | pure()) == "half | pure()"
    assert repr(pure() & half) == "pure() & half"
    assert repr(half & ~pure()) == "half & ~pure()"


def test_nesting_leaves_no_trace():
    assert (pure() | no_gain()) | max_depth(1) == pure() | (no_gain() | max_depth(1)) == any_of(pure(), no_gain(), max_depth(1))
    assert all_of(all_of(pure(), half), max_depth(1)) == pure() & half & max_depth(1)
    assert repr(all_of()) == "always"


@given(frontiers(), stopping_rules(), stopping_rules())
def test_composed_rules_answer_as_logic_does(frontier, one, other):
    a, b = ask(one, frontier), ask(other, frontier)
    assert (ask(any_of(one, other), frontier) == (a | b)).all()
    assert (ask(all_of(one, other), frontier) == (a & b)).all()
    assert (ask(not_(one), frontier) == ~a).all()


@given(stopping_rules())
def test_rules_are_values(rule):
    assert pickle.loads(pickle.dumps(rule)) == rule  # noqa: S301  # made here


@given(frontiers().filter(lambda frontier: frontier.shape != (1,)))
def test_a_rule_written_for_one_node_is_told_how_to_mend_itself(frontier):
    with pytest.raises(TypeError, match=r"per_node\(unsure\)"):
        ask(unsure, frontier)
    assert ask(per_node(unsure), frontier).shape == frontier.shape


@given(frontiers())
def test_an_answer_that_is_no_boolean_a_node_is_refused(frontier):
    for wrong in (lambda f: f.gain, lambda _: None, lambda f: np.zeros((len(f.counts), 7), dtype=bool)):
        with pytest.raises(TypeError, match="one for each node"):
            ask(wrong, frontier)


def test_an_error_inside_a_rule_stays_what_it_is():
    def broken(_):
        message = "no such thing"
        raise ValueError(message)

    with pytest.raises(ValueError, match="no such thing"):
        ask(broken, None)


def test_only_what_can_be_called_is_a_rule():
    with pytest.raises(TypeError, match="with parentheses"):
        pure() | 3
    with pytest.raises(TypeError, match="with parentheses"):
        all_of(pure(), None)
