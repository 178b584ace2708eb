"""Growing from data that do not fit in memory: sources count rows in parts, and the tree is the same, node by node.

A *scan* is one `fold` over all parts of a table: a function is called for each part, and its results are merged.

    a table: files, a query, Arrow streams     batches.py; clusters/ on other machines
      |  survey: one scan                      reading.py             kinds, values, classes, missing values, samples of numbers
      v
    Source: a summary, and parts               source.py, parts.py
      |  encode a raw part: Reading            reading.py, bins.py    a value's number, or the bin of a number
      |     encode_to writes them once         encoded_folder.py
      |     threshold(bins=255): other bins    number_bins.py         one scan of codes, some of values near the ends of bins
      v
    Part: codes, numbers, labels, weights      parts.py               labels of numbers: the channels of numbers_in_channels.py
      |  send rows to open nodes               routes.py
      |  count the classes of cells            counts.py              one scan a level: bins, or several together, of each node
      v
    Ranges: cells with bounds of their cuts    ranges.py
      |  count again where a cut may win       counting_engine.py     at most two scans a level: by bin, then by value
      v
    Avc: as for rows in memory, with a value wherever the best cut may lie; growth searches, and stops
      |  Scanned.advance: the next level       counting_engine.py     one scan more if missing values divide rows
      v
    a tree; with `memory`, leaves grow from their rows: within_memory.py. What it says of a source, in one scan: answers.py

`docs/explanation/scanned_level.md` follows one level, and says what must hold.
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
    from ftree.scan.source import Source as Source, source_of as source_of
    from ftree.scan.survey import survey as survey
else:
    on_first_use(__name__)
