"""Responses besides classes and numbers: what cases add to a node, what the node answers, and what an answer loses.

events.py, several.py, quantiles.py, linear.py, survival.py, effects.py and policies.py have one each.
`ftree.tree.response_protocol` says which members a response has, and in which order the library calls them. A response names its
sums once: in `channels`, whose order is that of `add` and of the arguments of `answer`, `loss` and the others.

| to add | change | test in `tests/responses` |
|---|---|---|
| a response | a file, the line below, `docs/reference/responses.rst` | its own, by `check_response` |
| | its form in `exchange/ftree.schema.json` | `RESPONSES` of `test_all_responses.py` |
| a criterion of effects | a function of `Arms` in `VALUES` | `test_effect.py` |
| a column that one reads | `further_targets`, and arguments of `check`, `of`, `add`, `structure` | its own, by `check_response` |
| | of survival also `_places`, `_hazard`, and its metrics in `study/metrics.py` | `test_survival.py` |
| a sum of nodes | `channels`, `add`, and what parts sums: `_halves` of survival, `_arms_of` of effects | its own |
"""

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
