"""Files of tables as columns before they are coded: delimited text, Parquet, Arrow, JSON lines and ARFF.

    file       sources.py          a path, a glob or a buffer; bytes are decompressed while they are read
    format     read_files.py       the table of formats: their suffixes and their readers. To add one, see there
    columns    delimited.py        text: csv_by_arrow.py reads large regular files, and says what is regular; csv_by_python.py
                                   reads all others; csv_columns.py has what a cell, a block and a column become, for both
               typed_files.py, json_lines.py, arff.py
    FileTable  sources.py          columns by name, and what only the file declares, which `Dataset.read` adds to the dataset

Run first, in `tests/files`: `test_read.py` (formats), `test_csv_by_python.py` (quotes, comments, errors that give a line),
`test_csv_by_arrow.py` (regular files), `test_csv_law.py` (every reader, and every size of blocks, reads the same table).
"""

__all__: list[str] = []  # `Dataset.read` is their public name
