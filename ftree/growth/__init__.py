"""Growing trees: the verb, one level as a step, the search for splits, engines and kernels."""

from ftree.growth.engine_choice import EngineChoice, EngineName
from ftree.growth.grow import grow
from ftree.growth.levels import Level, step, terms_of

__all__ = ["EngineChoice", "EngineName", "Level", "grow", "step", "terms_of"]
__dir__ = __all__.copy  # dir() shows public names only
