"""Growing from data that do not fit in memory: sources count rows in parts, and the tree is the same, node by node."""

from ftree.scan.answers import accuracy, confusion_counts, predict_to
from ftree.scan.dask_table import dask_table
from ftree.scan.encoded import encode_to, open_encoded
from ftree.scan.from_dataset import source_of
from ftree.scan.node_counts import count_nodes
from ftree.scan.parts import Part, SourceSummary
from ftree.scan.ray_table import ray_table
from ftree.scan.source import Source
from ftree.scan.spark_table import spark_table
from ftree.scan.streams import survey

__all__ = [
    "Part",
    "Source",
    "SourceSummary",
    "accuracy",
    "confusion_counts",
    "count_nodes",
    "dask_table",
    "encode_to",
    "open_encoded",
    "predict_to",
    "ray_table",
    "source_of",
    "spark_table",
    "survey",
]
__dir__ = __all__.copy  # dir() shows public names only
