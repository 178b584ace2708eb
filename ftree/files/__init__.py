"""Files of tables as columns before they are coded: delimited text, Parquet, Arrow, JSON lines and ARFF.

    a path, a glob, a buffer    sources.py           files, whose bytes are decompressed while they are read
      |  read_file              read_files.py        the format by the suffix, and its reader: the table FORMATS
      v
    delimited.py                typed_files.py       Parquet, Arrow: columns have types; pyarrow or polars reads them
      |                         json_lines.py        an object on each line
      |                         arff.py              declared attributes, weights of rows
      |-- csv_by_arrow.py       large regular files; it says what is regular
      |-- csv_by_python.py      all other files, and the first records of each: names, delimiter, codes
      |     csv_columns.py      the columns of both: what a cell, a block and a column become
      v
    FileTable                   file_table.py        columns by name, and what only the file declares
      |
      v
    Dataset.read                data/dataset.py      the columns as those of a frame, then the declared values and classes

| to change | in | run first, in `tests/files` |
|---|---|---|
| a format, or add one | `read_files.py` says how | `test_read.py` |
| what a cell of text becomes | `csv_columns.py`; both readers follow | `test_csv_law.py` |
| which files are regular | the table of `csv_by_arrow.py` | `test_csv_by_arrow.py`, `test_csv_law.py` |
| records, quotes, comments, and errors that give a line | `csv_by_python.py` | `test_csv_by_python.py` |
"""

__all__: list[str] = []  # `Dataset.read` is their public name
