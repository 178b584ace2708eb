"""Growing trees: `grow`, one level as a step, the search for splits, engines and kernels."""

from ftree.growth.attach_surrogates import attach_surrogates
from ftree.growth.engine_choice import EngineChoice, EngineName
from ftree.growth.engines import CountsSides, Engine, EngineSetup, FindsSplits, GrowsSubtrees, Start, parts_of, plain, unit_of
from ftree.growth.feature_scores import FeatureScore, Scores, scores
from ftree.growth.growing import grow
from ftree.growth.levels import Growth, Level, step, terms_of

__all__ = [
    "CountsSides",
    "Engine",
    "EngineChoice",
    "EngineName",
    "EngineSetup",
    "FeatureScore",
    "FindsSplits",
    "GrowsSubtrees",
    "Growth",
    "Level",
    "Scores",
    "Start",
    "attach_surrogates",
    "grow",
    "parts_of",
    "plain",
    "scores",
    "step",
    "terms_of",
    "unit_of",
]
__dir__ = __all__.copy  # dir() shows public names only
