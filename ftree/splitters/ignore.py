"""`ignore`: splits are scored by the cases whose value is known (Quinlan 1993, chapter 3)."""

from attrs import field, frozen

from ftree._lib.fields import QUIET, ConstructorRepr
from ftree.routing.all_routes import all_routes
from ftree.routing.rule_names import as_prediction_rule
from ftree.tree.prediction_rule import PredictionRule


@frozen(repr=False)
class ignore(ConstructorRepr):
    """A missing-value policy: known cases score a split, times their share; the others go down all branches in fractions.

    `predict` is the prediction rule of the trees that grow by it.

    Source: Quinlan 1993, chapter 3.

    >>> ignore(predict="weighted")
    ignore(predict=weighted())
    """

    predict: PredictionRule = field(default=all_routes(), kw_only=True, converter=as_prediction_rule, metadata=QUIET)
