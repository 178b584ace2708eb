"""The perceptron: it adds each row that lies on the wrong side of its plane to the plane's weights.

Primal and dual are one algorithm. The primal form keeps the weights; the dual form counts the mistakes at each row, and needs
only inner products. Both yield a lazy sequence of states, from which a function picks the result: the last state, the best,
or their mean. Scalings of features are in `ftree.points`.

    perceptron_learner.py    learners: from a dataset to a function that labels rows; a plane for `splitters.oblique`
    mistake_sequence.py      the states of learning, one after each mistake
    forms_and_kernels.py     the primal and the dual state, and kernels

All are tested in `tests/linear/test_perceptron.py`; the planes of `splitters.oblique` in `tests/splitters/test_oblique.py`
and `test_weight_finders.py`.

Source: Rosenblatt 1958; Novikoff 1962; Aizerman, Braverman & Rozonoer 1964 (dual).
"""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.linear.forms_and_kernels import (
        Expansion as Expansion,
        Form as Form,
        Hyperplane as Hyperplane,
        State as State,
        dual as dual,
        gaussian as gaussian,
        inner as inner,
        polynomial as polynomial,
        primal as primal,
    )
    from ftree.linear.mistake_sequence import (
        End as End,
        PerceptronStep as PerceptronStep,
        Pick as Pick,
        averaged as averaged,
        last as last,
        mistakes as mistakes,
        pocket as pocket,
    )
    from ftree.linear.perceptron_learner import Machine as Machine, hyperplanes as hyperplanes, perceptron as perceptron
    from ftree.linear.perceptron_learner import perceptrons as perceptrons
else:
    on_first_use(__name__)
