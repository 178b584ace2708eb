"""The perceptron: it adds each row that lies on the wrong side of its plane to the plane's weights.

Primal and dual are one algorithm. The primal form keeps the weights; the dual form counts the mistakes at each row, and needs
only inner products. Both yield a lazy sequence of states, from which a function picks the result: the last state, the best,
or their mean.

Source: Rosenblatt 1958; Novikoff 1962; Aizerman, Braverman & Rozonoer 1964 (dual).
"""

from ftree.data.points import standard, unit_range, unscaled, weighted_features
from ftree.linear.mistake_sequence import (
    End,
    Expansion,
    Form,
    Hyperplane,
    PerceptronStep,
    Pick,
    State,
    averaged,
    dual,
    gaussian,
    inner,
    last,
    mistakes,
    pocket,
    polynomial,
    primal,
)
from ftree.linear.perceptrons import Machine, hyperplanes, perceptron

__all__ = [
    "End",
    "Expansion",
    "Form",
    "Hyperplane",
    "Machine",
    "PerceptronStep",
    "Pick",
    "State",
    "averaged",
    "dual",
    "gaussian",
    "hyperplanes",
    "inner",
    "last",
    "mistakes",
    "perceptron",
    "pocket",
    "polynomial",
    "primal",
    "standard",
    "unit_range",
    "unscaled",
    "weighted_features",
]
__dir__ = __all__.copy  # dir() shows public names only
