"""Responses of sums, one a file: what cases add to a node, what the node answers, and what an answer loses."""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.tree.responses.effect import effect as effect
    from ftree.tree.responses.events import events as events
    from ftree.tree.responses.linear import LinearModel as LinearModel, linear as linear, linear_model as linear_model
    from ftree.tree.responses.policies import policy as policy
    from ftree.tree.responses.quantiles import quantiles as quantiles
    from ftree.tree.responses.several import several as several
    from ftree.tree.responses.survival import SurvivalCurve as SurvivalCurve, survival as survival
else:
    on_first_use(__name__)
