"""Growing trees: `grow`, one level as a step, the search for splits, engines."""

from ftree._lib import exported
from ftree.growth.attach_surrogates import attach_surrogates as attach_surrogates
from ftree.growth.definition import by_definition as by_definition
from ftree.growth.engine_choice import EngineChoice as EngineChoice, EngineName as EngineName
from ftree.growth.engines import (
    CountsSides as CountsSides,
    Engine as Engine,
    EngineSetup as EngineSetup,
    Start as Start,
    parts_of as parts_of,
    plain as plain,
    unit_of as unit_of,
)
from ftree.growth.feature_scores import FeatureScore as FeatureScore, Scores as Scores, scores as scores
from ftree.growth.growing import grow as grow
from ftree.growth.levels import Growth as Growth, Level as Level, step as step, terms_of as terms_of

__all__, __dir__ = exported(globals())  # dir() shows public names only
