"""A user's response: directions on a compass, whose mean is no sum of numbers. Source: Mardia & Jupp 2000, section 2.2."""

from math import atan2, cos, pi, sin

import numpy as np
from attrs import frozen
from hypothesis import strategies as st

from ftree import CART, Dataset, grow, predict, prune
from ftree.testing import check_response


@frozen
class directions:
    """Angles in radians: a node answers with the mean direction, and a case loses 1 less the cosine of the angle between."""

    kind, channels = "directions", ("cases", "north", "east")

    def add(self, values):
        return np.cos(values), np.sin(values)

    def answer(self, _, north, east):
        return np.arctan2(east, north)

    def loss(self, answer, cases, north, east):
        return cases - north * np.cos(answer) - east * np.sin(answer)


def test_it_keeps_the_laws():
    angles = st.sampled_from([0.0, 0.5, 2.0, 2.5])
    check_response(directions(), values=angles, oracle=lambda told: atan2(sum(map(sin, told)), sum(map(cos, told))))


def test_winds_near_north_have_a_mean_near_north():
    winds = {"month": [1.0, 1.0, 7.0, 7.0], "from": [0.1, 2 * pi - 0.1, 3.0, 3.2]}
    tree = prune.cost_complexity(0.01)(grow(Dataset.from_columns(winds, target="from", response=directions()), CART))
    assert np.allclose(predict(tree, [[1.0], [7.0]]), [0.0, 3.1], atol=1e-9)
