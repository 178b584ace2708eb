"""Growing trees: the verb, one level as a step, the search for splits, engines and kernels."""

from ftree.growth.grow import Choice, Level, Named, grow, step, terms_of

__all__ = ["Choice", "Level", "Named", "grow", "step", "terms_of"]
__dir__ = __all__.copy  # dir() shows public names only
