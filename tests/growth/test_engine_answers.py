"""What engines share: the rule for cases without an answer, numbers of finished nodes, limits of growth for pruning."""

import numpy as np
import pytest

from ftree import ID3, Dataset, Threshold, grow
from ftree.growth.engines.fused import GrownSubtrees
from ftree.growth.engines.sharing import as_rule, parts_of
from ftree.growth.grower import Grower
from ftree.growth.split_arrays import Cuts
from ftree.routing.heaviest import heaviest
from ftree.routing.weighted import weighted
from ftree.stop import max_depth


def test_a_rule_of_ones_own_divides_cases_as_it_says():
    def first_two(sizes):
        return np.where(np.arange(len(sizes)) < 2, 0.5, 0.0)

    assert as_rule(first_two) is first_two
    assert as_rule("heaviest") == heaviest()
    assert as_rule("ignore") == weighted()


def test_all_nodes_of_a_level_that_are_finished_keep_their_numbers():
    cuts = Cuts.of([Threshold(0, 0.5), None, None, None])
    found = GrownSubtrees(np.array([0, 1]), np.array([0, 1, 2, 3]), np.ones((4, 2)), cuts, np.array([2, 0, 0, 0]))
    among = found.among(np.array([True, True]))
    assert (among.node.tolist(), among.place.tolist(), among.first.tolist()) == ([0, 1], [0, 1, 2, 3], [2, 0, 0, 0])
    spread = found.among(np.array([False, True, False, True]))
    assert (spread.node.tolist(), spread.place.tolist(), spread.first.tolist()) == ([1, 3], [1, 3, 4, 5], [4, 2, 2, 2])


def test_a_node_with_exactly_the_least_errors_is_grown():
    labels = [1] * 7 + [0] * 93
    data = Dataset.from_columns({"x": labels, "class": labels}, target="class", kinds={"x": "nominal"})
    assert 0.07 * 100 > 7  # by a rounding error
    assert Grower(ID3, 0.07)(data) == grow(data)
    assert Grower(ID3, 0.08)(data) == grow(data, ID3.stopping(max_depth(0)))


def test_shares_of_a_rule_that_do_not_add_up_are_refused():
    with pytest.raises(ValueError, match="add up to 1"):
        parts_of(np.ones(1), np.ones(2), lambda sizes: np.ones(len(sizes)), 0.125)
