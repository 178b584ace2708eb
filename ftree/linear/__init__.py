"""The perceptron: it adds each row that lies on the wrong side of its plane to the plane's weights.

Primal and dual are one algorithm. The primal form keeps the weights; the dual form counts the mistakes at each row, and needs
only inner products. Both yield a lazy sequence of states, from which a function picks the result: the last state, the best,
or their mean.

Source: Rosenblatt 1958; Novikoff 1962; Aizerman, Braverman & Rozonoer 1964 (dual).
"""

from ftree._lib import exported
from ftree.data.points import (
    standard as standard,
    unit_range as unit_range,
    unscaled as unscaled,
    weighted_features as weighted_features,
)
from ftree.linear.mistake_sequence import (
    End as End,
    Expansion as Expansion,
    Form as Form,
    Hyperplane as Hyperplane,
    PerceptronStep as PerceptronStep,
    Pick as Pick,
    State as State,
    averaged as averaged,
    dual as dual,
    gaussian as gaussian,
    inner as inner,
    last as last,
    mistakes as mistakes,
    pocket as pocket,
    polynomial as polynomial,
    primal as primal,
)
from ftree.linear.perceptrons import Machine as Machine, hyperplanes as hyperplanes, perceptron as perceptron

__all__, __dir__ = exported(globals())  # dir() shows public names only
