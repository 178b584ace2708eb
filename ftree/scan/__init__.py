"""Growing from data that outgrow memory: sources count rows in parts, and the tree is the same, node by node."""

from ftree.scan.from_dataset import source_of
from ftree.scan.source import Part, Source, SourceSummary

__all__ = ["Part", "Source", "SourceSummary", "source_of"]
__dir__ = __all__.copy  # dir() shows public names only
