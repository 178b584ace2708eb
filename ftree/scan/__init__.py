"""Growing from data that do not fit in memory: sources count rows in parts, and the tree is the same, node by node.

Read `counting_engine.py` first; `docs/explanation/scanned_level.md` follows one level from the source to the routes of the next.
"""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.routing.scoring import accuracy as accuracy
    from ftree.scan.answers import (
        confusion_counts as confusion_counts,
        count_nodes as count_nodes,
        predict_to as predict_to,
    )
    from ftree.scan.clusters.dask_table import dask_table as dask_table
    from ftree.scan.clusters.ray_table import ray_table as ray_table
    from ftree.scan.clusters.spark_table import spark_table as spark_table
    from ftree.scan.encoded_folder import encode_to as encode_to, open_encoded as open_encoded
    from ftree.scan.parts import Part as Part, SourceSummary as SourceSummary
    from ftree.scan.source import Source as Source, source_of as source_of, survey as survey
else:
    on_first_use(__name__)
