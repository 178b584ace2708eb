"""Growing from data that do not fit in memory: sources count rows in parts, and the tree is the same, node by node.

Before growth:

    a table     batches.py          files, queries, Arrow streams; clusters/: on other machines; folding.py: the protocol
    survey      survey.py           one scan finds kinds, values, classes, missing values, bins (column_statistics.py, bins.py)
    Source      source.py           the parts, and a SourceSummary (parts.py); of a Dataset too; encoded_folder.py saves one

A *scan* is one `fold` over all parts of a table: a function counts each part, and its results are merged. For each part:

    read        TableParts.fold     table_parts.py      a raw part becomes ...
                Reading             reading.py          ... a Part of codes, numbers, labels and weights (parts.py)
    route       rows_at_nodes       routes.py           each row goes to its open node, and is counted there

A level, for all open nodes at once: the engine `Scanned` (counting_engine.py) counts it by stages 1 to 4, which are methods of
`Level` (level.py) and have these names; 3 is left out if no unsure cell has several bins, 4 if no unsure bin has several numbers.

    1. cells        a scan          cells.py            the classes of each cell: a feature's bin, or neighbouring bins
    2. narrowed                     narrowing.py        cells in which the best cut may lie are unsure, others merge: Ranges
                                                        (ranges.py); the bounds of cuts are in gain_bounds.py
    3. with_codes   a scan          recounting.py       the classes of each bin in unsure cells; then 2 again
    4. with_values  a scan          recounting.py       the classes of each number in unsure bins; then 2 again
    5. search, stop                 growth/             as in memory, by an Avc with a value wherever the best cut may lie
    6. advance      a scan, if rows were divided        the routes become one level longer (counting_engine.py)

What differs: `threshold(bins=255)` makes its bins first (number_bins.py), so 1 is the only stage; numbers as targets are counted
as classes (counting_engine.py); with `memory`, leaves grow from their rows (within_memory.py). What a tree says of a source, in
one scan: answers.py. `docs/explanation/scanned_level.md` follows a level, and says what must hold.

The same page says which file does which step of which published algorithm, and which tests to run first after a change of it.

| to add | change | test in `tests/scan` |
|---|---|---|
| a form of a table | batches.py; of a cluster a file in clusters/ | `FORMS` of `test_sources.py`; `test_cluster_tables.py` |
| a field of `SourceSummary` | survey.py, `in_parts` of source.py; encoded_folder.py, its `_VERSION` | `test_sources.py` |
| an option of a policy that scans follow | `_OPTIONS` of counting_engine.py | `test_scan_laws.py` |
"""

from typing import TYPE_CHECKING

from ftree._lib import on_first_use

if TYPE_CHECKING:
    from ftree.routing.scoring import accuracy as accuracy
    from ftree.scan.answers import confusion_counts as confusion_counts, count_nodes as count_nodes, predict_to as predict_to
    from ftree.scan.clusters.dask_table import dask_table as dask_table
    from ftree.scan.clusters.ray_table import ray_table as ray_table
    from ftree.scan.clusters.spark_table import spark_table as spark_table
    from ftree.scan.encoded_folder import encode_to as encode_to, open_encoded as open_encoded
    from ftree.scan.parts import Part as Part, SourceSummary as SourceSummary
    from ftree.scan.source import Source as Source, source_of as source_of
    from ftree.scan.survey import survey as survey
else:
    on_first_use(__name__)
