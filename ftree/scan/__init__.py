"""Growing from data that do not fit in memory: sources count rows in parts, and the tree is the same, node by node."""

from ftree.routing.scoring import accuracy
from ftree.scan.answers import confusion_counts, predict_to
from ftree.scan.clusters.dask_table import dask_table
from ftree.scan.clusters.ray_table import ray_table
from ftree.scan.clusters.spark_table import spark_table
from ftree.scan.encoded_folder import encode_to, open_encoded
from ftree.scan.part_datasets import count_nodes
from ftree.scan.parts import Part, SourceSummary
from ftree.scan.source import Source, source_of
from ftree.scan.surveys import survey

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
