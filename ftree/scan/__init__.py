"""Growing from data that outgrow memory: sources count rows in parts, and the tree is the same, node by node."""

from ftree.scan.encoded import EncodedTable, encode_to, open_encoded
from ftree.scan.from_dataset import source_of
from ftree.scan.source import Part, Source, SourceSummary
from ftree.scan.streams import Surveyed, survey

__all__ = ["EncodedTable", "Part", "Source", "SourceSummary", "Surveyed", "encode_to", "open_encoded", "source_of", "survey"]
__dir__ = __all__.copy  # dir() shows public names only
