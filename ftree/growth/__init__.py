"""Growing trees: the verb, one level as a step, the search for splits, engines and kernels."""

from ftree.growth.engine_choice import EngineChoice, EngineName
from ftree.growth.grow import grow
from ftree.growth.levels import Growth, Level, step, terms_of
from ftree.growth.table_summary import TableSummary, summary_of

__all__ = ["EngineChoice", "EngineName", "Growth", "Level", "TableSummary", "grow", "step", "summary_of", "terms_of"]
__dir__ = __all__.copy  # dir() shows public names only
