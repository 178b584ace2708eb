"""Responses besides classes and numbers: what cases add to a node, what the node answers, and what an answer loses."""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.responses.effects import effect as effect
    from ftree.responses.events import events as events
    from ftree.responses.linear import LinearModel as LinearModel, linear as linear, linear_model as linear_model
    from ftree.responses.policies import policy as policy
    from ftree.responses.quantiles import quantiles as quantiles
    from ftree.responses.several import several as several
    from ftree.responses.survival import SurvivalCurve as SurvivalCurve, survival as survival
else:
    on_first_use(__name__)
