"""The battery for stopping rules detects rules that break a law."""

import numpy as np
import pytest

from ftree.stop import max_depth, min_gain, min_rows, per_node, pure
from ftree.testing import check_rule

pytestmark = pytest.mark.usefixtures("unshrunk")


def test_a_rule_that_mixes_up_nodes_is_caught():
    with pytest.raises(AssertionError, match="level's answer"):
        check_rule(lambda frontier: frontier.weight >= np.max(frontier.weight))
    check_rule(per_node(pure()))


@pytest.mark.parametrize(
    ("wrong", "law", "claims"),
    [
        (max_depth(1), "a rule closes what the oracle closes", {"oracle": lambda node: node.depth > 3}),
        (min_gain(0.25), "a rule closes what the oracle closes", {"oracle": lambda node: node.gain < 0.2, "at": [0.2]}),
        (lambda frontier: frontier.gain < 0.25, "does not tell gains apart that differ by rounding", {"at": [0.25]}),
        (lambda frontier: frontier.depth == 2, "the rule rises with depth", {"rising": {"depth"}}),
        (min_rows(5), "the rule rises with weight", {"rising": {"weight"}}),
    ],
)
def test_a_rule_that_is_not_what_is_claimed_of_it_is_caught(wrong, law, claims):
    with pytest.raises(AssertionError, match=law):
        check_rule(wrong, **claims)


def test_a_rule_that_remembers_is_caught():
    asked = []

    def every_other_time(frontier):
        asked.append(frontier)
        return np.full(frontier.shape, len(asked) % 2 == 1)

    with pytest.raises(AssertionError, match=r"level's answer|closes the other nodes"):
        check_rule(every_other_time)
