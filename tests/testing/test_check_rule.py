"""The battery for stopping rules catches rules that break a law."""

import numpy as np
import pytest

from ftree.stop import per_node, pure
from ftree.testing import check_rule


def test_a_rule_that_mixes_up_nodes_is_caught():
    with pytest.raises(AssertionError, match="level's answer"):
        check_rule(lambda frontier: frontier.weight >= np.max(frontier.weight))
    check_rule(per_node(pure()))
