"""The perceptron: on each mistake, add what was missed to the plane.

Primal and dual are one algorithm: the primal keeps the weights, the dual how often each row was missed, which needs
only inner products. Both are lazy sequences of values; what to make of one (its last plane, its best, their mean) is a
function of it.

Source: Rosenblatt 1958; Novikoff 1962; Aizerman, Braverman & Rozonoer 1964 (dual).
"""

from ftree.data.points import standard, unit_range, unscaled, weighted
from ftree.linear.forms import Form, State, dual, primal
from ftree.linear.mistakes import End, Pick, Step, averaged, last, mistakes, pocket
from ftree.linear.perceptron import Machine, hyperplanes, perceptron
from ftree.linear.plane import Expansion, Hyperplane, gaussian, inner, polynomial

__all__ = [
    "End",
    "Expansion",
    "Form",
    "Hyperplane",
    "Machine",
    "Pick",
    "State",
    "Step",
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
    "weighted",
]
__dir__ = __all__.copy  # dir() shows public names only
